"""The parts of a run, from records as both sides write them."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "peers"))  # which pairs import from

from harness.report import comparison  # noqa: E402
from pairs import fsdp  # noqa: E402


class Parts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def record(self, step, **more):
        file = self.folder / "runs/a-run/metrics.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as records:
            records.write(json.dumps({"kind": "train", "step": step, "samples": 8 * fsdp.PART, "samples_per_second": 4.0, **more}) + "\n")

    def test_memory_is_read_in_the_last_one(self):
        self.assertFalse(fsdp.is_in_last_part(self.folder))
        for part, is_last in ((1, False), (2, True), (3, False)):
            self.record(part * fsdp.PART)
            self.assertIs(fsdp.is_in_last_part(self.folder), is_last)

    def test_steps_are_timed_in_the_second_one(self):
        self.record(fsdp.PART, samples_per_second=1.0)
        self.record(2 * fsdp.PART, parameters=7, block=3)
        self.record(3 * fsdp.PART, samples_per_second=1.0)
        self.assertEqual(fsdp.step_facts(self.folder), {"ms": 2000.0, "parameters": 7, "block": 3})


class Rows(unittest.TestCase):
    def taken(self, names):
        return {name: [{"ms": 10.0, "parameters": 4 * 2**20, "block": 2**20, "all": 24.0, "largest": 165.0, "median": 20.0}] for name in names}

    def test_compare_with_the_formula(self):
        rows = fsdp.rows(2, self.taken((*fsdp.OURS, *fsdp.PEERS)))
        (formula,) = [row for row in rows if "16 P" in row.peer]
        self.assertEqual(formula.theirs, [16 * 4 / 2 + 4 * 4 + 110])
        self.assertEqual(comparison(formula), "1.04 × more memory")
        self.assertIs(formula.is_reached(), False)

    def test_have_what_is_between_on_four_ranks(self):
        rows = fsdp.rows(4, self.taken((*fsdp.STRATEGIES, *fsdp.PEERS)))
        self.assertEqual(len(rows), len(fsdp.rows(2, self.taken((*fsdp.OURS, *fsdp.PEERS)))) + 2 * len(fsdp.BETWEEN))


if __name__ == "__main__":
    unittest.main()
