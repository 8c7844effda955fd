"""Looks at a page of --format=html and prints what is on it: usage page.py PAGE. Links must lead somewhere, ids be unique, a
picture have a step for each step of its list, and nothing be loaded from elsewhere. With a Chromium on the machine the page is
opened in it too: no error on the console, and the buttons take the execution apart."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

CLICKS = """<script>
addEventListener('load', () => {
  const first = document.querySelector('.execution');
  const press = name => first.querySelector(name).click();
  const later = () => first.querySelectorAll('svg .later').length;
  const marked = () => document.querySelectorAll('.source .now').length;
  const seen = [later()];
  press('.back'); seen.push(later(), marked());
  press('.back'); seen.push(later());
  press('.forth'); seen.push(later());
  press('.all'); seen.push(later());
  document.title = 'clicked ' + seen.join(' ');
});
</script></body>"""


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.lines, self.classes = [], [], [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for key in ("src", "xlink:href", "srcset"):
            assert key not in values, (tag, values)
        self.classes += [f"{tag}.{name}" for name in (values.get("class") or "").split()]
        if "id" in values and values["id"] != "head":  # the arrow head of each picture
            self.ids.append(values["id"])
        if tag == "a":
            self.links.append(values["href"])
        if values.get("data-line"):
            self.lines.append(values["data-line"])


def structure(text):
    page = Page()
    page.feed(text)
    assert len(page.ids) == len(set(page.ids)), "an id twice"
    for link in page.links:
        assert link.startswith("#") and link[1:] in page.ids, f"{link} leads nowhere"
    for line in page.lines:
        assert line in page.ids, f"no line {line}"
    pictures = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg .*?</svg>", text, re.S)]
    timelines = [svg for svg in pictures if svg.get("class") == "timeline"]
    lists = re.findall(r'<ol class="steps">(.*?)</ol>', text, re.S)
    assert len(timelines) == len(lists)
    for svg, steps in zip(timelines, lists):
        drawn = [group for group in svg.iter("{http://www.w3.org/2000/svg}g")]
        assert len(drawn) == steps.count("<li") and drawn
        assert any("shows" in group.get("class").split() for group in drawn)
    print(page.classes.count("section.finding"), "findings;", len(timelines), "executions;",
          len(pictures) - len(timelines), "cycles;", sum(s.count("<li") for s in lists), "steps")


def browse(name, text):
    if os.environ.get("NO_BROWSER") or '<div class="execution"' not in text:
        return
    chromium = shutil.which("chromium")
    assert chromium, "chromium is not installed; NO_BROWSER=1 does without"
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        with open(page, "w", encoding="utf-8") as file:
            file.write(text.replace("</body>", CLICKS))
        command = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                   "--enable-logging=stderr", "--window-size=1500,2400", f"--screenshot={name}.png", "--dump-dom",
                   "file://" + page]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        assert not console, console
        clicked = re.search(r"<title>clicked ([0-9 ]+)</title>", done.stdout)
        assert clicked, done.stdout[:300] + done.stderr[-300:]
        assert re.fullmatch("0 1 1 2 1 0", clicked[1]), clicked[1]


with open(sys.argv[1], encoding="utf-8") as file:
    whole = file.read()
structure(whole)
browse(sys.argv[1], whole)
