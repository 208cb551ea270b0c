#include "trainer/checkpoint/tensor_files.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/checkpoint/safetensors.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;
using testing::AllOf;
using testing::HasSubstr;

class TensorFilesOf : public testing::Test {
 protected:
  [[nodiscard]] path file(int number) const { return folder_ / (std::to_string(number) + ".safetensors"); }

  /// The next file.
  void save(const std::vector<TensorRows>& pieces) {
    files_.push_back(file(static_cast<int>(files_.size())));
    save_safetensors_shard(files_.back(), pieces);
  }

  /// Rows [begin, end) of `whole_`.
  [[nodiscard]] TensorRows piece(std::int64_t begin, std::int64_t end) const {
    return {.name = "w", .rows = whole_.narrow(0, begin, end - begin), .first = begin, .shape = {7, 3}};
  }

  void write(const std::string& header, std::size_t data_size) {
    files_.push_back(file(static_cast<int>(files_.size())));
    const std::uint64_t length = header.size();
    std::ofstream(files_.back(), std::ios::binary)
        << std::string(reinterpret_cast<const char*>(&length), 8) << header << std::string(data_size, 'x');
  }

  [[nodiscard]] std::string fault() const {
    try {
      (void)TensorFiles(files_).read_all();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  }

  TemporaryFolder folder_;
  std::vector<path> files_;
  const torch::Tensor whole_ = at::arange(21, at::kFloat).view({7, 3});
};

TEST_F(TensorFilesOf, AnyRowsAreRead) {
  save({piece(5, 7), whole_tensor("step", at::full({}, 3.0F))});  // files in any order
  save({piece(0, 1)});
  save({piece(1, 5)});
  const TensorFiles files(files_);
  ASSERT_EQ(files.tensors().size(), 2u);
  EXPECT_EQ(files.tensors()[0].shape, (std::vector<std::int64_t>{7, 3}));
  for (std::int64_t begin = 0; begin <= 7; ++begin) {
    for (std::int64_t end = begin; end <= 7; ++end)
      EXPECT_TRUE(same_tensor(files.read_rows("w", begin, end), whole_.narrow(0, begin, end - begin)));
  }
  EXPECT_TRUE(same_tensor(files.read("w"), whole_));
  EXPECT_TRUE(same_tensor(files.read("step"), at::full({}, 3.0F)));
  EXPECT_TRUE(same_tensors(files.read_all().tensors, {{"w", whole_}, {"step", at::full({}, 3.0F)}}));
}

TEST_F(TensorFilesOf, RowsThatATensorHasNotAreRefused) {
  save({piece(0, 7), whole_tensor("step", at::zeros({}))});
  const TensorFiles files(files_);
  EXPECT_THROW((void)files.read_rows("w", -1, 2), std::invalid_argument);
  EXPECT_THROW((void)files.read_rows("w", 3, 2), std::invalid_argument);
  EXPECT_THROW((void)files.read_rows("w", 0, 8), std::invalid_argument);
  EXPECT_THROW((void)files.read_rows("step", 0, 2), std::invalid_argument);
  EXPECT_THROW((void)files.read_rows("v", 0, 0), std::out_of_range);
  EXPECT_THROW((void)files.read("v"), std::out_of_range);
}

TEST_F(TensorFilesOf, MoreFilesThanAreKeptOpen) {
  const torch::Tensor whole = at::arange(200, at::kLong).view({100, 2});
  for (std::int64_t row = 0; row < 100; ++row)
    save({{.name = "w", .rows = whole.narrow(0, row, 1), .first = row, .shape = {100, 2}}});
  const TensorFiles files(files_);
  EXPECT_TRUE(same_tensor(files.read("w"), whole));
  EXPECT_TRUE(same_tensor(files.read_rows("w", 40, 90), whole.narrow(0, 40, 50)));
}

TEST_F(TensorFilesOf, AGapIsRefused) {
  save({piece(0, 2)});
  save({piece(4, 7)});
  EXPECT_THAT(fault(), HasSubstr("'" + file(1).string() +
                                 "' holds rows of tensor 'w' from 4 on, but no shard holds rows 2 to 3"));
}

TEST_F(TensorFilesOf, AMissingBeginIsRefused) {
  save({piece(2, 7)});
  EXPECT_THAT(fault(), HasSubstr("rows of tensor 'w' from 2 on, but no shard holds rows 0 to 1"));
}

TEST_F(TensorFilesOf, AnOverlapIsRefused) {
  save({piece(0, 4)});
  save({piece(3, 7)});
  EXPECT_THAT(fault(), HasSubstr("'" + file(1).string() +
                                 "' holds rows of tensor 'w' that another shard holds, too: row 3"));
}

TEST_F(TensorFilesOf, TheSameTensorTwiceIsRefused) {
  save({whole_tensor("step", at::zeros({}))});
  save({whole_tensor("step", at::zeros({}))});
  EXPECT_THAT(fault(), HasSubstr("holds rows of tensor 'step' that another shard holds, too: row 0"));
}

TEST_F(TensorFilesOf, PiecesOfDifferentTensorsAreRefused) {
  const std::string of_another =
      "' holds a piece of tensor 'w' with another type or number of dimensions than in '";
  const std::pair<TensorRows, std::string> others[] = {
      {{.name = "w", .rows = at::zeros({1, 3}, at::kDouble), .first = 6, .shape = {7, 3}}, of_another},
      {{.name = "w", .rows = at::zeros({1, 4}), .first = 6, .shape = {7, 4}},
       "' holds a piece of tensor 'w' that is not a number of whole rows"},
      {{.name = "w", .rows = at::zeros({1}), .first = 6, .shape = {7}}, of_another},
      {{.name = "w", .rows = at::zeros({}), .first = 0, .shape = {}}, of_another},
  };
  save({piece(0, 6)});
  for (const auto& [other, what] : others) {
    save({other});
    EXPECT_THAT(fault(), HasSubstr("'" + files_.back().string() + what));
    std::filesystem::remove(files_.back());
    files_.pop_back();
  }
}

TEST_F(TensorFilesOf, OnlyRowsMayBeSplit) {
  write(
      R"({"__metadata__":{"DCP_SHARDING_INFO":"{\"w\":{\"saved_offsets\":[0,2]}}"},"w":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4]}})",
      4);
  EXPECT_THAT(fault(), HasSubstr("holds a piece of tensor 'w' that is not a number of whole rows"));
}

TEST_F(TensorFilesOf, PiecesOfAnySizeThatIsClaimedAreRefused) {
  save({piece(0, 7)});
  write(
      R"({"__metadata__":{"DCP_SHARDING_INFO":"{\"w\":{\"saved_offsets\":[9223372036854775806,0]}}"},"w":{"dtype":"F32","shape":[1,3],"data_offsets":[0,12]}})",
      12);
  EXPECT_THAT(fault(), HasSubstr("no shard holds rows 7 to 9223372036854775805"));
}

TEST_F(TensorFilesOf, UnsupportedTypesAreNamed) {
  write(R"({"w":{"dtype":"I16","shape":[2],"data_offsets":[0,4]}})", 4);
  EXPECT_THAT(fault(),
              AllOf(HasSubstr(file(0).string()), HasSubstr("'w' has type I16, which is not supported")));
}

TEST_F(TensorFilesOf, EmptyTensorsAreRead) {
  save({whole_tensor("none", at::empty({0, 3})),
        {.name = "thin", .rows = at::empty({2, 0}), .first = 0, .shape = {3, 0}}});
  save({{.name = "thin", .rows = at::empty({1, 0}), .first = 2, .shape = {3, 0}}});
  const TensorFiles files(files_);
  EXPECT_TRUE(
      same_tensors(files.read_all().tensors, {{"none", at::empty({0, 3})}, {"thin", at::empty({3, 0})}}));
  EXPECT_EQ(files.read("none").sizes(), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(files.read_rows("thin", 1, 3).sizes(), (std::vector<std::int64_t>{2, 0}));
}

TEST_F(TensorFilesOf, AFileThatBecomesShorterIsAnError) {
  save({piece(0, 7)});
  const TensorFiles files(files_);
  std::filesystem::resize_file(files_[0], std::filesystem::file_size(files_[0]) - 1);
  EXPECT_THROW((void)files.read_rows("w", 6, 7), std::runtime_error);
  EXPECT_TRUE(same_tensor(files.read_rows("w", 0, 6), whole_.narrow(0, 0, 6)));
  EXPECT_THROW((void)files.read_all(), std::runtime_error);
}

TEST_F(TensorFilesOf, AFileThatIsReplacedIsAnError) {
  save({piece(0, 4)});
  save({piece(4, 7)});
  const TensorFiles files(files_);
  const auto replaced_by = [&](const std::vector<TensorRows>& pieces) {
    std::filesystem::remove(files_[1]);
    save_safetensors_shard(files_[1], pieces);
    EXPECT_THAT([&] { (void)files.read_all(); },
                testing::ThrowsMessage<std::runtime_error>(HasSubstr("has changed while it was read")));
  };
  replaced_by({piece(3, 7)});
  replaced_by({});
  replaced_by({whole_tensor("v", whole_)});
  replaced_by({{.name = "w", .rows = at::zeros({3, 3}, at::kHalf), .first = 4, .shape = {7, 3}}});
}

}  // namespace
}  // namespace ddp::trainer
