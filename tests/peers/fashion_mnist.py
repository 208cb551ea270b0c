"""Fashion-MNIST from Debian's package, laid out for torchvision and for ddptrain alike."""

import gzip
import struct
from pathlib import Path

DEBIAN = Path("/usr/share/datasets/fashion-mnist")
TRAIN, TEST = "train", "t10k"


def write_fashion_mnist(root, train_samples=60_000, test_samples=10_000):
    """Writes the first samples of each split into root/FashionMNIST/raw, where torchvision looks; returns that folder."""
    raw = Path(root) / "FashionMNIST" / "raw"
    raw.mkdir(parents=True)
    for part, samples in ((TRAIN, train_samples), (TEST, test_samples)):
        write_first(raw / f"{part}-images-idx3-ubyte", samples, (28, 28))
        write_first(raw / f"{part}-labels-idx1-ubyte", samples, ())
    return raw


def write_first(path, samples, sample_shape):
    with gzip.open(DEBIAN / f"{path.name}.gz") as file:
        file.read(4 + 4 * (1 + len(sample_shape)))
        size = 1
        for extent in sample_shape:
            size *= extent
        data = file.read(samples * size)
    shape = (samples, *sample_shape)
    path.write_bytes(struct.pack(f">BBBB{len(shape)}I", 0, 0, 8, len(shape), *shape) + data)
