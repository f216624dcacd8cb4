"""Attack the engine at scale: `python -m tests.fuzz --tier safe --programs 20000`.

Prints each failure on the smallest program that shows it, then the figures. Exits
with 1 where there was a mismatch.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .attack import Tier
from .campaign import Tally, campaign, smallest

_SHOWN = 20


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--tier", choices=["safe", "unsafe", "both"], default="both")
    parser.add_argument("--programs", type=int, default=20_000, metavar="N")
    parser.add_argument("--seed", type=int, default=0, help="the first program's")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--no-shrink", action="store_true")
    options = parser.parse_args(argv)
    tiers = list(Tier) if options.tier == "both" else [Tier(options.tier)]
    seeds = range(options.seed, options.seed + options.programs)
    failed = False
    for tier in tiers:
        tally = campaign(tier, seeds, options.jobs, _progress)
        print(file=sys.stderr)
        for failure in tally.failures[:_SHOWN]:
            print((failure if options.no_shrink else smallest(failure)).report())
            print()
        if len(tally.failures) > _SHOWN:
            rest = [failure.program.seed for failure in tally.failures[_SHOWN:]]
            print(f"more failures at the seeds {rest}")
        print(f"{tier.value}: {tally.figures()}", flush=True)
        failed |= bool(tally.failures)
    return int(failed)


def _progress(tally: Tally) -> None:
    if sys.stderr.isatty() or tally.programs % 1000 == 0:
        print(f"\r{tally.figures()}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
