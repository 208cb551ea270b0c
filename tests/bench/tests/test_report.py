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
        self.assertIn("| a walk | 1.00 s | a bus | 9.00 s | 9.00 × faster | 5.00 to 9.00 × faster | at least 8 × faster: reached |", page(row))
        self.assertIn("## Goals that are missed\n\nNone.", page(row))
        self.assertIn("Repeat with `./scripts/bench walk`: 3 turns, 5 s in all.", page(row))

    def test_tells_what_is_missed_and_why(self):
        row = Comparison("a walk", "s", [1.0], "a bus", [2.0], goal=Goal("speedup", 8, "Buses are fast."))
        self.assertIn("at least 8 × faster: **missed**", page(row))
        self.assertIn("- **a walk** (compared with a bus): Buses are fast.", page(row))

    def test_a_goal_that_is_just_missed_is_seen_to_be_missed(self):
        memory = Comparison("a walk", "MiB", [1000.0], "a bus", [3326.0], ratio="share", goal=Goal("share", 0.3))
        self.assertIn("| 3.326 × less memory | 3.33 × less memory | at least 3.333 × less memory: **missed** |", page(memory))
        slower = Comparison("a walk", "s", [1.1004], "a bus", [1.0], goal=Goal("share", 1.1), ratio="share")
        self.assertIn("| 1.1004 × slower | 1.10 × slower | at most 1.1 × slower: **missed** |", page(slower))
        equal = Comparison("a walk", "s", [1.0004], "a bus", [1.0], goal=Goal("share", 1.0), ratio="share")
        self.assertIn("| 1.0004 × slower | equally fast | not slower: **missed** |", page(equal))
        growth = Growth("a walk", "ms", "steps", [[1, [1.0]], [2, [2.001]]], Goal("doubling", 2))
        self.assertIn("| 2.001 × | at most 2 × for each doubling: **missed** |", page(growth))

    def test_tells_what_has_not_happened(self):
        row = Comparison("a walk", "s", [0.5], "a bus", [None], goal=Goal("below", 1.0), patience=15)
        self.assertIn("| a walk | 0.500 s | a bus | not within 15 s | - | - | below 1 s: reached |", page(row))

    def test_a_row_may_have_no_baseline(self):
        row = Comparison("a walk", "s", [0.5], "nothing", [None], goal=Goal("below", 1.0))
        self.assertIn("| a walk | 0.500 s | nothing | - | - | - | below 1 s: reached |", page(row))

    def test_tells_growth(self):
        row = Growth("a walk", "ms", "steps", [[1, [1.0]], [4, [4.0]]], Goal("doubling", 2))
        self.assertIn("| | 1.00 ms | 4.00 ms | 2.00 × | at most 2 × for each doubling: reached |", page(row))

    def test_tells_why_a_pair_was_skipped(self):
        self.assertIn("Not measured: no bus here.", page(skipped="no bus here"))

    def test_tells_how_long_all_took(self):
        self.assertIn("the measurements on it took 2 minutes.", " ".join(page(seconds=121).split()))

    def test_tells_where_it_was_measured(self):
        self.assertIn("- walk: 2026-01-02 03:04 UTC, a processor, 2 CPUs, 4 GiB, no GPU, Linux 6.1; torch 2.11.0; commit 0123456789.", page())

    def test_its_lines_end_at_120(self):
        text = page(Comparison("a walk", "s", [1.0], "a bus", [2.0], goal=Goal("speedup", 8, "so slow " * 50)), about="many words " * 50)
        self.assertLessEqual(max(len(line) for line in text.splitlines() if not line.startswith("|")), 120)


class Verdict(unittest.TestCase):
    """What a reader is told about ddpsubmit: always a factor of at least one, and a word."""

    def verdict(self, ours, theirs, unit="s", **more):
        return report.comparison(Comparison("a walk", unit, [ours], "a bus", [theirs], **more))

    def test_of_times(self):
        self.assertEqual(self.verdict(1.0, 10.7), "10.7 × faster")
        self.assertEqual(self.verdict(1.16, 1.0), "1.16 × slower")

    def test_of_a_share_is_told_in_the_same_way(self):
        self.assertEqual(self.verdict(1.0, 5.5, ratio="share"), "5.50 × faster")
        self.assertEqual(self.verdict(2.31, 1.0, ratio="share"), "2.31 × slower")

    def test_of_rates(self):
        self.assertEqual(self.verdict(30.0, 10.0, "samples/s", better="more"), "3.00 × faster")
        self.assertEqual(self.verdict(10.0, 30.0, "samples/s", better="more"), "3.00 × slower")

    def test_of_memory(self):
        self.assertEqual(self.verdict(1.0, 5.5, "MiB", ratio="share"), "5.50 × less memory")
        self.assertEqual(self.verdict(5.5, 1.0, "MiB", ratio="share"), "5.50 × more memory")

    def test_of_equal_numbers(self):
        self.assertEqual(self.verdict(1.001, 1.0), "equally fast")

    def test_of_numbers_that_are_not_to_be_compared(self):
        self.assertEqual(self.verdict(1.0, 2.0, ratio="none"), "-")

    def test_of_turns_on_both_sides(self):
        self.assertEqual(report.spread(Comparison("a walk", "s", [2.0, 1.0], "a bus", [1.0, 4.0])), "2.00 × slower to 4.00 × faster")
        self.assertEqual(report.spread(Comparison("a walk", "s", [2.0, 3.0], "a bus", [1.0, 1.0])), "2.00 to 3.00 × slower")


class Goals(unittest.TestCase):
    def text(self, goal, **more):
        return report.goal_text(Comparison("a walk", more.pop("unit", "s"), [1.0], "a bus", [2.0], goal=goal, **more))

    def test_are_told_with_the_words_of_the_verdict(self):
        self.assertEqual(self.text(Goal("share", 0.1)), "at least 10 × faster")
        self.assertEqual(self.text(Goal("share", 0.5), unit="MiB"), "at least 2 × less memory")
        self.assertEqual(self.text(Goal("share", 3)), "at most 3 × slower")
        self.assertEqual(self.text(Goal("speedup", 1.0)), "not slower")


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

    def test_gets_each_note_once_below_the_table(self):
        row = Comparison("a walk", "s", [1.0], "a bus", [2.0], headline=True)
        text = report.render_headlines({"pairs": [pair(row, note="Buses wait."), pair(row, note="Buses wait."), pair(row)]})
        self.assertTrue(text.endswith("on 2 CPUs of an a processor.\n\nBuses wait."), text)

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
