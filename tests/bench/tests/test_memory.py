import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness.memory import PssLooks


def looks(*values):
    made = PssLooks(Path("/"))
    made.looks = list(map(list, values))
    return made


class Numbers(unittest.TestCase):
    def test_are_those_of_the_looks(self):
        pss = looks([10, 30], [20, 24], [12, 12])
        self.assertEqual(pss.highest_mean(), 22)
        self.assertEqual(pss.highest_sum(), 44)
        self.assertEqual(pss.median_sum(), 40)
        self.assertEqual(pss.highest_rank(), 30)

    def test_are_zero_without_a_look(self):
        pss = looks()
        self.assertEqual([pss.highest_mean(), pss.highest_sum(), pss.median_sum(), pss.highest_rank()], [0, 0, 0, 0])


class Looks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.ranks = [subprocess.Popen(["sleep", "600"], env={**os.environ, "RANK": str(rank), "FOLDER": str(self.folder)}) for rank in range(2)]
        for rank in self.ranks:
            self.addCleanup(rank.wait)
            self.addCleanup(rank.kill)

    def test_see_each_rank(self):
        with PssLooks(self.folder, pause=0.01, share=1) as pss:
            while not any(len(look) == 2 for look in pss.looks):
                time.sleep(0.01)
        self.assertGreater(pss.highest_rank(), 0)
        self.assertGreater(pss.highest_sum(), pss.highest_rank())

    def test_count_only_if_the_moment_has_not_passed_meanwhile(self):
        answers = []

        def is_now():
            answers.append(len(answers) % 2 == 0)  # yes before the look, no after it
            return answers[-1]

        with PssLooks(self.folder, is_now, pause=0.01, share=1) as pss:
            while len(answers) < 4:
                time.sleep(0.01)
        self.assertEqual(pss.looks, [])


if __name__ == "__main__":
    unittest.main()
