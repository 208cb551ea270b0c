import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness.rows import from_json

SUITE = Path(__file__).resolve().parents[1] / "suite.py"


def suite(*arguments):
    return subprocess.run([sys.executable, "-B", SUITE, *map(str, arguments)], capture_output=True, text=True)


class Suite(unittest.TestCase):
    def test_measures_a_pair(self):
        """With the program that was built, in one turn."""
        with tempfile.NamedTemporaryFile() as found:
            done = suite("render", "--inside", found.name, "--bin", os.environ["DDP_BIN"], "--python", sys.executable, "--turns", 1)
            self.assertEqual(done.returncode, 0, done.stderr)
            (row,) = map(from_json, json.loads(Path(found.name).read_text()))
        self.assertEqual([size for size, _ in row.points], [1, 100, 10_000])
        self.assertTrue(all(len(values) == 1 and values[0] > 0 for _, values in row.points))

    def test_names_the_pairs_when_one_is_unknown(self):
        done = suite("walk", "--bin", ".", "--python", ".")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no pair walk; there are submit, start, ", done.stderr)


if __name__ == "__main__":
    unittest.main()
