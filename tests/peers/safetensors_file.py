"""Reads a safetensors file with nothing but torch."""

import json
from pathlib import Path

import torch

DTYPES = {"F64": torch.float64, "F32": torch.float32, "I64": torch.int64, "I32": torch.int32, "U8": torch.uint8}


def load_safetensors(path):
    """The tensors of the file, by name."""
    content = Path(path).read_bytes()
    data_at = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:data_at])
    header.pop("__metadata__", None)
    return {name: parse_tensor(entry, content[data_at:]) for name, entry in header.items()}


def parse_tensor(entry, data):
    begin, end = entry["data_offsets"]
    return torch.frombuffer(bytearray(data[begin:end]), dtype=DTYPES[entry["dtype"]]).reshape(entry["shape"])
