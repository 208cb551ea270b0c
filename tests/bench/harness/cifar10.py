"""Random images in the binary format of CIFAR-10."""

import random

SAMPLES_PER_FILE = 2_000


def write_cifar10(folder):
    """Returns the folder."""
    for name in [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]:
        records = (bytes([random.randrange(10)]) + random.randbytes(3072) for _ in range(SAMPLES_PER_FILE))
        (folder / f"{name}.bin").write_bytes(b"".join(records))
    return folder
