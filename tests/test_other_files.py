"""A cast whose copy only functions of other files of the project read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from upcast_lint import linter
from upcast_lint.checker import Job, check_bytes
from upcast_lint.finding import Confidence, Finding
from upcast_lint.linter import Options
from upcast_lint.project import Project
from upcast_lint.source import Source

PICK = """\
def pick(x, ids):
    return x.gather(-1, ids)
"""
WHOLE = """\
def pick(x, ids):
    return x + x.gather(-1, ids)
"""
CALL = """\
{line}


def loss(logits, ids):
    return {name}(logits.float(), ids)
"""
IMPORT = "from .utils import pick"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def caller(line: str = IMPORT, name: str = "pick") -> str:
    return CALL.format(line=line, name=name)


def findings(path: str, root: str = ".") -> tuple[Finding, ...]:
    options = Options(least=Confidence.LOW, root=os.path.abspath(root))
    return check_bytes(Path(path).read_bytes(), path, Job(options)).findings


def elsewhere(path: str, root: str = ".") -> list[tuple[str, int]]:
    """The files and rows that findings name, the files relative to the folder."""
    return [
        (os.path.relpath(read.path), read.range.start.row)
        for finding in findings(path, root)
        for read in finding.related
        if read.path is not None
    ]


IN_UTILS = [("pkg/utils.py", 1), ("pkg/utils.py", 2)]


# Not looked into, or read whole


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(WHOLE, id="read whole"),
        pytest.param(f"import functools\n@functools.cache\n{PICK}", id="decorated"),
        pytest.param(f"{PICK}{PICK}", id="two definitions"),
        pytest.param(f"{PICK}pick = print\n", id="rebound"),
        pytest.param(f"{PICK}def f():\n    global pick\n    pick = f\n", id="global"),
        pytest.param(f"{PICK}from other import *\n", id="perhaps imported again"),
        pytest.param(
            "from typing import overload\n@overload\ndef pick(x: int, ids): ...\n"
            f"@overload\ndef pick(x: str, ids): ...\n{PICK}",
            id="overloaded",
        ),
        pytest.param("class pick:\n    pass\n", id="a class"),
        pytest.param("pick = lambda x, ids: x.gather(-1, ids)\n", id="a lambda"),
        pytest.param("async def pick(x, ids):\n    return x[ids]\n", id="async"),
        pytest.param("def pick(x, ids):\n    yield x[:, -1]\n", id="a generator"),
        pytest.param("def pick(*x):\n    return x[0][:, -1]\n", id="all arguments"),
        pytest.param(f"if {PICK}", id="not Python"),
        pytest.param("", id="nothing"),
        pytest.param(
            "def f():\n    def pick(x, i):\n        return x[i]\n", id="nested"
        ),
        pytest.param(PICK + "#" * 1_000_000, id="very large"),
    ],
)
def test_a_function_of_which_too_little_is_known(project: Path, text: str) -> None:
    write(project, {"pkg/loss.py": caller(), "pkg/utils.py": text})
    assert findings("pkg/loss.py") == ()


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("from ..utils import pick", id="too far up for it"),
        pytest.param("from ...... import pick", id="out of the project"),
        pytest.param("from ..outside import pick", id="above the root"),
        pytest.param("from outside import pick", id="above the root, by name"),
        pytest.param("from torch.utils import pick", id="of torch"),
        pytest.param("from .loss import pick", id="of itself"),
        pytest.param("from .utils import *", id="unnamed"),
        pytest.param("import pkg.utils as pick", id="a module"),
        pytest.param(
            "try:\n    from .utils import pick\nexcept ImportError:\n"
            "    from .more import pick",
            id="of either",
        ),
        pytest.param(f"{IMPORT}\npick = print", id="bound again"),
    ],
)
def test_an_import_of_which_too_little_is_known(
    project: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    names = ("pkg/utils.py", "pkg/more.py", "torch/utils.py")
    write(project, {f"root/{name}": PICK for name in names})
    write(project, {"root/pkg/loss.py": caller(line), "outside.py": PICK})
    monkeypatch.chdir(project / "root")
    assert findings("pkg/loss.py") == ()


def test_what_two_files_may_be_is_neither(project: Path) -> None:
    files = {"a/utils.py": PICK, "utils.py": PICK}
    write(project, {**files, "a/loss.py": caller("from utils import pick")})
    assert findings("a/loss.py") == ()
    Path("a/utils.py").unlink()
    assert elsewhere("a/loss.py") == [("utils.py", 1), ("utils.py", 2)]


def test_a_folder_of_a_package_is_no_place_for_absolute_imports(project: Path) -> None:
    files = {"pkg/__init__.py": "", "pkg/utils.py": PICK}
    write(project, {**files, "pkg/loss.py": caller("from utils import pick")})
    assert findings("pkg/loss.py") == ()


def test_a_link_out_of_the_root_is_not_followed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, {"root/pkg/loss.py": caller(), "secret.py": PICK})
    (project / "root/pkg/utils.py").symlink_to(project / "secret.py")
    monkeypatch.chdir(project / "root")
    assert findings("pkg/loss.py") == ()
    assert elsewhere("pkg/loss.py", "..") == IN_UTILS


def test_what_is_installed_is_not_read(project: Path) -> None:
    folder = "lib/site-packages/pkg"
    write(project, {f"{folder}/loss.py": caller(), f"{folder}/utils.py": PICK})
    assert findings(f"{folder}/loss.py") == ()


def test_a_pipe_is_not_read(project: Path) -> None:
    write(project, {"pkg/loss.py": caller()})
    os.mkfifo("pkg/utils.py")
    assert findings("pkg/loss.py") == ()


def test_a_file_of_no_place_has_none_around(project: Path) -> None:
    write(project, {"utils.py": PICK})
    options = Options(least=Confidence.LOW, root=os.getcwd())
    assert check_bytes(caller().encode(), "-", Job(options)).findings == ()
    assert check_bytes(caller().encode(), "loss.py", Job(options)).findings


def test_one_file_away_is_as_far_as_it_goes(project: Path) -> None:
    between = f"{IMPORT}\ndef take(x, ids):\n    return pick(x, ids)\n"
    call = caller("from .between import take", "take")
    files = {"pkg/between.py": between, "pkg/utils.py": PICK}
    write(project, {**files, "pkg/loss.py": call})
    assert findings("pkg/loss.py") == ()


def test_a_name_is_followed_through_one_more_file(project: Path) -> None:
    call = caller("from .one import pick")
    again = {"pkg/one.py": "from .two import pick\n", "pkg/two.py": IMPORT}
    write(project, {**again, "pkg/utils.py": PICK, "pkg/loss.py": call})
    assert findings("pkg/loss.py") == ()


def test_files_that_import_one_another(project: Path) -> None:
    again = "from .loss import loss\nfrom .utils import pick\n"
    write(project, {"pkg/loss.py": caller(), "pkg/utils.py": again})
    assert findings("pkg/loss.py") == ()
    write(project, {"pkg/utils.py": f"from .loss import loss\n{PICK}"})
    assert elsewhere("pkg/loss.py") == [("pkg/utils.py", 2), ("pkg/utils.py", 3)]


# Looked into


@pytest.mark.parametrize(
    ("line", "name"),
    [
        pytest.param(IMPORT, "pick", id="relative"),
        pytest.param("from.utils import pick", "pick", id="without a blank"),
        pytest.param(
            "from .utils import (\n    other,\n    pick,\n)", "pick", id="long"
        ),
        pytest.param("from .utils import pick as take", "take", id="renamed"),
        pytest.param("from ..pkg.utils import pick", "pick", id="from further up"),
        pytest.param("from . import utils", "utils.pick", id="a module beside"),
        pytest.param("from . import utils as u", "u.pick", id="it renamed"),
        pytest.param("from pkg.utils import pick", "pick", id="absolute"),
        pytest.param("import pkg.utils", "pkg.utils.pick", id="a module"),
        pytest.param("import pkg.utils as u", "u.pick", id="a module renamed"),
        pytest.param("from pkg import utils", "utils.pick", id="of a package"),
    ],
)
@pytest.mark.parametrize("has_init", [True, False])
def test_a_function_that_selects(
    project: Path, line: str, name: str, has_init: bool
) -> None:
    write(project, {"pkg/loss.py": caller(line, name), "pkg/utils.py": PICK})
    if has_init:
        write(project, {"pkg/__init__.py": ""})
    assert elsewhere("pkg/loss.py") == IN_UTILS
    (finding,) = findings("pkg/loss.py")
    assert finding.code == "UPC001"
    assert finding.fix is None
    assert finding.reads == ()
    assert finding.notes == (
        "not rewritten: give `pick` the source, to cast there what is selected",
    )


def test_an_import_in_the_function_that_calls(project: Path) -> None:
    text = f"def loss(x, ids):\n    {IMPORT}\n    return pick(x.float(), ids)\n"
    write(project, {"pkg/loss.py": text, "pkg/utils.py": PICK})
    assert elsewhere("pkg/loss.py") == IN_UTILS


@pytest.mark.parametrize(
    "layout", ["pkg/utils.py", "src/pkg/utils.py", "pkg/utils/__init__.py"]
)
def test_where_a_test_finds_a_package(project: Path, layout: str) -> None:
    call = caller("from pkg.utils import pick")
    write(project, {"tests/test_loss.py": call, layout: PICK})
    assert elsewhere("tests/test_loss.py") == [(layout, 1), (layout, 2)]


def test_a_script_finds_what_is_beside(project: Path) -> None:
    write(project, {"tools/run.py": caller("import utils", "utils.pick")})
    write(project, {"tools/utils.py": PICK})
    assert len(elsewhere("tools/run.py")) == 2


def test_a_file_outside_of_the_root_sees_its_own_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, {"pkg/loss.py": caller(), "pkg/utils.py": PICK, "root/x.py": ""})
    monkeypatch.chdir(project / "root")
    assert len(elsewhere("../pkg/loss.py")) == 2
    write(project, {"pkg/loss.py": caller("from pkg.utils import pick")})
    assert findings("../pkg/loss.py") == ()


def test_what_a_package_imports_in_turn(project: Path) -> None:
    call = caller("from pkg import pick")
    write(project, {"pkg/__init__.py": f"{IMPORT}\n", "pkg/utils.py": PICK})
    write(project, {"app/loss.py": call})
    assert elsewhere("app/loss.py") == IN_UTILS
    write(project, {"pkg/__init__.py": f"{IMPORT}\npick = print\n"})
    assert findings("app/loss.py") == ()


def test_rows_below_a_docstring_and_a_guard(project: Path) -> None:
    text = (
        'def pick(x, ids):\n    """Some."""\n    assert x.ndim\n    return x[:, -1]\n'
    )
    write(project, {"pkg/loss.py": caller(), "pkg/utils.py": text})
    assert elsewhere("pkg/loss.py") == [("pkg/utils.py", 1), ("pkg/utils.py", 4)]


def test_a_function_of_the_file_that_hands_it_on(project: Path) -> None:
    text = f"{IMPORT}\ndef take(x, i):\n    return pick(x, i)\n"
    text += "def loss(logits, i):\n    return take(logits.float(), i)\n"
    write(project, {"pkg/loss.py": text, "pkg/utils.py": PICK})
    (finding,) = findings("pkg/loss.py")
    assert [read.path is None for read in finding.related] == [True, False, False]
    assert elsewhere("pkg/loss.py") == IN_UTILS


def test_beside_a_function_of_the_file(project: Path) -> None:
    """Far from the rest of a long file, of which the first look takes a part."""
    text = f"{IMPORT}\ndef _last(x):\n    return x[:, -1]\n"
    text += "def loss(logits, i):\n    logits = logits.float()\n"
    text += "    return pick(logits, i), _last(logits)\n"
    text += "".join(f"def f{n}(a):\n    return a\n" for n in range(100))
    write(project, {"pkg/loss.py": text, "pkg/utils.py": PICK})
    (finding,) = findings("pkg/loss.py")
    assert "`pick` and `_last` read only parts" in finding.message
    assert finding.notes[0].startswith("not rewritten: give `pick` the source")
    assert len(finding.reads) == 1


def test_two_functions_of_a_long_file(project: Path) -> None:
    text = "def first(x):\n    return x[:, 0]\ndef last(x):\n    return x[:, -1]\n"
    text += "def loss(logits):\n    logits = logits.float()\n"
    text += "    return first(logits), last(logits)\n"
    text += "".join(f"def f{n}(a):\n    return a\n" for n in range(100))
    write(project, {"loss.py": text})
    assert len(findings("loss.py")) == 1


def test_a_directive_of_another_file_is_of_its_rows(project: Path) -> None:
    text = f"# upcast-lint: no-grad\n{PICK}"
    write(project, {"pkg/loss.py": caller(), "pkg/utils.py": text})
    assert elsewhere("pkg/loss.py") == [("pkg/utils.py", 2), ("pkg/utils.py", 3)]


def test_nothing_is_read_where_no_copy_goes_elsewhere(project: Path) -> None:
    lines = "from .utils import pick\nimport torch.nn.functional as F\n"
    texts = [
        "def loss(x, i):\n    return pick(x, i) + x.float()[:, -1]\n",
        "def loss(x, i):\n    return F.softmax(x.float(), -1)\n",
        "def loss(x, i):\n    x = x.float()\n    return pick(x, i), x * 2\n",
    ]
    for text in texts:
        write(project, {"pkg/loss.py": lines + text, "pkg/utils.py": PICK})
        options = Options(least=Confidence.LOW, root=os.getcwd())
        data = Path("pkg/loss.py").read_bytes()
        assert check_bytes(data, "pkg/loss.py", Job(options)).others == ()


def test_what_is_read_is_never_run(project: Path) -> None:
    text = f"open('ran', 'w')\n{PICK}"
    write(project, {"pkg/loss.py": caller(), "pkg/utils.py": text})
    assert len(findings("pkg/loss.py")) == 1
    assert not Path("ran").exists()


def test_a_notebook(project: Path) -> None:
    cell = {"cell_type": "code", "source": caller("from utils import pick")}
    notebook = {"cells": [cell], "metadata": {}}
    write(project, {"a.ipynb": json.dumps(notebook), "utils.py": PICK})
    assert elsewhere("a.ipynb") == [("utils.py", 1), ("utils.py", 2)]
    assert findings("a.ipynb")[0].cell == 1


def test_names_that_lead_out_of_the_project(project: Path) -> None:
    write(project, {"root/pkg/loss.py": "", "outside.py": PICK})
    loss = str(project / "root/pkg/loss.py")
    seen = Project(loss, str(project / "root"))
    for name in ("...outside", "." * 10_000 + "outside", ".", "", "..", "a" * 10_000):
        assert seen.module(name, loss) is None
    root = str(project / "root")
    assert all(path.startswith(root) for path in seen.looked)


# The command line


def upcast_lint(*arguments: str, input: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "upcast_lint", "check", "--width", "any", *arguments],
        input=input,
        capture_output=True,
        text=True,
    )


def as_json(*arguments: str, input: str = "") -> list[dict[str, Any]]:
    done = upcast_lint("--output-format", "json", *arguments, input=input)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.fixture
def tree(project: Path) -> Path:
    """Enough files for a cache, all of them old."""
    files = {f"pkg/clean{n}.py": f"x = {n}\n" for n in range(20)}
    write(project, {**files, "pkg/loss.py": caller(), "pkg/utils.py": PICK})
    grow_old(project)
    return project


def grow_old(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (path.stat().st_mtime - 1000,) * 2)


def test_a_file_alone_is_as_in_its_tree(tree: Path) -> None:
    whole = as_json(".")
    assert len(whole) == 1
    assert as_json("pkg/loss.py") == whole
    assert as_json("-j", "2", ".") == whole
    text = (tree / "pkg/loss.py").read_text()
    stdin = as_json("-", "--stdin-filename", "pkg/loss.py", input=text)
    assert stdin == whole


def test_each_format_names_the_other_file(tree: Path) -> None:
    (found,) = as_json("pkg/loss.py")
    other = str(tree / "pkg/utils.py")
    assert [each["filename"] for each in found["related"]] == [other, other]
    assert "elsewhere: pkg/utils.py:1: `pick` takes" in upcast_lint("pkg").stdout
    sarif = json.loads(upcast_lint("--output-format", "sarif", "pkg").stdout)
    (result,) = sarif["runs"][0]["results"]
    places = [each["physicalLocation"] for each in result["relatedLocations"]]
    assert [each["artifactLocation"]["uri"] for each in places] == ["pkg/utils.py"] * 2
    assert [each["region"]["startLine"] for each in places] == [1, 2]
    for form in ("concise", "github", "gitlab", "rdjson", "junit"):
        assert "loss.py" in upcast_lint("--output-format", form, "pkg").stdout


def test_no_fix_is_made_in_either_file(tree: Path) -> None:
    before = [path.read_bytes() for path in sorted(tree.glob("pkg/*.py"))]
    upcast_lint("--fix", "--unsafe-fixes", ".")
    assert [path.read_bytes() for path in sorted(tree.glob("pkg/*.py"))] == before


def test_a_comment_at_the_cast_silences_it(tree: Path) -> None:
    text = caller().rstrip() + "  # noqa: UPC001\n"
    write(tree, {"pkg/loss.py": text})
    assert as_json(".") == []


@pytest.mark.parametrize("extra", [(), ("--exclude", "pkg/utils.py")])
def test_an_excluded_file_is_read_all_the_same(
    tree: Path, extra: tuple[str, ...]
) -> None:
    if not extra:
        write(tree, {"upcast-lint.toml": 'exclude = ["utils.py"]\n'})
    assert len(as_json(*extra, ".")) == 1


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_what_changes_around_a_file_changes_what_is_known(
    tree: Path, runs: int
) -> None:
    """Of which the second run asks the cache, and the third repeats the second."""
    for _ in range(runs):
        assert len(as_json(".")) == 1
    write(tree, {"pkg/utils.py": WHOLE})
    assert as_json(".") == []
    assert as_json(".") == []
    write(tree, {"pkg/utils.py": PICK})
    assert len(as_json(".")) == 1
    (tree / "pkg/utils.py").unlink()
    assert as_json(".") == []
    write(tree, {"pkg/utils/__init__.py": PICK})
    grow_old(tree)
    assert len(as_json(".")) == 1


def test_a_file_around_that_is_not_part_of_the_run(tree: Path) -> None:
    write(tree, {"lib/__init__.py": "", "lib/pick.py": PICK})
    call = caller("from lib.pick import pick")
    write(tree, {"pkg/loss.py": call})
    grow_old(tree)
    for _ in range(3):
        assert len(as_json("pkg")) == 1
    write(tree, {"lib/pick.py": WHOLE})
    grow_old(tree)
    assert as_json("pkg") == []


def test_the_usual_options_read_nothing() -> None:
    source = Source.from_bytes(caller().encode(), "loss.py")
    assert linter.lint(source, Options(least=Confidence.LOW)) == ()
    assert source.project is None
