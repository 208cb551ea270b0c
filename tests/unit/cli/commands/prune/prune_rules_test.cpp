#include "cli/commands/prune/prune_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Expected<PruneRules> parse(const std::map<std::string, std::string>& options) {
  Arguments arguments;
  for (const auto& [name, value] : options)
    arguments.add(name, value.empty() ? std::vector<std::string>() : std::vector{value});
  return parse_prune_rules(arguments);
}

TEST(PruneRules, NeedACriterion) {
  const auto rules = parse({});
  ASSERT_FALSE(rules);
  EXPECT_EQ(rules.error().code, ExitCode::usage);
  EXPECT_THAT(rules.error().hint, HasSubstr("--older-than"));
}

TEST(PruneRules, HoldTheValues) {
  const auto rules =
      parse({{"--older-than", "30d"}, {"--keep", "20"}, {"--state", "failed"}, {"--larger-than", "10GiB"}});
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->target, PruneTarget::run_folders);
  EXPECT_EQ(rules->older_than, std::chrono::hours(30 * 24));
  EXPECT_EQ(rules->keep, 20);
  EXPECT_EQ(rules->larger_than, std::uint64_t{10} << 30);
  EXPECT_THAT(rules->filter.states, ElementsAre(RunState::failed));
}

TEST(PruneRules, ANamedRunIsACriterion) {
  EXPECT_EQ(parse({{"RUN", "job"}})->target, PruneTarget::run_folders);
  EXPECT_EQ(parse({{"RUN", "job"}, {"--checkpoints", ""}})->target, PruneTarget::spare_checkpoints);
}

TEST(PruneRules, CheckpointsAreInPlaceOfFolders) {
  EXPECT_EQ(parse({{"--checkpoints", ""}, {"--keep", "2"}})->target, PruneTarget::spare_checkpoints);
}

TEST(PruneRules, GoneAloneDeletesNoFolder) {
  EXPECT_EQ(parse({{"--gone", ""}})->target, PruneTarget::none);
  EXPECT_EQ(parse({{"--gone", ""}, {"--name", "a"}})->target, PruneTarget::none);
  EXPECT_EQ(parse({{"--gone", ""}, {"--older-than", "1d"}})->target, PruneTarget::none);
  EXPECT_EQ(parse({{"--gone", ""}, {"--keep", "1"}}).error().message, "--gone cannot be used with --keep");
}

TEST(PruneRules, AnAgeWithoutAUnitIsMeantInDays) {
  EXPECT_EQ(parse({{"--older-than", "30"}}).error().hint, "add the unit: 30d");
}

TEST(PruneRules, RefuseStatesThatAreNotFinalAndWordsThatAreNoValues) {
  for (const auto& [option, value] : {std::pair{"--state", "running"},
                                      {"--state", "unknown"},
                                      {"--keep", "-1"},
                                      {"--older-than", "soon"},
                                      {"--larger-than", "10"}}) {
    const auto rules = parse({{option, value}});
    ASSERT_FALSE(rules) << option;
    EXPECT_THAT(rules.error().message, HasSubstr(option));
  }
}

}  // namespace
}  // namespace ddp::cli
