"""Reads and writes a safetensors file with nothing but torch."""

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
    data = memoryview(content)[data_at:]
    return {name: parse_tensor(entry, data) for name, entry in header.items()}


def save_safetensors(path, tensors):
    header, data = {}, b""
    names = {dtype: name for name, dtype in DTYPES.items()}
    for name, tensor in tensors.items():
        content = tensor.contiguous().numpy().tobytes()
        header[name] = {"dtype": names[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    Path(path).write_bytes(len(text).to_bytes(8, "little") + text + data)


def parse_tensor(entry, data):
    begin, end = entry["data_offsets"]
    return torch.frombuffer(bytearray(data[begin:end]), dtype=DTYPES[entry["dtype"]]).reshape(entry["shape"])
