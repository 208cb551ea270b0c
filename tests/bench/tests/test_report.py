import json
import unittest
from pathlib import Path

from harness import report
from harness.rows import Comparison, Goal, Growth, to_json

REPOSITORY = Path(__file__).resolve().parents[3]
MACHINE = {"processor": "a processor", "cpus": 2, "memory_gib": 4, "gpu": None, "kernel": "6.1", "versions": {"torch": "2.11.0"}, "commit": "0123456789"}


def pair(*rows, **more):
    return {"name": "walk", "title": "Walks", "about": "How fast we walk.", "machine": MACHINE, "measured": "2026-01-02 03:04", "seconds": 5.2,
            "rows": [to_json(row) for row in rows], **more}


def page(*rows, **more):
    return report.render_page({"pairs": [pair(*rows, **more)]})


class Page(unittest.TestCase):
    def test_tells_medians_ratio_spread_and_goal(self):
        row = Comparison("a walk", "s", [1.0, 2.0, 1.0], "a bus", [9.0, 10.0, 8.0], goal=Goal("speedup", 8))
        self.assertIn("| a walk | 1.00 s | a bus | 9.00 s | 9.00 × faster | 5.00 to 9.00 | ≥ 8 ×: reached |", page(row))
        self.assertIn("All goals are.", page(row))
        self.assertIn("`./scripts/bench walk`; 3 turns, 5 s in all.", page(row))

    def test_tells_what_is_missed_and_why(self):
        row = Comparison("a walk", "s", [1.0], "a bus", [2.0], goal=Goal("speedup", 8, "Buses are fast."))
        self.assertIn("≥ 8 ×: **missed**", page(row))
        self.assertIn("- **a walk** (against a bus): Buses are fast.", page(row))

    def test_tells_what_has_not_happened(self):
        row = Comparison("a walk", "s", [0.5], "a bus", [None], goal=Goal("below", 1.0), patience=15)
        self.assertIn("| a walk | 0.500 s | a bus | not within 15 s | - | - | < 1 s: reached |", page(row))

    def test_a_row_may_have_no_peer(self):
        row = Comparison("a walk", "s", [0.5], "nothing", [None], goal=Goal("below", 1.0))
        self.assertIn("| a walk | 0.500 s | nothing | - | - | - | < 1 s: reached |", page(row))

    def test_tells_growth(self):
        row = Growth("a walk", "ms", "steps", [[1, [1.0]], [4, [4.0]]], Goal("doubling", 2))
        self.assertIn("| | 1.00 ms | 4.00 ms | 2.00 × | ≤ 2 × a doubling: reached |", page(row))

    def test_tells_why_a_pair_was_skipped(self):
        self.assertIn("Not measured: no bus here.", page(skipped="no bus here"))

    def test_tells_where_it_was_measured(self):
        self.assertIn("- walk: 2026-01-02 03:04 to 2026-01-02 03:04 UTC, a processor, 2 CPUs, 4 GiB, no GPU, Linux 6.1; torch 2.11.0; commit 0123456789.", page())


class Readme(unittest.TestCase):
    def test_gets_the_headlines_between_its_marks(self):
        shown = Comparison("a walk", "s", [1.0], "a bus", [2.0], headline=True)
        hidden = Comparison("a run", "s", [1.0], "a bus", [2.0])
        readme = f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n"
        found = report.replace_headlines(readme, {"pairs": [pair(shown, hidden)]})
        self.assertIn("| a walk | 1.00 s | a bus | 2.00 s | 2.00 × faster |", found)
        self.assertNotIn("a run", found)
        self.assertNotIn("old", found)
        self.assertTrue(found.startswith("before\n") and found.endswith("\nafter\n"))

    def test_without_marks_is_an_error(self):
        with self.assertRaises(ValueError):
            report.replace_headlines("nothing", {"pairs": []})


class Repository(unittest.TestCase):
    """What it shows is what its JSON says: no number was typed by hand."""

    def setUp(self):
        self.measured = json.loads((REPOSITORY / "docs/benchmarks.json").read_text())

    def test_has_the_page_of_its_json(self):
        self.assertEqual((REPOSITORY / "docs/benchmarks.md").read_text(), report.render_page(self.measured))

    def test_has_the_table_of_its_json(self):
        readme = (REPOSITORY / "README.md").read_text()
        self.assertEqual(readme, report.replace_headlines(readme, self.measured))


if __name__ == "__main__":
    unittest.main()
