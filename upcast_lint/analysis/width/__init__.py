"""Whether a source is vocab-wide: see `verdict`.

Nothing is imported here: `bound` must load without the rest.
"""
