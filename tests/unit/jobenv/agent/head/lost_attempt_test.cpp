#include "jobenv/agent/head/lost_attempt.hpp"

#include <gtest/gtest.h>

#include "tests/unit/jobenv/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

class LostAttempt : public testing::Test {
 protected:
  void write(const std::filesystem::path& path, const std::string& text) const {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  void write_exit(int rank, std::optional<std::uint64_t> last_step) const {
    ExitRecord record;
    record.rank = rank;
    record.code = 1;
    record.last_step = last_step;
    write(run_.folder().exit_record(0, rank), to_json(record).dump());
  }

  RunFixture run_;
};

TEST_F(LostAttempt, CountsTheStepsAfterTheCheckpoint) {
  write(run_.folder().metrics(),
        "{\"attempt\":0,\"step\":150}\n{\"attempt\":1,\"step\":900}\n{\"attempt\":0,\"st");
  const auto fields = describe_lost_attempt(run_.folder(), 0, {}, 100);
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields_of(*fields).at("outcome"), "lost");
  EXPECT_EQ(fields_of(*fields).at("last_step"), 150);
  EXPECT_EQ(fields_of(*fields).at("lost_steps"), 50);
  write_exit(2, 160);
  write_exit(1, std::nullopt);
  write(run_.folder().exit_record(0, 0), R"({"last_step": 999, "pi)");
  EXPECT_EQ(fields_of(*describe_lost_attempt(run_.folder(), 0, {}, 100)).at("lost_steps"), 60);
}

TEST_F(LostAttempt, OfACommandHasLostWhatOnlyTheNextAttemptShows) {
  write(run_.folder().metrics(), "{\"attempt\":0,\"step\":150}\n");
  const auto fields = describe_lost_attempt(run_.folder(), 0, {}, std::nullopt);
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->last_step, 150);
  EXPECT_EQ(fields->lost_steps, std::nullopt);
}

TEST_F(LostAttempt, HasLostNothingThatIsKnownOf) {
  const auto fields = describe_lost_attempt(run_.folder(), 0, {}, 0);
  ASSERT_TRUE(fields);
  EXPECT_TRUE(fields_of(*fields).at("last_step").is_null());
  EXPECT_EQ(fields_of(*fields).at("lost_steps"), 0);
}

TEST_F(LostAttempt, IsOneWithoutItsEnd) {
  EXPECT_FALSE(describe_lost_attempt(run_.folder(), -1, {}, 0)) << "this one is the first";
  EXPECT_FALSE(describe_lost_attempt(run_.folder(), 3, {{{}, "attempt_ended", {{"attempt", 3}}}}, 0));
  EXPECT_TRUE(describe_lost_attempt(run_.folder(), 3, {{{}, "attempt_ended", {{"attempt", 2}}}}, 0));
}

}  // namespace
}  // namespace ddp::agent
