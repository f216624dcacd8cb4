"""Text from files and file names, made harmless for terminals and log readers.

A source line or a file name can hold an escape sequence, a direction override that
shows other text than is there, or a line end that starts a workflow command. Every
report goes through here.
"""

from __future__ import annotations

import re

# C0 and C1 controls, the marks that change text direction, invisible characters that
# hide differences between names, the separators that some readers take for a line
# end, and lone surrogates, which no encoding can print.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def visible(text: str) -> str:
    """`text` with everything unsafe, line ends and tabs too, as escape sequences."""
    return _UNSAFE.sub(_escape_sequence, text)


def without_surrogates(text: str) -> str:
    """`text` that every encoder takes; nothing else is changed."""
    return _SURROGATE.sub(_escape_sequence, text)


def _escape_sequence(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
