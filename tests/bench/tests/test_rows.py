import unittest

from harness.rows import Comparison, Goal, Growth, from_json, median, to_json


def comparison(ours, theirs, **more):
    return Comparison("a step", "ms", ours, "a peer", theirs, **more)


class Ratios(unittest.TestCase):
    def test_of_times_is_how_many_times_faster(self):
        row = comparison([1.0, 2.0, 3.0], [10.0, 8.0, 30.0], goal=Goal("speedup", 5))
        self.assertEqual(row.ratios(), [10, 4, 10])
        self.assertEqual(row.median_ratio(), 5)
        self.assertTrue(row.is_reached())

    def test_of_rates_is_ours_over_theirs(self):
        row = comparison([30.0], [10.0], better="more", goal=Goal("speedup", 3.1))
        self.assertEqual(row.median_ratio(), 3)
        self.assertFalse(row.is_reached())

    def test_a_share_is_ours_over_theirs(self):
        row = comparison([2.0], [10.0], ratio="share", goal=Goal("share", 0.2))
        self.assertEqual(row.median_ratio(), 0.2)
        self.assertTrue(row.is_reached())
        self.assertFalse(comparison([2.1], [10.0], ratio="share", goal=Goal("share", 0.2)).is_reached())


    def test_an_advantage_is_how_many_times_better_ours_is(self):
        self.assertEqual(comparison([2.0], [10.0]).median_advantage(), 5)
        self.assertEqual(comparison([2.0], [10.0], ratio="share").median_advantage(), 5)
        self.assertEqual(comparison([2.0], [10.0], better="more").median_advantage(), 0.2)

    def test_there_is_none_of_numbers_that_are_not_to_be_compared(self):
        self.assertIsNone(comparison([2.0], [10.0], ratio="none").median_advantage())


class WhatHasNotHappened(unittest.TestCase):
    def test_counts_as_longer_than_everything(self):
        self.assertEqual(median([None, 1.0, 2.0]), 2.0)
        self.assertIsNone(median([None, None, 1.0]))
        self.assertIsNone(median([None, 1.0]))

    def test_has_no_ratio(self):
        row = comparison([0.5], [None], goal=Goal("below", 1.0))
        self.assertEqual(row.ratios(), [None])
        self.assertTrue(row.is_reached())

    def test_of_ours_is_a_goal_that_is_missed(self):
        self.assertFalse(comparison([None], [1.0], goal=Goal("below", 1.0)).is_reached())
        self.assertFalse(comparison([None], [1.0], goal=Goal("speedup", 1.0)).is_reached())


class Growths(unittest.TestCase):
    def test_are_told_for_each_doubling(self):
        row = Growth("a walk", "ms", "steps", [[1, [1.0]], [4, [4.0]], [16, [64.0]]], Goal("doubling", 2))
        self.assertEqual(row.per_doubling(), [2, 4])
        self.assertFalse(row.is_reached())


class Json(unittest.TestCase):
    def test_gives_the_row_back(self):
        for row in (comparison([1.0], [None], goal=Goal("below", 1.0), patience=15), Growth("a walk", "ms", "steps", [[1, [1.0]], [2, [2.0]]])):
            self.assertEqual(from_json(to_json(row)), row)


if __name__ == "__main__":
    unittest.main()
