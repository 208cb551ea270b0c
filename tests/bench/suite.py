#!/usr/bin/env python3
"""Measures the pairs of scripts/bench, or those that are named, and writes docs/benchmarks.json, docs/benchmarks.md and the table of the README.

A pair that is measured alone takes the place of its older numbers; the report tells for each pair where, when and with what it was measured.
"""

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests/peers"))

from harness import machine, report, rows  # noqa: E402
from harness.bench import TURNS, Bench  # noqa: E402
from pairs import PAIRS  # noqa: E402

JSON = REPOSITORY / "docs/benchmarks.json"
PAGE = REPOSITORY / "docs/benchmarks.md"
README = REPOSITORY / "README.md"


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"default: all of {', '.join(pair.name for pair in PAIRS)}")
    parser.add_argument("--bin", type=Path, help="folder of ddpsubmit")
    parser.add_argument("--python", type=Path, help="a Python that has the baselines")
    parser.add_argument("--turns", type=int, default=TURNS, help="of a pair; with fewer it is tried out, and the report is not written")
    parser.add_argument("--render", action="store_true", help="measure nothing, write the page and the README's table from the JSON")
    parser.add_argument("--inside", type=Path, metavar="FILE", help=argparse.SUPPRESS)  # one pair, here; its rows go to FILE
    args = parser.parse_args()
    if unknown := set(args.names) - {pair.name for pair in PAIRS}:
        parser.error(f"no pair {', '.join(sorted(unknown))}; there are {', '.join(pair.name for pair in PAIRS)}")
    if not args.render and not (args.bin and args.python):
        parser.error("--bin and --python are needed; scripts/bench gives them")
    return args


def measure_inside(pair, args):
    """In the pair's rig: its rows go to the file."""
    with tempfile.TemporaryDirectory() as folder:
        measured = pair.measure(Bench(args.bin.resolve(), args.python.absolute(), Path(folder), args.turns))
    args.inside.write_text(json.dumps([rows.to_json(row) for row in measured]))


def measure(pair, args, facts):
    """The entry of the report; None where the measurement failed, which has been said."""
    entry = {"name": pair.name, "title": pair.title, "about": inspect.getdoc(sys.modules[pair.measure.__module__]), "note": pair.note,
             "machine": facts, "measured": machine.now(), "seconds": 0, "rows": []}
    if reason := pair.lacks():
        print(f"{pair.name}: skipped: {reason}", file=sys.stderr, flush=True)
        return {**entry, "skipped": reason}
    print(f"{pair.name}: {pair.title}", file=sys.stderr, flush=True)
    began = time.monotonic()
    with tempfile.NamedTemporaryFile() as found:
        done = subprocess.run([*pair.rig, sys.executable, __file__, pair.name, "--inside", found.name, "--bin", str(args.bin), "--python", str(args.python),
                               "--turns", str(args.turns)], cwd=REPOSITORY)
        if done.returncode != 0:
            print(f"{pair.name}: failed", file=sys.stderr, flush=True)
            return None
        measured = json.loads(Path(found.name).read_text())
    return {**entry, "seconds": round(time.monotonic() - began, 1), "rows": measured}


def merge(old, entries):
    """The entries take the place of older ones of the same name; in the order of the table."""
    by_name = {**{pair["name"]: pair for pair in old.get("pairs", [])}, **{entry["name"]: entry for entry in entries}}
    return {"pairs": [by_name[pair.name] for pair in PAIRS if pair.name in by_name]}


def write(found):
    JSON.write_text(json.dumps(found, indent=1) + "\n")
    render(found)


def render(found):
    PAGE.write_text(report.render_page(found))
    README.write_text(report.replace_headlines(README.read_text(), found))


def measure_all(args):
    chosen = [pair for pair in PAIRS if not args.names or pair.name in args.names]
    facts = machine.describe(Bench(args.bin.resolve(), args.python.absolute(), Path("/")))
    began = time.monotonic()
    entries = [entry for pair in chosen if (entry := measure(pair, args, facts))]
    for entry in entries:
        print("\n".join(report.section(entry)))
    old = json.loads(JSON.read_text()) if JSON.exists() and args.names else {}
    if args.turns < TURNS:
        print(f"fewer than {TURNS} turns: the report was not written", file=sys.stderr)
    else:
        write(merge(old, entries))
        print(f"{PAGE.relative_to(REPOSITORY)}, {JSON.relative_to(REPOSITORY)} and the table of the README are written; {time.monotonic() - began:.0f} s", file=sys.stderr)
    return len(entries) == len(chosen)


def main():
    args = parse_args()
    if args.render:
        render(json.loads(JSON.read_text()))
    elif args.inside:
        (pair,) = [pair for pair in PAIRS if pair.name in args.names]
        measure_inside(pair, args)
    elif not measure_all(args):
        sys.exit(1)


if __name__ == "__main__":
    os.chdir(REPOSITORY)
    main()
