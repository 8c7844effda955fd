#!/usr/bin/env python3
"""What may the extraction forget without a test noticing?

forget.py BUILD [WORD...]        everything it can forget, or the lines of extraction-mutants.txt with one of the words
forget.py BUILD --every N [WORD...]  every Nth of them

Each is turned off in turn, and the unit tests of the extraction, the race grid and forty generated programs are run until
one of them fails. Prints who noticed, and then what nobody noticed. Exit status 1 when there is any.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

SEVERAL = 2  # at once


def runs(build, source):
    bin = build / "bin"
    yield "unit", [bin / "forget-tests", "--gtest_brief=1", "--gtest_fail_fast"]
    yield "grid", [bin / "forget-grid", source / "test/race-grid/Inputs", "--first"]
    yield "generated", [bin / "forget-generate", "1", "40", "--quiet"]


def noticed(build, source, mutant):
    for name, command in runs(build, source):
        try:
            done = subprocess.run(command, env=dict(os.environ, RDMA_FORGET=mutant), capture_output=True, text=True,
                                  timeout=600)
        except subprocess.TimeoutExpired:
            return f"{name}: time"
        if done.returncode != 0:
            which = re.search(r"FAILED\s+\] (\S+?),? |^(\S+-(?:yes|no)\.\w+):|^(seed \d+: \w+)", done.stdout + " ", re.M)
            return f"{name}: {next(filter(None, which.groups())) if which else f'exit {done.returncode}'}"
    return None


def main():
    build, words = pathlib.Path(sys.argv[1]), sys.argv[2:]
    every = 1
    if words[:1] == ["--every"]:
        every, words = int(words[1]), words[2:]
    source = pathlib.Path(__file__).resolve().parents[2]
    lines = (build / "test/mutants/source/extraction-mutants.txt").read_text().splitlines()
    lines = [l for l in lines if not words or any(w in l for w in words)][::every]
    if by := noticed(build, source, ""):
        sys.exit(f"error: a test fails with nothing forgotten: {by}")
    left = []
    with concurrent.futures.ThreadPoolExecutor(SEVERAL) as pool:
        results = pool.map(lambda l: noticed(build, source, l.split(" ", 1)[0]), lines)
        for line, by in zip(lines, results):
            print(f"  {line}: {by}" if by else f"  {line}: UNNOTICED", flush=True)
            if not by:
                left.append(line)
    print(f"{len(lines) - len(left)} of {len(lines)} noticed")
    for line in left:
        print("unnoticed:", line)
    sys.exit(1 if left else 0)


main()
