#include "trainer/app/failure.hpp"

#include <c10/util/Exception.h>
#include <gloo/common/error.h>
#include <gtest/gtest.h>

#include "ddp/jobenv/rank_contract.hpp"
#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/loop/resume.hpp"

namespace ddp::trainer {
namespace {

template <class Thrown>
Failure failure_of(const Thrown& thrown) {
  return describe_failure(std::make_exception_ptr(thrown));
}

TEST(Failure, HasTheExitCodeOfItsKind) {
  EXPECT_EQ(failure_of(std::runtime_error("x")).exit_code, 1);
  EXPECT_EQ(failure_of(CheckpointMismatch("x")).exit_code, 3);
  EXPECT_EQ(failure_of(InvalidConfiguration("x")).exit_code, 3);
  EXPECT_EQ(failure_of(std::invalid_argument("x")).exit_code, 1);  // of anybody's code
  EXPECT_EQ(failure_of(NoValidCheckpoint("x")).exit_code, 9);
  EXPECT_EQ(failure_of(gloo::IoException("x")).exit_code, kExitPeerLost);
  EXPECT_EQ(failure_of(c10::DistNetworkError({}, "x")).exit_code, kExitPeerLost);
  EXPECT_EQ(failure_of(c10::Error({}, "x")).exit_code, 1);
  EXPECT_EQ(failure_of(42).exit_code, 1);
}

TEST(Failure, KeepsTheMessage) {
  EXPECT_EQ(failure_of(std::runtime_error("disk full")).message, "disk full");
  EXPECT_NE(failure_of(gloo::IoException("reset by peer")).message.find("reset by peer"), std::string::npos);
}

TEST(Failure, OfTheDeviceThatAWatchdogFindsIsOneOfThisRank) {
  const Failure failure = failure_of(c10::DistBackendError(
      {},
      "[Rank 1] Process group watchdog thread terminated with exception: CUDA error: an illegal memory "
      "access was encountered\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n\n"
      "Exception raised from c10_cuda_check_implementation at CUDAException.cpp:43\nframe #0: c10::Error"));
  EXPECT_EQ(failure.exit_code, 1);
  EXPECT_EQ(failure.message,
            "[Rank 1] Process group watchdog thread terminated with exception: CUDA error: an illegal memory "
            "access was encountered\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.");
}

TEST(Failure, OfACollectiveThatAWatchdogGivesUpIsALostPeer) {
  const Failure failure = failure_of(c10::DistBackendError(
      {},
      "[Rank 0] Process group watchdog thread terminated with exception: [Rank 0] Watchdog caught "
      "collective operation timeout: WorkNCCL(SeqNum=7)\nException raised from checkTimeout at x.cpp:1"));
  EXPECT_EQ(failure.exit_code, kExitPeerLost);
  EXPECT_EQ(
      failure.message,
      "another rank has exited or does not respond: [Rank 0] Process group watchdog thread terminated with "
      "exception: [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)");
}

}  // namespace
}  // namespace ddp::trainer
