"""A LibCST codemod: `python -m libcst.tool codemod upcast_lint.adapters.…`.

It makes the safe fixes, and with `--unsafe-fixes` the others, of one file at a time.
"""

from __future__ import annotations

import argparse
import os

import libcst
import libcst.codemod

from ..checker import FixMode, check_bytes
from ..session import Request, Session


class ReorderUpcasts(libcst.codemod.CodemodCommand):
    """`codemod libcst_codemod.ReorderUpcasts` with this package among the modules."""

    DESCRIPTION = "Cast after the narrow selection, not before."

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        arg_parser.add_argument(
            "--unsafe-fixes",
            dest="takes_unsafe",
            action="store_true",
            help="Make fixes that may change gradients, too",
        )

    def __init__(
        self, context: libcst.codemod.CodemodContext, takes_unsafe: bool = False
    ) -> None:
        super().__init__(context)
        self._fix = FixMode.UNSAFE if takes_unsafe else FixMode.SAFE

    def transform_module_impl(self, tree: libcst.Module) -> libcst.Module:
        path = os.path.abspath(self.context.filename or "x.py")
        session = Session(Request(fix=self._fix))
        job = session.job(path, session.finder.in_folder(os.path.dirname(path)))
        checked = check_bytes(tree.bytes, path, job)
        if checked.refusal is not None:
            self.warn(f"not fixed: {checked.refusal}")
        return tree if checked.data is None else libcst.parse_module(checked.data)
