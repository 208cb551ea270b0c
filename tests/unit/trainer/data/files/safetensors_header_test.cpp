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

TEST(SafetensorsHeader, AFileThatEndsEarlyIs) {
  const TemporaryFolder folder;
  const auto file = folder / "short";
  std::ofstream(file) << "1234";
  EXPECT_EQ(fault_of_header(file),
            "is not a valid safetensors file: it is shorter than the length of its header");
}

}  // namespace
}  // namespace ddp::trainer
