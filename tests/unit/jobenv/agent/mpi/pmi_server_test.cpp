#include "jobenv/agent/mpi/pmi_server.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

/// A server of two ranks of four; the test writes and reads at their ends.
class PmiService : public testing::Test {
 protected:
  void SetUp() override {
    loop_ = EventLoop::create({}, [](int) {}).value();
    server_.emplace(*loop_, PmiJob{"job-7", 2, 2},
                    PmiServer::Handlers{[this](const PmiPairs& pairs) { puts_.push_back(pairs); },
                                        [this] { ++barriers_; },
                                        [this](int rank, const std::string& code) {
                                          aborts_.push_back(std::to_string(rank) + ": " + code);
                                        }});
    for (const int rank : {2, 3}) ends_[rank] = FileDescriptor(dup(server_->add(rank).value()));
    server_->close_rank_ends();
  }

  void write(int rank, const std::string& text) {
    ASSERT_EQ(send(ends_[rank].get(), text.data(), text.size(), MSG_NOSIGNAL), std::ssize(text));
  }
  /// What the rank has been sent, up to and with a newline.
  std::string read_line(int rank) {
    std::string line;
    const auto read_more = [&] {
      char letter = 0;
      while (!line.ends_with('\n') && recv(ends_[rank].get(), &letter, 1, MSG_DONTWAIT) == 1) line += letter;
      return line.ends_with('\n');
    };
    EXPECT_TRUE(run_loop_until(*loop_, read_more)) << line;
    return line;
  }
  std::string ask(int rank, const std::string& request) {
    write(rank, request + "\n");
    return read_line(rank);
  }
  bool is_hung_up(int rank) {
    char letter = 0;
    return run_loop_until(*loop_, [&] { return recv(ends_[rank].get(), &letter, 1, MSG_DONTWAIT) == 0; });
  }

  std::unique_ptr<EventLoop> loop_;
  std::optional<PmiServer> server_;
  std::map<int, FileDescriptor> ends_;
  std::vector<PmiPairs> puts_;
  int barriers_ = 0;
  std::vector<std::string> aborts_;
};

TEST_F(PmiService, TellsARankAboutItsJob) {
  EXPECT_EQ(ask(2, "cmd=init pmi_version=1 pmi_subversion=1"),
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
  EXPECT_EQ(ask(2, "cmd=get_my_kvsname"), "cmd=my_kvsname kvsname=job-7 rc=0\n");
  EXPECT_EQ(ask(2, "cmd=get_universe_size"), "cmd=universe_size size=4 rc=0\n");
  EXPECT_EQ(ask(2, "cmd=get_appnum"), "cmd=appnum appnum=0 rc=0\n");
  EXPECT_EQ(ask(2, "cmd=get_maxes"), "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=4096 rc=0\n");
  EXPECT_EQ(ask(2, "cmd=get kvsname=job-7 key=PMI_process_mapping"),
            "cmd=get_result rc=0 msg=success value=(vector,(0,2,2))\n");
  EXPECT_EQ(ask(2, "cmd=finalize"), "cmd=finalize_ack rc=0\n");
}

TEST_F(PmiService, RanksOfOneAgentSeeEachOthersPairsAtOnce) {
  EXPECT_EQ(ask(2, "cmd=put kvsname=job-7 key=a value=1 2"), "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(ask(3, "cmd=get kvsname=job-7 key=a"), "cmd=get_result rc=0 msg=success value=1 2\n");
  EXPECT_EQ(ask(3, "cmd=get kvsname=job-7 key=b"), "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
}

TEST_F(PmiService, RefusesPairsThatItCannotCarry) {
  const std::string refusal = "cmd=put_result rc=-1 msg=invalid_key_or_value\n";
  EXPECT_EQ(ask(2, "cmd=put key= value=1"), refusal);
  EXPECT_EQ(ask(2, "cmd=put key=" + std::string(65, 'k') + " value=1"), refusal);
  EXPECT_EQ(ask(2, "cmd=put key=a value=" + std::string(4097, 'v')), refusal);
  EXPECT_EQ(ask(2, "cmd=put key=a value=\xff"), refusal);
  EXPECT_EQ(ask(2, "cmd=put key=a value=" + std::string(4096, 'v')), "cmd=put_result rc=0 msg=success\n");
}

TEST_F(PmiService, TheBarrierIsThatOfAllAgents) {
  ask(2, "cmd=put key=a value=1");
  ask(3, "cmd=put key=b value=2");
  write(2, "cmd=barrier_in\n");
  EXPECT_EQ(ask(3, "cmd=get_appnum"), "cmd=appnum appnum=0 rc=0\n");
  EXPECT_EQ(barriers_, 0) << "one of its ranks is not there";
  write(3, "cmd=barrier_in\n");
  ASSERT_TRUE(run_loop_until(*loop_, [this] { return barriers_ == 1; }));
  EXPECT_EQ(puts_, (std::vector<PmiPairs>{{{"a", "1"}, {"b", "2"}}}));

  server_->take({{"c", "3"}});
  server_->end_barrier();
  for (const int rank : {2, 3}) {
    EXPECT_EQ(read_line(rank), "cmd=barrier_out rc=0\n");
    EXPECT_EQ(ask(rank, "cmd=get key=c"), "cmd=get_result rc=0 msg=success value=3\n");
  }
  write(2, "cmd=barrier_in\n");
  write(3, "cmd=barrier_in\n");
  ASSERT_TRUE(run_loop_until(*loop_, [this] { return barriers_ == 2; }));
  EXPECT_EQ(puts_.size(), 1U) << "what was put before is known";
}

TEST_F(PmiService, WhatFillsAMessageIsPassedOnAtOnce) {
  const std::string value(4000, 'v');
  std::size_t sent = 0;
  for (int number = 0; sent <= kMaxPmiPiece; ++number, sent += value.size())
    ask(2, "cmd=put key=" + std::to_string(number) + " value=" + value);
  ASSERT_EQ(puts_.size(), 1U);
  EXPECT_LE(size_of(puts_.front()), kMaxPmiPiece);
  EXPECT_EQ(barriers_, 0);
}

TEST_F(PmiService, OfPairsWithTheSameKeyTheLastOneCounts) {
  ask(2, "cmd=put key=a value=1");
  server_->take({{"a", "2"}});
  EXPECT_EQ(ask(3, "cmd=get key=a"), "cmd=get_result rc=0 msg=success value=2\n");
}

TEST_F(PmiService, PassesAnAbortOn) {
  write(3, "cmd=abort exitcode=9\n");
  ASSERT_TRUE(run_loop_until(*loop_, [this] { return !aborts_.empty(); }));
  EXPECT_EQ(aborts_, std::vector<std::string>{"3: 9"});
}

TEST_F(PmiService, RefusesToStartMoreRanks) {
  write(2, "mcmd=spawn\nnprocs=2\nexecname=cmd=abort\n");
  EXPECT_EQ(ask(2, "endcmd"), "cmd=spawn_result rc=-1 msg=ddpsubmit_starts_all_ranks_itself\n");
  EXPECT_TRUE(aborts_.empty());
}

TEST_F(PmiService, AnUnknownRequestIsAnswered) {
  EXPECT_EQ(ask(2, "cmd=publish_name service=x"), "cmd=publish_name_result rc=-1 msg=not_supported\n");
}

TEST_F(PmiService, RequestsMayArriveInPiecesAndTogether) {
  write(2, "cmd=get_app");
  write(2, "num\ncmd=get_universe_size\n");
  EXPECT_EQ(read_line(2), "cmd=appnum appnum=0 rc=0\n");
  EXPECT_EQ(read_line(2), "cmd=universe_size size=4 rc=0\n");
}

TEST_F(PmiService, HangsUpOnWhatIsNotPmi) {
  write(2, std::string(20000, 'x'));
  EXPECT_TRUE(is_hung_up(2));
  EXPECT_EQ(ask(3, "cmd=get_appnum"), "cmd=appnum appnum=0 rc=0\n") << "the others stay";
}

TEST_F(PmiService, ARankThatHasEndedIsForgotten) {
  ends_[2] = FileDescriptor();
  EXPECT_EQ(ask(3, "cmd=get_appnum"), "cmd=appnum appnum=0 rc=0\n");
}

}  // namespace
}  // namespace ddp::agent
