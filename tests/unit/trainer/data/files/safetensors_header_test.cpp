#include "trainer/data/files/safetensors_header.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::trainer {
namespace {

std::string fault_of_header(const std::filesystem::path& file) {
  const auto entries = read_safetensors_header(file);
  return entries ? "none" : entries.error();
}

TEST(SafetensorsHeader, AFileThatCannotBeReadIsNotCalledDamaged) {
  // Nothing is mapped at its start, so a read of that fails as on a broken disk.
  EXPECT_EQ(fault_of_header("/proc/self/mem"), "cannot be read: Input/output error");
  EXPECT_EQ(fault_of_header("/nowhere"), "cannot be read: No such file or directory");
  EXPECT_EQ(fault_of_header("/"), "cannot be read: it is a folder");
}

/// In quadratic time this takes minutes.
TEST(SafetensorsHeader, MayNameManyTensors) {
  constexpr int kTensors = 300'000;
  std::string text;
  for (int tensor = kTensors; tensor-- > 0;)
    text += (text.empty() ? "{" : ",") + ("\"t" + std::to_string(tensor)) +
            "\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[" + std::to_string(tensor) + "," +
            std::to_string(tensor + 1) + "]}";
  const auto entries = parse_safetensors_header(text + "}", 8);
  ASSERT_TRUE(entries) << entries.error();
  ASSERT_EQ(entries->size(), static_cast<std::size_t>(kTensors));
  EXPECT_EQ(entries->front().name, "t299999") << "in the order of the header";
}

TEST(SafetensorsHeader, AFileThatEndsEarlyIs) {
  const TemporaryFolder folder;
  const auto file = folder / "short";
  std::ofstream(file) << "1234";
  EXPECT_EQ(fault_of_header(file),
            "is not a valid safetensors file: it is shorter than the length of its header");
}

}  // namespace
}  // namespace ddp::trainer
