#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/component.hpp"
#include "trainer/data/datasets/datasets.hpp"

namespace ddp::trainer {
namespace {

using testing::HasSubstr;

const char* const kDebianRoot = "/usr/share/datasets/fashion-mnist";

std::string header(std::initializer_list<int> extents) {
  std::string text("\0\0\x08", 3);
  text += static_cast<char>(extents.size());
  for (const int extent : extents)
    text += {0, 0, static_cast<char>(extent / 256), static_cast<char>(extent % 256)};
  return text;
}

Component fashion_mnist(const std::string& root, bool normalize) {
  return make_component(bundled_schemas().datasets, "fashion_mnist",
                        {{"root", root}, {"normalize", normalize}});
}

Component synthetic(std::int64_t samples, std::int64_t features, std::int64_t classes) {
  return {"synthetic", {{"samples", samples}, {"features", features}, {"num_classes", classes}}};
}

Batch gather(const Dataset& data, const std::vector<std::int64_t>& indices) {
  return data.gather(indices, 0);
}

std::string error_of(const Component& source) {
  try {
    (void)make_dataset(source, Split::train, 0);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// Three images: image k has pixels k, k + 1, ... modulo 256 and the label 9 - k.
class SmallFashionMnist : public testing::Test {
 protected:
  SmallFashionMnist() {
    std::string pixels;
    for (int image = 0; image < 3; ++image) {
      for (int i = 0; i < 784; ++i) pixels += static_cast<char>(image + i);
    }
    write("train-images-idx3-ubyte", header({3, 28, 28}) + pixels);
    write("train-labels-idx1-ubyte", header({3}) + "\x09\x08\x07");
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  [[nodiscard]] std::unique_ptr<Dataset> make(bool normalize) const {
    return make_dataset(fashion_mnist(folder_.path(), normalize), Split::train, 0);
  }

  TemporaryFolder folder_;
};

/// The pixels of image k as torchvision's ToTensor makes them.
torch::Tensor to_tensor(int image) {
  const auto levels = at::arange(image, image + 784).remainder(256).to(torch::kUInt8);
  return levels.to(torch::kFloat32).div(255).view({1, 28, 28});
}

TEST_F(SmallFashionMnist, EqualsToTensorAndNormalizeBitForBit) {
  const auto mean = torch::tensor({0.2860}, torch::kFloat32).view({1, 1, 1});
  const auto deviation = torch::tensor({0.3530}, torch::kFloat32).view({1, 1, 1});
  const Batch plain = gather(*make(false), {2, 0, 2});
  const Batch normalized = gather(*make(true), {2, 0, 2});
  ASSERT_EQ(plain.inputs.sizes(), (std::vector<std::int64_t>{3, 1, 28, 28}));
  const int images[] = {2, 0, 2};
  for (int i = 0; i < 3; ++i) {
    const auto expected = to_tensor(images[i]);
    EXPECT_TRUE(plain.inputs[i].equal(expected));
    EXPECT_TRUE(normalized.inputs[i].equal(expected.clone().sub_(mean).div_(deviation)));
  }
  EXPECT_TRUE(plain.targets.equal(torch::tensor({7, 9, 7}, torch::kInt64)));
}

TEST_F(SmallFashionMnist, RefusesAnIndexOutside) {
  const auto data = make(true);
  EXPECT_EQ(data->size(), 3);
  EXPECT_THROW(gather(*data, {0, 3}), std::out_of_range);
  EXPECT_THROW(gather(*data, {-1}), std::out_of_range);
}

TEST_F(SmallFashionMnist, RefusesFilesThatDoNotFit) {
  write("train-labels-idx1-ubyte", header({2}) + "\x01\x02");
  EXPECT_THAT(error_of(fashion_mnist(folder_.path(), true)), HasSubstr("with one label each"));
  write("train-labels-idx1-ubyte", header({3}) + "\x01\x02\x0A");
  EXPECT_THAT(error_of(fashion_mnist(folder_.path(), true)), HasSubstr("not all below 10"));
}

TEST_F(SmallFashionMnist, SaysHowToGetWhatIsMissing) {
  std::filesystem::remove(folder_ / "train-labels-idx1-ubyte");
  EXPECT_THAT(error_of(fashion_mnist(folder_.path(), true)),
              testing::AllOf(HasSubstr("train-labels-idx1-ubyte"), HasSubstr(folder_.path().string()),
                             HasSubstr("dataset-fashion-mnist"), HasSubstr("train.data.root")));
}

TEST_F(SmallFashionMnist, HasTheFormOfMnist) {
  const auto mnist = [&](const std::string& root) {
    return make_component(bundled_schemas().datasets, "mnist", {{"root", root}, {"normalize", false}});
  };
  const auto data = make_dataset(mnist(folder_.path()), Split::train, 0);
  EXPECT_TRUE(gather(*data, {1}).inputs[0].equal(to_tensor(1)));
  EXPECT_THAT(error_of(mnist("/nowhere")), testing::AllOf(HasSubstr("MNIST is not in '/nowhere'"),
                                                          HasSubstr("MNIST/raw"), HasSubstr("torchvision")));
}

TEST(FashionMnist, ReadsDebiansFiles) {
  if (!std::filesystem::exists(kDebianRoot))
    GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed";
  const auto train = make_dataset(fashion_mnist(kDebianRoot, true), Split::train, 0);
  const auto test = make_dataset(fashion_mnist(kDebianRoot, true), Split::test, 0);
  EXPECT_EQ(train->size(), 60000);
  EXPECT_EQ(test->size(), 10000);
  std::vector<std::int64_t> all(10000);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  const Batch batch = gather(*test, all);
  EXPECT_TRUE(batch.targets.bincount().equal(at::full({10}, 1000)));
  EXPECT_NEAR(batch.inputs.mean().item<double>(), 0.0, 0.01);
  EXPECT_NEAR(batch.inputs.std().item<double>(), 1.0, 0.01);
}

TEST(Synthetic, DependsOnSeedAndSplitOnly) {
  const Component source = synthetic(40, 5, 3);
  const std::vector<std::int64_t> some{0, 7, 39};
  const auto inputs = [&](Split split, std::uint64_t seed) {
    return gather(*make_dataset(source, split, seed), some).inputs;
  };
  const auto first = inputs(Split::train, 1);
  EXPECT_EQ(first.sizes(), (std::vector<std::int64_t>{3, 5}));
  EXPECT_TRUE(first.equal(inputs(Split::train, 1)));
  EXPECT_FALSE(first.equal(inputs(Split::train, 2)));
  EXPECT_FALSE(first.equal(inputs(Split::test, 1)));
}

TEST(Synthetic, IsTheSameOnEveryMachine) {
  const Batch batch = gather(*make_dataset(synthetic(4, 1, 2), Split::train, 42), {0, 1, 2, 3});
  // mt19937_64's stream is fixed by the C++ standard; the two centres come first.
  std::mt19937_64 engine(42);
  const auto draw = [&] { return static_cast<double>(engine() >> 40) / (1 << 23) - 1; };
  const double centres[] = {draw(), draw()};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(batch.inputs[i][0].item<float>(), static_cast<float>(centres[i % 2] + draw()));
  }
}

TEST(Synthetic, LeavesTheDefaultGeneratorAlone) {
  at::manual_seed(3);
  const auto expected = at::rand({4});
  at::manual_seed(3);
  gather(*make_dataset(synthetic(8, 2, 2), Split::train, 1), {0});
  EXPECT_TRUE(at::rand({4}).equal(expected));
}

TEST(Synthetic, CanBeLearned) {
  constexpr std::int64_t kSamples = 200;
  std::vector<std::int64_t> all(kSamples);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  const Component source = synthetic(kSamples, 64, 10);
  const Batch train = gather(*make_dataset(source, Split::train, 5), all);
  const Batch test = gather(*make_dataset(source, Split::test, 5), all);
  const auto centres = at::zeros({10, 64}).index_add(0, train.targets, train.inputs) / (kSamples / 10);
  const auto nearest = at::cdist(test.inputs, centres).argmin(1);
  EXPECT_GT(nearest.eq(test.targets).sum().item<std::int64_t>(), kSamples * 95 / 100);
}

TEST(Datasets, RefuseANameWithoutFactory) {
  EXPECT_THROW((void)make_dataset({"nonesuch", {}}, Split::train, 0), std::logic_error);
}

}  // namespace
}  // namespace ddp::trainer
