#!/usr/bin/env python3
"""Which mutants of the order tables and the NIC rules do the tests notice?

run.py BUILD [WORD...]   all mutants, or those whose line contains one of the words

Every mutant is run against two groups of tests: those that write the tables and rules down a second time (form),
and the others, which see only what programs do (meaning). Prints who noticed which, and then the mutants that no test
noticed and those that only their form gave away. Exit status 1 when one that can be told apart went unnoticed.
"""
import os
import pathlib
import re
import subprocess
import sys

FORM = "Orders.*:Steps.*:Apply.*"
# The quick ones first: each is run against the mutants that those before it did not notice.
MEANING = ["Cells.*:Declarative.*:Papers/*:Explore.*:Conditions.*", "Engines.AgreeOnOutcomes*", "GuaranteedBefore.Knows*:Paths.*",
           "*-Soundness.*:Handshakes.*:Engines.*:" + FORM, "Engines.*:Soundness.*:Handshakes.*"]


def fails(binary, mutant, tests):
    """The first test that fails, or nothing."""
    try:
        done = subprocess.run([binary, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={tests}"],
                              env=dict(os.environ, RDMA_MUTANT=mutant), capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "time"
    if done.returncode == 0:
        return None
    found = re.search(r"FAILED\s+\] (\S+?),? ", done.stdout + " ")
    return found.group(1) if found else f"exit {done.returncode}"


def lines(build, tool):
    return subprocess.run([build / "bin" / tool], capture_output=True, text=True, check=True).stdout.splitlines()


def all_mutants(build):
    """(RDMA_MUTANT, words, equivalent)"""
    for line in lines(build, "mutant-cells"):
        mutant, words, by = line.split(": ", 2)
        yield mutant, words, by == "equivalent"
    names = (build / "test/mutants/source/nic-mutants.txt").read_text().splitlines()
    for line, name in zip(lines(build, "mutant-rules"), names, strict=True):
        yield line.split(":")[0], name.split(" ", 1)[1], line.endswith(": equivalent")


def noticed(binary, mutants, tests):
    """By mutant, the test that noticed it."""
    found = {}
    for text in mutants:
        if by := fails(binary, text.split(" (")[0], tests):
            found[text] = by
            print(f"  {text}: {by}", flush=True)
    return found


def main():
    build, wanted = pathlib.Path(sys.argv[1]), sys.argv[2:]
    binary = build / "bin/mutant-tests"
    if fails(binary, "", ":".join([FORM] + MEANING[:2])):
        sys.exit("error: the tests fail without a mutant")
    mutants = [m for m in all_mutants(build) if not wanted or any(w in f"{m[0]} ({m[1]})" for w in wanted)]
    left = [f"{mutant} ({words})" for mutant, words, same in mutants if not same]
    print(f"{len(mutants)} mutants, {len(mutants) - len(left)} of them equivalent by computation", flush=True)
    form = noticed(binary, left, FORM)
    print(f"{len(form)} of {len(left)} noticed by their form", flush=True)
    unformed = [text for text in left if text not in form]
    for tests in MEANING:
        by = noticed(binary, left, tests)
        left = [text for text in left if text not in by]
        print(f"{len(by)} noticed by {tests}; left: {len(left)}", flush=True)
    for text in left:
        print("unnoticed:" if text in unformed else "only by form:", text)
    sys.exit(1 if set(left) & set(unformed) else 0)


main()
