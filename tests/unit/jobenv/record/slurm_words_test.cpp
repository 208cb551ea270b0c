#include "jobenv/record/slurm_words.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ddp {
namespace {

// What the programs of each version have printed, in the same order.
constexpr const char* kVersions[] = {"20.11", "22.05", "24.11", "26.05"};

struct Said {
  SlurmSays meaning;
  const char* by_version[4];
};

constexpr const char* kInvalidJob = "slurm_load_jobs error: Invalid job id specified";
constexpr const char* kNoContact =
    "slurm_load_partitions: Unable to contact slurm controller (connect failure)";
constexpr const char* kNotConnected =
    "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)";
constexpr const char* kNoFile = "sinfo: fatal: Unable to process configuration file";
constexpr const char* kNoAccounts = "Slurm accounting storage is disabled";
constexpr const char* kNoRoom = "allocation failure: Resource temporarily unavailable";
constexpr const char* kWaiting =
    "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying";

constexpr const char* kUnknownOption = "srun: unrecognized option '--container-image=a.sqsh'";

constexpr Said kSaid[] = {
    {SlurmSays::unknown_option, {kUnknownOption, kUnknownOption, kUnknownOption, kUnknownOption}},
    {SlurmSays::no_such_job, {kInvalidJob, kInvalidJob, kInvalidJob, kInvalidJob}},
    {SlurmSays::silence, {kNoContact, kNoContact, kNoContact, kNoContact}},
    {SlurmSays::not_reached, {kNotConnected, kNotConnected, kNotConnected, kNotConnected}},
    {SlurmSays::no_configuration, {kNoFile, kNoFile, kNoFile, kNoFile}},
    {SlurmSays::no_accounts, {kNoAccounts, kNoAccounts, kNoAccounts, kNoAccounts}},
    {SlurmSays::queue_is_full, {kNoRoom, kNoRoom, kNoRoom, "allocation failure: MaxJobCount limit reached"}},
    {SlurmSays::waits_for_queue,
     {kWaiting, kWaiting, kWaiting, "sbatch: error: Slurm job queue full, sleeping and retrying"}},
};

TEST(SlurmWords, OfEachVersionAreKnown) {
  for (const auto& [meaning, by_version] : kSaid) {
    for (std::size_t i = 0; i < std::size(kVersions); ++i)
      EXPECT_TRUE(slurm_says(meaning, by_version[i])) << kVersions[i] << ": " << by_version[i];
  }
}

TEST(SlurmWords, AreNotThoseOfSomethingElse) {
  EXPECT_FALSE(slurm_says(SlurmSays::no_such_job, kNoContact));
  EXPECT_FALSE(slurm_says(SlurmSays::queue_is_full, kWaiting));
  EXPECT_FALSE(slurm_says(SlurmSays::waits_for_queue, kNoRoom));
  EXPECT_FALSE(slurm_says(SlurmSays::silence, ""));
}

TEST(SlurmWords, TellWhatStandsBehindTheLastOfThem) {
  constexpr auto kNode = SlurmSays::launch_failed_on;
  EXPECT_EQ(behind_slurm_words(kNode, "a failed on node n1 failed on node n2: why"), "n2: why");
  EXPECT_EQ(behind_slurm_words(kNode, "a failed on node "), "");
  EXPECT_EQ(behind_slurm_words(kNode, "a failed"), std::nullopt);
}

TEST(SlurmWords, NameTheirVersions) {
  std::set<std::pair<SlurmSays, std::string_view>> rows;
  for (const auto& [meaning, words, versions] : slurm_words()) {
    EXPECT_FALSE(words.empty());
    EXPECT_TRUE(versions.ends_with("24.11") || versions.ends_with("26.05")) << words << ": " << versions;
    EXPECT_TRUE(rows.insert({meaning, words}).second) << words;
  }
}

TEST(SlurmVerdict, StandsBehindTheNameOfTheProgram) {
  const std::string failed = "sbatch: error: Batch job submission failed: ";
  EXPECT_EQ(slurm_verdict(failed + "Invalid qos specification"), SlurmSays::invalid_qos);
  EXPECT_EQ(slurm_verdict("allocation failure: Requested node configuration is not available"),
            SlurmSays::no_such_nodes);
  EXPECT_EQ(slurm_verdict(failed + "Job violates accounting/QOS policy (job submit limit, user's size and/or "
                                   "time limits)"),
            SlurmSays::against_policy);
  EXPECT_EQ(slurm_verdict("sbatch: error: lua: Invalid qos specification"), std::nullopt);
  EXPECT_EQ(slurm_verdict(failed + "Unspecified error"), std::nullopt);
  EXPECT_EQ(slurm_verdict(failed + "MaxJobCount limit reached"), std::nullopt) << "it passes";
}

}  // namespace
}  // namespace ddp
