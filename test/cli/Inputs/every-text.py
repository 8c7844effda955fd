"""Fails for an entry of a registry of texts that no tool said, and for an option of a tool that none was given, in what was recorded:
usage every-text.py RECORD TEXTS.def... TOOL...
What a page has to show, the texts of a step and those of an edge, is looked for in what --format=html wrote."""
import html
import json
import pathlib
import re
import subprocess
import sys

ENTRY = re.compile(r'^TEXT\((\w+),\s*"(.*)"\)$', re.M)


ON_A_PAGE = re.compile(r"StepTexts\.def:|Texts\.def:Edge")
WHOLE = re.compile(r"(Remark|Loss)Texts\.def:")  # all of what is said, or of what is said in brackets: others begin or end like it


def shape(name, words):
    text = ".*".join(re.escape(part) for part in re.split(r"%\d", words.replace('\\"', '"')))
    return f"^{text}$" if ON_A_PAGE.match(name) else rf"(: |\(){text}($|[;)]| [\[(])" if WHOLE.match(name) else text


def main(record, *names):
    registries = [name for name in names if name.endswith(".def")]
    tools = names[len(registries):]
    runs = [json.loads(path.read_text()) for path in pathlib.Path(record).iterdir()]
    whole = "\n".join(sorted({line for run in runs for line in run["said"].splitlines()}))
    pages = html.unescape(re.sub("<[^>]*>", "\n", "".join(run["said"] for run in runs if "--format=html" in run["words"])))
    entries = [(f"{pathlib.Path(registry).name}:{name}", words) for registry in registries
               for name, words in ENTRY.findall(pathlib.Path(registry).read_text())]
    missing = [name for name, words in entries
               if not re.search(shape(name, words), pages if ON_A_PAGE.match(name) else whole, re.M)]
    print(f"{len(runs)} runs; {len(entries)} texts, {len(missing)} that none said: {' '.join(missing)}")
    status = bool(missing) or not entries
    for tool in tools:
        shown = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
        options = set(re.findall(r"^  (?:-\w, )?--([a-z-]+)", shown, re.M))
        given = {re.match("--?([a-z-]*)", word)[1] for run in runs if run["tool"] == tool for word in run["words"]
                 if word.startswith("-")}
        never = sorted(options - given)
        print(f"{tool}: {len(options)} options, {len(never)} never given: {' '.join(never)}")
        status |= bool(never) or not options
    return status


sys.exit(main(*sys.argv[1:]))
