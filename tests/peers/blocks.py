"""The model of tests/distributed/blocks_trainer.cpp, as a PyTorch user writes it."""

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads, nested=False, unused=False):
        super().__init__()
        self.heads = heads
        self.scale = nn.Parameter(torch.ones(width))
        self.gain = nn.Parameter(torch.ones(1))
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.fc1 = nn.Linear(width, 4 * width)
        self.fc2 = nn.Linear(4 * width, width)
        self.inner = Block(width, heads, unused=unused) if nested else None
        if unused:
            self.unused = nn.Linear(width, width)

    def attention(self, x):
        batch, tokens, width = x.shape
        q, k, v = (part.view(batch, tokens, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, tokens, width)

    def forward(self, x):
        x = x + self.proj(self.attention(self.norm1(x))) * self.gain
        if self.inner is not None:
            x = self.inner(x)
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x)))) * self.scale


class Blocks(nn.Module):
    def __init__(self, tokens=28, features=28, width=30, depth=3, heads=3, num_classes=10,
                 frozen=False, unused=False, batch_norm=False, nested=False):
        super().__init__()
        self.tokens, self.features = tokens, features
        self.embed = nn.Linear(features, width)
        self.positions = nn.Parameter(torch.randn(tokens, width) * 0.02)
        self.blocks = nn.ModuleList(Block(width, heads, nested, unused) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.batch_norm = nn.BatchNorm1d(width) if batch_norm else nn.Identity()
        self.head = nn.Linear(width, num_classes)
        if frozen:
            self.blocks[0].requires_grad_(False)

    def forward(self, x):
        x = self.embed(x.reshape(x.size(0), self.tokens, self.features)) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(self.batch_norm(self.norm(x).mean(1)))
