from __future__ import annotations

import json

import pytest

from tests import fake_engine
from upcast_lint.codec import decode_findings, encode
from upcast_lint.linter import Options
from upcast_lint.source import Source

TEXT = b"a = logits.float().gather(1, i)\nb = risky_x.float().gather(1, i)\n"


def test_findings_come_back_as_they_were() -> None:
    findings = fake_engine.lint(Source.from_bytes(TEXT, "x.py"), Options())
    assert len(findings) == 2
    assert decode_findings(json.loads(json.dumps(encode(findings)))) == findings


@pytest.mark.parametrize("damaged", [None, 3, [3], [[]], [["UPC001"]], {"a": 1}])
def test_what_is_not_findings_is_refused(damaged: object) -> None:
    with pytest.raises(ValueError):
        decode_findings(damaged)


def test_a_field_of_another_kind_is_refused() -> None:
    findings = fake_engine.lint(Source.from_bytes(TEXT, "x.py"), Options())
    for at in range(len(encode(findings)[0])):  # type: ignore[index]
        encoded = json.loads(json.dumps(encode(findings)))
        encoded[0][at] = {"never": "this"}
        with pytest.raises(ValueError):
            decode_findings(encoded)
