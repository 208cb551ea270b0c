#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "ddp/trainer/component.hpp"
#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

enum class Mode { train, evaluate };
enum class Device { automatic, cpu, cuda };
enum class Resume { automatic, never };
enum class KeepBest { none, accuracy, loss };
enum class Precision {
  fp32,
  bf16,  ///< autocast to bfloat16
  fp16,  ///< autocast to float16, with a gradient scaler
};
enum class MemoryFormat {
  contiguous,
  channels_last,  ///< of images and the weights of their convolutions
};

/// `train:` of a run's YAML, checked and complete. Plain values, free of LibTorch: the CLI reads it before
/// anything is queued.
struct TrainConfig {
  std::string program = "ddptrain";
  std::optional<std::string> libtorch;  ///< the folder of a LibTorch; absent: that which is found
  Mode mode = Mode::train;
  std::uint64_t seed = 42;
  std::optional<std::int64_t> epochs;     ///< exactly one of epochs and max_steps is set
  std::optional<std::int64_t> max_steps;  ///< optimizer steps over the whole run
  Device device = Device::automatic;
  Component strategy = with_defaults(bundled_schemas().strategies, "ddp");  ///< how the ranks share the work
  std::int64_t gradient_accumulation_steps = 1;  ///< batches of a rank that make one optimizer step
  Component model;
  bool sync_batch_norm = false;                ///< statistics of BatchNorm layers over all ranks
  std::optional<std::string> initial_weights;  ///< train.model.weights: load_weights() reads it
  struct Data {
    Component source;  ///< the dataset
    std::int64_t batch_size =
        64;  ///< samples of a shard and pass; global_batch_size is divided among them when read
    std::optional<std::int64_t> global_batch_size;
    std::int64_t workers = 0;  ///< threads of a rank that load batches in advance; 0: the training does
    bool shuffle = true;
    bool drop_last =
        false;  ///< as torch's DistributedSampler and DataLoader: drop the tail instead of padding
    bool operator==(const Data&) const = default;
  } data;
  Component loss = with_defaults(bundled_schemas().losses, "cross_entropy");
  Component optimizer;
  std::optional<Component> schedule;     ///< absent: the learning rate is constant
  std::optional<double> clip_grad_norm;  ///< absent: gradients are not clipped
  Precision precision = Precision::fp32;
  MemoryFormat memory_format = MemoryFormat::contiguous;
  bool deterministic = false;
  std::optional<bool> tf32;  ///< of CUDA; absent: as LibTorch has it, for convolutions alone
  struct Checkpoint {
    std::optional<std::int64_t> every_epochs;
    std::optional<std::int64_t> every_steps;
    std::optional<std::chrono::seconds> every;
    std::int64_t keep = 3;
    KeepBest keep_best = KeepBest::none;
    std::optional<std::string> path;  ///< of a checkpoint of any run, where this one begins
    Resume resume = Resume::automatic;
    bool operator==(const Checkpoint&) const = default;
  } checkpoint;
  struct Evaluate {
    std::int64_t every_epochs = 1;  ///< 0: never
    bool operator==(const Evaluate&) const = default;
  } evaluate;
  struct Log {
    std::int64_t every_steps = 50;
    bool tensorboard = false;
    bool operator==(const Log&) const = default;
  } log;
  std::string backend = "auto";                  ///< rendezvous.backend: auto, gloo, nccl, mpi
  std::chrono::seconds collective_timeout{300};  ///< rendezvous.timeout
  bool shared_memory = true;                     ///< rendezvous.shared_memory

  bool operator==(const TrainConfig&) const = default;
};

/// Whether the copies of the model are replicas of one rank.
[[nodiscard]] inline bool has_replicas(const TrainConfig& config) {
  return config.strategy.options.contains("replicas");
}

/// Whether each rank holds a shard of the parameters only.
[[nodiscard]] inline bool is_fully_sharded(const TrainConfig& config) {
  return config.strategy.name == "fsdp" || config.strategy.name == "hsdp";
}

/// How many copies of the model compute at once: the replicas of the only rank, or one on each of `ranks`.
[[nodiscard]] inline int count_copies(const TrainConfig& config, int ranks) {
  return has_replicas(config) ? static_cast<int>(config.strategy.get<std::int64_t>("replicas")) : ranks;
}

/// Of how many batches an optimizer step of so many ranks consists, all together.
[[nodiscard]] inline std::int64_t batches_of_a_step(const TrainConfig& config, int ranks) {
  return count_copies(config, ranks) * config.gradient_accumulation_steps;
}

}  // namespace ddp::trainer
