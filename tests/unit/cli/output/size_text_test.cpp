#include "cli/output/size_text.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(SizeText, HasTheUnitThatFits) {
  EXPECT_EQ(render_file_size(0), "0 B");
  EXPECT_EQ(render_file_size(4096), "4 KiB");
  EXPECT_EQ(render_file_size(std::uint64_t{3} << 19), "1.5 MiB");
  EXPECT_EQ(render_file_size(std::uint64_t{12} << 30), "12.0 GiB");
  EXPECT_EQ(render_file_size(std::uint64_t{5000} << 40), "5000.0 TiB");
}

}  // namespace
}  // namespace ddp::cli
