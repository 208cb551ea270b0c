#include "cli/import/secret_words.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(SecretWords, AreHiddenByTheirNames) {
  EXPECT_EQ(hide_secrets("A=1 HF_TOKEN=abc B=2"), "A=1 HF_TOKEN=… B=2");
  EXPECT_EQ(hide_secrets("export API_KEY=\"a b\"; c"), "export API_KEY=…; c");
  EXPECT_EQ(hide_secrets("x --hf-token=abc"), "x --hf-token=…");
  EXPECT_EQ(hide_secrets("HF_TOKEN="), "HF_TOKEN=");
  EXPECT_EQ(hide_secrets_of_list("ALL,HF_TOKEN=a b,C=d"), "ALL,HF_TOKEN=…,C=d");
}

TEST(SecretWords, AreThoseThatStandInTheText) {
  EXPECT_TRUE(writes_secret("a && export HF_TOKEN=abc"));
  EXPECT_FALSE(writes_secret("export HF_TOKEN=$(cat f)"));
  EXPECT_FALSE(writes_secret("export HF_TOKEN=\"$TOKEN\""));
}

TEST(SecretWords, StandBehindOptionsAndLogins) {
  EXPECT_TRUE(holds_secret({{"x"}, {"--api-key"}, {"abc"}}));
  EXPECT_TRUE(holds_secret({{"x"}, {"--api-key=abc"}}));
  EXPECT_FALSE(holds_secret({{"x"}, {"--api-key"}, {"--other"}}));
  EXPECT_TRUE(holds_secret({{"wandb"}, {"login"}, {"abc"}}));
  EXPECT_TRUE(holds_secret({{"x"}, {"hf_abcdefghijklmnop"}}));
  EXPECT_FALSE(holds_secret({{"python"}, {"train.py"}}));
}

}  // namespace
}  // namespace ddp::cli
