#!/usr/bin/env python3
"""What may the extraction forget without a test noticing?

forget.py BUILD [--most=N] [--tests=REGEX] [--files=REGEX] [WORD...]
   everything it can forget, or what is in such files, or the lines of extraction-mutants.txt with one of the words; by all tests, or
   those of such names

Every test is run by itself: each unit test of the extraction, each program of the race grid, each call of test/calls (for the rows
of the table), forty generated programs.
Where its sources are compiled, its process parts into one for each thing that is not noticed yet and that it asks for
(Forget.h). What topologies are read by has to be forgotten before that, and is tried from the beginning.
With --most, a thing is tried by so many tests that ask for it and no more: what all tests ask for and none notices takes nearly all
of the time. The tests then come in an order that mixes their kinds.
Prints who noticed, and then what nobody noticed. Exit status 1 when there is any.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading

SEVERAL = 2  # at once
BEFORE = " program/"  # what may take part in reading the topology


def tests(build, source):
    bin, suite = build / "bin", ""
    effects = set()
    for list in sorted((source / "test/calls/Inputs").glob("*.calls")):
        for number, line in enumerate(list.read_text().splitlines(), 1):
            if not line.startswith("  "):
                continue
            effect, call = line.split()[:2]
            command = [bin / "forget-calls", list, f"--line={number}"]
            yield f"{list.name}:{number} {call.split('(')[0].rstrip(':')}", command  # for its own row
            if (list, effect) not in effects:
                yield f"{list.name}:{number}", command
            effects.add((list, effect))
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
    def __init__(self, lines, most):
        self.left = {line.split(" ", 1)[0]: line for line in lines}
        self.most = most  # tests that try one thing
        self.asked = collections.Counter()
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
            names = [n for n, line in self.left.items() if word in line and self.asked[n] < self.most]
            if ".calls:" in name and " " in name:
                names = [n for n in names if n == name.split()[1]]
        if not names:
            return
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


class Lit:
    """The lit tests that only analyse. Each runs once, and where a source is compiled the tool tries what is not noticed yet: for what
    makes it say something else, the test is run again with that forgotten."""

    FOLDERS = "^rdma-tidy :: (extraction|counts|idioms)/"

    def __init__(self, build, forgetting, names):
        self.build, self.forgetting, self.names = build, forgetting, names
        self.folder = build / "test/mutants/bin"
        self.folder.mkdir(exist_ok=True)
        tool = self.folder / "rdma-tidy"
        tool.unlink(missing_ok=True)
        tool.symlink_to(build / "bin/forget-tidy")

    def lit(self, *words, **environment):
        return subprocess.run([sys.executable, "/usr/lib/llvm-19/build/utils/lit/lit.py", "-q", self.build / "test/lit",
                               "--param", f"forget={self.folder}", *words], env=dict(os.environ, **environment),
                              capture_output=True, text=True)

    def tests(self):
        listed = subprocess.run([sys.executable, "/usr/lib/llvm-19/build/utils/lit/lit.py", "--show-tests", self.build / "test/lit"],
                                capture_output=True, text=True, check=True)
        named = [line.strip().split(" :: ")[1] for line in listed.stdout.splitlines() if re.match(self.FOLDERS, line.strip())]
        return [name for name in named if re.search(self.names, name)]

    def one(self, test):
        only = ["--filter", "^rdma-tidy :: " + re.escape(test) + "$"]
        with tempfile.TemporaryDirectory() as folder:
            each, differing = pathlib.Path(folder) / "each", pathlib.Path(folder) / "differing"
            each.write_text("".join(n + "\n" for n in list(self.forgetting.left)))
            self.lit(*only, RDMA_FORGET_AT="compiled", RDMA_FORGET_EACH=str(each), RDMA_FORGET_DIFFERING=str(differing))
            differ = dict.fromkeys(differing.read_text().split()) if differing.exists() else {}
        for name in differ:
            if name in self.forgetting.left and self.lit(*only, RDMA_FORGET=name).returncode:
                print(f"  {self.forgetting.left.pop(name)}: {test}", flush=True)

    def all(self):
        chosen = self.tests()
        if not chosen:
            return
        if self.lit("--filter", "^rdma-tidy :: (" + "|".join(map(re.escape, chosen)) + ")$").returncode:
            sys.exit("error: lit tests fail with nothing forgotten")
        with concurrent.futures.ThreadPoolExecutor(SEVERAL) as pool:
            for done in [pool.submit(self.one, test) for test in chosen]:
                done.result()


def main():
    parser = argparse.ArgumentParser(usage="forget.py BUILD [--most=N] [--tests=REGEX] [--files=REGEX] [WORD...]")
    parser.add_argument("build", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--most", type=int, default=sys.maxsize)
    parser.add_argument("--tests", type=re.compile, default="")
    parser.add_argument("--files", type=re.compile, default="")
    parser.add_argument("words", nargs="*")
    given = parser.parse_intermixed_args()
    build, words = given.build, given.words
    source = pathlib.Path(__file__).resolve().parents[2]
    lines = (build / "test/mutants/source/extraction-mutants.txt").read_text().splitlines()
    lines = [l for l in lines if re.search(given.files, l.split()[2].split(":")[0]) and (not words or any(w in l for w in words))]
    chosen = [t for t in tests(build, source) if re.search(given.tests, t[0])]
    forgetting = Forgetting(lines, given.most)
    random.Random(0).shuffle(chosen)
    forgetting.all(chosen, "compiled")
    forgetting.all(chosen, "begin", BEFORE)
    Lit(build, forgetting, given.tests).all()
    print(f"{len(lines) - len(forgetting.left)} of {len(lines)} noticed")
    for n, line in forgetting.left.items():
        print("unnoticed:" if n in forgetting.asked else "never asked for:", line)
    sys.exit(1 if forgetting.left else 0)


main()
