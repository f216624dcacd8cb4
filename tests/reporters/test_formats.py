from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests import fake_engine
from tests.schemas import published_schema
from upcast_lint import reporters, run_rules
from upcast_lint.checker import Checked
from upcast_lint.finding import (
    Confidence,
    Estimate,
    Evidence,
    Finding,
    Grounds,
    Position,
    Range,
    Safety,
)
from upcast_lint.linter import Options
from upcast_lint.report import Report
from upcast_lint.reporters import FORMATS, renderer
from upcast_lint.runner import Outcome
from upcast_lint.source import Source

TEXT = """\
a = logits.float().gather(1, i)
b = risky_x.float().gather(1, i)
c = shown_x.float().gather(1, i)
"""
SIZES = {"B": 1, "S": 8192, "V": 151_936}
HOSTILE = "x\n::error::\x1b[31m,é:%\u202e\u2066\ud800\x7f\x9b\u2028</a>&\"'\r\x00"


@dataclass(frozen=True)
class Described:
    code: str
    name: str
    summary: str = "What it is about"

    def doc(self) -> str:
        return f"# {self.name}\n"


@pytest.fixture(autouse=True)
def rules(monkeypatch: pytest.MonkeyPatch) -> None:
    known = (Described("UPC001", "upcast-before-gather"), *run_rules.RUN_RULES)
    monkeypatch.setattr("upcast_lint.reporters.sarif.known_rules", lambda: known)


def outcome(path: str = "src/x.py", text: str = TEXT) -> Outcome:
    source = Source(path, b"", text, "utf-8", False)
    findings = fake_engine.find(source, Options())
    return Outcome(path, f"/root/{path}", Checked(findings, {0: text}))


def report(*outcomes: Outcome, **others: Any) -> Report:
    return Report(outcomes, SIZES, [], root="/root", seconds=0.4, **others)


def in_cell(finding: Finding) -> Finding:
    return finding._replace(cell=3)


def notebook() -> Outcome:
    checked = outcome().checked
    findings = tuple(map(in_cell, checked.findings))
    return Outcome("n.ipynb", "/root/n.ipynb", Checked(findings, {3: TEXT}))


def unreadable() -> Outcome:
    at = Position(1, 1)
    finding = Finding("UPC900", "unreadable-source", "not checked: x", Range(at, at))
    return Outcome("broken.py", "/root/broken.py", Checked((finding,)))


def sarif(given: Report) -> Any:
    return json.loads(renderer("sarif")(given))


def test_the_summary_adds_up_what_is_known() -> None:
    known = outcome(text=TEXT.splitlines()[1] + "\n")
    (finding,) = known.checked.findings
    unknown = finding._replace(estimate=Estimate(4, ("B", "S", "V"), None))
    both = known._replace(
        checked=Checked((finding, unknown._replace(cast=None)), known.checked.texts)
    )
    line = renderer("concise")(report(both)).splitlines()[-1]
    assert "about 4.6 GiB at B=1, S=8192, V=151936 in 1 of them." in line


# Every format.


@pytest.mark.parametrize("name", FORMATS)
def test_a_clean_run_has_a_report(name: str) -> None:
    text = renderer(name)(report(Outcome("x.py", "/root/x.py")))
    match name:
        case "json" | "gitlab":
            assert json.loads(text) == []
        case "github":
            assert text == ""
        case "full" | "concise":
            assert text == "No findings in 1 file in 0.4 s.\n"
        case "junit":
            suite = ElementTree.fromstring(text)[0]
            assert (suite.get("tests"), suite.get("failures")) == ("1", "0")
        case "sarif":
            assert json.loads(text)["runs"][0]["results"] == []
        case "rdjson":
            assert json.loads(text)["diagnostics"] == []


@pytest.mark.parametrize("name", FORMATS)
def test_every_kind_of_finding_is_reported(name: str) -> None:
    text = renderer(name)(report(outcome(), notebook(), unreadable()))
    assert "UPC001" in text
    assert "UPC900" in text


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_names_and_text_come_out_harmless(name: str) -> None:
    text = TEXT.replace("i)\n", f"i)  # {HOSTILE}\n", 1)
    path = HOSTILE.replace("\ud800", "\udcff")  # as the system gives a byte
    source = outcome(path, text)
    checked = source.checked
    findings = tuple(_hostile(each) for each in checked.findings)
    hostile = Outcome(path, f"/root/{path}", Checked(findings, checked.texts))
    printed = renderer(name)(report(hostile))
    printed.encode()  # no surrogate is left
    unsafe = re.findall(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u202e\u2060-\u206f]", printed
    )
    assert unsafe == []
    commands = [line for line in printed.splitlines() if line.startswith("::")]
    assert all(line.startswith("::error file=") for line in commands)
    assert len(commands) == (len(findings) if name == "github" else 0)
    match name:
        case "json" | "gitlab" | "sarif" | "rdjson":
            json.loads(printed)
        case "junit":
            ElementTree.fromstring(printed)


def _hostile(finding: Finding) -> Finding:
    reads = tuple(read._replace(label=HOSTILE) for read in finding.reads)
    return finding._replace(
        message=HOSTILE,
        cast_label=HOSTILE,
        reads=reads,
        grounds=Grounds(Confidence.MEDIUM, (Evidence(3, HOSTILE),)),
        notes=(HOSTILE,),
        condition=HOSTILE,
    )


@pytest.mark.parametrize("name", ["github", "sarif", "rdjson", "full"])
def test_a_finding_without_a_fix_says_why(name: str) -> None:
    why = "not rewritten: the cast is conditional"
    (found,) = outcome(text=TEXT.splitlines()[1] + "\n").checked.findings
    shown = found._replace(
        fix=None, safety=Safety.DISPLAY, condition=None, notes=(why,)
    )
    printed = renderer(name)(report(Outcome("x.py", "/root/x.py", Checked((shown,)))))
    assert why in printed
    assert "fix (" not in printed and "there is no fix" not in printed


# full and concise.


def test_full_shows_the_lines_the_reasons_and_the_change() -> None:
    printed = renderer("full")(report(outcome(text=TEXT.splitlines()[1] + "\n")))
    expected = (
        "src/x.py:1:5: UPC001 [!]"
        " `risky_x` is upcast whole, but only `gather` reads it\n"
        "  |\n"
        "1 | b = risky_x.float().gather(1, i)\n"
        "  |     ^^^^^^^^^^^^^^^ cast of [B, S, V]\n"
        "  |                    ------------- keeps [B, S, K]\n"
        "  |\n"
        "  = saves: 4·B·S·V bytes of the float32 copy: 4.6 GiB at B=1, S=8192, V=151936"
        " (assumed)\n"
        "  = wide because: named logits (medium confidence)\n"
        "  = fix (unsafe): an index repeats\n"
        "  | -b = risky_x.float().gather(1, i)\n"
        "  | +b = risky_x.gather(1, i).float()\n"
        "\n"
        "Found 1 finding in 1 of 1 file in 0.4 s,"
        " about 4.6 GiB at B=1, S=8192, V=151936.  [!] 1 with --unsafe-fixes.\n"
    )
    assert printed == expected


def test_no_line_ends_in_spaces() -> None:
    text = "import x\n\na = logits.float().gather(1, i)\n\n    \nb = 1\n"
    printed = renderer("full")(report(outcome(text=text)))
    assert "  |\n" in printed.partition("| +a =")[2]
    assert all(line == line.rstrip() for line in printed.splitlines())


def test_quiet_ends_with_the_last_finding() -> None:
    printed = renderer("full")(report(outcome(), is_quiet=True))
    assert printed.count("\n\n") == 2 and not printed.endswith("\n\n")
    assert renderer("full")(report(is_quiet=True)) == ""


def test_sums_over_places_say_so() -> None:
    printed = renderer("concise")(report(outcome()))
    assert "about 13.9 GiB in all at B=1, S=8192, V=151936." in printed


@pytest.mark.parametrize(
    ("before", "column"),
    [("\t", 4), ("漢 = 1; ", 8), ("e\u0301 = 1; ", 7), ("\x1b ", 5)],
)
def test_markers_stand_under_what_a_terminal_shows(before: str, column: int) -> None:
    text = f"{before}logits.float().gather(1, i)\n"
    printed = renderer("full")(report(outcome(text=text)))
    marker = next(line for line in printed.splitlines() if "^" in line)
    assert marker.index("^") - len("  | ") == column


def test_a_line_without_end_is_cut_around_the_marker() -> None:
    text = "x = 1; " * 100_000 + "a = logits.float().gather(1, i)\n"
    printed = renderer("full")(report(outcome(text=text)))
    assert "logits.float().gather(1, i)" in printed
    assert len(printed.splitlines()[2]) < 200


def test_concise_is_a_line_a_finding() -> None:
    lines = renderer("concise")(report(outcome(), notebook())).splitlines()
    assert lines[0] == (
        "src/x.py:1:5: UPC001 [*] `logits` is upcast whole, but only `gather` reads it"
    )
    assert lines[2].startswith("src/x.py:3:5: UPC001 `shown_x`")
    assert lines[3].startswith("n.ipynb:cell 3:1:5: UPC001 [*]")


def test_one_copy_with_two_findings_is_counted_once() -> None:
    checked = outcome().checked
    twice = Outcome("x.py", "/root/x.py", Checked((checked.findings[0],) * 2))
    assert "about 4.6 GiB" in renderer("concise")(report(twice))


# Machine formats.


def test_json_keeps_its_schema() -> None:
    path = Path(reporters.__file__).with_name("json.schema.json")
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    rows = json.loads(renderer("json")(report(outcome(), notebook(), unreadable())))
    assert len(rows) == 7
    validator.validate(rows)
    assert not validator.is_valid([{**rows[0], "extra": 1}])


def test_json_has_absolute_names_and_places() -> None:
    row = json.loads(renderer("json")(report(outcome())))[0]
    assert row["filename"] == "/root/src/x.py"
    assert row["location"] == {"row": 1, "column": 5}
    assert row["cast"]["end_location"] == {"row": 1, "column": 19}
    assert row["fix"]["applicability"] == "safe"
    assert row["estimate"]["bytes"] == 4 * 8192 * 151_936
    assert row["estimate"]["assumed"] == SIZES


def test_sarif_is_what_oasis_defines() -> None:
    schema = published_schema("(SARIF) Version 2.1.0 JSON Schema")
    document = sarif(report(outcome(), notebook(), unreadable(), outcome("a b/é.py")))
    validator = jsonschema.Draft7Validator(
        schema, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER
    )
    validator.validate(document)
    document["runs"][0]["results"][0]["level"] = "severe"
    assert not validator.is_valid(document)


def test_sarif_has_what_github_demands() -> None:
    """docs.github.com, "SARIF support for code scanning"."""
    (run,) = sarif(report(outcome(), notebook(), unreadable()))["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "upcast-lint"
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["helpUri"].startswith("https://")
        assert rule["defaultConfiguration"]["level"] in ("warning", "error")
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["originalUriBaseIds"]["PROJECTROOT"]["uri"] == "file:///root/"
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        assert list(result["partialFingerprints"]) == ["upcastLint/v1"]
        (location,) = result["locations"]
        physical = location["physicalLocation"]
        assert not physical["artifactLocation"]["uri"].startswith("/")
        assert physical["region"]["startLine"] >= 1


def test_sarif_encodes_names_as_uris() -> None:
    (run,) = sarif(report(outcome("a b/é#?.py")))["runs"]
    location = run["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "a%20b/%C3%A9%23%3F.py"


def test_sarif_leaves_out_what_github_would_ignore(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("upcast_lint.reporters.sarif._MAX_RESULTS", 2)
    given = report(outcome(), outcome("y.py"))
    assert len(sarif(given)["runs"][0]["results"]) == 2
    assert given.notes == ["SARIF: 4 findings over GitHub's limit left out"]


def test_sarif_says_where_github_shows_less(monkeypatch: pytest.MonkeyPatch) -> None:
    given = report(outcome(), outcome("y.py"))
    for shown, notes in ((6, []), (5, ["SARIF: GitHub shows 5 of 6 findings"])):
        monkeypatch.setattr("upcast_lint.reporters.sarif._SHOWN_RESULTS", shown)
        renderer("sarif")(given)
        assert given.notes == notes


def test_sarif_says_where_github_refuses_the_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = report(outcome())
    size = len(renderer("sarif")(given))
    for limit, notes in (
        (size // 2, []),  # what is compressed fits
        (1000, ["SARIF: 0.0 MB compressed; GitHub refuses more than 10 MB"]),
    ):
        monkeypatch.setattr("upcast_lint.reporters.sarif._MAX_COMPRESSED", limit)
        renderer("sarif")(given)
        assert given.notes == notes


def test_github_shows_ten_and_says_how_many_more() -> None:
    many = report(*(outcome(f"{number}.py") for number in range(5)), unreadable())
    lines = renderer("github")(many).splitlines()
    assert len(lines) == 11
    assert lines[0].startswith("::error file=broken.py,line=1")
    assert lines[-1] == "::notice::6 more findings not annotated"


def test_github_puts_the_largest_saving_first() -> None:
    small, large = outcome("a.py"), outcome("b.py")
    poor = tuple(each._replace(estimate=None) for each in small.checked.findings)
    given = report(Outcome("a.py", "/root/a.py", Checked(poor)), large)
    lines = renderer("github")(given).splitlines()
    assert ["b.py" in line for line in lines] == [True] * 3 + [False] * 3


def test_github_escapes_what_ends_a_property_or_a_line() -> None:
    (line, *_) = renderer("github")(report(outcome("a,b:c%\n.py"))).splitlines()
    assert line.startswith("::error file=a%2Cb%3Ac%25%0A.py,line=1,endLine=1,col=5,")


def test_github_gives_no_lines_for_a_cell() -> None:
    (line, *_) = renderer("github")(report(notebook())).splitlines()
    assert line.startswith(
        "::error file=n.ipynb,title=UPC001 upcast-before-gather::cell"
    )


@pytest.mark.parametrize("name", ["gitlab", "sarif"])
def test_fingerprints_are_distinct_and_stay_when_lines_move(name: str) -> None:
    def fingerprints(text: str) -> list[str]:
        document = json.loads(renderer(name)(report(outcome(text=text))))
        if name == "gitlab":
            return [each["fingerprint"] for each in document]
        results = document["runs"][0]["results"]
        return [each["partialFingerprints"]["upcastLint/v1"] for each in results]

    names = fingerprints(TEXT + TEXT)
    assert len(set(names)) == 6
    assert fingerprints("# new\n\n" + TEXT.replace("\n", "  \n") + TEXT) == names


def test_gitlab_has_what_a_code_quality_report_needs() -> None:
    rows = json.loads(renderer("gitlab")(report(outcome(), notebook(), unreadable())))
    for row in rows:
        assert set(row) == {
            "description",
            "check_name",
            "fingerprint",
            "severity",
            "location",
        }
        assert row["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert not row["location"]["path"].startswith(("/", "./"))
        assert row["location"]["lines"]["begin"] >= 1


def test_junit_counts_what_it_holds() -> None:
    suites = ElementTree.fromstring(renderer("junit")(report(outcome(), unreadable())))
    assert [suite.get("name") for suite in suites] == ["src/x.py", "broken.py"]
    for suite in [suites, *suites]:
        cases = list(suite.iter("testcase"))
        assert (
            int(suite.get("tests", "")) == int(suite.get("failures", "")) == len(cases)
        )
    assert all(case.find("failure") is not None for case in suites.iter("testcase"))


def test_rdjson_counts_bytes_of_utf8() -> None:
    text = "é = 1; a = logits.float().gather(1, i)\n"
    (row,) = json.loads(renderer("rdjson")(report(outcome(text=text))))["diagnostics"]
    start = row["location"]["range"]["start"]
    assert start == {"line": 1, "column": len("é = 1; a = ".encode()) + 1}
    (suggestion,) = row["suggestions"]
    data = text.encode()
    at = suggestion["range"]
    assert data[at["start"]["column"] - 1 : at["end"]["column"] - 1] == (
        b".float().gather(1, i)"
    )
    assert suggestion["text"] == ".gather(1, i).float()"
