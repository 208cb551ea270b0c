"""ddptrain against Python's DistributedDataParallel: same data, sampler, seed and optimizer give the same bytes."""

import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

import torch

from fashion_mnist import write_fashion_mnist
from launch import AT_NIGHT, checkpoint_of, ddpsubmit_run
from models import IN_YAML
from process_group import train_in_python
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
    "smooth": (["--label-smoothing", 0.1], {"loss": {"name": "cross_entropy", "label_smoothing": 0.1}}),
    "bf16": (["--bf16"], {"precision": "bf16"}),
    "channels_last": (["--channels-last"], {"memory_format": "channels_last"}),
    "channels_last_bf16": (["--channels-last", "--bf16"], {"memory_format": "channels_last", "precision": "bf16"}),
}


def write_images(folder, samples):
    """Colour images of random numbers, in a file for each side."""
    generator = torch.Generator().manual_seed(3)
    images, labels = torch.randn(samples, 3, 32, 32, generator=generator), torch.randint(10, (samples,), generator=generator)
    torch.save([images, labels], folder / "images.pt")
    save_safetensors(folder / "images.safetensors", {"inputs": images, "targets": labels})


@dataclass(frozen=True)
class Case:
    ranks: tuple
    data: str  # small and whole: Fashion-MNIST; images: a file of tensors
    model: str
    optimizer: str
    batch_size: int
    steps: int  # more than three: after the first one the buckets are rebuilt, and then each step is like the one before it
    variant: str = "plain"
    full_steps: int = 0  # at night, where that takes long
    full_batch_size: int = 0

    @property
    def max_steps(self):
        return self.full_steps or self.steps if AT_NIGHT else self.steps

    @property
    def samples(self):
        """Of a rank in a step."""
        return self.full_batch_size or self.batch_size if AT_NIGHT else self.batch_size


# What is trained on both sides, and with how many ranks.
CASES = {
    # 2003 samples: an epoch has 32 steps at 2 ranks, 16 at 4.
    "mlp_adam": Case((2, 4), data="small", model="mlp", optimizer="adam", batch_size=32, steps=40, full_steps=120),
    "mlp_adam_with_all_its_options": Case((4,), data="small", model="mlp", optimizer="adam_decay", batch_size=32, steps=40, full_steps=120),
    "mlp_sgd": Case((2, 4), data="small", model="mlp", optimizer="sgd", batch_size=32, steps=40, full_steps=120),
    "mlp_momentum": Case((2, 4), data="small", model="mlp", optimizer="momentum", batch_size=32, steps=40, full_steps=120),
    "mlp_nesterov": Case((4,), data="small", model="mlp", optimizer="nesterov", batch_size=32, steps=40, full_steps=120),
    "mlp_adamw": Case((2,), data="small", model="mlp", optimizer="adamw", batch_size=32, steps=40, full_steps=120),
    "mlp_fused_adam": Case((2,), data="small", model="mlp", optimizer="fused_adam", batch_size=32, steps=40, full_steps=120),
    "mlp_fused_adamw": Case((2,), data="small", model="mlp", optimizer="fused_adamw", batch_size=32, steps=40, full_steps=120),
    "mlp_fused_sgd": Case((2,), data="small", model="mlp", optimizer="fused_sgd", batch_size=32, steps=40, full_steps=120),
    "adam_matrices_alone_decayed": Case((2,), data="small", model="mlp", optimizer="adam_matrices", batch_size=32, steps=20, full_steps=60),
    "adamw_matrices_alone_decayed": Case((2,), data="small", model="mlp", optimizer="adamw_matrices", batch_size=32, steps=20, full_steps=60),
    "fused_adamw_matrices_alone_decayed": Case((2,), data="small", model="mlp", optimizer="fused_adamw_matrices", batch_size=32, steps=20, full_steps=60),
    "resnet18_nesterov_matrices_alone_decayed": Case((2,), data="small", model="resnet18", optimizer="nesterov_matrices", batch_size=4, full_batch_size=8, steps=4, full_steps=8),
    "cosine_after_a_warm_up": Case((2,), data="small", model="mlp", optimizer="adam", batch_size=32, steps=40, full_steps=120, variant="cosine"),
    "clipped_gradients": Case((2, 4), data="small", model="mlp", optimizer="momentum", batch_size=32, steps=40, full_steps=120, variant="clip"),
    "smoothed_labels": Case((2,), data="small", model="mlp", optimizer="adam", batch_size=32, steps=40, full_steps=120, variant="smooth"),
    "mlp_in_bfloat16": Case((2,), data="small", model="mlp", optimizer="adam", batch_size=32, steps=40, full_steps=120, variant="bf16"),
    # From three ranks on, the order in which gradients arrive shows in the last bits: it makes the buckets.
    "wide_mlp_in_bfloat16": Case((3,), data="small", model="wide_mlp", optimizer="momentum", batch_size=33, steps=20, full_steps=40, variant="bf16"),
    "convnet_in_bfloat16": Case((2, 3), data="small", model="convnet", optimizer="adam", batch_size=8, full_batch_size=32, steps=6, full_steps=40, variant="bf16"),
    "convnet_adam_with_dropout": Case((2, 4), data="small", model="convnet", optimizer="adam", batch_size=16, full_batch_size=32, steps=36, full_steps=120),
    "resnet18_momentum": Case((2,), data="small", model="resnet18", optimizer="momentum", batch_size=4, full_batch_size=8, steps=5, full_steps=12),
    "resnet18_in_channels_last": Case((2, 4), data="images", model="color_resnet18", optimizer="momentum", batch_size=4, full_batch_size=8, steps=5, full_steps=12, variant="channels_last"),
    "gray_resnet18_in_channels_last": Case((2,), data="small", model="resnet18", optimizer="fused_adam", batch_size=4, full_batch_size=8, steps=4, full_steps=6, variant="channels_last"),
    "convnet_in_channels_last": Case((2,), data="small", model="convnet", optimizer="adam", batch_size=16, full_batch_size=32, steps=15, full_steps=40, variant="channels_last"),
    "resnet18_in_channels_last_and_bfloat16": Case((2,), data="images", model="color_resnet18", optimizer="momentum", batch_size=2, full_batch_size=4, steps=4, variant="channels_last_bf16"),
    # Both end in the second epoch.
    "mlp_adam_on_the_whole_dataset": Case((4,), data="whole", model="mlp", optimizer="adam", batch_size=64, steps=250, full_steps=500),
    "mlp_adam_on_the_whole_dataset_by_two": Case((2,), data="whole", model="mlp", optimizer="adam", batch_size=128, steps=250, full_steps=500),
}
if not AT_NIGHT:
    del CASES["mlp_adam_on_the_whole_dataset_by_two"]


class Parity(unittest.TestCase):
    """A test method for each of CASES."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        # Real images; neither the ranks nor the batches divide their number.
        write_fashion_mnist(cls.folder / "small", train_samples=2003, test_samples=251)
        write_fashion_mnist(cls.folder / "whole")
        write_images(cls.folder, samples=160)
        train_in_python(CASES, cls.arguments_of)

    @classmethod
    def arguments_of(cls, name, ranks):
        case = CASES[name]
        source = ["--tensors", cls.folder / "images.pt"] if case.data == "images" else ["--data", cls.folder / case.data]
        return [*source, "--model", case.model, "--optimizer", case.optimizer, "--batch-size", case.samples,
                "--max-steps", case.max_steps, "--save", cls.saved_by_python(name, ranks), *VARIANTS[case.variant][0]]

    @classmethod
    def saved_by_python(cls, name, ranks):
        return cls.folder / f"{name}-{ranks}.pt"

    def train_in_cpp(self, name, ranks):
        case = CASES[name]
        source = {"name": "fashion_mnist", "root": str(self.folder / case.data / "FashionMNIST" / "raw")}
        if case.data == "images":
            images = str(self.folder / "images.safetensors")
            source = {"name": "tensor_file", "train_file": images, "test_file": images}
        run_folder = ddpsubmit_run(self.folder / f"{name}-{ranks}", {
            "name": "parity",
            "resources": {"tasks_per_node": ranks, "cpus_per_task": 1},
            "train": {
                "seed": 42,
                "max_steps": case.max_steps,
                "model": IN_YAML[case.model],
                "data": {**source, "batch_size": case.samples},
                "optimizer": OPTIMIZERS[case.optimizer],
                "evaluate": {"every_epochs": 0 if "resnet" in case.model else 1},  # no epoch of those ends before the training
                **VARIANTS[case.variant][1],
            },
        })
        return load_safetensors(checkpoint_of(run_folder) / "model.safetensors")

    def expect_equal_bytes(self, name):
        for ranks in CASES[name].ranks:
            with self.subTest(ranks=ranks):
                expected = torch.load(self.saved_by_python(name, ranks), weights_only=True)
                expect_same_bytes(self, self.train_in_cpp(name, ranks), expected)


for case_name in CASES:
    setattr(Parity, f"test_{case_name}", lambda self, name=case_name: self.expect_equal_bytes(name))


if __name__ == "__main__":
    unittest.main()
