#include "jobenv/record/run_folder.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

class RunFolderTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(run_.create()); }

  TemporaryFolder home_;
  RunFolder run_{home_ / "runs" / "mnist-0a1b2c3d"};
};

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  stat(path.c_str(), &status);
  return status.st_mode & 0777U;
}

TEST_F(RunFolderTest, IsPrivateAndMadeOnce) {
  for (const auto& path : {run_.root(), run_.ledger(), run_.attempts(), run_.head_log().parent_path()}) {
    EXPECT_EQ(mode_of(path), 0700U) << path;
  }
  EXPECT_EQ(run_.run_id(), "mnist-0a1b2c3d");
  const auto again = run_.create();
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("File exists"), std::string::npos) << again.error().message;
}

TEST_F(RunFolderTest, TheNextAttemptOfAHeadIsItsOwnOrNobodys) {
  ASSERT_EQ(run_.claim_attempt("n0", "", 0), 0);
  EXPECT_EQ(run_.claim_attempt_after(0, "n1", "", 0), 1);
  const auto late = run_.claim_attempt_after(0, "n2", "", 0);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ExitCode::still_running);
  EXPECT_NE(late.error().message.find("claimed by another head"), std::string::npos);
  EXPECT_EQ(run_.highest_attempt(), 1);
}

TEST_F(RunFolderTest, AClaimThatCannotBeSavedIsNone) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit full{0, before.rlim_max};
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &full);
  const auto claimed = run_.claim_attempt("n0", "", 0);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  ASSERT_FALSE(claimed);
  EXPECT_EQ(claimed.error().code, ExitCode::run_failed);
  EXPECT_EQ(run_.highest_attempt(), -1);
}

TEST_F(RunFolderTest, AttemptsCountFromZero) {
  EXPECT_EQ(run_.highest_attempt(), -1);
  EXPECT_EQ(run_.claim_attempt("n0", "", 0), 0);
  EXPECT_EQ(run_.claim_attempt("n1", "17", 2), 1);
  EXPECT_EQ(run_.highest_attempt(), 1);
  const auto claim = nlohmann::json::parse(*load_file(run_.claim(1)));
  EXPECT_EQ(claim.at("attempt"), 1);
  EXPECT_EQ(claim.at("nonce"), "n1");
  EXPECT_EQ(claim.at("job_id"), "17");
  EXPECT_EQ(claim.at("restart_count"), 2);
}

TEST_F(RunFolderTest, ForeignNamesAreNoAttempts) {
  for (const char* name : {"01", "-1", "+3", "7x", "x", "99999999999999", " 5"}) {
    std::filesystem::create_directory(run_.attempts() / name);
  }
  EXPECT_EQ(run_.highest_attempt(), -1);
  std::filesystem::create_directory(run_.attempt(10));
  std::filesystem::create_directory(run_.attempt(9));
  EXPECT_EQ(run_.highest_attempt(), 10);
}

TEST_F(RunFolderTest, NoHeadCanComeToSuchANumber) {
  std::filesystem::create_directory(run_.attempt(std::numeric_limits<int>::max()));
  const auto claimed = run_.claim_attempt("n", "", 0);
  ASSERT_FALSE(claimed);
  EXPECT_EQ(claimed.error().message, run_.attempt(std::numeric_limits<int>::max()).string() +
                                         " is not an attempt that a head has claimed");
  std::filesystem::remove_all(run_.attempts());
  const auto nowhere = run_.claim_attempt("n", "", 0);
  ASSERT_FALSE(nowhere);
  EXPECT_TRUE(nowhere.error().message.starts_with("cannot list " + run_.attempts().string()))
      << nowhere.error().message;
}

TEST_F(RunFolderTest, WithoutARunFolderThereIsNothingToClaim) {
  const RunFolder none(home_ / "none");
  ASSERT_FALSE(none.highest_attempt());
  EXPECT_EQ(none.highest_attempt().error().code, ExitCode::not_found);
  EXPECT_FALSE(none.claim_attempt("n", "", 0));
}

/// What the processes of the race share.
struct Race {
  std::atomic<int> ready = 0;
  std::atomic<bool> go = false;
};

TEST_F(RunFolderTest, OfManyHeadsAtOnceEachAttemptHasOneWinner) {
  constexpr int kHeads = 8;
  constexpr int kRounds = 20;
  void* memory = mmap(nullptr, sizeof(Race), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int round = 0; round < kRounds; ++round) {
    Race& race = *new (memory) Race;
    std::set<pid_t> heads;
    for (int head = 0; head < kHeads; ++head) {
      const pid_t pid = fork();
      if (pid == 0) {
        ++race.ready;
        while (!race.go) {
        }
        const auto claimed = run_.claim_attempt("head-" + std::to_string(getpid()), "", 0);
        _exit(claimed ? 0 : 1);
      }
      heads.insert(pid);
    }
    while (race.ready < kHeads) usleep(100);
    const int before = run_.highest_attempt().value();
    race.go = true;
    std::set<std::string> winners;
    for (const pid_t pid : heads) {
      int status = 0;
      ASSERT_EQ(waitpid(pid, &status, 0), pid);
      if (status == 0) winners.insert("head-" + std::to_string(pid));
    }
    const int after = run_.highest_attempt().value();
    ASSERT_FALSE(winners.empty());
    ASSERT_EQ(after - before, static_cast<int>(winners.size())) << "two heads won the same attempt";
    std::set<std::string> claimants;
    for (int attempt = before + 1; attempt <= after; ++attempt) {
      claimants.insert(nlohmann::json::parse(*load_file(run_.claim(attempt))).at("nonce"));
    }
    ASSERT_EQ(claimants, winners);
  }
  munmap(memory, sizeof(Race));
}

}  // namespace
}  // namespace ddp
