#!/usr/bin/env python3
"""shard_checkpoint.py CHECKPOINT RANKS TO: copies a checkpoint into the folder TO, in shards of so many ranks.

Rank r has rows r * chunk to (r + 1) * chunk of each tensor, as FSDP2 shards it, and leaves out what is empty. Tensors without
dimensions are in the first shard.
"""
import json
import math
import pathlib
import shutil
import struct
import sys

WIDTHS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "U8": 1, "BOOL": 1}


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def entry_of_table(value):
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value


TABLE = [entry_of_table(value) for value in range(256)]


def read_tensors(path):
    """{name: (dtype, shape, bytes)} in the order of the header."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    body = data[8 + length :]
    return {name: (t["dtype"], t["shape"], body[slice(*t["data_offsets"])]) for name, t in header.items()}


def write_tensors(path, tensors, offsets):
    """Wide types first, as the trainer orders them."""
    order = sorted(tensors, key=lambda name: -WIDTHS[tensors[name][0]])
    begin, at = {}, 0
    for name in order:
        begin[name] = at
        at += len(tensors[name][2])
    info = {name: {"saved_offsets": offsets[name]} for name in tensors}
    header = {"__metadata__": {"DCP_SHARDING_INFO": json.dumps(info), "DCP_VERSION": "1.0", "format": "pt"}}
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin[name], begin[name] + len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(tensors[name][2] for name in order))


def shard_of(tensor, rank, ranks):
    """(first row, the rows of this rank), or None where it has none."""
    dtype, shape, data = tensor
    if not shape:
        return (None, tensor) if rank == 0 else None
    chunk = math.ceil(shape[0] / ranks)
    first, end = min(shape[0], rank * chunk), min(shape[0], (rank + 1) * chunk)
    if first == end:
        return None
    row = len(data) // shape[0]
    return first, (dtype, [end - first, *shape[1:]], data[first * row : end * row])


def write_shards(source, part, ranks, to):
    tensors = read_tensors(source / f"{part}.safetensors")
    for rank in range(ranks):
        shards, offsets = {}, {}
        for name, tensor in tensors.items():
            shard = shard_of(tensor, rank, ranks)
            if shard is None:
                continue
            first, shards[name] = shard
            offsets[name] = [] if first is None else [first] + [0] * (len(tensor[1]) - 1)
        write_tensors(to / f"shard-{rank + 1:05}-{part}-00001-of-00001.safetensors", shards, offsets)


def write_manifest(folder):
    files = {}
    for path in sorted(folder.iterdir()):
        if path.name != "manifest.json":
            data = path.read_bytes()
            files[path.name] = {"size": len(data), "crc32c": f"{crc32c(data):08x}"}
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "files": files}, indent=2) + "\n")


def main():
    if len(sys.argv) == 2:  # after a change of its files
        return write_manifest(pathlib.Path(sys.argv[1]))
    source, ranks, to = pathlib.Path(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    to.mkdir(parents=True)
    for part in ("model", "optimizer"):
        write_shards(source, part, ranks, to)
    for name in ("rng.safetensors", "state.json"):
        shutil.copy(source / name, to / name)
    write_manifest(to)


if __name__ == "__main__":
    main()
