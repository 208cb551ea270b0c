"""What the two sides hand to each other: weights, and torch's environment variables."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

import torch

from fashion_mnist import write_fashion_mnist
from launch import HERE, checkpoint_of, ddpsubmit_run
from models import IN_YAML, Mlp, small_gray_resnet18
from safetensors_file import load_safetensors, save_safetensors
from same_bytes import expect_same_bytes
from torchvision import transforms
from torchvision.datasets import FashionMNIST


class Exchange(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_python_loads_our_weights(self):
        raw = write_fashion_mnist(self.folder, train_samples=6000, test_samples=1000)
        run_folder = ddpsubmit_run(self.folder / "run", {
            "name": "weights",
            "resources": {"tasks_per_node": 2, "cpus_per_task": 1},
            "train": {"seed": 1, "epochs": 1, "model": {"name": "mlp"}, "data": {"name": "fashion_mnist", "root": str(raw)},
                      "optimizer": {"name": "adam", "learning_rate": 0.001}},
        })
        model = Mlp()
        model.load_state_dict(load_safetensors(checkpoint_of(run_folder) / "model.safetensors"), strict=True)
        self.assertAlmostEqual(self.accuracy(model), self.evaluated_accuracy(run_folder), places=9)

    @torch.no_grad()
    def accuracy(self, model):
        transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.2860,), (0.3530,))])
        samples = [*FashionMNIST(self.folder, train=False, transform=transform)]
        correct = model(torch.stack([image for image, _ in samples])).argmax(1) == torch.tensor([label for _, label in samples])
        return correct.sum().item() / len(samples)

    @staticmethod
    def evaluated_accuracy(run_folder):
        metrics = [json.loads(line) for line in (run_folder / "metrics.jsonl").read_text().splitlines()]
        return next(line["accuracy"] for line in metrics if line["kind"] == "evaluate")

    def test_we_load_torchvisions_weights(self):
        """Two ranks, both of which start from the file; evaluated as Python evaluates them, and saved as they were."""
        raw = write_fashion_mnist(self.folder, train_samples=64, test_samples=301)
        torch.manual_seed(5)
        model = small_gray_resnet18()
        model(torch.randn(64, 1, 28, 28))  # running statistics of its own
        save_safetensors(self.folder / "resnet18.safetensors", model.state_dict())
        run_folder = ddpsubmit_run(self.folder / "run", {
            "name": "weights",
            "resources": {"tasks_per_node": 2, "cpus_per_task": 1},
            "train": {"mode": "train", "epochs": 1, "checkpoint": {"every_epochs": 1},
                      "model": {**IN_YAML["resnet18"], "weights": str(self.folder / "resnet18.safetensors")},
                      "data": {"name": "fashion_mnist", "root": str(raw), "batch_size": 16},
                      "optimizer": {"name": "sgd", "learning_rate": 0.0}},
        })
        trained = load_safetensors(checkpoint_of(run_folder) / "model.safetensors")
        parameters = dict(model.named_parameters())
        expect_same_bytes(self, {name: trained[name] for name in parameters}, parameters)
        model.load_state_dict(trained)
        self.assertAlmostEqual(self.accuracy(model.eval()), self.evaluated_accuracy(run_folder), places=9)

    def test_a_python_script_trains_under_command(self):
        """Rank 0's store must be able to listen on the port that the agent holds for it."""
        write_fashion_mnist(self.folder, train_samples=640, test_samples=100)
        save = self.folder / "model.pt"
        ddpsubmit_run(self.folder / "run", {
            "name": "script",
            "resources": {"tasks_per_node": 2, "cpus_per_task": 1},
            "command": [sys.executable, str(HERE / "train.py"), "--data", str(self.folder), "--max-steps", "12",
                        "--batch-size", "32", "--save", str(save)],
        })
        self.assertEqual([*torch.load(save, weights_only=True)], [*Mlp().state_dict()])


if __name__ == "__main__":
    unittest.main()
