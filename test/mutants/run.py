#!/usr/bin/env python3
"""Which mutants of the order tables and the NIC rules do the tests notice?

run.py BUILD [WORD...]   all mutants, or those whose line contains one of the words

Every mutant is run against two groups of tests: those that write the tables and rules down a second time (form),
and all others, which see only what programs do (meaning). Prints one line for each mutant, with the first test of
each group that failed, and then those that no test noticed and those that only their form gave away. Exit status 1
when a mutant that can be told apart went unnoticed.
"""
import os
import pathlib
import re
import subprocess
import sys

FORM = "Orders.*:Steps.*:Apply.*"
# The quick ones first; all that fails ends the run.
MEANING = ["Cells.*:Declarative.*:Papers/*:Explore.*", "*-*Loops*:Soundness.*:Handshakes.*:" + FORM,
           "*Loops*:Soundness.*:Handshakes.*"]


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


def all_mutants(build):
    """(RDMA_MUTANT, words, equivalent)"""
    cells = subprocess.run([build / "bin/mutant-cells"], capture_output=True, text=True, check=True).stdout
    for line in cells.splitlines():
        mutant, words, by = line.split(": ", 2)
        yield mutant, words, by == "equivalent"
    for line in (build / "test/mutants/source/nic-mutants.txt").read_text().splitlines():
        number, words = line.split(" ", 1)
        yield f"nic {number}", words, False


def main():
    build, wanted = pathlib.Path(sys.argv[1]), sys.argv[2:]
    binary = build / "bin/mutant-tests"
    if fails(binary, "", "*-*Loops*:Soundness.*"):
        sys.exit("error: the tests fail without a mutant")
    tried, equivalent, unnoticed, form_only = 0, 0, [], []
    for mutant, words, same in all_mutants(build):
        text = f"{mutant} ({words})"
        if wanted and not any(w in text for w in wanted):
            continue
        tried += 1
        if same:
            equivalent += 1
            continue
        form = fails(binary, mutant, FORM)
        meaning = next(filter(None, (fails(binary, mutant, tests) for tests in MEANING)), None)
        print(f"{text}: form {form or '-'}, meaning {meaning or '-'}", flush=True)
        if not form and not meaning:
            unnoticed.append(text)
        elif not meaning:
            form_only.append(text)
    print(f"{tried} mutants, {equivalent} of them equivalent by computation, {len(unnoticed)} of the others unnoticed")
    for text in unnoticed:
        print("unnoticed:", text)
    for text in form_only:
        print("only by form:", text)
    sys.exit(1 if unnoticed else 0)


main()
