#include "trainer/config/train_fields.hpp"

#include <array>

#include "trainer/config/component_schema.hpp"
#include "trainer/config/key_collector.hpp"

namespace ddp::trainer {
namespace {

constexpr IntegerRange kPositive{.min = 1};
constexpr IntegerRange kNotNegative{.min = 0};
// Products of these fit in 64 bits.
constexpr IntegerRange kLength{.min = 1, .max = 1'000'000'000};
constexpr IntegerRange kBatches{.min = 1, .max = 1'000'000};
constexpr std::string_view kLater = "it is not available in this version";

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
constexpr std::array kStrategies = {Choice{ParallelStrategy::ddp, "ddp"},
                                    Choice{ParallelStrategy::parameter_server, "parameter_server"},
                                    Choice{ParallelStrategy::data_parallel, "data_parallel"}};
constexpr std::array kCommHooks = {Choice{CommHook::none, "none"}, Choice{CommHook::fp16, "fp16"},
                                   Choice{CommHook::bf16, "bf16"}};
constexpr std::array kLaterCommHooks = {Word{"power_sgd", kLater}};

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

/// The fields of a component are not known before its name is.
void describe_component(Fields& fields, Component& component, std::span<const ComponentSchema> schemas) {
  std::vector<Word> names;
  for (const ComponentSchema& schema : schemas) names.push_back({schema.name});
  fields.word({"name", "which one"}, component.name, names);
  const ComponentSchema* chosen = find_schema(schemas, component.name);
  if (!chosen) fields.accept_any_key();
  for (const ComponentSchema& schema : schemas) {
    const bool is_chosen = &schema == chosen;
    const auto state = is_chosen ? Alternative::State::chosen : Alternative::State::other;
    std::map<std::string, OptionValue> defaults;
    fields.alternative({.key = "name", .word = schema.name, .doc = schema.doc, .state = state},
                       [&] { describe_options(fields, schema, is_chosen ? component.options : defaults); });
  }
}

void describe_model(Fields& fields, TrainConfig& config, std::span<const ComponentSchema> schemas) {
  fields.path({"weights", "safetensors file to start from, where there is no checkpoint"},
              config.initial_weights);
  describe_component(fields, config.model, schemas);
}

void describe_data(Fields& fields, TrainConfig::Data& data, std::span<const ComponentSchema> schemas) {
  // A global batch size stands in the place of the one per rank.
  std::optional<std::int64_t> per_rank;
  if (!data.global_batch_size) per_rank = data.batch_size;
  fields.integer({"batch_size", "samples of each rank (of each replica with data_parallel) and pass"},
                 per_rank, kBatches);
  fields.integer(
      {"global_batch_size", "samples of one optimizer step, of all ranks together, in place of batch_size"},
      data.global_batch_size, kLength);
  data.batch_size = per_rank.value_or(data.batch_size);
  fields.integer(
      {"workers", "threads of a rank that load batches in advance; 0: the training itself loads them"},
      data.workers, {.min = 0, .max = 256});
  fields.flag({"shuffle", "a new order each epoch"}, data.shuffle);
  fields.flag({"drop_last", "drop what does not divide among the ranks and batches"}, data.drop_last);
  describe_component(fields, data.source, schemas);
}

void describe_ddp_options(Fields& fields, TrainConfig::Ddp& ddp) {
  fields.integer({"bucket_cap_mib", "size of the gradient buckets"}, ddp.bucket_cap_mib,
                 {.min = 1, .max = 65'536});
  fields.flag({"find_unused_parameters", "look for parameters without gradient in each step"},
              ddp.find_unused_parameters);
  fields.flag({"static_graph", "the graph is the same in each step"}, ddp.static_graph);
  fields.flag({"gradient_as_bucket_view", "gradients live in the buckets"}, ddp.gradient_as_bucket_view);
  fields.flag({"broadcast_buffers", "rank 0's buffers go to all ranks in each step"}, ddp.broadcast_buffers);
  fields.choice({"comm_hook", "gradients travel as fp16 or bf16; none: as they are"}, ddp.comm_hook,
                kCommHooks, kLaterCommHooks);
  fields.flag(
      {"shard_optimizer", "each rank keeps and updates a share of the optimizer's state (ZeRO stage 1)"},
      ddp.shard_optimizer);
  fields.integer({"verify_every_steps",
                  "compare the parameters of all ranks after every so many steps, by checksums; 0: never"},
                 ddp.verify_every_steps, kNotNegative);
}

// Only its strategy has it, as below.
void describe_ddp(Fields& fields, TrainConfig& config) {
  std::optional<TrainConfig::Ddp> held;
  if (config.strategy == ParallelStrategy::ddp) held = config.ddp;
  fields.section({"ddp", "of strategy ddp: as the arguments of torch's DistributedDataParallel"}, held,
                 [&](TrainConfig::Ddp& ddp) { describe_ddp_options(fields, ddp); });
  if (held) config.ddp = *held;
}

// Only its strategy has it: what is rendered for another one has to be readable.
void describe_data_parallel(Fields& fields, TrainConfig& config) {
  std::optional<TrainConfig::DataParallel> held;
  if (config.strategy == ParallelStrategy::data_parallel) held = config.data_parallel;
  fields.section({"data_parallel", "of strategy data_parallel: one process, several copies of the model"},
                 held, [&](TrainConfig::DataParallel& data_parallel) {
                   fields.integer({"replicas", "devices on CUDA, threads on the CPU"}, data_parallel.replicas,
                                  {.min = 1, .max = 1024});
                 });
  if (held) config.data_parallel = *held;
}

void describe_checkpoint(Fields& fields, TrainConfig::Checkpoint& checkpoint) {
  fields.integer({"every_epochs", "write one after every so many epochs"}, checkpoint.every_epochs,
                 kPositive);
  fields.integer({"every_steps", "write one after every so many steps"}, checkpoint.every_steps, kPositive);
  fields.duration({"every", "write one after every so much time"}, checkpoint.every,
                  {.min = std::chrono::seconds{1}});
  fields.integer({"keep", "how many of the newest to keep"}, checkpoint.keep, kPositive);
  fields.choice({"keep_best", "write and keep the one of the best evaluation, too"}, checkpoint.keep_best,
                kKeepBests);
  fields.choice({"resume", "go on from the newest one of the run folder, or never"}, checkpoint.resume,
                kResumes);
  fields.path({"path", "of any run: where this one begins, or what it evaluates"}, checkpoint.path);
}

void describe_steps(Fields& fields, TrainConfig& config) {
  fields.text({"program", "ddptrain, or a program built on ddp::trainer"}, config.program);
  fields.alternatives_hold_for("program", TrainConfig{}.program);
  fields.path({"libtorch",
               "folder of the LibTorch that ranks load, such as site-packages/torch of a Python environment"},
              config.libtorch);
  fields.choice({"mode", "train, or evaluate a checkpoint"}, config.mode, kModes);
  fields.integer({"seed", "of the parameters, the order of samples and dropout"}, config.seed, kNotNegative);
  fields.integer({"epochs", "passes over the data"}, config.epochs, kLength);
  fields.integer({"max_steps", "optimizer steps, in place of epochs"}, config.max_steps, kLength);
}

}  // namespace

void describe_train(Fields& fields, TrainConfig& config, const ComponentSchemas& schemas) {
  describe_steps(fields, config);
  fields.choice({"device", "auto is cuda where each rank of a node has a GPU, else cpu"}, config.device,
                kDevices);
  fields.choice({"strategy", "how the ranks share the work"}, config.strategy, kStrategies);
  fields.integer({"gradient_accumulation_steps", "batches of each rank whose gradients add up to one step"},
                 config.gradient_accumulation_steps, kBatches);
  fields.section({"model", "what is trained"}, [&] { describe_model(fields, config, schemas.models); });
  fields.flag({"sync_batch_norm",
               "BatchNorm layers take mean and variance over the batches of all ranks, as SyncBatchNorm"},
              config.sync_batch_norm);
  fields.section({"data", "what it is trained on"},
                 [&] { describe_data(fields, config.data, schemas.datasets); });
  fields.section({"optimizer", "how parameters follow gradients"},
                 [&] { describe_component(fields, config.optimizer, schemas.optimizers); });
  fields.section({"schedule", "how the learning rate changes"}, config.schedule, [&](Component& schedule) {
    if (schedule.name.empty()) schedule.name = "constant";
    describe_component(fields, schedule, schemas.schedules);
  });
  fields.number({"clip_grad_norm", "gradients are scaled down to this norm, as by Python's clip_grad_norm_"},
                config.clip_grad_norm, {.min = 0, .min_bound = Bound::exclusive});
  fields.choice({"precision", "of forward passes, as torch.autocast; fp16 needs CUDA and scales the loss"},
                config.precision, kPrecisions);
  fields.choice(
      {"memory_format", "of images and of the weights of their convolutions, as torch.channels_last"},
      config.memory_format, kMemoryFormats);
  fields.flag(
      {"deterministic", "the same bytes in every run, on CUDA too, as torch.use_deterministic_algorithms"},
      config.deterministic);
  fields.flag(
      {"tf32",
       "matrix products and convolutions of CUDA in TF32; the default is Python's: convolutions alone"},
      config.tf32);
  describe_ddp(fields, config);
  describe_data_parallel(fields, config);
  fields.section({"checkpoint", "what a run goes on from"},
                 [&] { describe_checkpoint(fields, config.checkpoint); });
  fields.section({"evaluate", "on the test split"}, [&] {
    fields.integer({"every_epochs", "0: never"}, config.evaluate.every_epochs, kNotNegative);
  });
  fields.section({"log", "progress lines and metrics.jsonl"}, [&] {
    fields.integer({"every_steps", "a line after every so many steps"}, config.log.every_steps, kPositive);
  });
}

SectionKeys section_keys() {
  TrainConfig config;
  KeyCollector model;
  KeyCollector data;
  KeyCollector component;
  describe_model(model, config, {});
  describe_data(data, config.data, {});
  describe_component(component, config.optimizer, {});
  return {model.keys(), data.keys(), component.keys(), component.keys()};
}

}  // namespace ddp::trainer
