#include "trainer/app/numerics.hpp"

#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "ddp/trainer/invalid_configuration.hpp"

namespace ddp::trainer {
namespace {

const at::Device kCuda(at::kCUDA, 0);

/// LibTorch's settings are those of the process: each test leaves them as it found them.
class Numerics : public testing::Test {
 protected:
  ~Numerics() override {
    context_.setDeterministicAlgorithms(false, false);
    context_.setDeterministicCuDNN(deterministic_cudnn_);
    context_.setBenchmarkCuDNN(benchmark_);
    context_.setAllowTF32CuBLAS(cublas_);
    context_.setAllowTF32CuDNN(cudnn_);
  }

  at::Context& context_ = at::globalContext();

 private:
  bool deterministic_cudnn_ = context_.deterministicCuDNN();
  bool benchmark_ = context_.benchmarkCuDNN();
  bool cublas_ = context_.allowTF32CuBLAS();
  bool cudnn_ = context_.allowTF32CuDNN();
};

TEST_F(Numerics, StayAsPythonHasThem) {
  set_numerics({}, at::kCPU, {});
  EXPECT_FALSE(context_.deterministicAlgorithms());
  EXPECT_FALSE(context_.allowTF32CuBLAS());
  EXPECT_TRUE(context_.allowTF32CuDNN());
}

TEST_F(Numerics, Tf32IsOfMatricesAndConvolutions) {
  TrainConfig config;
  for (const bool tf32 : {true, false}) {
    config.tf32 = tf32;
    set_numerics(config, kCuda, {});
    EXPECT_EQ(context_.allowTF32CuBLAS(), tf32);
    EXPECT_EQ(context_.allowTF32CuDNN(), tf32);
  }
}

TEST_F(Numerics, DeterministicMeansErrorsNotWarnings) {
  TrainConfig config;
  config.deterministic = true;
  context_.setBenchmarkCuDNN(true);
  set_numerics(config, at::kCPU, {});
  EXPECT_TRUE(context_.deterministicAlgorithms());
  EXPECT_FALSE(context_.deterministicAlgorithmsWarnOnly());
  EXPECT_TRUE(context_.deterministicCuDNN());
  EXPECT_FALSE(context_.benchmarkCuDNN());
}

TEST_F(Numerics, DeterministicOnCudaNeedsAVariable) {
  TrainConfig config;
  config.deterministic = true;
  EnvMap environment;
  const auto refusal = [&]() -> std::string {
    try {
      set_numerics(config, kCuda, environment);
      return {};
    } catch (const InvalidConfiguration& refused) {
      return refused.what();
    }
  };
  EXPECT_THAT(refusal(), testing::HasSubstr("CUBLAS_WORKSPACE_CONFIG=:4096:8 (or :16:8, which is slower), "
                                            "but it is not set; add environment: {set: {CUBLAS_WORKSPACE"));
  environment.set("CUBLAS_WORKSPACE_CONFIG", ":0:0");
  EXPECT_THAT(refusal(), testing::HasSubstr("but it is ':0:0'"));
  EXPECT_FALSE(context_.deterministicAlgorithms());
  environment.set("CUBLAS_WORKSPACE_CONFIG", ":16:8");
  EXPECT_EQ(refusal(), "");
  EXPECT_TRUE(context_.deterministicAlgorithms());
}

}  // namespace
}  // namespace ddp::trainer
