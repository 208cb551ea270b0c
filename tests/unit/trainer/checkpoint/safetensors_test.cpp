#include "trainer/checkpoint/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "jobenv/record/files/crc32c.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/same_tensors.hpp"

namespace ddp::trainer {
namespace {

using testing::HasSubstr;

NamedTensors one_of_each_type() {
  at::manual_seed(1);
  return {{"bool", at::rand({3}) > 0.5},
          {"double", at::randn({2, 3}, torch::kFloat64)},
          {"bytes", at::arange(5).to(torch::kUInt8)},
          {"layer1.0.conv1.weight", at::randn({4, 3, 2, 2})},
          {"half", at::randn({3}).to(torch::kFloat16)},
          {"bfloat16", at::randn({3}).to(torch::kBFloat16)},
          {"steps", torch::tensor({-1, 7}, torch::kInt64)},
          {"int", torch::tensor({-5}, torch::kInt32)},
          {"scalar", torch::tensor(std::numeric_limits<float>::quiet_NaN())},
          {"empty", at::empty({0, 4})},
          {"transposed", at::randn({3, 2}).t()}};
}

class Safetensors : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "file.safetensors"; }

  [[nodiscard]] std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(file(), std::ios::binary).rdbuf();
    return text.str();
  }

  void write(const std::string& bytes) { std::ofstream(file(), std::ios::binary) << bytes; }

  /// A file with this header and so many bytes of data.
  void write(const std::string& header, std::size_t data_size) {
    const std::uint64_t length = header.size();
    write(std::string(reinterpret_cast<const char*>(&length), 8) + header + std::string(data_size, 'x'));
  }

  [[nodiscard]] std::string error() const {
    try {
      (void)load_safetensors(file());
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr(file().string()));
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(Safetensors, GivesBackWhatItTook) {
  const NamedTensors tensors = one_of_each_type();
  const FileSum sum = save_safetensors(file(), tensors);
  const LoadedTensors loaded = load_safetensors(file());
  EXPECT_TRUE(same_tensors(loaded.tensors, tensors));
  EXPECT_EQ(loaded.sum, sum);
  const std::string text = bytes();
  EXPECT_EQ(sum.size, text.size());
  EXPECT_EQ(sum.crc32c, crc32c(std::as_bytes(std::span(text))));
}

TEST_F(Safetensors, HoldsNoTensorsToo) {
  save_safetensors(file(), {});
  EXPECT_TRUE(load_safetensors(file()).tensors.empty());
}

TEST_F(Safetensors, WritesTheFormatByteForByte) {
  save_safetensors(file(), {{"b", torch::tensor({1, 2}, torch::kUInt8)}, {"a", torch::tensor({1.0F})}});
  std::string header =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]},)"
      R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  while (header.size() % 8 != 0) header += ' ';
  std::string expected(8, '\0');
  expected[0] = static_cast<char>(header.size());
  EXPECT_EQ(bytes(), expected + header + std::string("\0\0\x80\x3F\1\2", 6));
}

TEST_F(Safetensors, WritesPiecesAsPyTorchReadsThem) {
  save_safetensors_shard(file(), {{.name = "w", .rows = at::ones({2, 1}), .first = 3, .shape = {6, 1}},
                                  {.name = "none", .rows = at::ones({0, 1}), .first = 6, .shape = {6, 1}},
                                  whole_tensor("step", at::zeros({}))});
  std::string header =
      R"({"__metadata__":{"DCP_SHARDING_INFO":"{\"w\":{\"saved_offsets\":[3,0]},\"step\":{\"saved_offsets\":[]}}",)"
      R"("DCP_VERSION":"1.0","format":"pt"},"w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
      R"("step":{"dtype":"F32","shape":[],"data_offsets":[8,12]}})";
  while (header.size() % 8 != 0) header += ' ';
  std::string expected(8, '\0');
  expected[0] = static_cast<char>(header.size() % 256);
  expected[1] = static_cast<char>(header.size() / 256);
  EXPECT_EQ(bytes(), expected + header + std::string("\0\0\x80\x3F\0\0\x80\x3F\0\0\0\0", 12));
  EXPECT_TRUE(
      same_tensors(load_safetensors(file()).tensors, {{"w", at::ones({2, 1})}, {"step", at::zeros({})}}));
}

TEST_F(Safetensors, RefusesPiecesThatAreNoRowsOfTheirTensor) {
  const TensorRows good{.name = "w", .rows = at::ones({2, 3}), .first = 1, .shape = {3, 3}};
  const auto refused = [&](const auto& change) {
    TensorRows piece = good;
    change(piece);
    EXPECT_THROW(save_safetensors_shard(file(), {piece}), std::invalid_argument);
    EXPECT_FALSE(std::filesystem::exists(file()));
  };
  refused([](auto& piece) { piece.first = 2; });
  refused([](auto& piece) { piece.first = -1; });
  refused([](auto& piece) { piece.first = std::numeric_limits<std::int64_t>::max(); });
  refused([](auto& piece) { piece.shape = {3, 4}; });
  refused([](auto& piece) { piece.shape = {3}; });
  refused([](auto& piece) { piece.shape = {}; });
  EXPECT_THROW(save_safetensors_shard(file(), {good, good}), std::invalid_argument);
  save_safetensors_shard(file(), {good});
}

TEST_F(Safetensors, RefusesOffsetsThatMakeNoSense) {
  const auto write_piece = [&](const std::string& metadata) {
    write(R"({"__metadata__":)" + metadata + R"(,"w":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4]}})", 4);
  };
  const auto write_info = [&](const std::string& info) {
    write_piece(R"({"DCP_SHARDING_INFO":")" + info + R"("})");
  };
  for (const char* metadata : {"1", "[]", "null"}) {
    write_piece(metadata);
    EXPECT_THAT(error(), HasSubstr("its __metadata__ is not a JSON object")) << metadata;
  }
  write_piece(R"({"DCP_SHARDING_INFO":{"w":{"saved_offsets":[0,0]}}})");
  EXPECT_THAT(error(), HasSubstr("its DCP_SHARDING_INFO is not the text of a JSON object"));
  for (const char* info : {"", "[]", "{", "1"}) {
    write_info(info);
    EXPECT_THAT(error(), HasSubstr("its DCP_SHARDING_INFO is not the text of a JSON object")) << info;
  }
  for (const char* info : {"{}", R"({\"v\":{\"saved_offsets\":[0,0]}})", R"({\"w\":[0,0]})"}) {
    write_info(info);
    EXPECT_THAT(error(), HasSubstr("'w' has no entry in DCP_SHARDING_INFO")) << info;
  }
  const std::pair<const char*, const char*> cases[] = {
      {R"({\"offsets\":[0,0]})", "'w' has no list saved_offsets"},
      {R"({\"saved_offsets\":0})", "'w' has no list saved_offsets"},
      {R"({\"saved_offsets\":[0,-1]})", "not a whole number"},
      {R"({\"saved_offsets\":[0.5,0]})", "not a whole number"},
      {R"({\"saved_offsets\":[0]})", "saved_offsets that do not fit its shape"},
      {R"({\"saved_offsets\":[0,0,0]})", "saved_offsets that do not fit its shape"},
      {R"({\"saved_offsets\":[9223372036854775806,0]})", "saved_offsets that are too large"},
      {R"({\"saved_offsets\":[18446744073709551615,0]})", "saved_offsets that are too large"},
  };
  for (const auto& [offsets, message] : cases) {
    write_info(std::string(R"({\"w\":)") + offsets + "}");
    EXPECT_THAT(error(), HasSubstr(message)) << offsets;
  }
  write_info(R"({\"w\":{\"saved_offsets\":[9223372036854775805,0],\"more\":1},\"other\":2})");
  EXPECT_EQ(error(), "");
}

TEST_F(Safetensors, RefusesWhatItCannotHold) {
  EXPECT_THROW(save_safetensors(file(), {{"c", at::zeros({1}, torch::kComplexFloat)}}),
               std::invalid_argument);
  EXPECT_THROW(save_safetensors(file(), {{"a", at::zeros({1})}, {"a", at::zeros({1})}}),
               std::invalid_argument);
  EXPECT_THROW(save_safetensors(file(), {{"__metadata__", at::zeros({1})}}), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(Safetensors, OverwritesNothing) {
  write("precious");
  EXPECT_THROW(save_safetensors(file(), {}), std::runtime_error);
  EXPECT_EQ(bytes(), "precious");
}

TEST_F(Safetensors, RefusesEveryTruncation) {
  save_safetensors(file(), one_of_each_type());
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    ASSERT_NE(error(), "") << size;
  }
}

TEST_F(Safetensors, SeesAFlippedBitInEveryByte) {
  const FileSum sum = save_safetensors(file(), one_of_each_type());
  const std::string whole = bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    write(damaged);
    try {
      ASSERT_NE(load_safetensors(file()).sum, sum) << at;
    } catch (const std::runtime_error&) {  // a header that makes no sense: seen as well
    }
  }
}

TEST_F(Safetensors, RefusesLengthsThatTheFileDoesNotHave) {
  write(std::string(8, '\xFF') + "{}");
  EXPECT_THAT(error(), HasSubstr("its header would have 18446744073709551615 bytes"));
  write(R"({"a":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,9223372036854775807]}})", 8);
  EXPECT_THAT(error(), HasSubstr("need 9223372036854775807 bytes, but it holds 8"));
}

TEST_F(Safetensors, RefusesShapesThatOverflow) {
  for (const char* shape : {"[4294967296,4294967296]", "[18446744073709551615]", "[9223372036854775807,3]"}) {
    write(std::string(R"({"a":{"dtype":"F32","shape":)") + shape + R"(,"data_offsets":[0,0]}})", 0);
    EXPECT_THAT(error(), HasSubstr("too large")) << shape;
  }
}

TEST_F(Safetensors, RefusesHeadersThatMakeNoSense) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not a JSON object"},
      {"[]", "not a JSON object"},
      {R"({"a")", "not a JSON object"},
      {R"({"a":1})", "'a' is not a JSON object"},
      {R"({"a":{"shape":[],"data_offsets":[0,4]}})", "unknown dtype ''"},
      {R"({"a":{"dtype":"F31","shape":[],"data_offsets":[0,4]}})", "unknown dtype 'F31'"},
      {R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", "has no list"},
      {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "not a whole number"},
      {R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", "not a whole number"},
      {R"({"a":{"dtype":"F32","shape":[1]}})", "has no list"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", "no [begin, end]"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", "no [begin, end]"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "does not fit"},
      {R"({"a":{"dtype":"U32","shape":[1],"data_offsets":[0,4]}})",
       "'a' has type U32, which is not supported"},
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[1,4]}})", "gap or an overlap before tensor 'a'"},
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", "need 3 bytes, but it holds 4"},
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
       "gap or an overlap before tensor 'b'"},
  };
  for (const auto& [header, message] : cases) {
    write(header, 4);
    EXPECT_THAT(error(), HasSubstr(message)) << header;
  }
}

}  // namespace
}  // namespace ddp::trainer
