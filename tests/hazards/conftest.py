"""Each hazard: code as people write it, its naive rewrite, and the effect at run time.

A hazard `h05` is a function of that code (`h05_repeated_index`), where there is a
tempting rewrite the same with `_naive` after it, and `test_h05_…_is_real`, which shows
that the two differ, or that they agree where the name says so. Beside it,
`test_h05_…_is_respected` hands the source text to the tool. README.md lists both.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

if importlib.util.find_spec("torch") is None:
    collect_ignore = [path.name for path in Path(__file__).parent.glob("test_*.py")]
else:
    import torch

    torch.set_num_threads(1)
