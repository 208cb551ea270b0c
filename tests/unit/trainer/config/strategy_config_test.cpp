#include <vector>

#include "tests/unit/trainer/config/train_config_fixture.hpp"

namespace ddp::trainer {
namespace {

/// `train.strategy`, and the section of its options.
class StrategyConfigTest : public TrainConfigTest {};

TEST_F(StrategyConfigTest, DataParallelIsOneProcess) {
  const auto with = [&](const std::string& line, int ranks) {
    return error_of("train:\n  epochs: 1\n" + kRest + "  " + line + "\n", ranks);
  };
  EXPECT_EQ(with("strategy: data_parallel", 1), "no error");
  EXPECT_EQ(with("strategy: data_parallel", 2), "6 data_parallel runs in one process, but this run has 2");
  EXPECT_EQ(with("data_parallel: {replicas: 2}", 1), "6 only strategy data_parallel has these options");
}

TEST_F(StrategyConfigTest, CopiesOfOneProcessDoNotSynchroniseTheirLayers) {
  const auto with = [&](const std::string& strategy) {
    return error_of(
        "train:\n  epochs: 1\n" + kRest + "  strategy: " + strategy + "\n  sync_batch_norm: true\n", 1);
  };
  EXPECT_EQ(with("ddp"), "no error");
  EXPECT_EQ(with("parameter_server"), "no error");
  EXPECT_EQ(with("data_parallel"), "7 data_parallel does not support sync_batch_norm");
}

TEST_F(StrategyConfigTest, OptionsStandUnderTheirStrategy) {
  const auto with = [&](const std::string& lines) {
    return error_of("train:\n  epochs: 1\n" + kRest + lines);
  };
  EXPECT_EQ(with("  ddp: {static_graph: true}\n"), "no error");
  EXPECT_EQ(with("  strategy: parameter_server\n"), "no error");
  EXPECT_EQ(with("  strategy: parameter_server\n  ddp: null\n"), "no error");
  EXPECT_EQ(with("  strategy: parameter_server\n  ddp: {comm_hook: fp16}\n"),
            "7 only strategy ddp has these options");
  EXPECT_EQ(with("  strategy: parameter_server\n  ddp: {}\n"), "7 only strategy ddp has these options");
  EXPECT_EQ(with("  strategy: parameter_server\n  ddp: {shard_optimizer: true}\n"),
            "7 only strategy ddp has these options");
}

TEST_F(StrategyConfigTest, EachStrategyHasItsOwnOptions) {
  const auto strategy = [&](const std::string& lines) {
    return good("train:\n  epochs: 1\n" + kRest + lines).strategy;
  };
  EXPECT_EQ(strategy("").get<std::int64_t>("bucket_cap_mib"), 25);
  EXPECT_TRUE(strategy("  strategy: parameter_server\n").options.empty());
  const Component fsdp = strategy("  strategy: fsdp\n  fsdp: {param_dtype: bf16, prefetch: false}\n");
  EXPECT_EQ(fsdp.name, "fsdp");
  EXPECT_TRUE(fsdp.get<bool>("reshard_after_forward"));
  EXPECT_EQ(fsdp.get<std::string>("param_dtype"), "bf16");
  EXPECT_EQ(fsdp.get<std::string>("reduce_dtype"), "fp32");
  EXPECT_FALSE(fsdp.get<bool>("prefetch"));
  EXPECT_FALSE(fsdp.options.contains("bucket_cap_mib"));
  EXPECT_FALSE(fsdp.options.contains("shard"));
  EXPECT_EQ(strategy("  strategy: hsdp\n").get<std::int64_t>("shard"), 0);
  EXPECT_EQ(strategy("  strategy: hsdp\n  hsdp: {shard: 2}\n").get<std::int64_t>("shard"), 2);
}

TEST_F(StrategyConfigTest, OptionsOfOtherStrategiesAreRefused) {
  const auto with = [&](const std::string& lines) {
    return error_of("train:\n  epochs: 1\n" + kRest + lines);
  };
  EXPECT_EQ(with("  strategy: fsdp\n  ddp: {static_graph: true}\n"), "7 only strategy ddp has these options");
  EXPECT_EQ(with("  strategy: hsdp\n  fsdp: {prefetch: false}\n"), "7 only strategy fsdp has these options");
  EXPECT_EQ(with("  strategy: hsdp\n  fsdp: null\n"), "no error");
  EXPECT_EQ(with("  hsdp: {shard: 2}\n"), "6 only strategy hsdp has these options");
  EXPECT_EQ(with("  strategy: fsdp\n  fsdp: {shard: 2}\n"), "7 unknown key 'shard'");
  EXPECT_EQ(with("  strategy: fsdp\n  fsdp: 2\n"), "7 'fsdp' must be a map of keys, not '2'");
  EXPECT_EQ(with("  strategy: fsdb\n  fsdp: {prefetch: false}\n"),
            "6 'strategy' must be ddp, parameter_server, data_parallel, fsdp or hsdp, not 'fsdb'");
  EXPECT_EQ(with("  strategy: parameter_server\n  parameter_server: {}\n"),
            "7 unknown key 'parameter_server'");
}

TEST_F(StrategyConfigTest, KeysOfOtherStrategiesAreAdvisedWithWhatTheyNeed) {
  const auto hint_of = [&](const std::string& lines) {
    const auto config = load("train:\n  epochs: 1\n" + kRest + lines);
    return config ? std::string("no error") : config.error().front().hint;
  };
  EXPECT_EQ(hint_of("  strategy: fsdp\n  verify_every_steps: 5\n"),
            "did you mean 'train.ddp.verify_every_steps' (with strategy: ddp) or "
            "'train.hsdp.verify_every_steps' (with strategy: hsdp)?");
  EXPECT_EQ(hint_of("  static_graph: true\n"), "did you mean 'train.ddp.static_graph'?");
  EXPECT_EQ(hint_of("  fsdp: {prefetch: true}\n"),
            "remove them (on the command line: train.fsdp=null), or set strategy: fsdp");
}

TEST_F(StrategyConfigTest, PowerSgdIsForLater) {
  EXPECT_EQ(error_of("train:\n  epochs: 1\n" + kRest + "  ddp: {comm_hook: power_sgd}\n"),
            "6 'comm_hook' cannot be 'power_sgd': it is not available in this version");
}

TEST_F(StrategyConfigTest, FullyShardedTrainingIsForTheCpu) {
  const auto with = [&](const std::string& lines) {
    return error_of("train:\n  epochs: 1\n" + kRest + "  strategy: fsdp\n" + lines);
  };
  EXPECT_EQ(with(""), "no error");
  EXPECT_EQ(with("  device: cpu\n  precision: bf16\n  fsdp: {param_dtype: bf16}\n"), "no error");
  EXPECT_EQ(with("  device: cuda\n"), "7 strategy fsdp has not been tested on CUDA devices yet");
  EXPECT_EQ(with("  memory_format: channels_last\n"), "7 strategy fsdp does not support channels_last");
  EXPECT_EQ(with("  precision: fp16\n"),
            "7 fp16 needs a CUDA device, but with strategy fsdp, device: auto is the CPU");
  EXPECT_EQ(with("rendezvous: {backend: nccl}\n"),
            "7 nccl needs a CUDA device, but with strategy fsdp, device: auto is the CPU");
  EXPECT_EQ(with("  fsdp: {param_dtype: fp16}\n"),
            "7 fp16 needs a CUDA device, but with strategy fsdp, device: auto is the CPU");
  EXPECT_EQ(with("  device: cpu\n  fsdp: {reduce_dtype: fp16}\n"),
            "8 fp16 needs a CUDA device, but train.device is cpu");
}

TEST_F(StrategyConfigTest, AModelWithBatchNormComputesInFp32) {
  const auto with = [&](const std::string& strategy, const std::string& model) {
    return error_of("train:\n  epochs: 1\n  data: {name: cifar10, root: /data}\n" + kOptimizer +
                    "  strategy: " + strategy + "\n  model: {num_classes: 10, name: " + model + "}\n");
  };
  for (const std::string name : {"fsdp", "hsdp"}) {
    EXPECT_EQ(with(name + "\n  " + name + ": {param_dtype: bf16}", "resnet18"),
              "6 the model 'resnet18' has BatchNorm layers, which compute in fp32 only");
    EXPECT_EQ(with(name + "\n  " + name + ": {param_dtype: bf16}", "mlp, input_dim: 3072"), "no error");
    EXPECT_EQ(with(name + "\n  " + name + ": {reduce_dtype: bf16}", "resnet18"), "no error");
  }
  EXPECT_EQ(with("fsdp\n  precision: bf16", "resnet18"), "no error");
}

TEST_F(StrategyConfigTest, ErrorsAboutTypesOfShardsPointAtTheirKeys) {
  const auto config = load("train:\n  epochs: 1\n" + kRest +
                           "  device: cpu\n  strategy: hsdp\n"
                           "  hsdp: {param_dtype: fp16, reduce_dtype: fp16}\n");
  ASSERT_FALSE(config);
  ASSERT_EQ(config.error().size(), 2U) << render_diagnostics(config.error());
  const std::vector<int> columns = {10, 29};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Error& error = config.error()[i];
    EXPECT_EQ(error.message, "fp16 needs a CUDA device, but train.device is cpu");
    ASSERT_TRUE(error.where);
    EXPECT_EQ(error.where->line, 8);
    EXPECT_EQ(error.where->column, columns[i]);
  }
}

TEST_F(StrategyConfigTest, RanksMakeWholeGroupsOfShards) {
  const auto with = [&](const std::string& shard, int ranks) {
    return error_of("train:\n  epochs: 1\n" + kRest + "  strategy: hsdp\n  hsdp: {shard: " + shard + "}\n",
                    ranks);
  };
  EXPECT_EQ(with("2", 4), "no error");
  EXPECT_EQ(with("4", 4), "no error");
  EXPECT_EQ(with("0", 3), "no error");
  EXPECT_EQ(with("4", 1), "no error");
  EXPECT_EQ(with("3", 4), "7 the run has 4 ranks, which do not make whole groups of 3");
  EXPECT_EQ(with("8", 4), "7 the run has 4 ranks, which do not make whole groups of 8");
}

TEST_F(StrategyConfigTest, AStaticGraphDoesNotAccumulate) {
  const auto with = [&](const std::string& batches) {
    return error_of("train:\n  epochs: 1\n" + kRest +
                    "  ddp: {static_graph: true}\n  gradient_accumulation_steps: " + batches + "\n");
  };
  EXPECT_EQ(with("1"), "no error");
  EXPECT_EQ(with("2"),
            "6 static_graph does not work with gradient accumulation, but gradient_accumulation_steps is 2");
}

}  // namespace
}  // namespace ddp::trainer
