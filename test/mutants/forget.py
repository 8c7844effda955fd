#!/usr/bin/env python3
"""What may the extraction forget without a test noticing?

forget.py BUILD [WORD...]        everything it can forget, or the lines of extraction-mutants.txt with one of the words

Every test is run by itself: each unit test of the extraction, each program of the race grid, forty generated programs.
Where its sources are compiled, its process parts into one for each thing that is not noticed yet and that it asks for
(Forget.h). What topologies are read by has to be forgotten before that, and is tried from the beginning.
Prints who noticed, and then what nobody noticed. Exit status 1 when there is any.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

SEVERAL = 2  # at once
BEFORE = " program/"  # what may take part in reading the topology


def tests(build, source):
    bin, suite = build / "bin", ""
    listed = subprocess.run([bin / "forget-tests", "--gtest_list_tests"], capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines()[1:]:
        if line.startswith(" "):
            yield suite + line.split()[0], [bin / "forget-tests", f"--gtest_filter={suite}{line.split()[0]}"]
        else:
            suite = line.split()[0]
    grid = source / "test/race-grid/Inputs"
    for path in sorted(grid.iterdir()):
        if path.stem.endswith(("-yes", "-no")) and path.suffix in (".c", ".cpp"):
            yield path.stem, [bin / "forget-grid", grid, path.stem]
    for seed in range(1, 41):
        yield f"generated {seed}", [bin / "forget-generate", str(seed), "1", "--quiet"]


class Forgetting:
    def __init__(self, lines):
        self.left = {line.split(" ", 1)[0]: line for line in lines}
        self.asked = set()
        self.lock = threading.Lock()

    def run(self, name, command, at, names):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "each"
            file.write_text("".join(n + "\n" for n in names))
            done = subprocess.run(command, env=dict(os.environ, RDMA_FORGET_AT=at, RDMA_FORGET_EACH=str(file)),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if done.returncode == 3:
                sys.exit(f"error: {name} fails with nothing forgotten")
            read = lambda kind: pathlib.Path(f"{file}.{kind}").read_text().split() if pathlib.Path(f"{file}.{kind}").exists() else []
            return read("noticed"), read("asked")

    def test(self, name, command, at, word=""):
        with self.lock:
            names = [n for n, line in self.left.items() if word in line]
        noticed, asked = self.run(name, command, at, names)
        with self.lock:
            self.asked.update(asked)
            for n in noticed:
                if line := self.left.pop(n, None):
                    print(f"  {line}: {name}", flush=True)

    def all(self, chosen, at, word=""):
        with concurrent.futures.ThreadPoolExecutor(SEVERAL) as pool:
            for done in [pool.submit(self.test, name, command, at, word) for name, command in chosen]:
                done.result()


def main():
    build, words = pathlib.Path(sys.argv[1]), sys.argv[2:]
    source = pathlib.Path(__file__).resolve().parents[2]
    lines = (build / "test/mutants/source/extraction-mutants.txt").read_text().splitlines()
    lines = [l for l in lines if not words or any(w in l for w in words)]
    chosen, forgetting = list(tests(build, source)), Forgetting(lines)
    forgetting.all(chosen, "compiled")
    forgetting.all(chosen, "begin", BEFORE)
    print(f"{len(lines) - len(forgetting.left)} of {len(lines)} noticed")
    for n, line in forgetting.left.items():
        print("unnoticed:" if n in forgetting.asked else "never asked for:", line)
    sys.exit(1 if forgetting.left else 0)


main()
