import torch
from pace import pause
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Model(nn.Linear):
    def forward(self, inputs):
        pause()
        return super().forward(inputs)


model = Model(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = DataLoader(TensorDataset(torch.randn(160, 4), torch.randn(160, 1)), batch_size=4)
