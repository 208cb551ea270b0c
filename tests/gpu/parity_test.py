"""One rank of DistributedDataParallel on a GPU, over NCCL, in Python and in C++. `scripts/test --gpu` runs it."""

import os
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "peers"))

import torch

from fashion_mnist import write_fashion_mnist
from launch import checkpoint_of, ddpsubmit_run, torchrun
from models import IN_YAML
from safetensors_file import load_safetensors
from same_bytes import expect_same_bytes


@unittest.skipUnless(torch.cuda.is_available(), "there is no GPU that PyTorch can use")
class ParityOnGpu(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        write_fashion_mnist(self.folder, train_samples=6001, test_samples=501)

    def in_python(self, model, steps):
        save = self.folder / "python.pt"
        torchrun(1, ["--data", self.folder, "--model", model, "--optimizer", "momentum", "--batch-size", 32,
                     "--max-steps", steps, "--save", save, "--device", "cuda", "--deterministic"])
        return torch.load(save, weights_only=True, map_location="cpu")

    def in_cpp(self, model, steps):
        run_folder = ddpsubmit_run(self.folder / "cpp", {
            "name": "parity",
            "environment": {"pass": ["CUBLAS_WORKSPACE_CONFIG"]},
            "train": {
                "deterministic": True,
                "device": "cuda",
                "seed": 42,
                "max_steps": steps,
                "model": IN_YAML[model],
                "data": {"name": "fashion_mnist", "root": str(self.folder / "FashionMNIST" / "raw"), "batch_size": 32},
                "optimizer": {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9},
            },
        })
        return load_safetensors(checkpoint_of(run_folder) / "model.safetensors")

    def expect_parity(self, model, steps):
        """Both with deterministic algorithms, as backward passes of convolutions add up in no fixed order else."""
        with unittest.mock.patch.dict(os.environ, CUBLAS_WORKSPACE_CONFIG=":4096:8"):
            expect_same_bytes(self, self.in_cpp(model, steps), self.in_python(model, steps))

    def test_mlp(self):
        self.expect_parity("mlp", 120)

    def test_resnet18(self):
        self.expect_parity("resnet18", 20)


if __name__ == "__main__":
    unittest.main()
