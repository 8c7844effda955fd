#!/usr/bin/env python3
"""Defects planted one at a time: does rdma-tidy find them?

planted.py RDMA-TIDY FILE... [-- FLAGS]

Of each correct program one poll, wait, fence, flush or signal is removed, or one window made larger by one. A line for each:
  found      a warning that the program itself does not have
  remark     not proved: the analysis lost a fact, and says which
  silent     nothing more is open than before; to be judged: the defect may be harmless
  false      the untouched program has a warning
A program that does not compile any more is left out.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

WAITING = re.compile(r"\b(?:ibv_poll_cq|\w*(?:poll|wait|drain|flush|reap|take)\w*)\s*\(")
PLAIN = [
    ("fence", re.compile(r"\|\s*IBV_SEND_FENCE\b"), ""),
    ("fence", re.compile(r"\bIBV_SEND_FENCE\b"), "0"),
    ("signal", re.compile(r"\|\s*IBV_SEND_SIGNALED\b"), ""),
    ("signal", re.compile(r"\bIBV_SEND_SIGNALED\b"), "0"),
]
WINDOW = re.compile(r"\bwhile\s*\([^;{}]*?(>=|==)\s*[\w:]+\s*\)")


def blank(text):
    """The text with comments, strings and preprocessor lines blanked, at the same places."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#[^\n]*'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S | re.M)


def behind(code, at):
    """Where the bracket that opens at this place has been closed."""
    depth = 0
    for i in range(at, len(code)):
        depth += code[i] in "([{"
        depth -= code[i] in ")]}"
        if not depth:
            return i + 1
    return len(code)


def statement(code, at):
    """The loop or the plain statement that a call is in, or nothing: a declaration, a definition, a condition of an `if`."""
    begin = max(code.rfind(c, 0, at) for c in ";{}") + 1
    while begin < at and code[begin].isspace():
        begin += 1
    head = code[begin:at]
    if re.match(r"do\b", head):
        return None
    loop = re.match(r"(?:while|for)\s*\(", head)
    if loop:
        end = behind(code, begin + loop.end() - 1)
        if at >= end:
            return None
        while end < len(code) and code[end].isspace():
            end += 1
        return begin, behind(code, end) if code[end] == "{" else code.index(";", end) + 1
    if re.match(r"[\w.:>()\[\]*&-]*$", head) and code[behind(code, code.index("(", at)):].lstrip().startswith(";"):
        return begin, code.index(";", at) + 1
    return None


def mutants(text):
    code, seen = blank(text), set()
    for call in WAITING.finditer(code):
        place = statement(code, call.start())
        if place and place not in seen:
            seen.add(place)
            kind = "poll" if "ibv_poll_cq" in code[place[0] : place[1]] else "wait"
            yield kind, place[0], text[: place[0]] + ";" + text[place[1] :]
    for kind, pattern, instead in PLAIN:
        for found in pattern.finditer(code):
            if found.end() not in seen:
                seen.add(found.end())
                yield kind, found.start(), text[: found.start()] + instead + text[found.end() :]
    for found in WINDOW.finditer(code):
        begin, end = found.span(1)
        if found.group(1) == ">=":
            yield "window", begin, text[:begin] + ">" + text[end:]


def run(tool, file, flags):
    """Warnings and open pairs; nothing: it could not be analysed."""
    command = [tool, "--fail-on=never", file, "--", *flags, "-I" + os.path.dirname(os.path.abspath(file))]
    out = subprocess.run(command, capture_output=True, text=True)
    text = out.stdout + out.stderr
    pairs = re.search(r"(\d+) not, (\d+) not proved", text)
    if out.returncode > 1 or not pairs:
        return None
    return text.count(" warning: "), int(pairs[1]) + int(pairs[2])


def judge(before, after):
    if after[0] > before[0]:
        return "found"
    return "remark" if after[1] > before[1] else "silent"


def table(tool, file, flags, sums):
    before = run(tool, file, flags)
    if before is None:
        print(f"{file}: not analysed")
        return
    if before[0]:
        sums["false"] = sums.get("false", 0) + 1
        print(f"{file}: false")
    text = open(file, encoding="utf-8").read()
    folder, name = os.path.split(os.path.abspath(file))
    for kind, place, changed in mutants(text):
        with tempfile.TemporaryDirectory() as copy:
            beside = os.path.join(copy, os.path.basename(folder))
            shutil.copytree(folder, beside)
            with open(os.path.join(beside, name), "w", encoding="utf-8") as to:
                to.write(changed)
            after = run(tool, os.path.join(beside, name), [*flags, "-I" + folder + "/..", "-I" + folder])
        if after is None:
            continue
        verdict = judge(before, after)
        sums[verdict] = sums.get(verdict, 0) + 1
        print(f"{file}:{text.count(chr(10), 0, place) + 1}: {kind} {verdict}", flush=True)


def main():
    words = sys.argv[1:]
    flags = words[words.index("--") + 1 :] if "--" in words else []
    files = words[: words.index("--")] if "--" in words else words
    sums = {}
    for file in files[1:]:
        table(files[0], file, flags, sums)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(sums.items())))
    sys.exit(1 if "false" in sums else 0)


main()
