"""Checkpoints that every rank writes, against PyTorch's distributed checkpoints (DCP): each reads what the other has written."""

import os
import tempfile
import unittest
from pathlib import Path

import torch
import torch.distributed.checkpoint as dcp
from safetensors.torch import load_file, save_file
from torch.distributed.checkpoint import HuggingFaceStorageReader, HuggingFaceStorageWriter
from torch.distributed.checkpoint._consolidate_hf_safetensors import consolidate_safetensors_files
from torch.distributed.tensor import Replicate, Shard, distribute_tensor, zeros

from launch import AT_NIGHT, run
from process_group import in_ranks, mesh_of_all
from same_bytes import expect_same_bytes


def counted(shape, first, dtype=torch.float32):
    return (torch.arange(torch.Size(shape).numel(), dtype=torch.float32) + first).view(shape).to(dtype)


# As tests/trainer_parts/checkpoint_shards.cpp.
PARAMETERS = {
    "embed.weight": counted((7, 5), 1),
    "conv.weight": counted((6, 2, 3), 100),
    "norm.weight": counted((3,), 200),
    "half.weight": counted((5, 2), 0, torch.bfloat16),
    "head.bias": counted((1,), 300),
}
BUFFERS = {"norm.running_mean": counted((3,), 400), "norm.num_batches_tracked": torch.tensor(12)}
MODEL = PARAMETERS | BUFFERS
STATE = MODEL | {f"{name}.step": torch.tensor(9.0) for name in PARAMETERS} | {
    f"{name}.exp_avg": tensor.float() + 0.5 for name, tensor in PARAMETERS.items()}


def save_by_dcp(folder):
    mesh = mesh_of_all()
    state = {name: distribute_tensor(tensor, mesh, [Shard(0)]) for name, tensor in PARAMETERS.items()}
    state |= {name: distribute_tensor(tensor, mesh, [Replicate()]) for name, tensor in BUFFERS.items()}
    dcp.save(state, storage_writer=HuggingFaceStorageWriter(path=folder, save_distributed=True))


def load_by_dcp(folder):
    """By ranks of another number than that which has written it."""
    mesh = mesh_of_all()
    state = {name: zeros(*tensor.shape, dtype=tensor.dtype, device_mesh=mesh, placements=[Shard(0)])
             for name, tensor in PARAMETERS.items()}
    dcp.load(state, storage_reader=HuggingFaceStorageReader(folder))
    for name, tensor in state.items():
        assert torch.equal(tensor.full_tensor(), PARAMETERS[name]), name


class ShardedCheckpoints(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def call(self, verb, place, last):
        run([os.environ["TRAINER_PARTS"], "checkpoint_shards", verb, place, last])

    def saved(self, ranks):
        folder = self.folder / f"of-{ranks}"
        self.call("save", folder, ranks)
        return folder

    def loaded(self, verb, place):
        file = self.folder / "loaded.safetensors"
        file.unlink(missing_ok=True)
        self.call(verb, place, file)
        return load_file(file)

    def test_dcp_reads_all_tensors(self):
        for ranks in (1, 2, 4) if AT_NIGHT else (4,):
            with self.subTest(ranks=ranks):
                state = {name: torch.empty_like(tensor) for name, tensor in STATE.items()}
                state["rank-0"] = torch.empty(16, dtype=torch.uint8)
                state["scaler.scale"] = torch.empty(())
                dcp.load(state, storage_reader=HuggingFaceStorageReader(str(self.saved(ranks))), no_dist=True)
                expect_same_bytes(self, state, STATE | {"rank-0": torch.zeros(16, dtype=torch.uint8), "scaler.scale": torch.tensor(1024.0)})

    def test_dcp_reads_them_by_another_number_of_ranks(self):
        folder = self.saved(4)
        for ranks in (2, 3) if AT_NIGHT else (3,):
            in_ranks(ranks, load_by_dcp, str(folder))

    def test_each_file_is_a_safetensors_file(self):
        folder = self.saved(4)
        pieces = [load_file(file) for file in sorted(folder.glob("shard-*-model-*.safetensors"))]
        self.assertEqual([piece["embed.weight"].shape[0] for piece in pieces], [2, 2, 2, 1])
        self.assertEqual(["norm.weight" in piece for piece in pieces], [True, True, True, False])
        self.assertEqual(["norm.running_mean" in piece for piece in pieces], [True, False, False, False])
        load_file(folder / "rng.safetensors")

    def test_consolidate_makes_one_file_of_them(self):
        # PyTorch's function takes floating point only, and leaves tensors without dimensions zero.
        names = [name for name, tensor in STATE.items() if tensor.is_floating_point() and tensor.dim() > 0]
        whole = self.folder / "whole"
        whole.mkdir()
        consolidate_safetensors_files(str(self.saved(4)), str(whole), dict.fromkeys(names, 1))
        expected = {name: STATE[name] for name in names}
        expect_same_bytes(self, load_file(whole / "model-00001-of-00001.safetensors"), expected)
        expect_same_bytes(self, self.loaded("weights", whole), expected)

    def test_they_are_read_whole(self):
        for ranks in (1, 3, 5) if AT_NIGHT else (3,):
            with self.subTest(ranks=ranks):
                folder = self.saved(ranks)
                expect_same_bytes(self, self.loaded("state", folder), STATE)
                expect_same_bytes(self, self.loaded("weights", folder), MODEL)

    def test_what_dcp_writes_is_read_as_weights(self):
        for ranks in (1, 3, 4) if AT_NIGHT else (3,):
            with self.subTest(ranks=ranks):
                folder = self.folder / f"dcp-{ranks}"
                in_ranks(ranks, save_by_dcp, str(folder))
                self.assertEqual(len(list(folder.glob("shard-*.safetensors"))), ranks)
                expect_same_bytes(self, self.loaded("weights", folder), MODEL)

    def test_what_dcp_writes_by_default_is_refused_until_it_is_converted(self):
        folder, weights = self.folder / "distcp", self.folder / "converted"
        dcp.save({"model": dict(MODEL)}, checkpoint_id=str(folder), no_dist=True)
        with self.assertRaisesRegex(AssertionError, "the .distcp format of PyTorch, which ddptrain does not read"):
            self.loaded("weights", folder)
        state = {"model": {name: torch.empty_like(tensor) for name, tensor in MODEL.items()}}
        dcp.load(state, checkpoint_id=str(folder), no_dist=True)
        dcp.save(state["model"], storage_writer=HuggingFaceStorageWriter(path=str(weights)), no_dist=True)
        expect_same_bytes(self, self.loaded("weights", weights), MODEL)

    def test_a_model_of_hugging_face_is_read_as_weights(self):
        folder = self.folder / "one-file"
        dcp.save(dict(MODEL), storage_writer=HuggingFaceStorageWriter(path=str(folder)), no_dist=True)
        self.assertTrue((folder / "model.safetensors.index.json").exists())
        expect_same_bytes(self, self.loaded("weights", folder), MODEL)
        files = self.folder / "files"
        index = {name: 1 + i % 2 for i, name in enumerate(MODEL)}
        dcp.save(dict(MODEL), storage_writer=HuggingFaceStorageWriter(path=str(files), fqn_to_index_mapping=index), no_dist=True)
        self.assertEqual(len(list(files.glob("model-*-of-00002.safetensors"))), 2)
        expect_same_bytes(self, self.loaded("weights", files), MODEL)
        plain = self.folder / "plain"
        plain.mkdir()
        save_file(MODEL, plain / "model.safetensors")
        expect_same_bytes(self, self.loaded("weights", plain), MODEL)


if __name__ == "__main__":
    unittest.main()
