// A trainer with its own model and dataset; everything else is as in ddptrain: configuration, ranks,
// checkpoints, metrics.
#include <torch/nn/modules/linear.h>
#include <ddp/trainer/train_main.hpp>

#include <cmath>

using namespace ddp::trainer;

namespace {

// Two spirals that turn around each other; 2 values, 2 classes.
class Spirals final : public Dataset {
 public:
  Spirals(std::int64_t samples, double turns, double phase)
      : samples_(samples), turns_(turns), phase_(phase) {}

  [[nodiscard]] std::int64_t size() const override { return samples_; }
  [[nodiscard]] SampleShape sample_shape() const override { return {{2}, 2}; }

 private:
  void write_sample(std::int64_t index, std::uint64_t /*epoch*/, float* input,
                    std::int64_t* target) const override {
    const double radius = (static_cast<double>(index) + 1) / static_cast<double>(samples_);
    *target = index % 2;
    const double angle = 2 * M_PI * (turns_ * radius + phase_) + M_PI * static_cast<double>(*target);
    input[0] = static_cast<float>(radius * std::cos(angle));
    input[1] = static_cast<float>(radius * std::sin(angle));
  }

  std::int64_t samples_;
  double turns_;
  double phase_;
};

// Sines of learned waves, then a linear layer.
class Waves final : public Model {
 public:
  explicit Waves(std::int64_t count)
      : waves_(register_module("waves", torch::nn::Linear(2, count))),
        output_(register_module("output", torch::nn::Linear(count, 2))) {}

  torch::Tensor forward(const torch::Tensor& input) override {
    return output_->forward(waves_->forward(input * 10).sin());
  }

 private:
  torch::nn::Linear waves_;
  torch::nn::Linear output_;
};

std::string mismatch(const Component& /*model*/, const SampleShape& shape) {
  return shape.dims == std::vector<std::int64_t>{2} ? "" : "it needs points with 2 values";
}

ModelKind waves() {
  return {.schema = {.name = "waves",
                     .doc = "sines of learned waves",
                     .options = {{.key = "count",
                                  .default_value = std::int64_t{32},
                                  .doc = "number of waves",
                                  .integers = {1, 4096}}},
                     .mismatch = mismatch},
          .make = [](const Component& model) {
            return std::make_shared<Waves>(model.get<std::int64_t>("count"));
          }};
}

DatasetKind spirals() {
  return {
      .schema = {.name = "spirals",
                 .doc = "points on two spirals",
                 .options = {{.key = "samples",
                              .default_value = std::int64_t{2000},
                              .doc = "number of samples per split",
                              .integers = {2, 1'000'000}},
                             {.key = "turns", .default_value = 1.5, .doc = "number of turns per spiral"}}},
      .make = [](const Component& source, Split split, std::uint64_t /*seed*/) {
        const double phase = split == Split::test ? 0.001 : 0.0;
        return std::make_unique<Spirals>(source.get<std::int64_t>("samples"), source.get<double>("turns"),
                                         phase);
      }};
}

}  // namespace

int main(int argc, char** argv) {
  train_main(argc, argv, {.models = {waves()}, .datasets = {spirals()}});
}
