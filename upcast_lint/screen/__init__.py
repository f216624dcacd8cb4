"""Which parts of a text may hold a finding, told without analysing it.

Most files hold no cast, most casts stand in functions that speak of no vocabulary, and
most copies meet no selection. Each tier asks less often and looks closer than the one
before: `find` in the text, words of the functions with a cast, their syntax trees. What
no tier rules out is analysed; what one rules out has no finding, and a test holds the
tiers to that over a large tree.

Nothing is imported here, so that a file without a cast pays for nothing else.
"""

from __future__ import annotations


def may_spell_cast(text: str) -> bool:
    """Whether a text has one of the words without which there is no cast."""
    return "float" in text or "double" in text
