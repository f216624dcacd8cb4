"""Run code before and after a rewrite and compare what comes out.

The only part of the package that imports torch, and only in the modules that run
something: `specification`, `fixture`, `plan`, `gate` and `command` import without it.
"""
