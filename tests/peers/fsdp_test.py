"""Sharded training against Python's FSDP2: same data, sampler, seed and optimizer give the same bytes.

A width of 30 and a parameter of one row: shards are uneven, padded and empty.
"""

import json
import os
import tempfile
import unittest
from dataclasses import dataclass, field
from pathlib import Path

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint import HuggingFaceStorageReader, HuggingFaceStorageWriter
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_optimizer_state_dict, set_optimizer_state_dict
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Shard, distribute_tensor

from fashion_mnist import write_fashion_mnist
from launch import AT_NIGHT, checkpoint_of, ddpsubmit_run, merged
from models import BLOCKS, IN_YAML, MODELS
from process_group import in_ranks, mesh_of_all, train_in_python
from safetensors_file import load_safetensors
from same_bytes import bytes_of, expect_same_bytes
from sharded import whole

STEPS = 20

# As OPTIMIZERS of train.py.
OPTIMIZERS = {
    "decayed_momentum": {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9, "weight_decay": 0.01},
    "adam": {"name": "adam", "learning_rate": 0.001},
    "adamw": {"name": "adamw", "learning_rate": 0.001},
}


@dataclass(frozen=True)
class Case:
    ranks: tuple
    model: str = "blocks"
    optimizer: str = "decayed_momentum"
    strategy: str = "fsdp"
    sharding: dict = field(default_factory=dict)  # the section of the strategy
    accumulate: int = 1
    clip: float = 0.0
    short_steps: int = STEPS  # by day

    @property
    def steps(self):
        return STEPS if AT_NIGHT else self.short_steps

    def in_python(self):
        """Options of train.py."""
        words = ["--strategy", self.strategy, "--model", self.model, "--optimizer", self.optimizer, "--max-steps", self.steps,
                 "--accumulate", self.accumulate]
        for key, value in self.sharding.items():
            words += ["--no-reshard"] if key == "reshard_after_forward" else [f"--{key.replace('_', '-')}", value]
        return words + (["--clip-grad-norm", self.clip] if self.clip else [])

    def in_yaml(self):
        """Keys of `train`."""
        return {
            "program": os.environ["BLOCKS_TRAINER"] if self.model in BLOCKS else "ddptrain",
            "strategy": self.strategy,
            **({self.strategy: self.sharding} if self.sharding else {}),
            "model": IN_YAML[self.model],
            "optimizer": OPTIMIZERS[self.optimizer],
            "max_steps": self.steps,
            "gradient_accumulation_steps": self.accumulate,
            **({"clip_grad_norm": self.clip} if self.clip else {}),
        }


WHOLE_BLOCKS = {"reshard_after_forward": False}
BF16 = {"param_dtype": "bf16"}

# What is trained on both sides, and with how many ranks.
CASES = {
    "momentum_and_weight_decay": Case((2, 3, 4)),
    "adam": Case((3,), optimizer="adam"),
    "adamw": Case((2,), optimizer="adamw"),
    "more_blocks": Case((3,), model="four_blocks"),
    "blocks_whole_until_backward": Case((4,), sharding=WHOLE_BLOCKS),
    "accumulated_gradients": Case((3,), accumulate=3),
    "accumulated_gradients_of_whole_blocks": Case((4,), sharding=WHOLE_BLOCKS, accumulate=3),
    "clipped_gradients": Case((3, 4), clip=0.3),
    "parameters_in_bfloat16": Case((2, 4), sharding=BF16),
    "bfloat16_with_adam_clipped_and_accumulated": Case((4,), optimizer="adam", sharding=BF16, accumulate=3, clip=0.3, short_steps=8),
    "parameters_and_sums_in_bfloat16": Case((3,), sharding={**BF16, "reduce_dtype": "bf16"}),
    "sums_in_bfloat16": Case((4,), sharding={"reduce_dtype": "bf16"}),
    "a_block_that_is_not_trained": Case((4,), model="frozen_blocks", clip=0.3),
    "a_layer_that_is_never_called": Case((3,), model="unused_blocks"),
    "batch_norm_of_each_rank": Case((2,), model="batch_norm_blocks"),
    "a_block_within_a_block": Case((4,), model="nested_blocks"),
    "a_model_without_blocks": Case((3,), model="mlp"),
    "convolutions_and_dropout": Case((4,), model="convnet"),
    "residual_blocks": Case((2,), model="pooled_resnet18", short_steps=6),
    "hybrid": Case((4,), strategy="hsdp", sharding={"shard": 2}),
    "hybrid_clipped": Case((4,), strategy="hsdp", sharding={"shard": 2}, clip=0.3),
    "hybrid_accumulated_in_bfloat16": Case((4,), strategy="hsdp", sharding={"shard": 2, **BF16}, accumulate=3),
}
# All of them at night; else those that have the most in one case, and those that other tests ask for.
if not AT_NIGHT:
    CASES = {name: CASES[name] for name in (
        "momentum_and_weight_decay", "adam", "blocks_whole_until_backward", "clipped_gradients", "parameters_in_bfloat16",
        "bfloat16_with_adam_clipped_and_accumulated", "residual_blocks", "hybrid", "hybrid_clipped")}


def save_by_dcp(file, folder):
    """By all ranks: the tensors in one file into a folder."""
    mesh = mesh_of_all()
    state = {name: distribute_tensor(tensor, mesh, [Shard(0)]) for name, tensor in torch.load(file, weights_only=True).items()}
    dcp.save(state, storage_writer=HuggingFaceStorageWriter(path=folder, save_distributed=True))


def load_into(model, optimizer, folder):
    """As docs/checkpoints.md does it."""
    state = model.state_dict()
    dcp.load(state, storage_reader=HuggingFaceStorageReader(folder))
    model.load_state_dict(state)
    flat = StateDictOptions(flatten_optimizer_state_dict=True)
    state = get_optimizer_state_dict(model, optimizer, options=flat)
    saved = {key.removeprefix("state."): value for key, value in state.items() if key.startswith("state.")}
    dcp.load(saved, storage_reader=HuggingFaceStorageReader(folder))
    state.update({"state." + key: value for key, value in saved.items()})
    set_optimizer_state_dict(model, optimizer, state, options=flat)


def expect_loaded(model, optimizer, files):
    """What Python has trained is in two files: its parameters and its optimizer state."""
    parameters, optimizer_state = (torch.load(file, weights_only=True) for file in files)
    for name, parameter in model.named_parameters():
        assert torch.equal(whole(parameter), parameters[name]), name
        for key, value in optimizer.state[parameter].items():
            assert torch.equal(whole(value), optimizer_state[f"{name}.{key}"]), f"{name}.{key}"


def load_by_fully_shard(folder, files):
    """By all ranks: a checkpoint. `files` have its state, too."""
    mesh = mesh_of_all()
    model = MODELS["blocks"]()
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.Adam(model.parameters())
    load_into(model, optimizer, folder)
    expect_loaded(model, optimizer, files)


class FullySharded(unittest.TestCase):
    """A test method for each of CASES."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        # An epoch ends within the steps, with a short batch. Rank 0 evaluates a batch more than the others, with 2 and with 4 ranks.
        write_fashion_mnist(cls.folder / "data", train_samples=301, test_samples=33)
        train_in_python(CASES, cls.arguments_of)

    @classmethod
    def arguments_of(cls, name, ranks):
        return ["--data", cls.folder / "data", "--batch-size", 8, *CASES[name].in_python(),
                "--save", cls.saved_by_python(name, ranks),
                "--save-optimizer", cls.saved_by_python(name, ranks, "optimizer"),
                "--save-accuracies", cls.saved_by_python(name, ranks, "accuracies")]

    @classmethod
    def saved_by_python(cls, name, ranks, what="model"):
        return cls.folder / f"{name}-{ranks}.{what}"

    def train_in_cpp(self, name, ranks, **changes):
        """The run folder. `changes`: other keys of `train`, or `rendezvous`."""
        rendezvous = changes.pop("rendezvous", {})
        folder = Path(tempfile.mkdtemp(prefix=f"{name}-{ranks}-", dir=self.folder))
        return ddpsubmit_run(folder, {
            "name": "sharded",
            "resources": {"tasks_per_node": ranks, "cpus_per_task": 1},
            "rendezvous": rendezvous,
            "train": {
                "seed": 42,
                "data": {"name": "fashion_mnist", "root": str(self.folder / "data" / "FashionMNIST" / "raw"), "batch_size": 8},
                **CASES[name].in_yaml(),
                **changes,
            },
        })

    def expect_equal_bytes(self, name):
        for ranks in CASES[name].ranks:
            with self.subTest(ranks=ranks):
                run_folder = self.train_in_cpp(name, ranks)
                self.expect_python_s_bytes(run_folder, name, ranks)

    def expect_python_s_bytes(self, run_folder, name, ranks):
        for what in ("model", "optimizer"):
            expected = torch.load(self.saved_by_python(name, ranks, what), weights_only=True)
            expect_same_bytes(self, load_safetensors(merged(run_folder, what)), expected)

    def test_without_prefetch(self):
        for name in ("momentum_and_weight_decay", "blocks_whole_until_backward"):
            sharding = {**CASES[name].sharding, "prefetch": False}
            self.expect_python_s_bytes(self.train_in_cpp(name, 4, fsdp=sharding), name, 4)

    def test_over_sockets_instead_of_shared_memory(self):
        cases = [("momentum_and_weight_decay", 3), ("parameters_in_bfloat16", 4), ("hybrid", 4)]
        if AT_NIGHT:
            cases.append(("momentum_and_weight_decay", 2))
        for name, ranks in cases:
            with self.subTest(name, ranks=ranks):
                self.expect_python_s_bytes(self.train_in_cpp(name, ranks, rendezvous={"shared_memory": False}), name, ranks)

    def test_two_ranks_compute_what_ddp_computes(self):
        name = "momentum_and_weight_decay"
        self.expect_python_s_bytes(self.train_in_cpp(name, 2, strategy="ddp"), name, 2)

    def test_one_rank_computes_what_it_computes_without_shards(self):
        for sharding in ({}, WHOLE_BLOCKS):
            sharded, plain = (self.train_in_cpp("momentum_and_weight_decay", 1, strategy=strategy, **section)
                              for strategy, section in (("fsdp", {"fsdp": sharding}), ("ddp", {})))
            for part in ("model", "optimizer"):
                expect_same_bytes(self, load_safetensors(merged(sharded, part)), load_safetensors(merged(plain, part)))

    def test_dcp_reads_the_checkpoint_that_every_rank_has_written(self):
        for name, ranks in (("adam", 3), ("hybrid", 4)):
            expected = {}
            for what in ("model", "optimizer"):
                expected |= torch.load(self.saved_by_python(name, ranks, what), weights_only=True)
            state = {key: torch.empty_like(tensor) for key, tensor in expected.items()}
            folder = checkpoint_of(self.train_in_cpp(name, ranks))
            dcp.load(state, storage_reader=HuggingFaceStorageReader(str(folder)), no_dist=True)
            expect_same_bytes(self, state, expected)

    def test_model_and_optimizer_of_python_take_the_state_of_a_checkpoint(self):
        folder = checkpoint_of(self.train_in_cpp("adam", 3))
        files = [self.saved_by_python("adam", 3, what) for what in ("model", "optimizer")]
        model = MODELS["blocks"]()
        optimizer = torch.optim.Adam(model.parameters())
        load_into(model, optimizer, str(folder))
        expect_loaded(model, optimizer, files)
        in_ranks(2, load_by_fully_shard, str(folder), files)

    def test_a_training_starts_with_what_ranks_of_python_have_written(self):
        trained = self.saved_by_python("adam", 3)
        weights = self.folder / "weights-of-python"
        in_ranks(2, save_by_dcp, trained, str(weights))
        self.assertEqual(len(list(weights.glob("shard-*-model-*.safetensors"))), 2)
        run_folder = self.train_in_cpp("adam", 3, max_steps=1, optimizer={"name": "sgd", "learning_rate": 0.0},
                                       model={**IN_YAML["blocks"], "weights": str(weights)})
        expect_same_bytes(self, load_safetensors(merged(run_folder)), torch.load(trained, weights_only=True))

    def test_ranks_with_a_batch_more_than_others_evaluate_the_same_model(self):
        for ranks in (2, 3, 4):
            run_folder = self.train_in_cpp("momentum_and_weight_decay", ranks, evaluate={"every_epochs": 1})
            records = [json.loads(line) for line in (run_folder / "metrics.jsonl").read_text().splitlines()]
            found = [record["accuracy"] for record in records if record["kind"] == "evaluate"]
            expected = json.loads(self.saved_by_python("momentum_and_weight_decay", ranks, "accuracies").read_text())
            self.assertTrue(expected)
            self.assertEqual(found[:len(expected)], expected)
            self.expect_python_s_bytes(run_folder, "momentum_and_weight_decay", ranks)

    def test_cases_differ_where_they_compute_otherwise(self):
        """Else the equalities above would say little."""
        def head(name):
            return bytes_of(torch.load(self.saved_by_python(name, 4), weights_only=True)["head.weight"])
        different = ("momentum_and_weight_decay", "clipped_gradients", "parameters_in_bfloat16", "hybrid", "hybrid_clipped")
        self.assertEqual(len({head(name) for name in different}), len(different))
        self.assertEqual(head("momentum_and_weight_decay"), head("blocks_whole_until_backward"))


for case_name in CASES.keys() - {"momentum_and_weight_decay"}:  # whose bytes are compared with an evaluation in it
    setattr(FullySharded, f"test_{case_name}", lambda self, name=case_name: self.expect_equal_bytes(name))


if __name__ == "__main__":
    unittest.main()
