"""Runs rdma-tidy and clang-tidy with the same options on sources that each has one finding in, at the same place, and compares
whether they succeed and how many findings they show: usage like-clang-tidy.py FOLDER CLANG-TIDY.

rdma-tidy runs with --fail-on=never, which is clang-tidy's rule: a warning alone is status 0. What is bad input is status 1 for
clang-tidy and 2 for rdma-tidy."""
import json
import os
import re
import subprocess
import sys

folder, clang_tidy = os.path.abspath(sys.argv[1]), sys.argv[2]
TOOLS = {"rdma": ("rdma-tidy", "rdma-local-race", "rdma"), "clang": (clang_tidy, "readability-magic-numbers", "clang")}

SOURCE = """#include <infiniband/verbs.h>
static char buffer[8];
static struct ibv_send_wr *bad;
#ifdef BREAK
#error broken
#endif
#ifndef HIDE
int send_it(struct ibv_qp *qp, struct ibv_pd *pd, uint64_t address, uint32_t key) {
  struct ibv_mr *mr = ibv_reg_mr(pd, buffer, sizeof buffer, IBV_ACCESS_LOCAL_WRITE);
  struct ibv_sge sge = {.addr = (uintptr_t)buffer, .length = sizeof buffer, .lkey = mr->lkey};
  struct ibv_send_wr wr = {
      .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1};
  wr.wr.rdma.remote_addr = address;
  wr.wr.rdma.rkey = key;
  if (ibv_post_send(qp, &wr, &bad))
    return -1;
  BEFORE
  buffer[0] = 77; AFTER
  return 0;
}
#endif
"""
LINE = 18

# What is written around the line, and in the files; CHECK is each tool's own check.
COMMENTS = ["// NOLINT", "// NOLINT()", "// NOLINT(CHECK)", "// NOLINT(*)", "// NOLINT (other)", "// NOLINT(other, CHECK)",
            "// NOLINTX", "// xNOLINT", "// NOLINT(-CHECK)", "// NOLINT(*,-CHECK)", "// NOLINT(other", "// NOLINT(other)",
            "// NOLINT(other) NOLINT(CHECK)", "// NOLINT: why", "// NOLINT(CHECK): why", "// nolint"]
LINES_BEFORE = ["// NOLINTNEXTLINE", "// NOLINTNEXTLINE(CHECK)", "// NOLINTNEXTLINE(other)", "// NOLINT(CHECK)"]
BLOCKS = [("// NOLINTBEGIN", "// NOLINTEND"), ("// NOLINTBEGIN(CHECK)", "// NOLINTEND(CHECK)"),
          ("// NOLINTBEGIN(other)", "// NOLINTEND(other)"), ("// NOLINTBEGIN", "// NOLINTEND(CHECK)"),
          ("// NOLINTBEGIN(CHECK)", ""), ("// NOLINTBEGIN", "// NOLINTEND NOLINTBEGIN(CHECK)\n// NOLINTEND(CHECK)")]
ONLY = "--checks=-*,CHECK"
FILTER = '--line-filter=[{"name":"%s"%s}]'
OPTIONS = [
    [ONLY], ["-checks=-*,CHECK"], ["--checks=-*"], [ONLY, "--warnings-as-errors=*"], [ONLY, "--warnings-as-errors=*,-CHECK"],
    [ONLY, "--warnings-as-errors=other-*"], ["--checks=CHECK,-CHECK"], ["--checks=-*, CHECK"],
    [ONLY, FILTER % ("main.c", ',"lines":[[18,18]]')], [ONLY, FILTER % ("main.c", ',"lines":[[1,2],[19,99]]')],
    [ONLY, FILTER % ("main.c", "")], [ONLY, FILTER % ("other.c", "")], [ONLY, FILTER % ("", "")], [ONLY, "--line-filter=x"],
    [ONLY, "--header-filter=nothing"], [ONLY, "--quiet"], [ONLY, "--extra-arg=-DHIDE"], [ONLY, "--extra-arg-before=-DHIDE"],
    [ONLY, "--extra-arg=-DHIDE", "--extra-arg=-UHIDE"], [ONLY, "--extra-arg-before=-DHIDE", "--extra-arg=-UHIDE"],
    ["--config={Checks: '-*,CHECK'}"], ["--config={Checks: '-*,CHECK', WarningsAsErrors: '*'}"],
    ["--config={Checks: '-*'}", "--checks=CHECK"], ["--config={Checks: 'CHECK'}", "--checks=-CHECK,other*"][:1] + ["--checks=-*,CHECK"],
    ["--config={Checks: ['-*', CHECK]}"], ["--config={Chekcs: a}", ONLY], ["--config={Checks: ", ONLY],
    ["--config={}", "--config-file=CONFIG", ONLY], ["--config-file=CONFIG"], ["--config-file=missing", ONLY],
    ["--no-such-option", ONLY], [ONLY, "--use-color"], [ONLY, "--list-checks"], [ONLY, "--dump-config"],
    ["--config={Checks: '-*,CHECK'}", "--verify-config"], ["--config={Chekcs: a}", "--verify-config"],
    ["--help"], ["--version"], [ONLY, "--fix"], [ONLY, "--fix-errors"], [ONLY, "--fix", "--extra-arg=-DBREAK"],
    [ONLY, "--extra-arg=-DBREAK"], [ONLY, "--export-fixes=fixes.yaml"],
    [ONLY, "--warnings-as-errors=CHECK", "--quiet"], [ONLY, "-p", "."], [ONLY, "-p=."], [ONLY, "--use-color=false"],
    [ONLY, "--use-color=maybe"], [ONLY, "--quiet", "--extra-arg=-Dbuffer"], ["--checks=", "--config={Checks: '-*,CHECK'}"],
    ["--checks=-*,CHECK,-CHECK,CHECK"], [ONLY, "--line-filter="], [ONLY, "--config="],
]
# Refused, where clang-tidy goes on with what it can guess: what does not compile cannot be analysed, and a compile database that
# is not there was meant to be.
REFUSED = [[ONLY, "--fix-errors", "--extra-arg=-DBREAK"], [ONLY, "-p", "nowhere"]]
# Rows for what a tool says beside its findings: which files are there afterwards.
MADE = ["fixes.yaml"]
HEADERS = [["--header-filter=.*"], ["--header-filter=part"], ["--header-filter=nothing"],
           ["--header-filter=.*", "--exclude-header-filter=part"], ["--header-filter=.*", "--exclude-header-filter=nothing"]]


def run(kind, arguments, source, name="main.c"):
    tool, check, _ = TOOLS[kind]
    place = os.path.join(folder, kind)
    os.makedirs(os.path.join(place, "sub"), exist_ok=True)
    files = {"main.c": source if name == "main.c" else '#include "part.h"\n', "config": f"Checks: '-*,{check}'\n"}
    if name != "main.c":
        files["part.h"] = source
    for file, text in files.items():
        with open(os.path.join(place, file), "w") as out:
            out.write(text.replace("CHECK", check))
    words = [word.replace("CHECK", check).replace("CONFIG", "config") for word in arguments]
    own = ["--fail-on=never"] if kind == "rdma" else []
    tail = ["main.c"] if "-p" in words or "-p=." in words else ["main.c", "--"]
    with open(os.path.join(place, "compile_commands.json"), "w") as out:
        json.dump([{"directory": place, "file": "main.c", "command": "cc -c main.c"}], out)
    for file in MADE:
        if os.path.exists(os.path.join(place, file)):
            os.remove(os.path.join(place, file))
    done = subprocess.run([tool, *own, *words, *tail], cwd=place, capture_output=True, text=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    shown = re.findall(rf"{'part.h' if name != 'main.c' else 'main.c'}:{LINE}:[0-9]+: (warning|error): .*\[{check}(,-warnings-as-errors)?\]", plain)
    listed = re.findall(rf"^    {check}$", plain, re.M)
    return ("fails" if done.returncode else "succeeds", len(shown), [kind for kind, _ in shown], len(listed), "\x1b[" in done.stdout,
            [file for file in MADE if os.path.exists(os.path.join(place, file))]), done


def compare(row, arguments, source, name="main.c"):
    ours, done = run("rdma", arguments, source, name)
    theirs, _ = run("clang", arguments, source, name)
    # Bad input: clang-tidy goes on and fails in the end, rdma-tidy says so in one line and stops.
    refused = done.returncode == 2 and len(done.stderr.splitlines()) == 1 and not done.stdout
    if ours == theirs or (refused and theirs[0] == "fails"):
        return True
    print("differs:", row, "rdma-tidy", ours, "clang-tidy", theirs, done.stdout[-200:], done.stderr[-200:])
    return False


def around(before="", after=""):
    # Both find their finding on one line: what is before must not move it.
    return SOURCE.replace("BEFORE", before).replace("AFTER", after)


rows = []
for options in OPTIONS:
    rows.append((" ".join(options), options, around()))
for comment in COMMENTS:
    rows.append((comment, [ONLY], around(after=comment)))
for comment in LINES_BEFORE:
    rows.append((comment, [ONLY], around(before=comment)))
for begin, end in BLOCKS:
    rows.append((f"{begin} ... {end}", [ONLY], around(before=begin, after="\n" + end)))
same = sum(compare(*row) for row in rows)
for options in HEADERS:
    same += compare("header " + " ".join(options), [ONLY, *options], around(), "part.h")
print(f"{same} of {len(rows) + len(HEADERS)} rows agree")
for options in REFUSED:
    ours, done = run("rdma", options, around())
    theirs, _ = run("clang", options, around())
    print(" ".join(options), "refused" if done.returncode == 2 and theirs[0] == "succeeds" else f"differs: {ours} {theirs}")


def options_of(tool):
    return set(re.findall(r"^  (--[a-z-]+)", subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout, re.M))


shared = options_of("rdma-tidy") & options_of(clang_tidy)
given = {word.split("=")[0] for row in [*OPTIONS, *HEADERS] for word in row}
print(f"{len(shared)} options that both have, not in a row:", *sorted(shared - given))
