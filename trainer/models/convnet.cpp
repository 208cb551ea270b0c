#include "trainer/models/convnet.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>

#include "trainer/models/linear.hpp"

namespace ddp::trainer {
namespace {

// The MNIST network of PyTorch's examples. In Python:
//
//   class ConvNet(nn.Module):
//       def __init__(self, num_classes):
//           super().__init__()
//           self.conv1 = nn.Conv2d(1, 32, 3)
//           self.conv2 = nn.Conv2d(32, 64, 3)
//           self.dropout1 = nn.Dropout(0.25)
//           self.dropout2 = nn.Dropout(0.5)
//           self.fc1 = nn.Linear(9216, 128)
//           self.fc2 = nn.Linear(128, num_classes)
//
//       def forward(self, x):
//           x = F.relu(self.conv2(F.relu(self.conv1(x))))
//           x = self.dropout1(F.max_pool2d(x, 2)).flatten(1)
//           return self.fc2(self.dropout2(F.relu(self.fc1(x))))
class ConvNet : public Model {
 public:
  explicit ConvNet(std::int64_t num_classes)
      : conv1_(register_module("conv1", torch::nn::Conv2d(1, 32, 3))),
        conv2_(register_module("conv2", torch::nn::Conv2d(32, 64, 3))),
        dropout1_(register_module("dropout1", torch::nn::Dropout(0.25))),
        dropout2_(register_module("dropout2", torch::nn::Dropout(0.5))),
        fc1_(register_module("fc1", torch::nn::Linear(9216, 128))),
        fc2_(register_module("fc2", torch::nn::Linear(128, num_classes))) {}

  torch::Tensor forward(const torch::Tensor& input) override {
    // The largest of a window is found before relu: to the same bits (but for the sign of a zero), and a
    // quarter of the values are left for it.
    torch::Tensor x = at::max_pool2d(conv2_->forward(conv1_->forward(input).relu_()), 2).relu_();
    x = dropout1_->forward(x).flatten(1);
    return linear(fc2_, dropout2_->forward(linear(fc1_, x).relu_()));
  }

 private:
  torch::nn::Conv2d conv1_;
  torch::nn::Conv2d conv2_;
  torch::nn::Dropout dropout1_;
  torch::nn::Dropout dropout2_;
  torch::nn::Linear fc1_;
  torch::nn::Linear fc2_;
};

}  // namespace

std::shared_ptr<Model> make_convnet(const Component& model) {
  return std::make_shared<ConvNet>(model.get<std::int64_t>("num_classes"));
}

}  // namespace ddp::trainer
