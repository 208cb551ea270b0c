#include "jobenv/record/files/base64.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

/// RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  const std::pair<const char*, const char*> kVectors[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}};
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(encode_base64(bytes), text);
    EXPECT_EQ(decode_base64(text), bytes);
  }
}

TEST(Base64, AnyBytesComeBack) {
  std::string bytes;
  for (int i = 0; i < 1'000; ++i) {
    bytes += static_cast<char>(i * 37);
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
  }
}

TEST(Base64, OtherTextIsRefused) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg==Zg==", "====", "Z===", "Zm9\n", "Zm-_", "Zm9v "})
    EXPECT_FALSE(decode_base64(text)) << text;
}

}  // namespace
}  // namespace ddp
