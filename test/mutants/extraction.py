#!/usr/bin/env python3
"""Writes a copy of the extraction in which it can forget one thing at a time.

extraction.py SOURCE OUT   the copy, below OUT, and OUT/extraction-mutants.txt: number, group, place and what is forgotten

row      a row of the call table: the call is taken to mean nothing; where that is what the row says, the row is not found
visitor  a statement of `translate` or `program` that only calls something, a value it returns, or a test that leaves early
alias    the same in `memory` and `api`
"""
import pathlib
import re
import sys

ROW = re.compile(r'^\s*\{"(\w+)",\s*(?:Api::)?(\w+)')
CALL = re.compile(r"^(\s+)([A-Za-z_][\w.:>\[\]()*&-]*\(.*\));$")
APPEND = re.compile(r"^(\s+)([A-Za-z_][\w.>\[\]()*-]* \|= .*);$")
RESULT = re.compile(r"^(\s+)return (?!std::move\b)([A-Za-z_!(][^{};]*\));$")
GUARD = re.compile(r"^(\s+)if \(([^;]*)\)$")
LEAVES = re.compile(r"^\s+(return\b.*|continue|break);$")
FOLLOWS = re.compile(r"([;{})]|else|:)\s*$")
NO_FUNCTION = re.compile(r"^\s*(namespace|class|struct|enum|static const)\b|\bconstexpr\b|\[\[noreturn\]\]|=")
ENDS_BEFORE = re.compile(r"(^|[;{}:]|>)$")
GROUPS = {"translate": "visitor", "program": "visitor", "memory": "alias", "api": "alias"}


def balanced(text):
    depth = 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            return False
    return depth == 0


def function_begins(lines, i):
    """The indentation of a function, also one of a class, whose body begins behind the line; None where none does."""
    if not lines[i].endswith("{"):
        return None
    begin = i
    while begin and not ENDS_BEFORE.search(lines[begin - 1].split("//")[0].rstrip()):
        begin -= 1
    head = " ".join(lines[begin : i + 1])
    if "(" not in head or NO_FUNCTION.search(head.split("(")[0]):
        return None
    return len(lines[begin]) - len(lines[begin].lstrip())


class Copy:
    def __init__(self):
        self.names = []

    def new(self, group, place, what):
        self.names.append((group, place, what))
        return len(self.names) - 1

    def mutate(self, path, relative, group):
        lines = path.read_text().split("\n")
        inside = None  # the indentation of the function
        for i, line in enumerate(lines):
            before = lines[i - 1].split("//")[0].rstrip() if i else ""
            if inside is None or line == " " * inside + "}":
                inside = function_begins(lines, i)
                continue
            if not (before == "" or FOLLOWS.search(before)):
                continue
            place = f"{relative}:{i + 1}"
            if (m := CALL.match(line) or APPEND.match(line)) and balanced(m[2]) and not m[2].startswith(("assert", "if", "for")):
                n = self.new(group, place, m[2])
                lines[i] = f"{m[1]}rdma::mutant::on({n}) ? (void)0 : (void)({m[2]});"
            elif (m := RESULT.match(line)) and balanced(m[2]):
                n = self.new(group, place, "return " + m[2])
                lines[i] = f"{m[1]}return rdma::mutant::forget({n}, [&]() -> decltype(auto) {{ return {m[2]}; }});"
            elif (m := GUARD.match(line)) and balanced(m[2]) and LEAVES.match(lines[i + 1]) and not re.match(
                    r"(const )?(auto|[\w:<>]+) [*&]?\w+ = ", m[2]):
                n = self.new(group, place, f"if ({m[2]}) {lines[i + 1].strip()}")
                lines[i] = f"{m[1]}if (!rdma::mutant::on({n}) && ({m[2]}))"
        return "\n".join(lines)


def split(text):
    """Processes part where an extraction begins, or where its sources are compiled (Forget.h)."""
    begin = "Extraction extract(const ExtractionOptions &Options) {"
    compiled = ["  Sources From = compileAll(Options, Context);", "  takeAnnotations(*M, Options.Files);"]
    for found in [begin, *compiled]:
        assert text.count(found + "\n") == 1, found
    text = text.replace(begin, begin + " rdma::mutant::split(rdma::mutant::Instant::Begin);")
    for found in compiled:
        text = text.replace(found, found + " rdma::mutant::split(rdma::mutant::Instant::Compiled);")
    return text


def main():
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    root, copy = source / "analyzer/clang", Copy()
    rows = []
    for path in sorted(root.rglob("*.cpp")):
        relative = path.relative_to(root)
        group = GROUPS.get(relative.parts[0])
        for i, line in enumerate(path.read_text().split("\n") if relative.parts[0] == "api" else []):
            if m := ROW.match(line):
                rows.append((f"{relative}:{i + 1}", m[1]))
        text = copy.mutate(path, relative, group) if group and relative.name != "ApiTable.cpp" else path.read_text()
        if relative.name == "ApiTable.cpp":
            found = "return Found == ByName.end() ? nullptr : Found->second;"
            assert text.count(found) == 1
            text = text.replace(found, "static constexpr ApiRow Forgotten{\"\", Api::Nothing};\n  if (rdma::mutant::row(Symbol))\n"
                                       "    return Found != ByName.end() && forgets(Found->second->What) ? &Forgotten : nullptr;\n"
                                       f"  {found}")
            text = text.replace("const ApiRow *apiOf(", "static bool forgets(Api What) { return What != Api::Nothing && What != Api::Ends; }\n\n"
                                                        "const ApiRow *apiOf(", 1)
        if str(relative) == "Extract.cpp":
            text = split(text)
        target = out / "analyzer/clang" / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        text = '#include "test/mutants/Forget.h"\n' + text
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
    names = [f"{n} {group} {place}: {what}" for n, (group, place, what) in enumerate(copy.names)]
    names += [f"{name} row {place}: {name}" for place, name in rows]
    (out / "extraction-mutants.txt").write_text("\n".join(names) + "\n")


main()
