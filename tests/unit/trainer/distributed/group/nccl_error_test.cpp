#include "trainer/distributed/group/nccl_error.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

TEST(NcclError, OfTheDeviceIsNotOneOfAPeer) {
  EXPECT_TRUE(is_cuda_failure("terminated with exception: CUDA error: uncorrectable ECC error encountered"));
  EXPECT_TRUE(is_cuda_failure("ncclUnhandledCudaError: Call to CUDA function failed."));
  EXPECT_FALSE(is_cuda_failure("Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)"));
  EXPECT_FALSE(is_cuda_failure("ncclRemoteError: A call failed possibly due to a network error"));
}

TEST(NcclError, TellsWhetherAPeerIsMissing) {
  EXPECT_TRUE(
      is_missing_peer("got error: wait timeout after 1000ms. This may indicate a possible application "
                      "crash on rank 0 or a network set up issue."));
  EXPECT_TRUE(is_missing_peer("ncclRemoteError: A call failed possibly due to a network error"));
  EXPECT_FALSE(is_missing_peer("ncclUnhandledCudaError: Call to CUDA function failed."));
}

TEST(NcclError, LosesItsBacktrace) {
  EXPECT_EQ(cut_backtrace("out of memory\n\nException raised from check at CUDAException.cpp:43"),
            "out of memory");
  EXPECT_EQ(cut_backtrace("out of memory"), "out of memory");
  EXPECT_EQ(cut_backtrace("Exception raised from check"), "");
}

}  // namespace
}  // namespace ddp::trainer
