"""The base of what a user can put right: the command line, a file, the repository."""

from __future__ import annotations


class UsageError(Exception):
    """Ends the run with exit code 2; `str` names what is wrong and where."""
