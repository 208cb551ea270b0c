#include <vector>

#include "tests/unit/trainer/config/train_config_fixture.hpp"

namespace ddp::trainer {
namespace {

TEST_F(TrainConfigTest, TheShortestFileGetsTheDefaults) {
  const TrainConfig config = good("train:\n  epochs: 2\n" + kRest);
  EXPECT_EQ(config.epochs, 2);
  EXPECT_FALSE(config.max_steps);
  EXPECT_EQ(config.seed, 42U);
  EXPECT_EQ(config.device, Device::automatic);
  EXPECT_EQ(config.data.batch_size, 64);
  EXPECT_TRUE(config.data.shuffle);
  EXPECT_EQ(config.model.get<std::int64_t>("input_dim"), 784);
  EXPECT_EQ(config.model.get<std::vector<std::int64_t>>("hidden_dims"), std::vector<std::int64_t>{128});
  EXPECT_EQ(config.optimizer.get<double>("beta2"), 0.999);
  EXPECT_TRUE(config.data.source.get<bool>("normalize"));
  EXPECT_EQ(config.backend, "auto");
  EXPECT_EQ(config.collective_timeout, std::chrono::minutes(5));
  EXPECT_TRUE(config.shared_memory);
}

TEST_F(TrainConfigTest, ReadsEveryKey) {
  const TrainConfig config = good(
      "launcher: anything\nunknown_to_ddptrain: [1]\nrendezvous: {backend: gloo, timeout: 30s, "
      "shared_memory: false}\n"
      "train:\n  program: my_trainer\n  mode: evaluate\n  seed: 7\n  max_steps: 10\n  device: cpu\n  "
      "strategy: ddp\n"
      "  model: {name: mlp, input_dim: 32, hidden_dims: [], num_classes: 3}\n"
      "  data: {name: synthetic, samples: 100, features: 32, num_classes: 3, batch_size: 5, shuffle: false, "
      "drop_last: true}\n"
      "  loss: {name: cross_entropy, label_smoothing: 0.1}\n"
      "  optimizer: {name: sgd, learning_rate: 0.1, momentum: 0.9, nesterov: true, weight_decay: 1e-4, "
      "dampening: 0}\n"
      "  ddp: {bucket_cap_mib: 1, find_unused_parameters: true, static_graph: true, gradient_as_bucket_view: "
      "false,\n"
      "        broadcast_buffers: false, comm_hook: none, shard_optimizer: true}\n"
      "  checkpoint: {every_epochs: 2, every_steps: 3, every: 10m, keep: 4, path: there, resume: never}\n"
      "  evaluate: {every_epochs: 0}\n  log: {every_steps: 9, tensorboard: true}\n");
  EXPECT_EQ(config.program, "my_trainer");
  EXPECT_EQ(config.mode, Mode::evaluate);
  EXPECT_EQ(config.max_steps, 10);
  EXPECT_EQ(config.device, Device::cpu);
  EXPECT_TRUE(config.model.get<std::vector<std::int64_t>>("hidden_dims").empty());
  EXPECT_EQ(config.data.batch_size, 5);
  EXPECT_TRUE(config.data.drop_last);
  EXPECT_TRUE(config.optimizer.get<bool>("nesterov"));
  EXPECT_EQ(config.optimizer.get<double>("dampening"), 0.0);
  EXPECT_EQ(config.strategy.name, "ddp");
  EXPECT_FALSE(config.strategy.get<bool>("broadcast_buffers"));
  EXPECT_TRUE(config.strategy.get<bool>("shard_optimizer"));
  EXPECT_EQ(config.loss.get<double>("label_smoothing"), 0.1);
  EXPECT_EQ(config.checkpoint.every_steps, 3);
  EXPECT_TRUE(config.log.tensorboard);
  EXPECT_EQ(config.checkpoint.every, std::chrono::minutes(10));
  EXPECT_EQ(config.checkpoint.keep_best, KeepBest::none);
  EXPECT_TRUE(config.checkpoint.path.value().ends_with("/there")) << *config.checkpoint.path;
  EXPECT_EQ(config.checkpoint.resume, Resume::never);
  EXPECT_EQ(config.evaluate.every_epochs, 0);
  EXPECT_EQ(config.backend, "gloo");
  EXPECT_EQ(config.collective_timeout, std::chrono::seconds(30));
  EXPECT_FALSE(config.shared_memory);
}

TEST_F(TrainConfigTest, AGlobalBatchIsDividedAmongTheRanks) {
  const std::string text = "train:\n  epochs: 1\n" + kModel +
                           "  data: {name: fashion_mnist, global_batch_size: 96}\n" + kOptimizer;
  EXPECT_EQ(good(text, 1).data.batch_size, 96);
  EXPECT_EQ(good(text, 4).data.batch_size, 24);
  EXPECT_EQ(error_of(text, 5), "4 global_batch_size 96 is not a multiple of the 5 batches of a step");
  EXPECT_EQ(error_of("train:\n  epochs: 1\n" + kModel +
                     "  data: {name: fashion_mnist, batch_size: 8, global_batch_size: 96}\n" + kOptimizer),
            "4 batch_size and global_batch_size are both set");
}

TEST_F(TrainConfigTest, AGlobalBatchIsDividedAmongAllBatchesOfAStep) {
  const auto batch_size = [&](const std::string& line, int ranks) {
    return good("train:\n  epochs: 1\n  " + line + "\n" + kModel +
                    "  data: {name: fashion_mnist, global_batch_size: 96}\n" + kOptimizer,
                ranks)
        .data.batch_size;
  };
  EXPECT_EQ(batch_size("gradient_accumulation_steps: 3", 4), 8);
  EXPECT_EQ(batch_size("strategy: data_parallel\n  data_parallel: {replicas: 6}", 1), 16);
}

TEST_F(TrainConfigTest, Tf32IsOfCuda) {
  const auto with = [&](const std::string& lines) { return "train:\n  epochs: 1\n" + kRest + lines; };
  EXPECT_FALSE(good(with("")).tf32);
  EXPECT_EQ(good(with("  device: cuda\n  tf32: true\n")).tf32, true);
  EXPECT_EQ(good(with("  tf32: false\n")).tf32, false);
  EXPECT_EQ(error_of(with("  device: cpu\n  tf32: false\n")),
            "7 tf32 needs a CUDA device, but train.device is cpu");
  EXPECT_EQ(error_of(with("  tf32: fast\n")), "6 'tf32' must be true or false, not 'fast'");
}

TEST_F(TrainConfigTest, TheLossHasADefault) {
  const auto loss = [&](const std::string& lines) {
    return good("train:\n  epochs: 1\n" + kRest + lines).loss;
  };
  const Component plain{"cross_entropy", {{"label_smoothing", 0.0}}};
  EXPECT_EQ(loss(""), plain);
  EXPECT_EQ(loss("  loss: {}\n"), plain);
  EXPECT_EQ(loss("  loss: {label_smoothing: 0.1}\n").get<double>("label_smoothing"), 0.1);
  EXPECT_EQ(error_of("train:\n  epochs: 1\n" + kRest + "  loss: {label_smoothing: 1.5}\n"),
            "6 'label_smoothing' must be at least 0 and at most 1, not '1.5'");
  EXPECT_EQ(error_of("train:\n  epochs: 1\n" + kRest + "  loss: {name: mse}\n"),
            "6 'name' must be cross_entropy, not 'mse'");
}

TEST_F(TrainConfigTest, NothingOverflows) {
  const std::string huge = "4611686018427387904";
  const auto error_at = [&](const std::string& length, const std::string& batches) {
    return error_of("train:\n  " + length + "\n" + kModel + "  data: {name: fashion_mnist, " + batches +
                    "}\n" + kOptimizer);
  };
  EXPECT_EQ(error_at("epochs: " + huge, "batch_size: 1"),
            "2 'epochs' must be between 1 and 1000000000, not '" + huge + "'");
  EXPECT_EQ(error_at("max_steps: " + huge, "batch_size: 1"),
            "2 'max_steps' must be between 1 and 1000000000, not '" + huge + "'");
  EXPECT_EQ(error_at("epochs: 1", "batch_size: " + huge),
            "4 'batch_size' must be between 1 and 1000000, not '" + huge + "'");
  EXPECT_EQ(error_at("epochs: 1", "global_batch_size: " + huge),
            "4 'global_batch_size' must be between 1 and 1000000000, not '" + huge + "'");
  EXPECT_EQ(error_at("epochs: 1\n  gradient_accumulation_steps: " + huge, "global_batch_size: 8"),
            "3 'gradient_accumulation_steps' must be between 1 and 1000000, not '" + huge + "'");
}

TEST_F(TrainConfigTest, ExactlyOneLength) {
  EXPECT_EQ(error_of("train:\n  epochs: 1\n  max_steps: 2\n" + kRest), "3 epochs and max_steps are both set");
  EXPECT_EQ(error_of("train:\n" + kRest), "1 'train' has no length");
  EXPECT_EQ(error_of("train:\n  epochs: 0\n" + kRest),
            "2 'epochs' must be between 1 and 1000000000, not '0'");
}

TEST_F(TrainConfigTest, ComponentsAreChosenByName) {
  EXPECT_EQ(error_of("train:\n  epochs: 1\n  model: {name: mpl, hidden_dims: [1]}\n" + kData + kOptimizer),
            "3 'name' must be mlp, convnet, resnet18, resnet34 or resnet50, not 'mpl'");
  EXPECT_EQ(error_of("train:\n  epochs: 1\n  model: {}\n" + kData + kOptimizer), "3 'model' needs a name");
  EXPECT_EQ(error_of("train:\n  epochs: 1\n" + kModel + kData), "1 'optimizer' needs a name");
  const std::string evaluation = "train:\n  mode: evaluate\n" + kModel + kData;
  EXPECT_EQ(good(evaluation).optimizer.name, "");
  EXPECT_EQ(error_of(evaluation + "  optimizer: {momentum: 1}\n"), "5 'optimizer' needs a name");
  EXPECT_EQ(
      error_of("train:\n  epochs: 1\n  model: {name: convnet, hidden_dims: [1]}\n" + kData + kOptimizer),
      "3 unknown key 'hidden_dims'");
}

TEST_F(TrainConfigTest, TheBestCheckpointNeedsEvaluations) {
  const std::string train = "train:\n  epochs: 1\n" + kModel + kData + kOptimizer;
  EXPECT_EQ(good(train + "  checkpoint: {keep_best: accuracy}\n").checkpoint.keep_best, KeepBest::accuracy);
  EXPECT_EQ(error_of(train + "  checkpoint: {keep_best: loss}\n  evaluate: {every_epochs: 0}\n"),
            "6 keep_best needs evaluations, but evaluate.every_epochs is 0");
}

TEST_F(TrainConfigTest, OptionsHaveTypesAndRanges) {
  const auto with = [&](const std::string& optimizer) {
    return error_of("train:\n  epochs: 1\n" + kModel + kData + "  optimizer: " + optimizer + "\n");
  };
  EXPECT_EQ(with("{name: adam, beta1: 1}"), "5 'beta1' must be at least 0 and less than 1, not '1'");
  EXPECT_EQ(with("{name: adam, learning_rate: fast}"), "5 'learning_rate' must be a number, not 'fast'");
  EXPECT_EQ(with("{name: sgd, nesterov: true}"),
            "5 nesterov needs a momentum greater than 0 and a dampening of 0");
}

TEST_F(TrainConfigTest, TheModelFitsTheData) {
  const auto with = [&](const std::string& model, const std::string& data) {
    return error_of("train:\n  epochs: 1\n  model: " + model + "\n  data: " + data + "\n" + kOptimizer);
  };
  EXPECT_EQ(
      with("{name: mlp, input_dim: 100}", "{name: fashion_mnist}"),
      "3 'mlp' cannot take the samples of 'fashion_mnist': input_dim is 100, but a sample has 784 values");
  EXPECT_EQ(with("{name: convnet}", "{name: synthetic}"),
            "3 'convnet' cannot take the samples of 'synthetic': it needs images of 1 x 28 x 28");
  EXPECT_EQ(with("{name: mlp, num_classes: 9}", "{name: fashion_mnist}"), "3 'fashion_mnist' has 10 classes");
  EXPECT_EQ(with("{name: resnet18, num_classes: 10}", "{name: fashion_mnist}"),
            "3 'resnet18' cannot take the samples of 'fashion_mnist': in_channels is 3, but an image has 1");
  EXPECT_EQ(
      with("{name: resnet50, num_classes: 10}", "{name: synthetic}"),
      "3 'resnet50' cannot take the samples of 'synthetic': it needs images of channels x height x width");
  EXPECT_EQ(with("{name: resnet18, num_classes: 10, in_channels: 1, stem: cifar}", "{name: fashion_mnist}"),
            "no error");
  EXPECT_EQ(with("{name: resnet18, num_classes: 10, in_channels: 1, stem: cifra}", "{name: fashion_mnist}"),
            "3 'stem' must be imagenet or cifar, not 'cifra'");
  EXPECT_EQ(with("{name: mlp, input_dim: 20}", "{name: synthetic, features: 20}"), "no error");
}

TEST_F(TrainConfigTest, AModelThatDoesNotFitSaysWhichOptionWould) {
  const auto hint_of = [&](const std::string& model, const std::string& data) {
    const auto config =
        load("train:\n  epochs: 1\n  model: " + model + "\n  data: " + data + "\n" + kOptimizer);
    return config ? std::string("no error") : config.error().front().hint;
  };
  EXPECT_EQ(hint_of("{name: mlp}", "{name: cifar10, root: /data}"),
            "set input_dim: 3072, or choose another model");
  EXPECT_EQ(hint_of("{name: resnet18, num_classes: 10}", "{name: fashion_mnist}"),
            "set in_channels: 1, or choose another model");
  EXPECT_EQ(hint_of("{name: convnet}", "{name: synthetic}"),
            "choose another model, or other data, such as 'fashion_mnist' or 'mnist'");
  EXPECT_EQ(hint_of("{name: resnet18, num_classes: 10}", "{name: synthetic}"),
            "choose another model, or other data, such as 'cifar10' or 'image_folder'");
  EXPECT_EQ(hint_of("{name: resnet18, num_classes: 10, in_channels: 2}", "{name: synthetic}"),
            "choose another model, or other data");
}

TEST_F(TrainConfigTest, OptionsOfImagesFitTheirChannels) {
  const auto with = [&](const std::string& data) {
    return error_of("train:\n  epochs: 1\n  model: {name: mlp, input_dim: 3072}\n  data: " + data + "\n" +
                    kOptimizer);
  };
  EXPECT_EQ(with("{name: cifar10}"), "4 'cifar10' needs root");
  EXPECT_EQ(with("{name: cifar10, root: x, mean: [0.5]}"),
            "4 'mean' has 1 numbers, but an image of 'cifar10' has 3 channels");
  EXPECT_EQ(with("{name: cifar10, root: x, normalize: false, mean: [0.5]}"), "no error");
  EXPECT_EQ(with("{name: cifar10, root: x, std: [1, 1, 0]}"),
            "4 each item of 'std' must be greater than 0, not '0'");
  EXPECT_EQ(with("{name: cifar10, root: x, mean: [0, 0, 0], std: [1, 1, 1], random_crop_padding: 4}"),
            "no error");
}

TEST_F(TrainConfigTest, AScheduleHasItsOptions) {
  const auto with = [&](const std::string& schedule, const std::string& length = "epochs: 1") {
    return error_of("train:\n  " + length + "\n" + kRest + "  schedule: " + schedule + "\n");
  };
  const TrainConfig config =
      good("train:\n  epochs: 1\n" + kRest + "  schedule: {name: cosine, warmup_steps: 5}\n");
  EXPECT_EQ(config.schedule->get<std::int64_t>("warmup_steps"), 5);
  EXPECT_EQ(config.schedule->get<double>("min_learning_rate"), 0.0);
  EXPECT_EQ(good("train:\n  epochs: 1\n" + kRest + "  schedule: {warmup_steps: 5}\n").schedule->name,
            "constant");
  EXPECT_FALSE(good("train:\n  epochs: 1\n" + kRest).schedule);
  EXPECT_EQ(with("{name: cosine, gamma: 2}"), "6 unknown key 'gamma'");
  EXPECT_EQ(with("{name: step, unit: days}"), "6 'unit' must be epochs or steps, not 'days'");
  EXPECT_EQ(with("{name: multistep}"), "6 multistep needs milestones");
  EXPECT_EQ(with("{name: multistep, milestones: [3, 5, 5]}"),
            "6 milestones must increase, but 5 comes after 5");
  EXPECT_EQ(with("{name: linear, warmup_steps: 10}", "max_steps: 10"),
            "6 a warm-up of 10 steps is not shorter than max_steps, 10");
  EXPECT_EQ(with("{name: linear, warmup_steps: 9}", "max_steps: 10"), "no error");
}

TEST_F(TrainConfigTest, PrecisionAndImplementationFitTheDevice) {
  const auto with = [&](const std::string& device, const std::string& line) {
    return error_of("train:\n  epochs: 1\n  device: " + device + "\n" + kModel + kData + line + "\n");
  };
  EXPECT_EQ(with("cpu", "  precision: fp16\n  optimizer: {name: adam}"),
            "6 fp16 needs a CUDA device, but train.device is cpu");
  EXPECT_EQ(with("cpu", "  precision: bf16\n  optimizer: {name: adam}"), "no error");
  EXPECT_EQ(with("cuda", "  precision: fp16\n  optimizer: {name: adam}"), "no error");
  EXPECT_EQ(with("cuda", "  optimizer: {name: adam, implementation: simd}"),
            "6 simd works on the CPU only, but train.device is cuda");
  EXPECT_EQ(with("cpu", "  clip_grad_norm: 0\n  optimizer: {name: adam}"),
            "6 'clip_grad_norm' must be greater than 0, not '0'");
}

TEST_F(TrainConfigTest, TheBackendFitsTheDevice) {
  EXPECT_EQ(error_of("rendezvous: {backend: nccl}\ntrain:\n  epochs: 1\n  device: cpu\n" + kRest),
            "1 nccl needs a CUDA device, but train.device is cpu");
  const std::string fp16 = "train:\n  epochs: 1\n  precision: fp16\n" + kRest;
  EXPECT_EQ(error_of("rendezvous: {backend: gloo}\n" + fp16),
            "4 fp16 needs a CUDA device, but with rendezvous.backend: gloo, device: auto is the CPU");
  EXPECT_EQ(error_of("rendezvous: {backend: nccl}\n" + fp16), "no error");
  EXPECT_EQ(error_of("rendezvous: {backend: mpi}\ntrain:\n  epochs: 1\n" + kRest), "no error");
  EXPECT_EQ(error_of("rendezvous: {backend: mpi}\n" + fp16),
            "4 fp16 needs a CUDA device, but with rendezvous.backend: mpi, device: auto is the CPU");
  EXPECT_EQ(load("rendezvous: {backend: mpi}\n" + fp16).error().front().hint, "use bf16");
  EXPECT_EQ(error_of("rendezvous: {backend: mpi}\ntrain:\n  epochs: 1\n  device: cuda\n" + kRest),
            "1 mpi works on the CPU only, but train.device is cuda");
}

TEST_F(TrainConfigTest, PathsStartAtTheFile) {
  const TrainConfig config =
      good("train:\n  epochs: 1\n" + kModel + "  data: {name: fashion_mnist, root: data}\n" + kOptimizer);
  EXPECT_EQ(config.data.source.get<std::string>("root"), (folder_ / "data").string());
  const TrainConfig home =
      good("train:\n  epochs: 1\n" + kModel + "  data: {name: fashion_mnist, root: ~/data}\n" + kOptimizer);
  EXPECT_EQ(home.data.source.get<std::string>("root"), "/home/ada/data");
}

TEST_F(TrainConfigTest, AnyModelStartsFromAFileOfWeights) {
  const std::string with_weights = "  model: {name: mlp, weights: mlp.safetensors}\n";
  EXPECT_EQ(good("train:\n  epochs: 1\n" + with_weights + kData + kOptimizer).initial_weights,
            (folder_ / "mlp.safetensors").string());
  EXPECT_EQ(good("train:\n  epochs: 1\n" + kRest).initial_weights, std::nullopt);
}

TEST_F(TrainConfigTest, AFileWithoutTrainIsAnError) {
  EXPECT_EQ(load("launcher: local\n").error().size(), 1U);
  EXPECT_EQ(error_of("train: 5\n"), "1 'train' must be a map of keys, not '5'");
  EXPECT_FALSE(load_train_config(folder_ / "missing.yaml", 1, ""));
}

TEST_F(TrainConfigTest, OneTypoIsOneError) {
  EXPECT_EQ(error_of("train:\n  epoch: 1\n  epochs: 1\n" + kRest), "2 unknown key 'epoch'");
}

}  // namespace
}  // namespace ddp::trainer
