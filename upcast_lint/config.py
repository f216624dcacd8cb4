"""Settings: `[tool.upcast-lint]` in `pyproject.toml`, or `upcast-lint.toml`.

The nearest file at or above a checked file holds for it, whole: nothing is merged
from files further up. Keys are the field names of `Settings` in kebab-case; what is
declared of a field also makes the JSON schema and the reference pages.
Paths in patterns are relative to the file's folder.
"""

from __future__ import annotations

import enum
import errno
import os
from collections.abc import Container, Iterable, Mapping
from typing import Annotated, Any, NamedTuple, get_type_hints

from .errors import UsageError
from .files import read_regular
from .finding import Confidence
from .globs import fault
from .selection import suggestion

PYPROJECT = "pyproject.toml"
OWN_FILE = "upcast-lint.toml"
_TABLE = "upcast-lint"
# Below a folder at the limit of a path's length there can be no file.
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)

DEFAULT_EXCLUDE = tuple(
    f"{name}/"
    for name in (
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".git-rewrite",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pyenv",
        ".pytest_cache",
        ".pytype",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".upcast_lint_cache",
        ".venv",
        ".vscode",
        "__pycache__",
        "__pypackages__",
        "_build",
        "buck-out",
        "build",
        "dist",
        "node_modules",
        "site-packages",
        "venv",
    )
)

SelectorsByGlob = tuple[tuple[str, tuple[str, ...]], ...]
Sizes = tuple[tuple[str, int], ...]


class ConfigError(UsageError):
    """A settings file that cannot be used; `str` names it, the key and the fault."""


class Kind(enum.Enum):
    """The TOML shape that a setting takes."""

    TEXTS = "an array of strings"
    GLOBS = "an array of patterns of paths"
    TEXTS_BY_GLOB = "a table of arrays of strings"
    SIZES = "a table of positive integers"
    CHOICE = "a string"
    FLAG = "true or false"


class Width(enum.Enum):
    """How well it must be borne out that a source is vocab-wide."""

    HIGH = "high"
    MEDIUM = "medium"
    ANY = "any"
    VOCAB = "vocab"
    """What `medium` was called before there were degrees."""

    @property
    def least(self) -> Confidence:
        match self:
            case Width.HIGH:
                return Confidence.HIGH
            case Width.MEDIUM | Width.VOCAB:
                return Confidence.MEDIUM
            case Width.ANY:
                return Confidence.LOW


class FailOn(enum.Enum):
    """Which findings make a run fail: those that a fix of the tier mends, or any."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    ANY = "any"


class Declared(NamedTuple):
    """What is said of a setting, beside its type and its default."""

    kind: Kind
    about: str
    choices: type[enum.Enum] | None = None

    @property
    def values(self) -> tuple[str, ...]:
        """Those of a choice."""
        return tuple(each.value for each in self.choices or ())


class Settings(NamedTuple):
    """What a file can configure, with the defaults."""

    select: Annotated[
        tuple[str, ...],
        Declared(
            Kind.TEXTS,
            "Rules to run: codes, prefixes, names, or `ALL`; a rule that is off by "
            "default only by its code or its name.",
        ),
    ] = ("ALL",)
    extend_select: Annotated[
        tuple[str, ...], Declared(Kind.TEXTS, "Rules to run besides those of `select`.")
    ] = ()
    ignore: Annotated[
        tuple[str, ...],
        Declared(Kind.TEXTS, "Rules not to run; the more specific selector wins."),
    ] = ()
    per_file_ignores: Annotated[
        SelectorsByGlob,
        Declared(
            Kind.TEXTS_BY_GLOB, "Rules not to run on the files that a pattern matches."
        ),
    ] = ()
    exclude: Annotated[
        tuple[str, ...],
        Declared(
            Kind.GLOBS,
            "Files and folders to leave out, as patterns in gitignore's dialect.",
        ),
    ] = DEFAULT_EXCLUDE
    extend_exclude: Annotated[
        tuple[str, ...],
        Declared(
            Kind.GLOBS, "Files and folders to leave out besides those of `exclude`."
        ),
    ] = ()
    force_exclude: Annotated[
        bool, Declared(Kind.FLAG, "Leave excluded files out even where they are named.")
    ] = False
    respect_gitignore: Annotated[
        bool, Declared(Kind.FLAG, "Leave out what `.gitignore` files leave out.")
    ] = True
    width: Annotated[
        Width,
        Declared(
            Kind.CHOICE,
            "Report only sources that the evidence makes vocab-wide with `high` "
            "confidence, with `medium` or more (`vocab` is its old name), or every "
            "source with a narrow selection (`any`).",
            Width,
        ),
    ] = Width.MEDIUM
    fail_on: Annotated[
        FailOn,
        Declared(
            Kind.CHOICE,
            "Exit with 1 only where findings are left that a safe fix mends (`safe`), "
            "that a safe or an unsafe one does (`unsafe`), or for any (`any`). A file "
            "that cannot be parsed counts in each case.",
            FailOn,
        ),
    ] = FailOn.ANY
    vocab_names: Annotated[
        tuple[str, ...],
        Declared(
            Kind.TEXTS, "Patterns of identifiers that name vocab-wide tensors here."
        ),
    ] = ()
    not_vocab_names: Annotated[
        tuple[str, ...],
        Declared(
            Kind.TEXTS, "Patterns of identifiers that never name vocab-wide tensors."
        ),
    ] = ()
    inference_paths: Annotated[
        tuple[str, ...],
        Declared(
            Kind.GLOBS,
            "Files in which no gradient flows, as patterns in gitignore's dialect.",
        ),
    ] = ()
    assume: Annotated[
        Sizes,
        Declared(
            Kind.SIZES,
            "Sizes of dimensions, for estimates in bytes where the code is silent.",
        ),
    ] = ()


class Config(NamedTuple):
    """Settings, the folder that their patterns are relative to, their file if any."""

    settings: Settings
    root: str
    path: str | None = None


def declarations() -> dict[str, Declared]:
    """Of the settings, by field and in order."""
    hints = get_type_hints(Settings, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}


def key_of(field_name: str) -> str:
    return field_name.replace("_", "-")


def load(path: str) -> Config:
    """The settings of one file; raises ConfigError.

    A `pyproject.toml` without our table gives the defaults.
    """
    config = _load_if_ours(path)
    return config or Config(Settings(), os.path.dirname(os.path.abspath(path)), path)


class ConfigFinder:
    """Finds the settings that hold in a folder, reading each file once."""

    def __init__(self, fixed: Config | None = None) -> None:
        """With `fixed`, that holds everywhere and nothing is searched for."""
        self._fixed = fixed
        self._found: dict[str, Config] = {}

    def in_folder(self, folder: str, names: Container[str] | None = None) -> Config:
        """`folder` is an absolute path; `names` are those in it, where they are known.

        Raises ConfigError.
        """
        if self._fixed is not None:
            return self._fixed
        passed = []
        # No recursion: a path can have more folders than Python has frames.
        while (known := self._found.get(folder) or _own(folder, names)) is None:
            passed.append(folder)
            parent = os.path.dirname(folder)
            if parent == folder:
                known = Config(Settings(), os.getcwd())
                break
            folder, names = parent, None
        self._found.update(dict.fromkeys((folder, *passed), known))
        return known


def _own(folder: str, names: Container[str] | None) -> Config | None:
    """The settings of a file that stands in the folder itself."""
    for name in (OWN_FILE, PYPROJECT):
        if names is not None and name not in names:
            continue
        config = _load_if_ours(os.path.join(folder, name), must_exist=False)
        if config is not None:
            return config
    return None


def _load_if_ours(path: str, *, must_exist: bool = True) -> Config | None:
    """None for a `pyproject.toml` that has no table of ours, or an absent file."""
    try:
        data, _ = read_regular(path)
    except OSError as error:
        if not must_exist and error.errno in _ABSENT:
            return None
        raise ConfigError(f"{path}: {error.strerror}") from error
    is_pyproject = os.path.basename(path) == PYPROJECT
    if is_pyproject and _TABLE.encode() not in data:
        return None  # spares the parser for the many that do not mention us
    import tomllib

    try:
        table: Any = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}") from error
    if is_pyproject:
        tools = table.get("tool", {})
        table = tools.get(_TABLE) if isinstance(tools, dict) else None
        if table is None:
            return None
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: `tool.{_TABLE}` is not a table")
    root = os.path.dirname(os.path.abspath(path))
    return Config(_settings(path, table), root, path)


def _settings(path: str, table: Mapping[str, Any]) -> Settings:
    known = {key_of(name): (name, each) for name, each in declarations().items()}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise ConfigError(f"{path}: unknown key `{key}`{suggestion(key, known)}")
        name, declared = known[key]
        try:
            values[name] = _value(declared, value)
        except ValueError as error:
            raise ConfigError(f"{path}: `{key}` {error}") from error
    return Settings(**values)


def _value(declared: Declared, value: object) -> object:
    """A TOML value as `Settings` holds it; raises ValueError with what is wrong."""
    match declared.kind, value:
        case Kind.TEXTS, list() if _are_texts(value):
            return tuple(value)
        case Kind.GLOBS, list() if _are_texts(value):
            return _readable(value)
        case Kind.FLAG, bool():
            return value
        case Kind.CHOICE, str():
            assert declared.choices is not None
            if value not in declared.values:
                known = ", ".join(declared.values)
                near = suggestion(value, declared.values)
                raise ValueError(f"is none of {known}{near}")
            return declared.choices(value)
        case Kind.TEXTS_BY_GLOB, dict() if all(map(_are_texts, value.values())):
            _readable(value)
            return tuple((glob, tuple(texts)) for glob, texts in value.items())
        case Kind.SIZES, dict() if all(map(_is_size, value.values())):
            return tuple(value.items())
        case _:
            raise ValueError(f"must be {declared.kind.value}")


def _readable(patterns: Iterable[str]) -> tuple[str, ...]:
    """The patterns; raises ValueError with the first that cannot be read."""
    for pattern in patterns:
        wrong = fault(pattern)
        if wrong is not None:
            raise ValueError(f"has the pattern `{pattern}`, which {wrong}")
    return tuple(patterns)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
