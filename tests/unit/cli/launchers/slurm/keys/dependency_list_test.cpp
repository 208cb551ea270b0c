#include "cli/launchers/slurm/keys/dependency_list.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

std::string judge_dependency(std::string_view list) {
  const auto checked = check_dependency(list);
  return checked ? "good" : checked.error().message + "; " + checked.error().hint;
}

TEST(DependencyList, HasTheFormsOfSlurm) {
  for (const char* list :
       {"singleton", "afterok:12", "afterok:12:13", "afterany:12_3", "aftercorr:12", "after:12+5:13",
        "afternotok:12_*", "afterok:12,singleton", "afterok:12?afterany:13", "afterburstbuffer:1"})
    EXPECT_EQ(judge_dependency(list), "good") << list;
}

TEST(DependencyList, WhatSlurmWouldRefuseIsRefused) {
  EXPECT_EQ(judge_dependency("aftrok:12"),
            "'aftrok:12' is not a dependency that Slurm accepts: it does not begin with a type; did you mean "
            "'afterok'?");
  EXPECT_EQ(judge_dependency("12"),
            "'12' is not a dependency that Slurm accepts: it does not begin with a type; write afterok:123");
  EXPECT_EQ(judge_dependency("afterok"),
            "'afterok' is not a dependency that Slurm accepts: it does not name a job; write afterok:123");
  EXPECT_EQ(judge_dependency("afterok:a1"),
            "'afterok:a1' is not a dependency that Slurm accepts: 'a1' is not the id of a job; write "
            "afterok:123 or afterok:123_4");
  for (const char* list : {"", "afterok:", "afterok:0", "afterok:12,", "afterok:12+5", "after:12+",
                           "afterok:1_", "afterok:12 ", "singleton:1", "AFTEROK:12"})
    EXPECT_NE(judge_dependency(list), "good") << list;
}

TEST(DependencyList, HasOneKindOfSeparator) {
  EXPECT_EQ(judge_dependency("afterok:1?afterok:2,singleton"),
            "the dependency mixes ',' and '?', but Slurm applies the last one to all parts; write ',' if all "
            "parts must be fulfilled, '?' if one is enough");
}

TEST(DependencyList, WaitsForAnotherJobBesides) {
  EXPECT_EQ(add_end_of_job("", "7"), "afterany:7");
  EXPECT_EQ(add_end_of_job("afterok:3,singleton", "7"), "afterany:7,afterok:3,singleton");
  EXPECT_EQ(add_end_of_job("afterok:3?afterok:4", "7"), "afterany:7");
}

}  // namespace
}  // namespace ddp::cli
