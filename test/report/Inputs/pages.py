"""Holds the programs on the pages of the checks against the files that they are from: usage pages.py SOURCE. A `c` block stands
in the file that was named last, line after line; what a `diff` block adds, `rdma-fix FILE` adds. A `c` block that is a whole program
(it begins with an #include) is compiled, analysed with the `json` block as its topology, and run, and so is what the `diff` block makes
of it: the check reports the first and not the second."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[1])
FLAGS = ["--", "-Iexamples", "-Iruntime/include"]


def holds(lines, wanted):
    return any(lines[at:at + len(wanted)] == wanted for at in range(len(lines)))


def patched(program, diff):
    """The lines of the diff stand together in the program."""
    before = "".join(line[1:] + "\n" for line in diff if line[0] in " -")
    after = "".join(line[1:] + "\n" for line in diff if line[0] in " +")
    assert program.count(before) == 1, before
    text = program.replace(before, after)
    # The calls of rdma/order.h are seen where that comes before other headers.
    return "#include <rdma/order.h>\n" + text if "rdma_wait" in after else text


def reported(check, text, topology):
    """How often the check reports the program; which is compiled without a warning, and ends well, too."""
    with tempfile.TemporaryDirectory() as folder:
        file, program, roles = pathlib.Path(folder) / "page.c", f"{folder}/page", f"{folder}/topology.json"
        file.write_text(text)
        if topology:
            pathlib.Path(roles).write_text(topology)
        calls = re.search(r"^int page\((.*)\)", text, re.M)[1]
        call = ", ".join(re.search(r"(\w+)$", one)[1] for one in calls.split(","))
        subprocess.run(["clang", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", f"-I{source}/runtime/include", f"-DPAGE_TAKES={calls}",
                        f"-DPAGE_CALL=page({call})", str(file), str(source / "test/report/Inputs/page-main.c"), "-o", program, "-libverbs"], check=True)
        subprocess.run(["rdma-run", "--schedule=weak", program], check=True, timeout=300, env={**os.environ, "RDMA_FABRIC": f"page-{os.getpid()}"})
        done = subprocess.run(["rdma-tidy", "--checks=*", *([f"--topology={roles}"] if topology else []), str(file), "--", f"-I{source}/runtime/include"],
                              capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout.count(f"[{check}]")


def program_of_its_own(check, text):
    pieces = dict((kind, body) for kind, body in re.findall(r"```(c|json|diff)\n(.*?)```", text, re.S))
    fixed = patched(pieces["c"], pieces["diff"].splitlines())
    before, after = (reported(check, one, pieces.get("json", "")) for one in (pieces["c"], fixed))
    assert before and not after, (check, before, after)
    print(check, "its own program: reported, and corrected")


for page in sorted((source / "analyzer/report/pages").glob("rdma-*.md")):
    text = page.read_text()
    headings = re.findall("^## (.*)$", text, re.M)
    assert headings[0] == "On the wire" and headings[-1] == "When to suppress", page
    assert {"The rule", "How to fix", "What it cannot see"} <= set(headings), page
    if "```c\n#include" in text:
        program_of_its_own(page.stem, text)
        continue
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
