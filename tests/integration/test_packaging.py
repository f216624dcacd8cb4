from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest

from upcast_lint import __version__
from upcast_lint.links import HOME, REPOSITORY

ROOT = Path(__file__).resolve().parents[2]
_BARE = """\
import sys
sys.meta_path = [each for each in sys.meta_path if "Editable" not in str(each)]
sys.path.insert(0, {checkout!r})
from upcast_lint.__main__ import main
sys.argv = ["upcast-lint", *sys.argv[1:]]
main()
"""


def test_a_checkout_that_is_not_installed_has_its_rules(tmp_path: Path) -> None:
    for part in ("upcast_lint", "rules"):
        shutil.copytree(ROOT / part, tmp_path / part)
    code = _BARE.format(checkout=str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", code, "rules"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "UPC001" in done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of this checkout, and the wheel made of the sdist."""
    pytest.importorskip("build")
    checkout = tmp_path_factory.mktemp("checkout")
    for name in tracked():
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, checkout / name)
    dist = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(dist), "."],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    if "No matching distribution" in said:
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, said
    assert "absent from the `packages`" not in said
    return dist


def tracked() -> list[str]:
    """The files of the checkout."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def metadata(built: Path) -> Message:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return message_from_string(archive.read(name).decode())


@pytest.mark.slow
def test_the_sdist_is_the_checkout(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {
            each.name.partition("/")[2]
            for each in archive.getmembers()
            if each.isfile()
        }
    made = {"PKG-INFO", "setup.cfg"}
    assert {name for name in names - made if ".egg-info/" not in name} == set(tracked())
    for folder in ("tests/", "docs/", "examples/"):
        assert any(name.startswith(folder) for name in names)


@pytest.mark.slow
def test_the_wheel_holds_the_product_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {n for n in archive.namelist() if ".dist-info/" not in n}
    ours = {
        name if name.startswith("upcast_lint/") else f"upcast_lint/{name}"
        for name in tracked()
        if name.startswith(("upcast_lint/", "rules/"))
        and name.endswith((".py", ".md", ".json", ".typed"))
    }
    assert names == ours


@pytest.mark.slow
def test_what_an_index_shows(built: Path) -> None:
    shown = metadata(built)
    assert shown["Version"] == __version__
    assert shown["Author"] == "upcast-lint developers"
    assert shown["Requires-Python"] == ">=3.11"
    assert shown["Description-Content-Type"] == "text/markdown"
    urls = dict(each.split(", ") for each in shown.get_all("Project-URL"))
    assert (urls["Documentation"], urls["Repository"]) == (HOME, REPOSITORY)
    page = shown.get_payload()
    assert not re.search(r"\]\((?!https://|#)", re.sub("(?s)```.*?```", "", page))
    assert "<!--" not in page
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall("(?s)```.*?```", page) == re.findall("(?s)```.*?```", readme)
    missing = [
        path
        for path in re.findall(
            rf"{re.escape(REPOSITORY)}/(?:blob|raw)/HEAD/([^)#]+)", page
        )
        if not (ROOT / path).exists()
    ]
    assert not missing


def test_no_version_is_capped() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needs = [project["requires-python"], *project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        needs += extra
    assert not [each for each in needs if re.search("<|==|~=|!=", each)]


def test_nothing_is_installed_by_a_name_that_others_could_register() -> None:
    """A path, a commit or the action's own checkout cannot be taken over."""
    installs = re.compile(r"pip install((?: +[^\s`&|;]+)+)")
    for name in tracked():
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        words = " ".join(installs.findall(text)).split()
        assert not [word for word in words if re.match("['\"]?upcast[-_]lint", word)]


def test_check_loads_neither_torch_nor_what_it_does_not_use(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("x = 1\n")
    code = (
        "import sys\n"
        "from upcast_lint.__main__ import main\n"
        "sys.argv = ['upcast-lint', 'check', 'x.py']\n"
        "try:\n    main()\n"
        "except SystemExit:\n    print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stderr.split())
    assert "upcast_lint.checker" in loaded
    unused = {"torch", "numpy", "tomllib", "subprocess", "difflib"}
    unused |= {"multiprocessing.connection", "upcast_lint.verify", "upcast_lint.cache"}
    unused |= {"json", "upcast_lint.reporters.sarif", "upcast_lint.baseline"}
    assert not loaded & unused
