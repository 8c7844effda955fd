"""Holds a SARIF file against what version 2.1.0 asks of every element that rdma-tidy and rdma-run write, and prints a line for each
result: usage sarif.py FILE. With RDMA_SARIF_SCHEMA naming the schema's file, it is checked against that too."""
import json
import os
import re
import sys
from urllib.parse import unquote, urlsplit

LEVELS = {"none", "note", "warning", "error"}
# RFC 3986: a URI reference without raw spaces or bytes beyond ASCII, every % followed by two digits.
URI = re.compile(r"^(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$")
KNOWN = {
    "log": {"$schema", "version", "runs"},
    "run": {"tool", "columnKind", "invocations", "results", "properties"},
    "invocation": {"executionSuccessful", "toolExecutionNotifications"},
    "notification": {"level", "message"},
    "driver": {"name", "version", "rules"},
    "rule": {"id", "shortDescription", "fullDescription", "help", "helpUri", "defaultConfiguration"},
    "result": {"ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations", "partialFingerprints",
               "suppressions", "codeFlows", "properties", "fixes", "occurrenceCount", "stacks"},
    "location": {"id", "physicalLocation", "logicalLocations", "message"},
    "physical": {"artifactLocation", "region"},
    "region": {"startLine", "startColumn", "endLine", "endColumn"},
}


def keys(value, kind):
    assert isinstance(value, dict) and set(value) <= KNOWN[kind], (kind, set(value) - KNOWN[kind])


def message(value):
    assert isinstance(value["text"], str) and value["text"], value


def positive(value):
    assert isinstance(value, int) and value >= 1, value


def uri(text, absolute=False):
    assert text and URI.match(text), f"not a URI: {text!r}"
    assert not absolute or urlsplit(text).scheme, f"not absolute: {text}"


def physical(value):
    keys(value, "physical")
    artifact = value["artifactLocation"]
    assert set(artifact) <= {"uri", "uriBaseId"}
    uri(artifact["uri"])
    assert artifact["uri"].startswith("file:///") != (artifact.get("uriBaseId") == "%SRCROOT%")
    if region := value.get("region"):
        keys(region, "region")
        for number in region.values():
            positive(number)
        assert "endColumn" not in region or region["endColumn"] > region.get("startColumn", 1), region


def location(value):
    keys(value, "location")
    if "physicalLocation" in value:
        physical(value["physicalLocation"])
    for one in value.get("logicalLocations", []):
        assert one["name"] and one["kind"] == "function"
    if "message" in value:
        message(value["message"])


def result(value, rules):
    keys(value, "result")
    assert rules[value["ruleIndex"]]["id"] == value["ruleId"]
    assert value["level"] in LEVELS
    message(value["message"])
    for one in value.get("locations", []) + value.get("relatedLocations", []):
        location(one)
    ids = [one["id"] for one in value.get("relatedLocations", [])]
    assert ids == list(range(len(ids)))
    ((key, fingerprint),) = value["partialFingerprints"].items()
    assert key in ("rdmaTidy/v1", "rdmaRun/v1") and re.fullmatch("[0-9a-f]{16}", fingerprint)
    for stack in value.get("stacks", []):
        message(stack["message"])
        assert stack["frames"]
        for frame in stack["frames"]:
            assert set(frame) <= {"location", "module"}
            location(frame["location"])
    for one in value.get("fixes", []):
        fix(one)
    for one in value.get("suppressions", []):
        assert one["kind"] in ("inSource", "external")
    for flow in value.get("codeFlows", []):
        message(flow["message"])
        for thread in flow["threadFlows"]:
            assert thread["id"] and thread["locations"]
            for step in thread["locations"]:
                location(step["location"])
                assert step["importance"] in ("important", "essential", "unimportant")
                positive(step["executionOrder"])


def fix(value):
    message(value["description"])
    assert value["artifactChanges"]
    for change in value["artifactChanges"]:
        assert change["replacements"]
        physical({"artifactLocation": change["artifactLocation"]})
        for one in change["replacements"]:
            keys(one["deletedRegion"], "region")
            begin, end = ([one["deletedRegion"][part + name] for name in ("Line", "Column")] for part in ("start", "end"))
            assert begin <= end and min(begin + end) >= 1, one
            assert isinstance(one["insertedContent"]["text"], str)


def rule(value, tool):
    keys(value, "rule")
    message(value["shortDescription"])
    message(value["fullDescription"])
    message(value["help"])
    if tool == "rdma-tidy":
        assert value["help"]["markdown"].startswith("# " + value["id"])
        uri(value["helpUri"], absolute=True)
    assert isinstance(value["defaultConfiguration"]["enabled"], bool)


def invocation(value):
    keys(value, "invocation")
    for one in value["toolExecutionNotifications"]:
        keys(one, "notification")
        assert one["level"] == "error"
        message(one["message"])
    assert value["executionSuccessful"] == (not value["toolExecutionNotifications"])


def main(name):
    with open(name, encoding="utf-8") as file:
        log = json.load(file)
    keys(log, "log")
    assert log["version"] == "2.1.0"
    if schema := os.environ.get("RDMA_SARIF_SCHEMA"):
        import jsonschema
        jsonschema.validate(log, json.load(open(schema, encoding="utf-8-sig")), format_checker=jsonschema.FormatChecker())
        print("valid by", os.path.basename(schema))
    (run,) = log["runs"]
    keys(run, "run")
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    for one in run.get("invocations", []):
        invocation(one)
    driver = run["tool"]["driver"]
    keys(driver, "driver")
    for one in driver["rules"]:
        rule(one, driver["name"])
    for one in run["results"]:
        result(one, driver["rules"])
        at = one["locations"][0].get("physicalLocation", {}) if "locations" in one else {}
        region = at.get("region", {})
        print(one["ruleId"], one["level"], at.get("artifactLocation", {}).get("uri", "nowhere"),
              unquote(at.get("artifactLocation", {}).get("uri", "")), region.get("startLine"),
              f"{region.get('startColumn')}-{region.get('endColumn')}",
              "suppressed" if "suppressions" in one else "open", *["fix"] * ("fixes" in one))


main(sys.argv[1])
