from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from upcast_lint import config, config_schema
from upcast_lint.config import (
    Config,
    ConfigError,
    ConfigFinder,
    FailOn,
    Settings,
    Width,
    load,
)

SHIPPED = Path(config.__file__).with_name("config.schema.json")


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_defaults_hold(project: Path) -> None:
    assert ConfigFinder().in_folder(str(project)).settings == Settings()


def test_a_pyproject_without_our_table_is_passed_by(project: Path) -> None:
    written(project / "pyproject.toml", "[tool.upcast-lint]\nwidth = 'any'\n")
    written(project / "sub" / "pyproject.toml", "[project]\nname = 'upcast-lint'\n")
    found = ConfigFinder().in_folder(str(project / "sub"))
    assert found.root == str(project)
    assert found.settings.width is Width.ANY


def test_a_broken_pyproject_that_is_not_about_us_is_passed_by(project: Path) -> None:
    written(project / "pyproject.toml", "not = = toml")
    assert ConfigFinder().in_folder(str(project)).settings == Settings()


def test_the_nearest_file_holds_whole(project: Path) -> None:
    written(project / "pyproject.toml", "[tool.upcast-lint]\nvocab-names = ['z']\n")
    written(project / "sub" / "upcast-lint.toml", "width = 'any'\n")
    settings = ConfigFinder().in_folder(str(project / "sub")).settings
    assert settings == Settings(width=Width.ANY)


def test_our_own_file_goes_before_pyproject(project: Path) -> None:
    written(project / "pyproject.toml", "[tool.upcast-lint]\nwidth = 'any'\n")
    written(project / "upcast-lint.toml", "ignore = ['UPC001']\n")
    settings = ConfigFinder().in_folder(str(project)).settings
    assert settings == Settings(ignore=("UPC001",))


def test_a_fixed_file_holds_everywhere(project: Path) -> None:
    fixed = Config(Settings(force_exclude=True), "/elsewhere")
    written(project / "upcast-lint.toml", "width = 'any'\n")
    assert ConfigFinder(fixed).in_folder(str(project)) is fixed


def test_every_kind_of_value(project: Path) -> None:
    path = written(
        project / "upcast-lint.toml",
        """
        select = ["UPC0"]
        force-exclude = true
        width = "any"
        fail-on = "safe"
        assume = {S = 4096}
        [per-file-ignores]
        "tests/" = ["UPC001", "UPC002"]
        """,
    )
    settings = load(str(path)).settings
    assert settings.select == ("UPC0",)
    assert settings.force_exclude
    assert settings.width is Width.ANY
    assert settings.fail_on is FailOn.SAFE
    assert dict(settings.assume) == {"S": 4096}
    assert settings.per_file_ignores == (("tests/", ("UPC001", "UPC002")),)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("widht = 'any'", "unknown key `widht`; did you mean `width`?"),
        ("qqq = 1", "unknown key `qqq`"),
        ("vocab_names = []", "did you mean `vocab-names`?"),
        ("select = 'UPC001'", "`select` must be an array of strings"),
        ("select = [1]", "`select` must be an array of strings"),
        ("force-exclude = 1", "`force-exclude` must be true or false"),
        (
            "width = 'vocabs'",
            "is none of high, medium, any, vocab; did you mean `vocab`?",
        ),
        ("assume = {B = 0}", "`assume` must be a table of positive integers"),
        ("assume = {B = true}", "`assume` must be a table of positive integers"),
        ("per-file-ignores = ['a']", "must be a table of arrays of strings"),
        ("exclude = 'a'", "`exclude` must be an array of patterns of paths"),
        (
            "exclude = ['a', '[z-a]']",
            "`exclude` has the pattern `[z-a]`, which has the range `z-a`, which is",
        ),
        ("extend-exclude = ['a[']", "`extend-exclude` has the pattern `a[`, which has"),
        ("inference-paths = ['a[']", "`inference-paths` has the pattern `a[`"),
        ("per-file-ignores = {'a[' = []}", "`per-file-ignores` has the pattern `a[`"),
        ("fail-on = 'all'", "`fail-on` is none of safe, unsafe, any"),
        ("= 3", "Invalid"),
    ],
)
def test_a_fault_names_the_file_and_the_key(
    project: Path, line: str, words: str
) -> None:
    path = written(project / "upcast-lint.toml", line)
    with pytest.raises(ConfigError) as caught:
        load(str(path))
    assert str(path) in str(caught.value)
    assert words in str(caught.value)


def test_a_file_that_is_not_there(project: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load(str(project / "missing.toml"))


def test_text_that_is_not_utf8(project: Path) -> None:
    (project / "upcast-lint.toml").write_bytes(b"width = '\xff'")
    with pytest.raises(ConfigError):
        load(str(project / "upcast-lint.toml"))


def test_our_table_must_be_a_table(project: Path) -> None:
    path = written(project / "pyproject.toml", "[tool]\nupcast-lint = 3\n")
    with pytest.raises(ConfigError, match="is not a table"):
        load(str(path))


def test_the_shipped_schema_is_current() -> None:
    """`python -m upcast_lint.config_schema > upcast_lint/config.schema.json`."""
    assert SHIPPED.read_text(encoding="utf-8") == config_schema.text()


@pytest.mark.parametrize(
    ("text", "is_valid"),
    [
        ("select = ['ALL']\nassume = {B = 2}", True),
        ("[per-file-ignores]\n'a' = ['UPC']", True),
        ("widht = 'any'", False),
        ("width = 'all'", False),
        ("fail-on = 'safe'", True),
        ("fail-on = 'all'", False),
        ("assume = {B = 0}", False),
    ],
)
def test_the_schema_and_the_loader_agree(
    project: Path, text: str, is_valid: bool
) -> None:
    schema: Any = json.loads(SHIPPED.read_text(encoding="utf-8"))
    validator = jsonschema.Draft7Validator(schema)
    assert validator.is_valid(tomllib.loads(text)) is is_valid
    path = written(project / "upcast-lint.toml", text)
    if is_valid:
        load(str(path))
    else:
        with pytest.raises(ConfigError):
            load(str(path))


def test_tools_that_are_no_table_are_passed_by(project: Path) -> None:
    written(project / "pyproject.toml", 'tool = "upcast-lint"')
    assert ConfigFinder().in_folder(str(project)).settings == Settings()
