"""A model under FSDP2, as people write it in Python: each block is sharded by itself, the model takes the rest."""

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor
from torchvision.models.resnet import BasicBlock, Bottleneck

from blocks import Block

BLOCKS = (Block, BasicBlock, Bottleneck)
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def make_mesh(strategy, shard):
    """Replicas of `shard` neighbouring ranks each; None: all ranks are one."""
    if strategy != "hsdp":
        return None
    return init_device_mesh("cpu", (dist.get_world_size() // shard, shard), mesh_dim_names=("replicate", "shard"))


def shard_model(model, args):
    mesh = make_mesh(args.strategy, args.shard)
    dtypes = {"param_dtype": DTYPES[args.param_dtype], "reduce_dtype": DTYPES[args.reduce_dtype]}
    for module in reversed(list(model.modules())):  # an inner block before the one around it
        if isinstance(module, BLOCKS):
            fully_shard(module, mesh=mesh, reshard_after_forward=not args.no_reshard, mp_policy=MixedPrecisionPolicy(**dtypes))
    fully_shard(model, mesh=mesh, mp_policy=MixedPrecisionPolicy(**dtypes, output_dtype=torch.float32))
    return model


def whole(tensor):
    """The tensor with the shards of all ranks, which all have to ask for it."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor
