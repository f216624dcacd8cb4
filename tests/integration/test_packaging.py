from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.slow
def test_the_wheel_from_the_sdist_holds_everything_and_needs_no_torch(
    tmp_path: Path,
) -> None:
    pytest.importorskip("build")
    checkout = tmp_path / "checkout"
    ignored = shutil.ignore_patterns("__pycache__", ".*", "*.egg-info", "build", "dist")
    shutil.copytree(ROOT, checkout, ignore=ignored)
    built = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(tmp_path / "dist"), "."],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    if "No matching distribution" in built.stdout + built.stderr:
        pytest.skip("the package index cannot be reached")
    assert built.returncode == 0, built.stdout + built.stderr
    assert "absent from the `packages`" not in built.stdout + built.stderr
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    site = tmp_path / "site"
    install = ["pip", "install", "-q", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run([sys.executable, "-m", *install], check=True)
    for path in ROOT.glob("rules/**/*"):
        if path.suffix in (".py", ".md"):
            assert (site / "upcast_lint" / path.relative_to(ROOT)).is_file(), path
    for path in ROOT.glob("upcast_lint/**/*"):
        if path.suffix in (".py", ".md", ".json", ".typed"):
            assert (site / path.relative_to(ROOT)).is_file(), path
    assert not (site / "rules").exists()
    assert not (site / "tests").exists()


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
