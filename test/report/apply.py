"""What is left of a source when the fix of a SARIF file's only repaired result is applied: usage apply.py SARIF SOURCE"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    (run,) = json.load(file)["runs"]
(fix,) = next(result["fixes"] for result in run["results"] if "fixes" in result)
(change,) = fix["artifactChanges"]
with open(sys.argv[2], encoding="utf-8", newline="") as file:
    lines = file.read().split("\n")


def offset(line, column):
    return sum(len(text) + 1 for text in lines[: line - 1]) + column - 1


text = "\n".join(lines)
for one in reversed(change["replacements"]):
    region = one["deletedRegion"]
    begin, end = offset(region["startLine"], region["startColumn"]), offset(region["endLine"], region["endColumn"])
    text = text[:begin] + one["insertedContent"]["text"] + text[end:]
sys.stdout.buffer.write(text.encode())
