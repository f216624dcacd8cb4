"""What the host of the repository reads, and the one place that names it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from docs.scripts.addresses import addressed
from docs.scripts.pages import pages
from docs.scripts.release import faults
from tests.schemas import published_schema
from upcast_lint import __version__, links

ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"
SCHEMAS = {
    ".github/workflows/ci.yml": "workflow-syntax-for-github-actions",
    ".github/workflows/release.yml": "workflow-syntax-for-github-actions",
    ".github/dependabot.yml": "GitHub Dependabot v2 config",
    ".github/ISSUE_TEMPLATE/config.yml": "configuring-the-template-chooser",
    ".github/ISSUE_TEMPLATE/false-alarm.yml": "syntax-for-issue-forms",
    ".github/ISSUE_TEMPLATE/miss.yml": "syntax-for-issue-forms",
    ".github/ISSUE_TEMPLATE/wrong-fix.yml": "syntax-for-issue-forms",
}


def read(path: str) -> Any:
    yaml = pytest.importorskip("yaml")
    document = yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))
    # YAML 1.1, which PyYAML reads, takes the key `on` for a truth value.
    return {"on" if key is True else key: value for key, value in document.items()}


def texts() -> list[Path]:
    """The files of the checkout that are text."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    return [
        path for name in done.stdout.splitlines() if (path := ROOT / name).is_file()
    ]


@pytest.mark.parametrize("path", SCHEMAS)
def test_the_host_can_read_it(path: str) -> None:
    schema = published_schema(SCHEMAS[path])
    jsonschema.validators.validator_for(schema)(schema).validate(read(path))


def test_every_file_for_the_host_is_looked_at() -> None:
    found = {str(path.relative_to(ROOT)) for path in GITHUB.rglob("*.y*ml")}
    assert found == {path for path in SCHEMAS if path.startswith(".github")}


def test_every_python_that_is_named_is_tested() -> None:
    classifiers = re.findall(
        r"Programming Language :: Python :: (3\.\d+)",
        (ROOT / "pyproject.toml").read_text(encoding="utf-8"),
    )
    jobs = read(".github/workflows/ci.yml")["jobs"]
    assert jobs["everything"]["strategy"]["matrix"]["python"] == classifiers


@pytest.mark.parametrize("name", ["ci", "release"])
def test_actions_are_pinned_and_scripts_hold_nothing_to_inject(name: str) -> None:
    for job in read(f".github/workflows/{name}.yml")["jobs"].values():
        for step in job.get("steps", ()):
            assert "${{" not in step.get("run", "")
            if "uses" in step:
                assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"])


def test_only_publishing_may_speak_to_the_index() -> None:
    workflow = read(".github/workflows/release.yml")
    assert workflow["permissions"] == {"contents": "read"}
    publish = workflow["jobs"].pop("publish")
    assert publish["permissions"] == {"id-token": "write"}
    assert set(publish["needs"]) == {"test", "build"}
    assert not any("run" in step for step in publish["steps"])
    assert not any("permissions" in job for job in workflow["jobs"].values())


@pytest.mark.parametrize("name", ["false-alarm", "miss", "wrong-fix"])
def test_each_form_asks_for_a_small_file(name: str) -> None:
    body = read(f".github/ISSUE_TEMPLATE/{name}.yml")["body"]
    (program,) = (part for part in body if part.get("id") == "program")
    assert program["attributes"]["render"] == "Python"
    assert program["validations"]["required"]


def test_the_pages_have_the_address_that_is_set() -> None:
    for page in pages():
        text = page.read_text(encoding="utf-8")
        assert addressed(text) == text, f"{page}: run python -m docs.scripts"
        assert "OWNER" not in addressed(text, "somebody"), page


def test_no_other_file_names_the_owner_or_the_site() -> None:
    shown = {*pages(), ROOT / "upcast_lint" / "links.py"}
    site = links.HOME.removeprefix("https://").rstrip("/")
    for path in texts():
        if path in shown:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        assert addressed(text, "somebody") == text, path
        assert site not in text, path


def test_a_release_needs_its_tag_an_owner_and_a_date() -> None:
    assert [each.split(":")[0] for each in faults("v9.9", "somebody")] == [
        f"the tag is v9.9, the version {__version__}",
        "CHANGELOG.md has no dated section on v9.9",
    ]
    assert "nobody owns the repository" in " ".join(faults("v9.9", "OWNER"))
