"""Compares rdma-tidy's verdicts with the `ldrf`, `fenced` and `tree-fenced` lines of litmus files, read here anew.

Also: a file that says `robust no` must never be called robust. Prints each disagreement and the number of lines held
against the tool; status 1 for a disagreement or when nothing was compared.
"""
import json
import re
import subprocess
import sys

LINE = re.compile(r"^\s*(ldrf|fenced|tree-fenced|robust)(?:\[([\w-]+)\])?\s+(yes|no)\s*;", re.M)


def verdict(path, model):
    run = subprocess.run(["rdma-tidy", "--format=json", f"--model={model}", path], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"{path}: status {run.returncode}: {run.stderr}")
    return json.loads(run.stdout)


def main(paths):
    compared = wrong = 0
    for path in paths:
        for condition, model, answer in LINE.findall(open(path).read()):
            if model == "sc":
                continue
            said = verdict(path, model or "rdma-tso")[condition]
            # The conditions are sufficient, not necessary: `robust yes` may go unproved.
            bad = said and answer == "no" if condition == "robust" else said != (answer == "yes")
            compared += 1
            wrong += bad
            if bad:
                print(f"{path}: {condition}[{model or 'rdma-tso'}] is {answer}, rdma-tidy says {said}")
    print(f"{compared} verdicts compared, {wrong} wrong")
    return wrong != 0 or compared == 0


sys.exit(main(sys.argv[1:]))
