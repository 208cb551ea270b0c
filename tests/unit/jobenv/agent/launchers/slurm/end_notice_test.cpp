#include "jobenv/agent/launchers/slurm/end_notice.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::agent {
namespace {

/// As slurmstepd of Slurm 22.05 writes it.
std::string notice(const std::string& subject, const std::string& reason) {
  return "slurmstepd-node1: error: *** " + subject + " ON node1 CANCELLED AT 2026-11-21T23:06:42" + reason +
         " ***\n";
}

TEST(EndNotice, GivesSlurmsReason) {
  EXPECT_EQ(parse_end_notice(notice("JOB 7", " DUE TO PREEMPTION")), EndNotice::preempted);
  EXPECT_EQ(parse_end_notice(notice("JOB 7", " DUE TO JOB REQUEUE")), EndNotice::requeued);
  EXPECT_EQ(parse_end_notice(notice("JOB 7", " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")),
            EndNotice::node_failed);
  EXPECT_EQ(parse_end_notice(notice("JOB 7", " DUE TO TIME LIMIT")), EndNotice::time_limit);
  EXPECT_EQ(parse_end_notice(notice("JOB 7", "")), EndNotice::cancelled);
  EXPECT_EQ(parse_end_notice(notice("JOB 7", " DUE to SIGNAL Terminated")), EndNotice::cancelled);
}

TEST(EndNotice, IsOfTheJobAndIsTheLastOne) {
  EXPECT_EQ(parse_end_notice(notice("STEP 7.0", " DUE TO PREEMPTION")), std::nullopt);
  EXPECT_EQ(parse_end_notice("started\n" + notice("JOB 7", " DUE TO PREEMPTION") + notice("STEP 7.0", "") +
                             "srun: forcing job termination\n"),
            EndNotice::preempted);
  EXPECT_EQ(parse_end_notice(notice("JOB 7", " DUE TO PREEMPTION") + notice("JOB 7", "")),
            EndNotice::cancelled);
}

TEST(EndNotice, IsNoneWhereTheWordsAreOthers) {
  for (const auto* text : {"", "*** JOB 7", "*** JOB 7 ON node1 CANCELLED AT ",
                           "*** JOB 7 ON node1 CANCELLED AT 2026-11-21T23:06:42 DUE TO FLOOD ***",
                           "*** JOB 7 STEPD TERMINATED ON node1 AT now DUE TO JOB NOT RUNNING ***"})
    EXPECT_EQ(parse_end_notice(text), std::nullopt) << text;
}

TEST(EndNotice, OfAnEarlierStartOfTheJobDoesNotCount) {
  const TemporaryFolder folder;
  const auto path = folder / "slurm-7.out";
  std::ofstream(path) << notice("JOB 7", " DUE TO PREEMPTION");
  const EndNoticeReader reader(path);
  EXPECT_EQ(reader.read(), std::nullopt);
  std::ofstream(path, std::ios::app) << "started\n" << notice("JOB 7", " DUE TO JOB REQUEUE");
  EXPECT_EQ(reader.read(), EndNotice::requeued);
  EXPECT_EQ(EndNoticeReader().read(), std::nullopt);
}

}  // namespace
}  // namespace ddp::agent
