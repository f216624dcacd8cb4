"""Differential fuzzing: no rewrite may change what a function gives.

A generated function is fixed by the real engine, both versions run on the same inputs,
and everything that a caller could see is compared. `python -m tests.fuzz` runs it at
scale; `wrong_fixers` shows that it can fail.
"""
