"""ddptrain against Python's DistributedDataParallel: same data, sampler, seed and optimizer give the same bytes."""

import tempfile
import unittest
from pathlib import Path

import torch

from fashion_mnist import write_fashion_mnist
from launch import checkpoint_of, ddpsubmit_run, torchrun
from models import IN_YAML
from safetensors_file import load_safetensors, save_safetensors
from same_bytes import expect_same_bytes

# As OPTIMIZERS of train.py.
OPTIMIZERS = {
    "adam": {"name": "adam", "learning_rate": 0.001},
    "adam_decay": {"name": "adam", "learning_rate": 0.002, "beta1": 0.8, "beta2": 0.99, "eps": 1e-6, "weight_decay": 0.01},
    "sgd": {"name": "sgd", "learning_rate": 0.1},
    "momentum": {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9},
    "nesterov": {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9, "weight_decay": 0.0005, "nesterov": True},
    "adamw": {"name": "adamw", "learning_rate": 0.001},
    "fused_adam": {"name": "adam", "learning_rate": 0.001, "weight_decay": 0.01, "implementation": "fused"},
    "fused_adamw": {"name": "adamw", "learning_rate": 0.001, "implementation": "fused"},
    "fused_sgd": {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9, "weight_decay": 0.0005, "nesterov": True, "implementation": "fused"},
    "adam_matrices": {"name": "adam", "learning_rate": 0.001, "weight_decay": 0.01, "decay": "matrices"},
    "adamw_matrices": {"name": "adamw", "learning_rate": 0.001, "weight_decay": 0.1, "decay": "matrices"},
    "nesterov_matrices": {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9, "weight_decay": 0.01, "nesterov": True, "decay": "matrices"},
    "fused_adamw_matrices": {"name": "adamw", "learning_rate": 0.001, "weight_decay": 0.1, "implementation": "fused", "decay": "matrices"},
}

# What else differs from a plain training: options of train.py, and keys of `train`.
VARIANTS = {
    "plain": ([], {}),
    "cosine": (["--schedule", "cosine", "--warmup-steps", 30], {"schedule": {"name": "cosine", "warmup_steps": 30, "warmup_start_factor": 0.1}}),
    "clip": (["--clip-grad-norm", 0.5], {"clip_grad_norm": 0.5}),
    "bf16": (["--bf16"], {"precision": "bf16"}),
    "channels_last": (["--channels-last"], {"memory_format": "channels_last"}),
    "channels_last_bf16": (["--channels-last", "--bf16"], {"memory_format": "channels_last", "precision": "bf16"}),
}


def write_images(folder, samples):
    """Colour images of random numbers, for both sides; returns the file of ddptrain's."""
    generator = torch.Generator().manual_seed(3)
    images, labels = torch.randn(samples, 3, 32, 32, generator=generator), torch.randint(10, (samples,), generator=generator)
    torch.save([images, labels], folder / "images.pt")
    save_safetensors(folder / "images.safetensors", {"inputs": images, "targets": labels})
    return folder / "images.safetensors"


class Parity(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        # Real images; neither the ranks nor the batches divide their number.
        cls.small = Path(cls.folder.name) / "small"
        write_fashion_mnist(cls.small, train_samples=6001, test_samples=501)
        cls.whole = Path(cls.folder.name) / "whole"
        write_fashion_mnist(cls.whole)
        cls.images = write_images(Path(cls.folder.name), samples=160)

    def train_in_python(self, ranks, data, model, optimizer, batch_size, steps, variant="plain"):
        save = Path(self.folder.name) / f"{self.id()}-{ranks}.pt"
        source = ["--data", data] if data.is_dir() else ["--tensors", data.with_suffix(".pt")]
        torchrun(ranks, [*source, "--model", model, "--optimizer", optimizer, "--batch-size", batch_size,
                         "--max-steps", steps, "--save", save, *VARIANTS[variant][0]])
        return torch.load(save, weights_only=True)

    def train_in_cpp(self, ranks, data, model, optimizer, batch_size, steps, variant="plain"):
        source = {"name": "fashion_mnist", "root": str(data / "FashionMNIST" / "raw")}
        if not data.is_dir():
            source = {"name": "tensor_file", "train_file": str(data), "test_file": str(data)}
        run_folder = ddpsubmit_run(Path(self.folder.name) / f"{self.id()}-{ranks}", {
            "name": "parity",
            "resources": {"tasks_per_node": ranks, "cpus_per_task": 1},
            "train": {
                "seed": 42,
                "max_steps": steps,
                "model": IN_YAML[model],
                "data": {**source, "batch_size": batch_size},
                "optimizer": OPTIMIZERS[optimizer],
                **VARIANTS[variant][1],
            },
        })
        return load_safetensors(checkpoint_of(run_folder) / "model.safetensors")

    def expect_equal_bytes(self, rank_counts=(2, 4), **case):
        for ranks in rank_counts:
            with self.subTest(ranks=ranks):
                expected = self.train_in_python(ranks, **case)
                actual = self.train_in_cpp(ranks, **case)
                expect_same_bytes(self, actual, expected)

    # 6001 samples: an epoch has 94 steps at 2 ranks, 47 at 4.
    def test_mlp_adam(self):
        self.expect_equal_bytes(data=self.small, model="mlp", optimizer="adam", batch_size=32, steps=120)

    def test_mlp_adam_with_all_its_options(self):
        self.expect_equal_bytes((4,), data=self.small, model="mlp", optimizer="adam_decay", batch_size=32, steps=120)

    def test_mlp_sgd(self):
        self.expect_equal_bytes(data=self.small, model="mlp", optimizer="sgd", batch_size=32, steps=120)

    def test_mlp_momentum(self):
        self.expect_equal_bytes(data=self.small, model="mlp", optimizer="momentum", batch_size=32, steps=120)

    def test_mlp_nesterov(self):
        self.expect_equal_bytes((4,), data=self.small, model="mlp", optimizer="nesterov", batch_size=32, steps=120)

    def test_mlp_adamw(self):
        self.expect_equal_bytes((2,), data=self.small, model="mlp", optimizer="adamw", batch_size=32, steps=120)

    def test_mlp_fused_adam(self):
        self.expect_equal_bytes((2,), data=self.small, model="mlp", optimizer="fused_adam", batch_size=32, steps=120)

    def test_mlp_fused_adamw(self):
        self.expect_equal_bytes((2,), data=self.small, model="mlp", optimizer="fused_adamw", batch_size=32, steps=120)

    def test_mlp_fused_sgd(self):
        self.expect_equal_bytes((2,), data=self.small, model="mlp", optimizer="fused_sgd", batch_size=32, steps=120)

    def test_adam_matrices_alone_decayed(self):
        self.expect_equal_bytes((2,), data=self.small, model="mlp", optimizer="adam_matrices", batch_size=32, steps=60)

    def test_adamw_matrices_alone_decayed(self):
        self.expect_equal_bytes((2,), data=self.small, model="mlp", optimizer="adamw_matrices", batch_size=32, steps=60)

    def test_fused_adamw_matrices_alone_decayed(self):
        self.expect_equal_bytes((2,), data=self.small, model="mlp", optimizer="fused_adamw_matrices", batch_size=32, steps=60)

    def test_resnet18_nesterov_matrices_alone_decayed(self):
        self.expect_equal_bytes((2,), data=self.small, model="resnet18", optimizer="nesterov_matrices", batch_size=8, steps=8)

    def test_cosine_after_a_warm_up(self):
        self.expect_equal_bytes((2,), data=self.small, model="mlp", optimizer="adam", batch_size=32, steps=120, variant="cosine")

    def test_clipped_gradients(self):
        self.expect_equal_bytes(data=self.small, model="mlp", optimizer="momentum", batch_size=32, steps=120, variant="clip")

    def test_mlp_in_bfloat16(self):
        self.expect_equal_bytes((2,), data=self.small, model="mlp", optimizer="adam", batch_size=32, steps=120, variant="bf16")

    # From three ranks on, the order in which gradients arrive shows in the last bits: it makes the buckets.
    def test_wide_mlp_in_bfloat16(self):
        self.expect_equal_bytes((3,), data=self.small, model="wide_mlp", optimizer="momentum", batch_size=33, steps=40, variant="bf16")

    def test_convnet_in_bfloat16(self):
        self.expect_equal_bytes((2, 3), data=self.small, model="convnet", optimizer="adam", batch_size=32, steps=40, variant="bf16")

    def test_convnet_adam_with_dropout(self):
        self.expect_equal_bytes(data=self.small, model="convnet", optimizer="adam", batch_size=32, steps=120)

    def test_resnet18_momentum(self):
        self.expect_equal_bytes((2,), data=self.small, model="resnet18", optimizer="momentum", batch_size=8, steps=12)

    def test_resnet18_in_channels_last(self):
        self.expect_equal_bytes(data=self.images, model="color_resnet18", optimizer="momentum", batch_size=8, steps=12, variant="channels_last")

    def test_gray_resnet18_in_channels_last(self):
        self.expect_equal_bytes((2,), data=self.small, model="resnet18", optimizer="fused_adam", batch_size=8, steps=6, variant="channels_last")

    def test_convnet_in_channels_last(self):
        self.expect_equal_bytes((2,), data=self.small, model="convnet", optimizer="adam", batch_size=32, steps=40, variant="channels_last")

    def test_resnet18_in_channels_last_and_bfloat16(self):
        self.expect_equal_bytes((2,), data=self.images, model="color_resnet18", optimizer="momentum", batch_size=8, steps=4, variant="channels_last_bf16")

    def test_mlp_adam_on_the_whole_dataset(self):
        self.expect_equal_bytes(data=self.whole, model="mlp", optimizer="adam", batch_size=64, steps=500)


if __name__ == "__main__":
    unittest.main()
