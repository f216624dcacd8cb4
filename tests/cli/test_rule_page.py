"""`rule CODE`: Markdown into a pipe, a page on a terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from upcast_lint.selection import known_rules

COLOR = re.compile(r"\x1b\[[\d;]*m")


def on_terminal(*arguments: str, **environment: str) -> str:
    """What a terminal gets from `upcast-lint`, on standard output."""
    parent, child = pty.openpty()
    clean = {k: v for k, v in os.environ.items() if not k.endswith("_COLOR")}
    command = [sys.executable, "-m", "upcast_lint", *arguments]
    process = subprocess.Popen(command, stdout=child, env=clean | environment)
    os.close(child)
    parts = []
    while True:
        try:
            part = os.read(parent, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(parent)
    assert process.wait() == 0
    return b"".join(parts).decode().replace("\r\n", "\n")


def piped(*arguments: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "upcast_lint", *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_a_pipe_gets_the_markdown() -> None:
    (page,) = (rule.doc() for rule in known_rules() if rule.code == "UPC001")
    assert piped("rule", "UPC001", FORCE_COLOR="1") == page.rstrip() + "\n"


def test_a_terminal_gets_headings_and_code_in_colour() -> None:
    page = on_terminal("rule", "UPC001")
    assert page.startswith("\x1b[1;34mupcast-before-gather (UPC001)\x1b[0m\n")
    assert "\x1b[32m        logits = logits.to(torch.float32)\x1b[0m" in page
    assert "\x1b[36mgather\x1b[0m" in page


def test_without_colour_a_terminal_gets_the_same_page_plain() -> None:
    plain = on_terminal("rule", "UPC001", NO_COLOR="1")
    assert "\x1b" not in plain
    assert plain.startswith("upcast-before-gather (UPC001)\n")
    assert "        logits = logits.to(torch.float32)\n" in plain


@pytest.mark.parametrize("code", [rule.code for rule in known_rules()])
def test_no_markup_and_no_word_is_lost(code: str) -> None:
    from upcast_lint.cli.page import drawn

    (page,) = (rule.doc() for rule in known_rules() if rule.code == code)
    shown = COLOR.sub("", drawn(page, has_color=True))
    assert "```" not in shown
    words = re.sub(r"^```\w*$|[#`*]", "", page, flags=re.M).split()
    assert re.sub(r"[#`*]", "", shown).split() == words
