#include "trainer/config/train_fields.hpp"

#include <array>

#include "trainer/config/component_schema.hpp"
#include "trainer/config/key_collector.hpp"
#include "trainer/config/merged_options.hpp"

namespace ddp::trainer {
namespace {

constexpr IntegerRange kPositive{.min = 1};
constexpr IntegerRange kNotNegative{.min = 0};
// Products of these fit in 64 bits.
constexpr IntegerRange kLength{.min = 1, .max = 1'000'000'000};
constexpr IntegerRange kBatches{.min = 1, .max = 1'000'000};

constexpr std::array kModes = {Choice{Mode::train, "train"}, Choice{Mode::evaluate, "evaluate"}};
constexpr std::array kDevices = {Choice{Device::automatic, "auto"}, Choice{Device::cpu, "cpu"},
                                 Choice{Device::cuda, "cuda"}};
constexpr std::array kKeepBests = {Choice{KeepBest::none, "none"}, Choice{KeepBest::accuracy, "accuracy"},
                                   Choice{KeepBest::loss, "loss"}};
constexpr std::array kResumes = {Choice{Resume::automatic, "auto"}, Choice{Resume::never, "never"}};
constexpr std::array kPrecisions = {Choice{Precision::fp32, "fp32"}, Choice{Precision::bf16, "bf16"},
                                    Choice{Precision::fp16, "fp16"}};
constexpr std::array kMemoryFormats = {Choice{MemoryFormat::contiguous, "contiguous"},
                                       Choice{MemoryFormat::channels_last, "channels_last"}};

/// Reads or shows one option by the type of its value.
struct OptionField {
  Fields& fields;
  const OptionSchema& schema;

  void operator()(bool& value) const { fields.flag(key(), value); }
  void operator()(std::int64_t& value) const { fields.integer(key(), value, schema.integers); }
  void operator()(double& value) const { fields.number(key(), value, schema.numbers); }
  void operator()(std::vector<std::int64_t>& value) const { fields.integers(key(), value, schema.integers); }
  void operator()(std::vector<double>& value) const { fields.numbers(key(), value, schema.numbers); }
  void operator()(std::string& value) const {
    if (!schema.words.empty()) return read_word(value);
    if (schema.text == OptionSchema::Text::plain) return fields.text(key(), value);
    // A path that has not been given is no text that a file could hold.
    std::optional<std::string> given;
    if (!value.empty()) given = value;
    fields.path(key(), given);
    value = given.value_or("");
  }

 private:
  [[nodiscard]] Key key() const { return {schema.key, schema.doc}; }
  void read_word(std::string& value) const {
    std::vector<Word> words;
    for (const std::string& word : schema.words) words.push_back({word});
    for (const RefusedWord& refused : schema.refused_words) words.push_back({refused.word, refused.reason});
    fields.word(key(), value, words);
  }
};

void describe_options(Fields& fields, const ComponentSchema& schema,
                      std::map<std::string, OptionValue>& options) {
  for (const OptionSchema& option : schema.options) {
    OptionValue& value = options.try_emplace(option.key, option.default_value).first->second;
    std::visit(OptionField{fields, option}, value);
  }
}

/// Of a component whose name is not known: what is wrong whatever its name is.
void describe_any_component(Fields& fields, std::span<const ComponentSchema> schemas) {
  const auto any = merge_options(schemas);
  if (!any) return fields.accept_any_key();
  std::map<std::string, OptionValue> unused;
  fields.alternative({.key = "name", .word = "", .doc = "", .state = Alternative::State::open},
                     [&] { describe_options(fields, *any, unused); });
}

std::vector<Word> names_of(std::span<const ComponentSchema> schemas) {
  std::vector<Word> names;
  for (const ComponentSchema& schema : schemas) names.push_back({schema.name});
  return names;
}

/// The fields of a component are not known before its name is.
void describe_component(Fields& fields, std::string_view doc, Component& component,
                        std::span<const ComponentSchema> schemas) {
  const std::string held = component.name;
  fields.word({"name", doc}, component.name, names_of(schemas));
  if (component.name != held) component.options.clear();
  if (fields.has_refused("name")) component.name.clear();
  const ComponentSchema* chosen = find_schema(schemas, component.name);
  if (!chosen) describe_any_component(fields, schemas);
  for (const ComponentSchema& schema : schemas) {
    const bool is_chosen = &schema == chosen;
    const auto state = is_chosen ? Alternative::State::chosen : Alternative::State::other;
    std::map<std::string, OptionValue> defaults;
    fields.alternative({.key = "name", .word = schema.name, .doc = schema.doc, .state = state},
                       [&] { describe_options(fields, schema, is_chosen ? component.options : defaults); });
  }
}

void describe_model(Fields& fields, TrainConfig& config, std::span<const ComponentSchema> schemas) {
  fields.path({"weights",
               "initial weights, used when there is no checkpoint to resume from: a safetensors file, or a "
               "folder with "
               "safetensors files, such as a checkpoint; a run folder stands for its newest checkpoint"},
              config.initial_weights);
  describe_component(fields, "model architecture", config.model, schemas);
}

void describe_data(Fields& fields, TrainConfig::Data& data, std::span<const ComponentSchema> schemas) {
  // A global batch size stands in the place of the one per rank.
  std::optional<std::int64_t> per_rank;
  if (!data.global_batch_size) per_rank = data.batch_size;
  fields.integer({"batch_size", "per-rank micro-batch size (per replica with strategy: data_parallel)"},
                 per_rank, kBatches);
  fields.integer(
      {"global_batch_size", "number of samples per optimizer step over all ranks; replaces batch_size"},
      data.global_batch_size, kLength);
  data.batch_size = per_rank.value_or(data.batch_size);
  fields.integer(
      {"workers",
       "number of threads per rank that load batches in advance; 0: the training thread loads them itself"},
      data.workers, {.min = 0, .max = 256});
  fields.flag({"shuffle", "shuffle the training samples anew in each epoch"}, data.shuffle);
  fields.flag({"drop_last", "drop the last samples of an epoch if they do not fill a batch on every rank"},
              data.drop_last);
  describe_component(fields, "dataset", data.source, schemas);
}

/// "ddp: the ranks average their gradients; parameter_server: ..."
std::string explain_strategies(std::span<const ComponentSchema> schemas) {
  std::string doc;
  for (const ComponentSchema& schema : schemas)
    doc += (doc.empty() ? "" : "; ") + schema.name + ": " + schema.doc;
  return doc;
}

/// Without a name after a wrong one: which section of options belongs to it is not known.
void describe_strategy(Fields& fields, Component& strategy, std::span<const ComponentSchema> schemas) {
  std::string name = strategy.name;
  fields.word({"strategy", explain_strategies(schemas)}, name, names_of(schemas));
  if (fields.has_refused("strategy")) name.clear();
  if (name == strategy.name) return;
  const ComponentSchema* chosen = find_schema(schemas, name);
  strategy = chosen ? with_defaults(*chosen) : Component{};
}

/// The options of each strategy are a section. Only that of the chosen one is held: what is rendered has to
/// be readable.
void describe_strategy_options(Fields& fields, Component& strategy,
                               std::span<const ComponentSchema> schemas) {
  for (const ComponentSchema& schema : schemas) {
    if (schema.options.empty()) continue;
    const bool is_chosen = schema.name == strategy.name;
    if (!is_chosen) fields.needs(schema.name, "strategy: " + schema.name);
    std::optional<std::map<std::string, OptionValue>> held;
    if (is_chosen) held = strategy.options;
    const std::string doc = "options of strategy " + schema.name + ": " + schema.doc;
    fields.section({schema.name, doc}, held, [&](std::map<std::string, OptionValue>& options) {
      describe_options(fields, schema, options);
    });
    if (is_chosen) strategy.options = *held;
  }
}

void describe_checkpoint(Fields& fields, TrainConfig::Checkpoint& checkpoint) {
  fields.integer(
      {"every_epochs", "write a checkpoint every N epochs, in addition to those at a stop and at the end"},
      checkpoint.every_epochs, kPositive);
  fields.integer(
      {"every_steps", "write a checkpoint every N steps, in addition to those at a stop and at the end"},
      checkpoint.every_steps, kPositive);
  fields.duration(
      {"every",
       "write a checkpoint at this interval, such as 30m, in addition to those at a stop and at the end"},
      checkpoint.every, {.min = std::chrono::seconds{1}});
  fields.integer({"keep", "number of newest checkpoints to keep"}, checkpoint.keep, kPositive);
  fields.choice({"keep_best", "also write and keep the checkpoint with the best evaluation accuracy or loss"},
                checkpoint.keep_best, kKeepBests);
  fields.choice(
      {"resume",
       "auto: resume from the newest checkpoint in the run folder; never: start from the beginning"},
      checkpoint.resume, kResumes);
  fields.path({"path", "checkpoint of any run to start from or to evaluate"}, checkpoint.path);
}

void describe_steps(Fields& fields, TrainConfig& config) {
  fields.text({"program", "trainer to run: ddptrain, or a program built with ddp::trainer"}, config.program);
  fields.alternatives_hold_for("program", TrainConfig{}.program);
  fields.path({"libtorch",
               "folder of the LibTorch that the ranks load, such as site-packages/torch of a Python "
               "environment; by default ddpsubmit looks for one"},
              config.libtorch);
  fields.choice({"mode", "train a model, or evaluate a checkpoint"}, config.mode, kModes);
  fields.integer({"seed", "random seed for initial weights, sample order and dropout"}, config.seed,
                 kNotNegative);
  fields.integer({"epochs", "number of passes over the training data; set this or max_steps"}, config.epochs,
                 kLength);
  fields.integer({"max_steps", "number of optimizer steps; set this or epochs"}, config.max_steps, kLength);
}

}  // namespace

void describe_train(Fields& fields, TrainConfig& config, const ComponentSchemas& schemas) {
  describe_steps(fields, config);
  fields.choice({"device", "device to train on; auto: cuda if each rank of a node has a GPU, else cpu"},
                config.device, kDevices);
  describe_strategy(fields, config.strategy, schemas.strategies);
  fields.integer({"gradient_accumulation_steps",
                  "number of batches per rank whose gradients are added up for one optimizer step"},
                 config.gradient_accumulation_steps, kBatches);
  fields.section({"model", "model to train"}, [&] { describe_model(fields, config, schemas.models); });
  fields.flag(
      {"sync_batch_norm",
       "compute BatchNorm mean and variance over the batches of all ranks, as torch.nn.SyncBatchNorm"},
      config.sync_batch_norm);
  fields.section({"data", "training and test data"},
                 [&] { describe_data(fields, config.data, schemas.datasets); });
  fields.section({"loss", "loss function and its options"},
                 [&] { describe_component(fields, "loss function", config.loss, schemas.losses); });
  fields.section({"optimizer", "optimizer and its options"},
                 [&] { describe_component(fields, "optimizer", config.optimizer, schemas.optimizers); });
  fields.section({"schedule", "how the learning rate changes"}, config.schedule, [&](Component& schedule) {
    if (schedule.name.empty()) schedule.name = "constant";
    describe_component(fields, "learning rate schedule", schedule, schemas.schedules);
  });
  fields.number(
      {"clip_grad_norm",
       "maximum norm of the gradients, as torch.nn.utils.clip_grad_norm_; the default is no clipping"},
      config.clip_grad_norm, {.min = 0, .min_bound = Bound::exclusive});
  fields.choice(
      {"precision", "precision of forward passes, as torch.autocast; fp16 needs CUDA and scales the loss"},
      config.precision, kPrecisions);
  fields.choice({"memory_format",
                 "memory format of images and convolution weights; channels_last: as torch.channels_last"},
                config.memory_format, kMemoryFormats);
  fields.flag({"deterministic",
               "make every run give the same bytes, on CUDA too, as torch.use_deterministic_algorithms"},
              config.deterministic);
  fields.flag({"tf32",
               "use TF32 for matrix products and convolutions on CUDA; the default is PyTorch's: for "
               "convolutions only"},
              config.tf32);
  describe_strategy_options(fields, config.strategy, schemas.strategies);
  fields.section({"checkpoint", "when to write checkpoints and which to keep"},
                 [&] { describe_checkpoint(fields, config.checkpoint); });
  fields.section({"evaluate", "evaluation on the test data"}, [&] {
    fields.integer({"every_epochs", "evaluate on the test data every N epochs; 0: never"},
                   config.evaluate.every_epochs, kNotNegative);
  });
  fields.section({"log", "progress lines and metrics.jsonl"}, [&] {
    fields.integer({"every_steps", "write a progress line and a line of metrics.jsonl every N steps"},
                   config.log.every_steps, kPositive);
    fields.flag(
        {"tensorboard", "also write event files for TensorBoard to the folder tensorboard of the run folder"},
        config.log.tensorboard);
  });
}

SectionKeys section_keys() {
  TrainConfig config;
  KeyCollector model;
  KeyCollector data;
  KeyCollector component;
  describe_model(model, config, {});
  describe_data(data, config.data, {});
  describe_component(component, "component", config.optimizer, {});
  return {model.keys(), data.keys(), component.keys(), component.keys(), component.keys()};
}

}  // namespace ddp::trainer
