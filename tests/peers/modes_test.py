"""DistributedDataParallel in all of its modes against Python's: parameters and running statistics of every rank, byte for byte.

A model of BatchNorm and a layer that not every forward goes through, whose gradients fill several buckets.
"""

import os
import tempfile
import unittest
from pathlib import Path

import torch

from ddp_modes import MODES, save
from launch import AT_NIGHT, ddpsubmit_run
from process_group import in_ranks
from safetensors_file import load_safetensors
from same_bytes import bytes_of, expect_same_bytes

RANKS = (2, 4) if AT_NIGHT else (4,)


class Modes(unittest.TestCase):
    """Each side trains all modes in one start for a number of ranks."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folders = {ranks: Path(folder.name) / str(ranks) for ranks in RANKS}
        for ranks, results in cls.folders.items():
            results.mkdir()
            in_ranks(ranks, save, results, MODES)
            ddpsubmit_run(results / "run", {
                "name": "modes",
                "resources": {"tasks_per_node": ranks, "cpus_per_task": 1},
                "command": [os.environ["TRAINER_PARTS"], "modes", "save", str(results), *MODES],
            })

    def expect_equal(self, mode):
        for ranks, results in self.folders.items():
            for rank in range(ranks):
                with self.subTest(ranks=ranks, rank=rank):
                    expect_same_bytes(self, load_safetensors(results / f"{mode}-rank-{rank}.safetensors"),
                                      torch.load(results / f"{mode}-rank-{rank}.pt", weights_only=True))

    def test_plain(self):
        self.expect_equal("plain")

    def test_gradients_copied_out_of_the_buckets(self):
        self.expect_equal("copied_gradients")

    def test_find_unused_parameters_with_a_layer_that_some_ranks_then_none_use(self):
        self.expect_equal("find_unused")

    def test_static_graph_with_a_layer_that_is_never_used(self):
        self.expect_equal("static_graph")

    def test_no_sync_with_three_micro_batches(self):
        self.expect_equal("no_sync")

    def test_broadcast_buffers_off(self):
        self.expect_equal("own_buffers")

    def test_comm_hook_fp16(self):
        self.expect_equal("fp16")

    def test_comm_hook_bf16(self):
        self.expect_equal("bf16")

    def test_comm_hook_fp16_with_no_sync(self):
        self.expect_equal("fp16_no_sync")

    def test_modes_differ_where_they_compute_otherwise(self):
        """Else the equalities above would say nothing of the hooks and the buffers."""
        results = self.folders[4]
        states = {mode: load_safetensors(results / f"{mode}-rank-1.safetensors") for mode in MODES}
        parameters = {mode: bytes_of(state["first.weight"]) for mode, state in states.items()}
        self.assertEqual(parameters["plain"], parameters["copied_gradients"])
        different = {mode: parameters[mode] for mode in ("plain", "find_unused", "static_graph", "no_sync", "fp16", "bf16", "fp16_no_sync")}
        self.assertEqual(len(set(different.values())), len(different))
        self.assertNotEqual(bytes_of(states["plain"]["norm.running_mean"]), bytes_of(states["own_buffers"]["norm.running_mean"]))


if __name__ == "__main__":
    unittest.main()
