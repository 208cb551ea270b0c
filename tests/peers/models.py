"""The models of ddptrain, as a PyTorch user writes them."""

from functools import partial

import torch.nn.functional as F
import torchvision
from torch import nn

from blocks import Blocks


class Mlp(nn.Module):
    def __init__(self, input_dim=784, hidden_dims=(128,), num_classes=10):
        super().__init__()
        dims = [input_dim, *hidden_dims, num_classes]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))

    def forward(self, x):
        x = x.flatten(1)
        for layer in self.layers[:-1]:
            x = F.relu(layer(x))
        return self.layers[-1](x)


class ConvNet(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, num_classes)

    def forward(self, x):
        x = F.relu(self.conv2(F.relu(self.conv1(x))))
        x = self.dropout1(F.max_pool2d(x, 2)).flatten(1)
        return self.fc2(self.dropout2(F.relu(self.fc1(x))))


def resnet(name, num_classes=1000, stem="imagenet", in_channels=3, zero_init_residual=False):
    """torchvision's, with another first layer for small images or for other channels than three."""
    model = torchvision.models.get_model(name, num_classes=num_classes, zero_init_residual=zero_init_residual)
    if stem == "cifar":
        model.conv1 = nn.Conv2d(in_channels, 64, 3, padding=1, bias=False)
        model.maxpool = nn.Identity()
    elif in_channels != 3:
        model.conv1 = nn.Conv2d(in_channels, 64, 7, stride=2, padding=3, bias=False)
    return model


def small_gray_resnet18():
    return resnet("resnet18", num_classes=10, stem="cifar", in_channels=1)


def small_color_resnet18():
    return resnet("resnet18", num_classes=10, stem="cifar")


def pooled_gray_resnet18():
    """Images of 28 x 28 are 7 x 7 before the first block, which makes it quick."""
    return resnet("resnet18", num_classes=10, in_channels=1)


def wide_mlp():
    return Mlp(hidden_dims=(512,))


MODELS = {"mlp": Mlp, "wide_mlp": wide_mlp, "convnet": ConvNet, "resnet18": small_gray_resnet18,
          "color_resnet18": small_color_resnet18, "pooled_resnet18": pooled_gray_resnet18}
# The same as `train.model` of a configuration.
IN_YAML = {
    "mlp": {"name": "mlp"},
    "wide_mlp": {"name": "mlp", "hidden_dims": [512]},
    "convnet": {"name": "convnet"},
    "resnet18": {"name": "resnet18", "num_classes": 10, "stem": "cifar", "in_channels": 1},
    "color_resnet18": {"name": "resnet18", "num_classes": 10, "stem": "cifar"},
    "pooled_resnet18": {"name": "resnet18", "num_classes": 10, "in_channels": 1},
}

# Of the program blocks_trainer.
BLOCKS = {
    "blocks": {"depth": 2},
    "four_blocks": {"depth": 4},
    "frozen_blocks": {"depth": 2, "frozen": True},
    "unused_blocks": {"depth": 2, "unused": True},
    "batch_norm_blocks": {"depth": 2, "batch_norm": True},
    "nested_blocks": {"depth": 2, "nested": True},
}
MODELS |= {name: partial(Blocks, **options) for name, options in BLOCKS.items()}
IN_YAML |= {name: {"name": "blocks", **options} for name, options in BLOCKS.items()}
