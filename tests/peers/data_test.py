"""The data of ddptrain against torchvision's: an mlp that is trained on both ends with the same bytes."""

import itertools
import tempfile
import unittest
from pathlib import Path

import numpy
import torch
import torch.nn.functional as F
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler
from torchvision import transforms
from torchvision.datasets import ImageFolder
from torchvision.transforms import functional

from augmentation import draw_crop_flip
from launch import checkpoint_of, ddpsubmit_run
from models import Mlp
from safetensors_file import load_safetensors, save_safetensors

SEED, STEPS, BATCH_SIZE = 7, 40, 16
RANDOM = numpy.random.default_rng(1)


class Samples(Dataset):
    """Images as Pillow has them, with torchvision's transforms; `augment` gets the image and its index first."""

    def __init__(self, images, targets, transform, augment=lambda image, index: image):
        self.images, self.targets, self.transform, self.augment = images, targets, transform, augment

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = Image.fromarray(self.images[index].transpose(1, 2, 0))
        return self.transform(self.augment(image, index)), int(self.targets[index])


def train(data, input_dim, on_epoch=lambda epoch: None):
    """What ddptrain does, in Python."""
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    model = Mlp(input_dim=input_dim, hidden_dims=(16,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    sampler = DistributedSampler(data, num_replicas=1, rank=0, seed=SEED)
    steps = 0
    for epoch in itertools.count():
        sampler.set_epoch(epoch)
        on_epoch(epoch)
        for inputs, targets in DataLoader(data, batch_size=BATCH_SIZE, sampler=sampler):
            optimizer.zero_grad()
            F.cross_entropy(model(inputs), targets).backward()
            optimizer.step()
            steps += 1
            if steps == STEPS:
                return model.state_dict()


class Data(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def train_in_cpp(self, input_dim, data, name="run", evaluate=0):
        run_folder = ddpsubmit_run(self.folder / name, {
            "name": "data",
            "resources": {"tasks_per_node": 1, "cpus_per_task": 1},
            "train": {"seed": SEED, "max_steps": STEPS, "evaluate": {"every_epochs": evaluate},
                      "model": {"name": "mlp", "input_dim": input_dim, "hidden_dims": [16]},
                      "data": {"batch_size": BATCH_SIZE, **data}, "optimizer": {"name": "sgd", "learning_rate": 0.05}},
        })
        return load_safetensors(checkpoint_of(run_folder) / "model.safetensors")

    def expect_same_bytes(self, actual, expected):
        self.assertEqual(list(actual), list(expected))
        for name, tensor in expected.items():
            self.assertEqual(actual[name].numpy().tobytes(), tensor.numpy().tobytes(), name)

    def write_cifar10(self, samples_per_file=60):
        """Files of random pixels in the binary format; returns the images and classes of the training split."""
        images, classes = [], []
        for name in [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]:
            records = RANDOM.integers(256, size=(samples_per_file, 3073), dtype=numpy.uint8)
            records[:, 0] %= 10
            (self.folder / name).write_bytes(records.tobytes())
            if name.startswith("data"):
                images.append(records[:, 1:].reshape(-1, 3, 32, 32))
                classes.append(records[:, 0])
        return numpy.concatenate(images), numpy.concatenate(classes)

    def test_cifar10_as_to_tensor_and_normalize_make_it(self):
        images, classes = self.write_cifar10()
        transform = transforms.Compose(
            [transforms.ToTensor(), transforms.Normalize((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616))])
        expected = train(Samples(images, classes, transform), 3072)
        self.expect_same_bytes(self.train_in_cpp(3072, {"name": "cifar10", "root": str(self.folder)}, evaluate=1), expected)

    def test_crops_and_mirrors_are_torchvisions(self):
        """Given the places that ddptrain draws. They depend neither on the workers nor on anything before."""
        images, classes = self.write_cifar10()
        drawn = {}

        def augment(image, index):
            dy, dx, flip = draw_crop_flip(padding=4, seed=SEED, epoch=drawn["epoch"], index=index)
            window = functional.crop(functional.pad(image, 4), 4 + dy, 4 + dx, 32, 32)
            return functional.hflip(window) if flip else window

        transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,) * 3, (0.25,) * 3)])
        expected = train(Samples(images, classes, transform, augment), 3072, lambda epoch: drawn.update(epoch=epoch))
        data = {"name": "cifar10", "root": str(self.folder), "mean": [0.5] * 3, "std": [0.25] * 3,
                "random_crop_padding": 4, "horizontal_flip": True}
        for workers in (0, 2):
            self.expect_same_bytes(self.train_in_cpp(3072, {**data, "workers": workers}, f"workers-{workers}"), expected)

    def test_tensor_file(self):
        inputs = torch.randn(200, 3, 5, generator=torch.Generator().manual_seed(1))
        targets = torch.arange(200, dtype=torch.int32) % 10
        save_safetensors(self.folder / "train.safetensors", {"inputs": inputs, "targets": targets})
        expected = train(torch.utils.data.TensorDataset(inputs, targets.long()), 15)
        actual = self.train_in_cpp(15, {"name": "tensor_file", "train_file": str(self.folder / "train.safetensors")})
        self.expect_same_bytes(actual, expected)

    def test_tensor_file_of_bytes(self):
        images = RANDOM.integers(256, size=(200, 3, 8, 8), dtype=numpy.uint8)
        targets = torch.arange(200) % 10
        save_safetensors(self.folder / "train.safetensors", {"inputs": torch.from_numpy(images), "targets": targets})
        transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))])
        actual = self.train_in_cpp(192, {"name": "tensor_file", "train_file": str(self.folder / "train.safetensors"),
                                         "normalize": True, "mean": [0.1, 0.2, 0.3], "std": [0.4, 0.5, 0.6]})
        self.expect_same_bytes(actual, train(Samples(images, targets, transform), 192))

    def test_image_folder_as_resize_and_center_crop_make_it(self):
        for k, (name, picture) in enumerate(self.pictures()):
            path = self.folder / "train" / f"class-{k % 10}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            picture(path)
        for resize, size in ((20, 20), (33, 24), (150, 29)):  # smaller, a bit smaller, larger than the pictures
            with self.subTest(resize=resize, size=size):
                transform = transforms.Compose([
                    transforms.Resize(resize), transforms.CenterCrop(size), transforms.ToTensor(),
                    transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])
                expected = train(ImageFolder(self.folder / "train", transform), 3 * size * size)
                actual = self.train_in_cpp(3 * size * size, {"name": "image_folder", "root": str(self.folder),
                                                             "resize": resize, "image_size": size}, f"{resize}")
                self.expect_same_bytes(actual, expected)

    def pictures(self):
        """Names, and what writes the file: all that is in use among JPEG and PNG files."""
        forms = [("RGB", "jpg", {"quality": 90}), ("RGB", "JPEG", {"quality": 60, "subsampling": 0}),
                 ("RGB", "jpg", {"subsampling": 1, "progressive": True}), ("L", "jpg", {}), ("CMYK", "jpg", {}),
                 ("RGB", "png", {}), ("L", "png", {}), ("RGBA", "PNG", {}), ("P", "png", {}), ("1", "png", {}), ("LA", "png", {})]
        for i in range(60):
            mode, extension, options = forms[i % len(forms)]
            width = RANDOM.integers(40, 120)
            height = RANDOM.integers(40, width * 3 // 2)  # Pillow 13 scales taller ones in the other order
            coarse = Image.fromarray(RANDOM.integers(256, size=(height // 8 + 1, width // 8 + 1, 4), dtype=numpy.uint8), "RGBA")
            image = coarse.resize((int(width), int(height))).convert("RGB" if mode == "CMYK" else "RGBA").convert(
                mode if mode != "P" else "RGB")
            if mode == "P":
                image = image.quantize(64)
            yield f"{i}.{extension}", lambda path, image=image, options=options: image.save(path, **options)


if __name__ == "__main__":
    unittest.main()
