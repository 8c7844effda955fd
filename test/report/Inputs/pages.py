"""Holds the programs on the pages of the checks against the files that they are from: usage pages.py SOURCE. A `c` block stands
in the file that was named last, line after line; what a `diff` block adds, `rdma-fix FILE` adds."""
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[1])
FLAGS = ["--", "-Iexamples", "-Iruntime/include"]


def holds(lines, wanted):
    return any(lines[at:at + len(wanted)] == wanted for at in range(len(lines)))


for page in sorted((source / "analyzer/report/pages").glob("rdma-*.md")):
    text = page.read_text()
    headings = re.findall("^## (.*)$", text, re.M)
    assert headings[0] == "On the wire" and headings[-1] == "When to suppress", page
    assert {"The rule", "How to fix", "What it cannot see"} <= set(headings), page
    blocks, named = 0, None
    for piece in re.finditer(r"`(examples/[^`]+?\.c(?:pp)?)`|`rdma-fix (examples/\S+)`|```(c|diff)\n(.*?)```", text, re.S):
        named = piece[1] or piece[2] or named
        if not piece[3]:
            continue
        wanted = piece[4].splitlines()
        if piece[3] == "c":
            found = (source / named).read_text().splitlines()
        else:
            fixed = subprocess.run(["rdma-fix", named, *FLAGS], cwd=source, capture_output=True, text=True)
            assert fixed.returncode == 1, fixed.stderr
            found = fixed.stdout.splitlines()
        assert holds(found, wanted), f"{page.name}: {named} has no longer {wanted}"
        blocks += 1
    print(page.stem, f"{blocks} programs")
