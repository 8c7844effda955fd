"""Runs rdma-tidy and clang-tidy with the same options on sources that each has one finding in, at the same place, and compares
whether they succeed, how many findings they show and, with --fix, whether they edit: usage like-clang-tidy.py FOLDER CLANG-TIDY.

rdma-tidy runs with --fail-on=never, which is clang-tidy's rule: a warning alone is status 0. What is bad input is status 1 for
clang-tidy and 2 for rdma-tidy."""
import json
import os
import re
import subprocess
import sys

folder, clang_tidy = os.path.abspath(sys.argv[1]), sys.argv[2]
OWN_FILE = {"rdma": ".rdma-tidy", "clang": ".clang-tidy"}
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
            "// NOLINT(other) NOLINT(CHECK)", "// NOLINT: why", "// NOLINT(CHECK): why", "// nolint",
            "// NOLINT_", "// NOLINT1", "// NOLINT_(other)", "// NOLINTx", "// NOLINT(r?ma*,r?adability*)", "// NOLINT(r[de]*)"]
LINES_BEFORE = ["// NOLINTNEXTLINE", "// NOLINTNEXTLINE_", "// NOLINTNEXTLINE2(other)", "// NOLINTNEXTLINE(CHECK)", "// NOLINTNEXTLINE(other)", "// NOLINT(CHECK)"]
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
    [ONLY, "--fix=false"], [ONLY, "--fix=true"], [ONLY, "--fix=maybe"], [ONLY, "--quiet=1"], [ONLY, "-list-checks=0"], [ONLY, "-list-checks=1"],
]
# Refused, where clang-tidy goes on with what it can guess: what does not compile cannot be analysed, and a compile database that
# is not there was meant to be.
REFUSED = [[ONLY, "--fix-errors", "--extra-arg=-DBREAK"], [ONLY, "-p", "nowhere"]]
# What is edited, and what is not: clang-tidy with a check that has a fix, of the same line.
FIXED = "readability-uppercase-literal-suffix"
FIXES = [
    [ONLY, "--fix"], [ONLY, "--fix-errors"], [ONLY, "--fix", "--warnings-as-errors=*"], [ONLY], [ONLY, "--fix", "--warnings-as-errors=-*"],
    [ONLY, "--fix", FILTER % ("main.c", ',"lines":[[18,18]]')], [ONLY, "--fix", FILTER % ("main.c", ',"lines":[[1,2],[19,99]]')],
    [ONLY, "--fix", FILTER % ("other.c", "")], [ONLY, "--fix", "--warnings-as-errors=*", FILTER % ("other.c", "")],
    [ONLY, "--fix", "--extra-arg=-DBREAK"], [ONLY, "--export-fixes=fixes.yaml"], [ONLY, "--export-fixes=fixes.yaml", FILTER % ("other.c", "")],
    [ONLY, "--export-fixes=no/fixes.yaml"], [ONLY, "--export-fixes=fixes.yaml", "--warnings-as-errors=*"],
]
FIXES_IN_HEADERS = [[ONLY, "--fix", "--header-filter=.*"], [ONLY, "--fix", "--header-filter=nothing"],
                    [ONLY, "--fix", "--header-filter=.*", "--exclude-header-filter=part"],
                    [ONLY, "--fix", "--header-filter=.*", FILTER % ("part.h", ',"lines":[[18,18]]')],
                    [ONLY, "--fix", "--header-filter=.*", FILTER % ("part.h", ',"lines":[[1,2]]')]]
FIX_COMMENTS = ["// NOLINT", "// NOLINT(CHECK)", "// NOLINT(other)"]
# Rows for what a tool says beside its findings: which files are there afterwards.
MADE = ["fixes.yaml"]
# The configuration in the source's folder, and in the one above it; with what options; whose line is in a header.
OWN = "Checks: '-*,CHECK'\n"
INHERITS = "InheritParentConfig: true\n"
NOWHERE = None
CONFIGURATIONS = [
    (OWN, NOWHERE, [], ""), (NOWHERE, OWN, [], ""), (OWN, "Checks: '-*'\n", [], ""), ("", OWN, [], ""), (INHERITS, OWN, [], ""),
    ("", OWN + "WarningsAsErrors: '*'\n", [], ""), ("InheritParentConfig: false\n" + OWN, "WarningsAsErrors: '*'\n", [], ""),
    (INHERITS + "Checks: '-CHECK'\n", OWN, ["--checks=CHECK"], ""),
    (INHERITS + "Checks: CHECK\n", "Checks: '-*'\n", [], ""), ("Checks: '-*'\n", OWN, [ONLY], ""), ("Checks: ['-*', CHECK]\n", NOWHERE, [], ""),
    ("Checks: |\n  -*,\n  CHECK\n", NOWHERE, [], ""), ("---\n" + OWN + "...\n", NOWHERE, [], ""), ("# why\n" + OWN, NOWHERE, [], ""),
    (OWN + "WarningsAsErrors: '*'\n", NOWHERE, [], ""), (OWN + "WarningsAsErrors: CHECK\n", NOWHERE, [], ""),
    (OWN + "WarningsAsErrors: 'other*'\n", NOWHERE, [], ""), (OWN + "WarningsAsErrors: '*'\n", NOWHERE, ["--warnings-as-errors=-*"], ""),
    (INHERITS + "WarningsAsErrors: '*'\n", OWN, [], ""), (INHERITS + "WarningsAsErrors: '-CHECK'\n", OWN + "WarningsAsErrors: '*'\n", [], ""),
    (OWN + "ExtraArgs: [-DHIDE]\n", NOWHERE, [], ""), (OWN + "ExtraArgsBefore: [-DHIDE]\n", NOWHERE, [], ""),
    (OWN + "ExtraArgs: [-DHIDE]\n", NOWHERE, ["--extra-arg=-UHIDE"], ""), (OWN + "ExtraArgsBefore: [-DHIDE]\nExtraArgs: [-UHIDE]\n", NOWHERE, [], ""),
    (INHERITS + "ExtraArgs: [-UHIDE]\n", OWN + "ExtraArgs: [-DHIDE]\n", [], ""), (OWN + "UseColor: true\n", NOWHERE, [], ""),
    (OWN + "UseColor: true\n", NOWHERE, ["--use-color=false"], ""), (OWN + "UseColor: false\n", NOWHERE, ["--use-color"], ""),
    (OWN + "HeaderFilterRegex: '.*'\n", NOWHERE, [], "part.h"), (OWN + "HeaderFilterRegex: nothing\n", NOWHERE, [], "part.h"),
    (OWN + "HeaderFilterRegex: 'p.*t'\n", NOWHERE, ["--header-filter=nothing"], "part.h"),
    (INHERITS + "HeaderFilterRegex: part\n", OWN + "HeaderFilterRegex: nothing\n", [], "part.h"),
    (OWN + "HeaderFilterRegex: '.*'\nExcludeHeaderFilterRegex: part\n", NOWHERE, [], "part.h"),
    (OWN + "HeaderFilterRegex: '.*'\nExcludeHeaderFilterRegex: part\n", NOWHERE, ["--exclude-header-filter=other"], "part.h"),
    (OWN + "FormatStyle: none\nUser: someone\n", NOWHERE, [], ""), (OWN + "SystemHeaders: false\n", NOWHERE, [], ""),
    (OWN + "HeaderFileExtensions: ['', h]\nImplementationFileExtensions: [c]\n", NOWHERE, [], ""), (OWN + "CheckOptions: {}\n", NOWHERE, [], ""),
    (OWN, NOWHERE, ["--config={Checks: '-*'}"], ""), ("Checks: '-*'\n", NOWHERE, ["--config={Checks: '-*,CHECK'}"], ""),
    ("Checks: '-*'\n", NOWHERE, ["--config-file=CONFIG"], ""), (OWN, NOWHERE, ["--list-checks"], ""), (OWN, NOWHERE, ["--dump-config"], ""),
    (OWN, NOWHERE, ["--verify-config"], ""), (OWN + "ExtraArgsBefore: [-UHIDE]\n", NOWHERE, ["--extra-arg-before=-DHIDE"], ""),
    (OWN + "ExtraArgsBefore: [-DHIDE]\n", NOWHERE, ["--extra-arg-before=-UHIDE"], ""),
]
# A file that cannot be meant is refused, where clang-tidy says what is wrong and goes on without the file.
BAD = ["Chekcs: a\n", "Checks: [\n", OWN + "UseColor: red\n", OWN + "ExtraArgs: -DX\n", "Checks\n"]
# What is dumped and read again means the same: the options that are dumped, and those given with it.
DUMPED = [[ONLY], ["--config={Checks: '-*,CHECK', WarningsAsErrors: '*'}"], ["--config={Checks: '-*,CHECK', ExtraArgs: [-DHIDE]}"],
          ["--config={Checks: '-*,CHECK', ExtraArgsBefore: [-DHIDE]}"], [ONLY, "--warnings-as-errors=*,-CHECK"], [ONLY, "--use-color"]]
DUMPED_HEADERS = [[ONLY, "--header-filter=part"], [ONLY, "--header-filter=.*", "--exclude-header-filter=part"]]
HEADERS = [["--header-filter=.*"], ["--header-filter=part"], ["--header-filter=nothing"],
           ["--header-filter=.*", "--exclude-header-filter=part"], ["--header-filter=.*", "--exclude-header-filter=nothing"]]


def replaces(file):
    """Is a replacement in what --export-fixes wrote?"""
    if not os.path.exists(file):
        return False
    with open(file) as text:
        return "ReplacementText" in text.read()


def run(kind, arguments, source, name="main.c", own=None, above=None, dumps=False, fixes=False):
    tool, check, _ = TOOLS[kind]
    if fixes and kind == "clang":
        check = FIXED
    place = os.path.join(folder, kind)
    os.makedirs(os.path.join(place, "sub"), exist_ok=True)
    files = {"main.c": source if name == "main.c" else '#include "part.h"\n', "config": f"Checks: '-*,{check}'\n"}
    if name != "main.c":
        files["part.h"] = source
    for file, text in ((OWN_FILE[kind], own), ("../" + OWN_FILE[kind], above)):
        if text is not None:
            files[file] = text
        elif os.path.exists(os.path.join(place, file)):
            os.remove(os.path.join(place, file))
    for file, text in files.items():
        with open(os.path.join(place, file), "w") as out:
            out.write(text.replace("CHECK", check))
    words = [word.replace("CHECK", check).replace("CONFIG", "config") for word in arguments]
    like = ["--fail-on=never"] if kind == "rdma" else []
    tail = ["main.c"] if "-p" in words or "-p=." in words else ["main.c", "--"]
    with open(os.path.join(place, "compile_commands.json"), "w") as out:
        json.dump([{"directory": place, "file": "main.c", "command": "cc -c main.c"}], out)
    for file in MADE:
        if os.path.exists(os.path.join(place, file)):
            os.remove(os.path.join(place, file))
    if dumps:
        dump = subprocess.run([tool, *words, "--dump-config", *tail], cwd=place, capture_output=True, text=True, check=True).stdout
        with open(os.path.join(place, "dumped"), "w") as out:
            out.write(dump)
        words = ["--config-file=dumped"]
    done = subprocess.run([tool, *like, *words, *tail], cwd=place, capture_output=True, text=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    shown = re.findall(rf"{'part.h' if name != 'main.c' else 'main.c'}:{LINE}:[0-9]+: (warning|error): .*\[{check}(,-warnings-as-errors)?\]", plain)
    edited = []
    if fixes:
        with open(os.path.join(place, name)) as left:
            edited = [left.read() != source.replace("CHECK", check), replaces(os.path.join(place, "fixes.yaml"))]
    listed = re.findall(rf"^    {check}$", plain, re.M)
    return ("fails" if done.returncode else "succeeds", len(shown), [kind for kind, _ in shown], len(listed), "\x1b[" in done.stdout,
            edited if fixes else [file for file in MADE if os.path.exists(os.path.join(place, file))]), done


def compare(row, arguments, source, name="main.c", **given):
    ours, done = run("rdma", arguments, source, name, **given)
    theirs, _ = run("clang", arguments, source, name, **given)
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
for own, above, options, name in CONFIGURATIONS:
    same += compare(f"{own!r} below {above!r} " + " ".join(options), options, around(), name or "main.c", own=own, above=above)
for options in DUMPED:
    same += compare("dumped " + " ".join(options), options, around(), dumps=True)
for options in DUMPED_HEADERS:
    same += compare("dumped " + " ".join(options), options, around(), "part.h", dumps=True)
suffixed = around().replace("77", "77u")
for options in FIXES:
    same += compare("edits " + " ".join(options), options, suffixed, fixes=True)
for options in FIXES_IN_HEADERS:
    same += compare("edits " + " ".join(options), options, suffixed, "part.h", fixes=True)
for comment in FIX_COMMENTS:
    same += compare("edits " + comment, [ONLY, "--fix"], suffixed.replace("77u;", "77u; " + comment), fixes=True)
lists = (rows, FIXES, FIXES_IN_HEADERS, FIX_COMMENTS, HEADERS, CONFIGURATIONS, DUMPED, DUMPED_HEADERS)
print(f"{same} of {sum(map(len, lists))} rows agree")
for options in REFUSED:
    ours, done = run("rdma", options, around())
    theirs, _ = run("clang", options, around())
    print(" ".join(options), "refused" if done.returncode == 2 and theirs[0] == "succeeds" else f"differs: {ours} {theirs}")
for text in BAD:
    ours, done = run("rdma", [], around(), own=text)
    theirs, told = run("clang", [], around(), own=text)
    wrong = done.returncode == 2 and "/.rdma-tidy:" in done.stderr and "/.clang-tidy:" in told.stderr and theirs[0] == "succeeds"
    print(repr(text), "refused" if wrong else f"differs: {ours} {theirs} {done.stderr} {told.stderr}")


def options_of(tool):
    return set(re.findall(r"^  (--[a-z-]+)", subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout, re.M))


shared = options_of("rdma-tidy") & options_of(clang_tidy)
given = {word.split("=")[0] for row in [*OPTIONS, *HEADERS] for word in row}
print(f"{len(shared)} options that both have, not in a row:", *sorted(shared - given))
