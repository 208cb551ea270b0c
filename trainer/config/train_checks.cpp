#include <algorithm>

#include "jobenv/config/suggestion.hpp"
#include "trainer/config/component_schema.hpp"
#include "trainer/config/train_fields.hpp"

namespace ddp::trainer {
namespace {

/// Collects what single keys cannot tell, each error at the key that a reader would change.
class Checks {
 public:
  Checks(const ConfigNode& root, Errors& errors) : root_(root), errors_(errors) {}

  [[nodiscard]] bool has(const std::string& path) const {
    const auto* entry = root_.find_path(path);
    return entry && entry->value.kind != ConfigNode::Kind::null;
  }

  [[nodiscard]] bool has_map(const std::string& path) const {
    const auto* entry = root_.find_path(path);
    return entry && entry->value.kind == ConfigNode::Kind::map;
  }

  void report(std::string path, std::string message, std::string hint) {
    errors_.push_back(
        config_error(nearest_place(root_, std::move(path)), std::move(message), std::move(hint)));
  }

 private:
  const ConfigNode& root_;
  Errors& errors_;
};

void check_length(const TrainConfig& config, Checks& checks) {
  if (config.epochs && config.max_steps) {
    checks.report("train.max_steps", "epochs and max_steps are both set", "keep one of them");
  }
  const bool has_wrong_one = checks.has("train.epochs") || checks.has("train.max_steps");
  if (config.mode == Mode::train && !config.epochs && !config.max_steps && !has_wrong_one) {
    checks.report("train", "'train' has no length", "set train.epochs or train.max_steps");
  }
}

/// The names of all components are there, but that an evaluation needs no optimizer; those that are wrong
/// were reported when they were read.
void check_names(const TrainConfig& config, Checks& checks) {
  for (const char* section : {"model", "data", "optimizer"}) {
    const std::string path = std::string("train.") + section;
    const bool needed = config.mode == Mode::train || section != std::string_view("optimizer");
    const bool is_absent = needed && !checks.has(path);
    if (is_absent || (checks.has_map(path) && !checks.has(path + ".name"))) {
      checks.report(path, std::string("'") + section + "' needs a name",
                    "add " + std::string(section) + ": {name: ...}");
    }
  }
}

/// A wrong name was reported when it was read; whose options these are is then not known.
void check_strategy_sections(const TrainConfig& config, std::span<const ComponentSchema> strategies,
                             Checks& checks) {
  const std::string& chosen = config.strategy.name;
  if (chosen.empty()) return;
  for (const ComponentSchema& schema : strategies) {
    const std::string path = "train." + schema.name;
    if (schema.name == chosen || schema.options.empty() || !checks.has(path)) continue;
    checks.report(path, "only strategy " + schema.name + " has these options",
                  "remove them (on the command line: " + path + "=null), or set strategy: " + schema.name);
  }
}

void check_strategy(const TrainConfig& config, int world_size, Checks& checks) {
  const std::string& name = config.strategy.name;
  if (has_replicas(config) && world_size != 1) {
    checks.report("train.strategy",
                  name + " runs in one process, but this run has " + std::to_string(world_size),
                  "set resources: {nodes: 1, tasks_per_node: 1} and data_parallel: {replicas: N}");
  }
  if (has_replicas(config) && config.sync_batch_norm) {
    checks.report("train.sync_batch_norm", name + " does not support sync_batch_norm",
                  "remove it, or use strategy: ddp with one rank per replica");
  }
  if (name == "ddp" && config.strategy.get<bool>("static_graph") && config.gradient_accumulation_steps > 1) {
    checks.report(
        "train.ddp.static_graph",
        "static_graph does not work with gradient accumulation, but gradient_accumulation_steps is " +
            std::to_string(config.gradient_accumulation_steps),
        "use one of the two");
  }
}

/// Why the run is on the CPU, whatever its hosts have; empty: it may be on CUDA.
std::string why_cpu(const TrainConfig& config, const Rendezvous& rendezvous) {
  if (config.device == Device::cpu) return "train.device is cpu";
  if (config.device == Device::cuda) return {};
  const std::string automatic = ", device: auto is the CPU";
  if (is_fully_sharded(config)) return "with strategy " + config.strategy.name + automatic;
  if (rendezvous.backend == "gloo" || rendezvous.backend == "mpi")
    return "with rendezvous.backend: " + rendezvous.backend + automatic;
  return {};
}

void check_sharded_types(const TrainConfig& config, const Rendezvous& rendezvous, Checks& checks) {
  const std::string reason = why_cpu(config, rendezvous);
  if (reason.empty()) return;
  for (const char* key : {"param_dtype", "reduce_dtype"}) {
    if (config.strategy.get<std::string>(key) != "fp16") continue;
    checks.report("train." + config.strategy.name + "." + key, "fp16 needs a CUDA device, but " + reason,
                  "use bf16 or fp32");
  }
}

void check_param_dtype(const TrainConfig& config, const ComponentSchemas& schemas, Checks& checks) {
  const ComponentSchema* model = find_schema(schemas.models, config.model.name);
  if (!model || model->batch_norm != ComponentSchema::BatchNorm::present) return;
  const auto& type = config.strategy.get<std::string>("param_dtype");
  if (type != "bf16") return;
  checks.report("train." + config.strategy.name + ".param_dtype",
                "the model '" + model->name + "' has BatchNorm layers, which compute in fp32 only",
                "remove param_dtype, and use train.precision: bf16 for less precision");
}

/// 0 is the ranks of a node, which all nodes have as many of.
void check_shard(const TrainConfig& config, int world_size, Checks& checks) {
  if (config.strategy.name != "hsdp" || world_size == 1) return;
  const auto shard = config.strategy.get<std::int64_t>("shard");
  if (shard == 0 || world_size % shard == 0) return;
  const std::string ranks = std::to_string(world_size);
  checks.report("train.hsdp.shard",
                "the run has " + ranks + " ranks, which do not make whole groups of " + std::to_string(shard),
                "use a divisor of " + ranks + ", or 0: the ranks of a node");
}

void check_fully_sharded(const TrainConfig& config, const Rendezvous& rendezvous,
                         const ComponentSchemas& schemas, int world_size, Checks& checks) {
  if (!is_fully_sharded(config)) return;
  const std::string strategy = "strategy " + config.strategy.name;
  if (config.device == Device::cuda) {
    checks.report("train.device", strategy + " has not been tested on CUDA devices yet",
                  "set device: cpu, or strategy: ddp");
  }
  if (config.memory_format == MemoryFormat::channels_last) {
    checks.report("train.memory_format", strategy + " does not support channels_last",
                  "use contiguous, or strategy: ddp");
  }
  check_sharded_types(config, rendezvous, checks);
  check_param_dtype(config, schemas, checks);
  check_shard(config, world_size, checks);
}

void check_batch(TrainConfig& config, int world_size, Checks& checks) {
  if (!config.data.global_batch_size) return;
  const std::int64_t global = *config.data.global_batch_size;
  const std::int64_t batches = batches_of_a_step(config, world_size);
  if (checks.has("train.data.batch_size")) {
    checks.report("train.data.global_batch_size", "batch_size and global_batch_size are both set",
                  "keep one of them");
  } else if (global % batches != 0) {
    checks.report("train.data.global_batch_size",
                  "global_batch_size " + std::to_string(global) + " is not a multiple of the " +
                      std::to_string(batches) + " batches of a step",
                  "use a multiple of " + std::to_string(batches));
  } else {
    config.data.batch_size = global / batches;
  }
}

/// Those of which it is known without files that the model takes their samples.
std::vector<std::string> find_fitting_data(const ComponentSchema& schema, const Component& model,
                                           std::span<const ComponentSchema> datasets) {
  std::vector<std::string> names;
  for (const ComponentSchema& data : datasets) {
    const auto shape = data.sample_shape ? data.sample_shape(with_defaults(data)) : std::nullopt;
    if (shape && schema.mismatch(model, *shape).empty()) names.push_back("'" + data.name + "'");
  }
  return names;
}

/// A model that does not fit may do so with another value of an option.
std::string advise_on_fit(const ComponentSchema& schema, const Component& model, const SampleShape& shape,
                          std::span<const ComponentSchema> datasets) {
  const auto has = [&](const char* key) {
    return std::ranges::find(schema.options, key, &OptionSchema::key) != schema.options.end();
  };
  std::int64_t values = 1;
  for (const std::int64_t size : shape.dims) values *= size;
  if (has("input_dim")) return "set input_dim: " + std::to_string(values) + ", or choose another model";
  if (has("in_channels") && shape.dims.size() == 3)
    return "set in_channels: " + std::to_string(shape.dims[0]) + ", or choose another model";
  const auto fitting = find_fitting_data(schema, model, datasets);
  const std::string known = fitting.empty() ? "" : ", such as " + join_words(fitting);
  return "choose another model, or other data" + known;
}

void check_fit(const TrainConfig& config, const ComponentSchemas& schemas, Checks& checks) {
  const ComponentSchema* model = find_schema(schemas.models, config.model.name);
  const ComponentSchema* data = find_schema(schemas.datasets, config.data.source.name);
  if (!model || !data || !data->sample_shape) return;
  const auto known = data->sample_shape(config.data.source);
  if (!known) return;
  const SampleShape& shape = *known;
  const std::string source = "'" + config.data.source.name + "'";
  const std::string mismatch = model->mismatch ? model->mismatch(config.model, shape) : std::string();
  if (!mismatch.empty()) {
    checks.report("train.model",
                  "'" + config.model.name + "' cannot take the samples of " + source + ": " + mismatch,
                  advise_on_fit(*model, config.model, shape, schemas.datasets));
  }
  const auto outputs = config.model.options.find("num_classes");
  if (shape.classes == 0 || outputs == config.model.options.end() ||
      std::get<std::int64_t>(outputs->second) == shape.classes)
    return;
  checks.report("train.model.num_classes", source + " has " + std::to_string(shape.classes) + " classes",
                "set num_classes: " + std::to_string(shape.classes));
}

void check_checkpoint(const TrainConfig& config, Checks& checks) {
  if (config.checkpoint.keep_best != KeepBest::none && config.evaluate.every_epochs == 0) {
    checks.report("train.checkpoint.keep_best", "keep_best needs evaluations, but evaluate.every_epochs is 0",
                  "set evaluate.every_epochs to 1 or more");
  }
}

void check_schedule(const TrainConfig& config, Checks& checks) {
  if (!config.schedule || !config.max_steps) return;
  const auto warmup = config.schedule->options.find("warmup_steps");
  if (warmup == config.schedule->options.end()) return;
  const auto steps = std::get<std::int64_t>(warmup->second);
  if (steps > 0 && steps >= *config.max_steps) {
    checks.report("train.schedule.warmup_steps",
                  "a warm-up of " + std::to_string(steps) + " steps is not shorter than max_steps, " +
                      std::to_string(*config.max_steps),
                  "make it shorter than max_steps");
  }
}

bool may_use_cuda(const TrainConfig& config, const Rendezvous& rendezvous) {
  return !is_fully_sharded(config) && rendezvous.backend != "mpi";
}

void check_device(const TrainConfig& config, const Rendezvous& rendezvous, Checks& checks) {
  const std::string reason = why_cpu(config, rendezvous);
  if (config.precision == Precision::fp16 && !reason.empty()) {
    checks.report("train.precision", "fp16 needs a CUDA device, but " + reason,
                  may_use_cuda(config, rendezvous) ? "use bf16, or set device: cuda" : "use bf16");
  }
  if (config.device == Device::cpu && config.tf32) {
    checks.report("train.tf32", "tf32 needs a CUDA device, but train.device is cpu",
                  "remove it, or set device: cuda");
  }
  if (rendezvous.backend == "nccl" && !reason.empty()) {
    checks.report("rendezvous.backend", "nccl needs a CUDA device, but " + reason, "use gloo or auto");
  }
  if (rendezvous.backend == "mpi" && config.device == Device::cuda) {
    checks.report("rendezvous.backend", "mpi works on the CPU only, but train.device is cuda",
                  "use nccl, or set device: cpu");
  }
  const auto implementation = config.optimizer.options.find("implementation");
  if (config.device == Device::cuda && implementation != config.optimizer.options.end() &&
      implementation->second == OptionValue("simd")) {
    checks.report("train.optimizer.implementation", "simd works on the CPU only, but train.device is cuda",
                  "use auto");
  }
}

void check_options(const std::string& path, const Component& component,
                   std::span<const ComponentSchema> schemas, Checks& checks) {
  const ComponentSchema* schema = find_schema(schemas, component.name);
  if (!schema) return;
  for (const OptionSchema& option : schema->options) {
    const std::string& key = option.key;
    if (option.text != OptionSchema::Text::required_path || !component.get<std::string>(key).empty())
      continue;
    if (!checks.has(path + "." + key))
      checks.report(path, "'" + component.name + "' needs " + key, "add " + key + ": the " + option.doc);
    return;
  }
  if (!schema->conflict) return;
  const std::string conflict = schema->conflict(component);
  if (!conflict.empty()) checks.report(path, conflict, "change one of the options");
}

}  // namespace

void finish_train_config(TrainConfig& config, const Rendezvous& rendezvous, const ComponentSchemas& schemas,
                         const ConfigNode& root, int world_size, Errors& errors) {
  const ConfigNode::Entry* train = root.find(kTrainKey.name);
  if (!train || train->value.kind != ConfigNode::Kind::map) return;
  Checks checks(root, errors);
  check_length(config, checks);
  check_names(config, checks);
  check_strategy_sections(config, schemas.strategies, checks);
  check_strategy(config, world_size, checks);
  check_fully_sharded(config, rendezvous, schemas, world_size, checks);
  check_batch(config, world_size, checks);
  check_fit(config, schemas, checks);
  check_checkpoint(config, checks);
  check_options("train.data", config.data.source, schemas.datasets, checks);
  check_options("train.optimizer", config.optimizer, schemas.optimizers, checks);
  if (config.schedule) check_options("train.schedule", *config.schedule, schemas.schedules, checks);
  check_options("train.loss", config.loss, schemas.losses, checks);
  check_options("train." + config.strategy.name, config.strategy, schemas.strategies, checks);
  check_schedule(config, checks);
  check_device(config, rendezvous, checks);
  config.backend = rendezvous.backend;
  config.shared_memory = rendezvous.shared_memory;
  config.collective_timeout = rendezvous.timeout;
}

}  // namespace ddp::trainer
