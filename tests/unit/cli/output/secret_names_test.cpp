#include "cli/output/secret_names.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(SecretNames, AreToldByTheirWords) {
  for (const auto* name : {"HF_TOKEN", "WANDB_API_KEY", "db_password", "AWS_SECRET_ACCESS_KEY",
                           "SLACK_WEBHOOK_URL", "SSH_PASSPHRASE", "DB_PASS", "api-key", "KEY"})
    EXPECT_EQ(secret_suspicion_of(name), SecretSuspicion::likely) << name;
}

TEST(SecretNames, MayHoldAWordByChance) {
  for (const auto* name : {"AUTHOR", "MONKEY", "KEYS", "passes", "CERT_DIR", "SLURM_JWT"})
    EXPECT_EQ(secret_suspicion_of(name), SecretSuspicion::possible) << name;
}

TEST(SecretNames, AreNotThoseOfOtherVariables) {
  for (const auto* name : {"OMP_NUM_THREADS", "NCCL_DEBUG", "learning_rate", ""})
    EXPECT_EQ(secret_suspicion_of(name), SecretSuspicion::none) << name;
}

}  // namespace
}  // namespace ddp::cli
