"""UPC006: embedding of an upcast weight."""

from __future__ import annotations

import ast

from upcast_lint.analysis.indices import Proof, distinct_rows, permutation
from upcast_lint.analysis.indices.ranks import known_rank
from upcast_lint.analysis.reads import Form, Gradient, Selection, Use
from upcast_lint.analysis.values import is_false, is_none


def recognise(use: Use) -> Selection | None:
    if use.name != "embedding" or use.form is not Form.FUNCTION:
        return None
    bound = use.bind()
    if bound is None or not is_false(bound.get("sparse")):
        return None
    if "max_norm" in bound and not is_none(bound["max_norm"]):
        return None
    words = bound.get("input", bound.get("indices"))
    if words is None:
        return None
    text = " ".join(use.facts.text(words).split())
    return Selection(
        node=use.node,
        label="embedding",
        narrow=(
            None if permutation(words, use.facts) else f"the rows that `{text}` names"
        ),
        axis=0,
        kept="N",
        gradient=Gradient.REPEATS,
        index=words,
        distinct=_distinct(words, use),
        takes_index_tensor=True,
    )


def _distinct(words: ast.expr, use: Use) -> Proof | None:
    """The proof that no word repeats; unlike other indices, words do not wrap."""
    is_vector = known_rank(words, use.facts) == 1
    return distinct_rows(
        words,
        use.facts,
        use.directives,
        use.cast.call,
        use.node,
        vector=is_vector,
    )
