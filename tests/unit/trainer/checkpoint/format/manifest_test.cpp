#include "trainer/checkpoint/format/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

using testing::HasSubstr;

FileSums two_sums() {
  return {{"a", {.size = 1ULL << 40, .crc32c = 0xdeadbeef}}, {"b", {.size = 0, .crc32c = 7}}};
}

std::string fault_of_manifest(const std::string& text) {
  const auto manifest = parse_manifest(text);
  return manifest ? "none" : manifest.error();
}

TEST(FileSumsText, IsReadAsItWasWritten) {
  EXPECT_EQ(parse_file_sums(render_file_sums(two_sums())), two_sums());
  EXPECT_EQ(parse_file_sums(render_file_sums({})), FileSums());
  for (const char* text :
       {"", "[1]", R"({"a":1})", R"({"a":{"size":-1}})", R"({"a":{"size":1,"crc32c":"x"}})"})
    EXPECT_FALSE(parse_file_sums(text)) << text;
}

TEST(ManifestText, IsReadAsItWasWritten) {
  for (const auto format : {CheckpointFormat::whole, CheckpointFormat::sharded}) {
    const auto text = render_manifest({.format = format, .files = two_sums()});
    EXPECT_THAT(text, HasSubstr(R"("crc32c": "00000007")"));
    const auto manifest = parse_manifest(text);
    ASSERT_TRUE(manifest) << manifest.error();
    EXPECT_EQ(manifest->format, format);
    EXPECT_EQ(manifest->files, two_sums());
  }
}

TEST(ManifestText, SaysWhatIsWrong) {
  EXPECT_EQ(fault_of_manifest("[]"), "is not a JSON object");
  EXPECT_EQ(fault_of_manifest("{"), "is not a JSON object");
  EXPECT_EQ(fault_of_manifest("{}"), "has no format");
  EXPECT_EQ(fault_of_manifest(R"({"format":3})"), "has the format 3, which only a newer version can read");
  EXPECT_EQ(fault_of_manifest(R"({"format":1})"), "names no files");
  EXPECT_EQ(fault_of_manifest(R"({"format":1,"files":[]})"), "names no files");
  for (const char* sum :
       {"1", "{}", R"({"size":1})", R"({"size":-1,"crc32c":"0"})", R"({"size":1,"crc32c":0})",
        R"({"size":1,"crc32c":""})", R"({"size":1,"crc32c":"0x"})", R"({"size":1,"crc32c":"100000000"})"}) {
    EXPECT_EQ(fault_of_manifest(R"({"format":1,"files":{"a":)" + std::string(sum) + "}}"),
              "has no valid size and crc32c for 'a'")
        << sum;
  }
}

TEST(ManifestText, NeverLeadsOutOfTheFolder) {
  for (const char* name : {"", ".", "..", "../model.safetensors", "/model.safetensors", "a/b", "a\\u0000"}) {
    const auto text = R"({"format":1,"files":{")" + std::string(name) + R"(":{"size":1,"crc32c":"0"}}})";
    EXPECT_THAT(fault_of_manifest(text), HasSubstr("has no valid size and crc32c for '")) << name;
  }
}

}  // namespace
}  // namespace ddp::trainer
