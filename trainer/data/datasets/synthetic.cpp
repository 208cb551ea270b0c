#include "trainer/data/datasets/synthetic.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace ddp::trainer {
namespace {

/// A multiple of 2^-23 in [-1, 1).
float draw(std::mt19937_64& engine) {
  return static_cast<float>(engine() >> 40) * 0x1p-23F - 1.0F;
}

class Synthetic final : public Dataset {
 public:
  Synthetic(std::int64_t samples, std::int64_t features, std::int64_t classes, Split split,
            std::uint64_t seed)
      : samples_(samples), features_(features), classes_(classes) {
    std::mt19937_64 engine(seed);
    std::vector<float> centres(static_cast<std::size_t>(classes * features));
    for (float& value : centres) value = draw(engine);
    if (split == Split::test) engine.seed(seed ^ 0x7E57);
    inputs_.reserve(static_cast<std::size_t>(samples * features));
    for (std::int64_t i = 0; i < samples; ++i) {
      const float* centre = centres.data() + target_of(i) * features;
      for (std::int64_t k = 0; k < features; ++k) inputs_.push_back(centre[k] + draw(engine));
    }
  }

  [[nodiscard]] std::int64_t size() const override { return samples_; }

  [[nodiscard]] SampleShape sample_shape() const override { return {{features_}, classes_}; }

 private:
  void write_sample(std::int64_t index, std::uint64_t /*epoch*/, float* input,
                    std::int64_t* target) const override {
    std::copy_n(inputs_.data() + index * features_, features_, input);
    *target = target_of(index);
  }

  [[nodiscard]] std::int64_t target_of(std::int64_t index) const { return index % classes_; }

  std::int64_t samples_;
  std::int64_t features_;
  std::int64_t classes_;
  std::vector<float> inputs_;
};

}  // namespace

std::unique_ptr<Dataset> make_synthetic(const Component& source, Split split, std::uint64_t seed) {
  return std::make_unique<Synthetic>(source.get<std::int64_t>("samples"),
                                     source.get<std::int64_t>("features"),
                                     source.get<std::int64_t>("num_classes"), split, seed);
}

}  // namespace ddp::trainer
