#include "cli/launchers/slurm/query/partition_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PartitionNames, AreEachOnceAndSorted) {
  EXPECT_THAT(parse_partition_names("long \nshort\nlong\n\ngpu"), ElementsAre("gpu", "long", "short"));
  EXPECT_THAT(parse_partition_names(""), IsEmpty());
}

}  // namespace
}  // namespace ddp::cli
