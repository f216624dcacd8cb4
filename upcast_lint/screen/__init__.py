"""Which parts of a text may hold a finding, told without analysing it.

Most files hold no cast, most casts stand in functions that speak of no vocabulary, and
most copies meet no selection. Each tier asks less often and looks closer than the one
before: spellings in the bytes, words of the functions with a cast, their syntax trees.
What no tier rules out is analysed; what one rules out has no finding, and a test holds
the tiers to that over a large tree.

Nothing of ours is imported here, so that a file without a cast pays for nothing else.
"""

from __future__ import annotations

import re

_DOT = rb"\.[ \t\f\r\n\\]*"
_CALL = _DOT + rb"(?:float|double)[ \t\f\r\n\\]*[(#]"
_CONVERSION = _DOT + rb"(?:to|type) ?\("
_FUNCTIONS = (b"as_tensor(", b"softmax(", b"cumsum(")
_TYPE = _DOT + rb"(?:float|double)"
_BUILTIN = rb"float(?<![\w:.]float)(?<!: float)[ \t\f\r\n\\]*[,)#]"
_IMPORTED_TYPE = (
    rb"from torch[\w.]*[\s\\]+import[\s\\(]*+"
    rb"(?:[\w\s,\\]|#[^\n]*+)*?(?:float|double)"
)


def may_spell_cast(data: bytes) -> bool:
    """Whether bytes have a spelling without which there is no cast.

    It may see one where `find_spots` sees none, never the reverse.
    """
    if not (b"float" in data or b"double" in data):
        return False
    if re.search(_CALL, data) is not None:
        return True
    if b"torch" not in data:
        return False
    if not (re.search(_CONVERSION, data) or any(each in data for each in _FUNCTIONS)):
        return False
    return any(re.search(each, data) for each in (_TYPE, _BUILTIN, _IMPORTED_TYPE))
