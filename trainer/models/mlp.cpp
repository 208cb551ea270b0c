#include "trainer/models/mlp.hpp"

#include <string>
#include <vector>

#include "trainer/models/linear.hpp"

namespace ddp::trainer {
namespace {

// In Python:
//
//   class Mlp(nn.Module):
//       def __init__(self, dims):  # [input_dim, *hidden_dims, num_classes]
//           super().__init__()
//           self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))
//
//       def forward(self, x):
//           x = x.flatten(1)
//           for layer in self.layers[:-1]:
//               x = F.relu(layer(x))
//           return self.layers[-1](x)
class Mlp : public Model {
 public:
  explicit Mlp(const std::vector<std::int64_t>& dims) {
    const auto list = register_module("layers", std::make_shared<torch::nn::Module>("ModuleList"));
    for (std::size_t i = 0; i + 1 < dims.size(); ++i) {
      layers_.push_back(list->register_module(std::to_string(i), torch::nn::Linear(dims[i], dims[i + 1])));
    }
  }

  torch::Tensor forward(const torch::Tensor& input) override {
    torch::Tensor x = input.flatten(1);
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) x = linear(layers_[i], x).relu_();
    return linear(layers_.back(), x);
  }

 private:
  std::vector<torch::nn::Linear> layers_;
};

}  // namespace

std::shared_ptr<Model> make_mlp(const Component& model) {
  std::vector<std::int64_t> dims = {model.get<std::int64_t>("input_dim")};
  const auto& hidden = model.get<std::vector<std::int64_t>>("hidden_dims");
  dims.insert(dims.end(), hidden.begin(), hidden.end());
  dims.push_back(model.get<std::int64_t>("num_classes"));
  return std::make_shared<Mlp>(dims);
}

}  // namespace ddp::trainer
