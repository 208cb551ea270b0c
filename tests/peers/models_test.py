"""The residual networks against torchvision's: initial bytes, forward in both modes, gradients, running statistics."""

import os
import tempfile
import unittest
from pathlib import Path

import torch
import torch.nn.functional as F

from launch import AT_NIGHT, run
from models import resnet
from safetensors_file import load_safetensors
from same_bytes import expect_same_bytes

RESNETS = ("resnet18", "resnet34", "resnet50") if AT_NIGHT else ("resnet18", "resnet50")


def in_python(name, options):
    """As tests/trainer_parts/model_bytes.cpp."""
    torch.set_num_threads(1)
    torch.manual_seed(7)
    model = resnet(name, **options)
    found = {f"initial/{key}": tensor.clone() for key, tensor in model.state_dict().items()}
    found["next_draw"] = torch.rand(4)

    torch.manual_seed(8)
    images = torch.randn(2, options["in_channels"], 32, 24)
    model.eval()
    found["eval"] = model(images)
    model.train()
    found["train"] = model(images)
    F.cross_entropy(found["train"], torch.arange(2)).backward()
    found |= {f"gradient/{key}": parameter.grad for key, parameter in model.named_parameters()}
    found |= {f"after/{key}": tensor for key, tensor in model.state_dict().items()}
    return found


class Models(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def in_cpp(self, name, options):
        words = [f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in options.items()]
        file = self.folder / "-".join([name, *words])
        run([os.environ["TRAINER_PARTS"], "model_bytes", file, name, *words])
        return load_safetensors(file)

    def expect_equal(self, name, **options):
        with self.subTest(model=name, **options):
            expect_same_bytes(self, self.in_cpp(name, options), in_python(name, options))

    def test_as_torchvision_makes_them(self):
        for name in RESNETS:
            self.expect_equal(name, in_channels=3)

    def test_for_small_images(self):
        for name in RESNETS:
            self.expect_equal(name, stem="cifar", in_channels=3, num_classes=10)

    def test_for_gray_images(self):
        for stem in ("imagenet", "cifar"):
            self.expect_equal("resnet18", stem=stem, in_channels=1, num_classes=10)

    def test_zero_init_residual(self):
        for name in ("resnet18", "resnet50"):
            self.expect_equal(name, in_channels=3, num_classes=10, zero_init_residual=True)


if __name__ == "__main__":
    unittest.main()
