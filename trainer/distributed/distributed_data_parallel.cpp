#include "ddp/trainer/distributed_data_parallel.hpp"

#include <torch/csrc/autograd/engine.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/embedding.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <torch/csrc/distributed/c10d/logger.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <unordered_map>
#include <unordered_set>

#include "ddp/jobenv/own_progress.hpp"
#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/distributed/broadcast_tensors.hpp"
#include "trainer/distributed/comm_hooks.hpp"
#include "trainer/distributed/gradient_accumulators.hpp"
#include "trainer/distributed/pass_timer.hpp"
#include "trainer/distributed/same_module.hpp"
#include "trainer/distributed/unused_parameters.hpp"
#include "trainer/shm/backward_sums.hpp"

namespace ddp::trainer {
namespace {

std::string_view word_for(CommHook hook) {
  switch (hook) {
    case CommHook::fp16:
      return "fp16";
    case CommHook::bf16:
      return "bf16";
    case CommHook::none:
      break;
  }
  return "none";
}

/// "the options bucket_cap_mib 25, …".
std::string describe(const DistributedDataParallelOptions& options) {
  std::ostringstream text;
  text << std::boolalpha << "the options bucket_cap_mib " << options.bucket_cap_mib
       << ", find_unused_parameters " << options.find_unused_parameters << ", static_graph "
       << options.static_graph << ", gradient_as_bucket_view " << options.gradient_as_bucket_view
       << ", broadcast_buffers " << options.broadcast_buffers << ", comm_hook "
       << word_for(options.comm_hook);
  return text.str();
}

constexpr std::int64_t kMib = 1 << 20;

// The parameters that need a gradient, each once, in the order of named_parameters().
struct ReducedParameters {
  std::vector<torch::Tensor> tensors;
  std::vector<bool> expect_sparse;
  std::unordered_map<std::size_t, std::string> names;
};

bool gives_sparse_gradients(const torch::nn::Module& module) {
  if (const auto* embedding = module.as<torch::nn::Embedding>()) return embedding->options.sparse();
  if (const auto* bag = module.as<torch::nn::EmbeddingBag>()) return bag->options.sparse();
  return false;
}

ReducedParameters reduced_parameters(const torch::nn::Module& root) {
  ReducedParameters reduced;
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const auto& module : root.named_modules()) {
    for (const auto& parameter : module.value()->named_parameters(/*recurse=*/false)) {
      const auto& tensor = parameter.value();
      if (!tensor.requires_grad() || !seen.insert(tensor.unsafeGetTensorImpl()).second) continue;
      reduced.names[reduced.tensors.size()] =
          module.key().empty() ? parameter.key() : module.key() + "." + parameter.key();
      reduced.tensors.push_back(tensor);
      reduced.expect_sparse.push_back(gives_sparse_gradients(*module.value()));
    }
  }
  return reduced;
}

// Until the first backward has shown in which order gradients come, everything is one bucket, except where
// the buckets are never rebuilt.
std::vector<std::size_t> first_bucket_limits(const DistributedDataParallelOptions& options,
                                             std::int64_t first_cap, std::int64_t cap) {
  if (options.static_graph || !options.find_unused_parameters) {
    return {static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())};
  }
  if (first_cap == cap) return {static_cast<std::size_t>(cap)};
  return {static_cast<std::size_t>(first_cap), static_cast<std::size_t>(cap)};
}

/// Null where ranks do not share memory.
c10::intrusive_ptr<BackwardSums> make_backward_sums(const at::Device& device, ProcessGroup& group) {
  if (!device.is_cpu()) return {};
  auto gloo = find_shared_memory(*group.c10d_group());
  return gloo ? c10::make_intrusive<BackwardSums>(std::move(gloo)) : c10::intrusive_ptr<BackwardSums>();
}

c10::intrusive_ptr<c10d::ProcessGroup> reducers_group(const c10::intrusive_ptr<BackwardSums>& sums,
                                                      ProcessGroup& group) {
  if (!sums) return group.c10d_group();
  // The logger takes one of type GLOO for a ProcessGroupGloo.
  constexpr auto kCustom = c10d::ProcessGroup::BackendType::CUSTOM;
  auto own =
      c10::make_intrusive<c10d::ProcessGroup>(group.c10d_group()->getStore(), group.rank(), group.size());
  own->setBackend(c10::DeviceType::CPU, kCustom, sums);
  own->setDefaultBackend(kCustom);
  return own;
}

std::shared_ptr<c10d::Reducer> make_reducer(const ReducedParameters& parameters,
                                            const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                                            const DistributedDataParallelOptions& options) {
  const std::int64_t cap = options.bucket_cap_mib * kMib;
  const std::int64_t first_cap =
      cap == c10d::kDefaultBucketBytesCap ? std::int64_t{c10d::kDefaultFirstBucketBytes} : cap;
  auto buckets = std::get<0>(c10d::compute_bucket_assignment_by_size(
      parameters.tensors, first_bucket_limits(options, first_cap, cap), parameters.expect_sparse));
  std::reverse(buckets.begin(), buckets.end());  // gradients come about in the reverse order of forward
  return std::make_shared<c10d::Reducer>(parameters.tensors, buckets, group, parameters.expect_sparse, cap,
                                         options.find_unused_parameters, options.gradient_as_bucket_view,
                                         parameters.names, first_cap,
                                         /*skip_all_reduce_unused_params=*/false,
                                         /*use_python_reducer=*/false,
                                         /*bucket_bytes_cap_list=*/std::vector<std::int64_t>{});
}

/// Called when backward is done, before the reducer's own callback, which comes between the two of this.
void wait_until_reduced() {
  auto wait = std::make_shared<PeerWait>();
  torch::autograd::Engine::get_default_engine().queue_callback([wait]() mutable { wait.reset(); });
}

}  // namespace

// The members are destroyed from the last to the first: the logger lets go of the reducer, the reducer of the
// group.
struct DistributedDataParallel::State {
  State(std::shared_ptr<torch::nn::Module> wrapped, Forward run, ProcessGroup& ranks,
        const DistributedDataParallelOptions& chosen)
      : module(std::move(wrapped)), forward(std::move(run)), group(ranks), options(chosen) {
    const ReducedParameters parameters = reduced_parameters(*module);
    if (parameters.tensors.empty()) {
      throw InvalidConfiguration(
          "DistributedDataParallel: the module has no parameter that needs a gradient");
    }
    require_same_module(*module, "DistributedDataParallel", describe(options), group);
    require_comm_hook(options.comm_hook, parameters.tensors.front().device(), group);
    take_from_rank_0();
    backward_sums = make_backward_sums(parameters.tensors.front().device(), group);
    names = parameters.names;
    accumulators.emplace(parameters.tensors);
    const auto summing_group = reducers_group(backward_sums, group);
    reducer = make_reducer(parameters, summing_group, options);
    pass_timer = std::make_shared<PassTimer>(parameters.tensors.front().device());
    attach_logger();
    if (auto hook = make_comm_hook(options.comm_hook, summing_group))
      reducer->register_comm_hook(std::move(hook));
  }

  void take_from_rank_0() {
    std::vector<torch::Tensor> values;
    for (const auto& parameter : module->parameters()) values.push_back(parameter.detach());
    if (options.broadcast_buffers) {
      for (const auto& buffer : module->buffers()) values.push_back(buffer.detach());
    }
    broadcast_tensors(values, group);
  }

  void attach_logger() {
    logger = std::make_shared<c10d::Logger>(reducer);
    reducer->set_logger(logger);
    logger->set_construction_data_and_log(module->name(), /*device_ids=*/{}, /*output_device=*/-1,
                                          options.broadcast_buffers, /*has_sync_bn=*/false,
                                          options.static_graph);
    if (options.static_graph) {
      reducer->set_static_graph();
      logger->set_static_graph();
    }
  }

  void broadcast_buffers() { broadcast_tensors(module->buffers(), group); }

  void require_same_accumulators() const {
    if (const auto index = accumulators->find_replaced()) {
      throw InvalidConfiguration("DistributedDataParallel: the parameter '" + names.at(*index) +
                                 "' was replaced after the model was wrapped, so its gradient would not be "
                                 "averaged over the ranks; load before DistributedDataParallel");
    }
  }

  void before_forward() {
    if (torch::GradMode::is_enabled()) {
      require_same_accumulators();
      if (sync_gradients) {
        logger->set_runtime_stats_and_log();
        reducer->prepare_for_forward();
      }
      const PeerWait wait;  // in the one iteration in which there is something to rebuild
      reducer->rebuild_buckets();
    }
    if (sync_buffers && options.broadcast_buffers) broadcast_buffers();
    if (torch::GradMode::is_enabled()) pass_timer->begin();
  }

  torch::Tensor after_forward(const torch::Tensor& output) {
    const bool search_graph = options.find_unused_parameters && !options.static_graph;
    sync_buffers = torch::GradMode::is_enabled() && sync_gradients;
    if (sync_buffers) {
      reducer->prepare_for_backward(search_graph ? std::vector<torch::Tensor>{output}
                                                 : std::vector<torch::Tensor>{});
    }
    if (!output.requires_grad()) return output;
    const bool first_static = options.static_graph && !delayed_all_reduce_queued;
    // A node between the model and the loss, the first of backward.
    torch::Tensor last = search_graph || first_static ? output.clone() : output;
    end_pass_after_backward_of(last);
    if (first_static) reduce_after_backward_of(last);
    return last;
  }

  // What is queued runs when backward is done, in the order in which it was queued. The reducer, which waits
  // for the other ranks, comes with the last gradient.
  void end_pass_after_backward_of(const torch::Tensor& output) {
    output.register_hook([timer = pass_timer, sums = backward_sums](const torch::Tensor&) {
      if (sums) sums->begin();
      torch::autograd::Engine::get_default_engine().queue_callback([timer, sums] {
        timer->end();
        if (sums) return sums->end();
        wait_until_reduced();
      });
    });
  }

  // In the first iteration of a static graph all gradients are reduced at the end of backward, since which
  // ones take part is only known then.
  void reduce_after_backward_of(const torch::Tensor& output) {
    output.register_hook([this](const torch::Tensor&) {
      if (std::exchange(delayed_all_reduce_queued, true)) return;
      torch::autograd::Engine::get_default_engine().queue_callback([this] { reducer->delay_all_reduce(); });
    });
  }

  std::shared_ptr<torch::nn::Module> module;
  Forward forward;
  ProcessGroup& group;
  DistributedDataParallelOptions options;
  bool sync_gradients = true;
  bool sync_buffers = true;  // not in the forward after one that did not synchronise gradients
  bool delayed_all_reduce_queued = false;
  std::unordered_map<std::size_t, std::string> names;  // of the reducer's parameters
  std::optional<GradientAccumulators> accumulators;    // of the same
  c10::intrusive_ptr<BackwardSums> backward_sums;      // of the reducer; null: it asks the group
  std::shared_ptr<c10d::Reducer> reducer;
  std::shared_ptr<c10d::Logger> logger;
  std::shared_ptr<PassTimer> pass_timer;
};

DistributedDataParallel::DistributedDataParallel(std::shared_ptr<torch::nn::Module> module, Forward forward,
                                                 ProcessGroup& group,
                                                 const DistributedDataParallelOptions& options)
    : state_(std::make_unique<State>(std::move(module), std::move(forward), group, options)) {}

DistributedDataParallel::DistributedDataParallel(DistributedDataParallel&&) noexcept = default;
DistributedDataParallel::~DistributedDataParallel() = default;

torch::Tensor DistributedDataParallel::forward(const torch::Tensor& input) try {
  state_->before_forward();
  return state_->after_forward(state_->forward(input));
} catch (const c10::Error& error) {
  const auto unused = describe_unused_parameters(error.what_without_backtrace(), state_->names);
  if (!unused) throw;
  throw InvalidConfiguration(*unused);
}

void DistributedDataParallel::broadcast_buffers() {
  state_->broadcast_buffers();
}

torch::nn::Module& DistributedDataParallel::module() const {
  return *state_->module;
}

std::optional<DistributedDataParallelTimes> DistributedDataParallel::average_times() const {
  const auto values = state_->logger->get_ddp_logging_data().ints_map;
  const auto mean = [&](const char* key) {
    const auto found = values.find(key);
    return std::chrono::nanoseconds(found == values.end() ? 0 : found->second);
  };
  DistributedDataParallelTimes times{.forward_compute = mean("avg_forward_compute_time"),
                                     .backward_compute = mean("avg_backward_compute_time"),
                                     .communication = mean("avg_backward_comm_time"),
                                     .overlap = mean("avg_backward_compute_comm_overlap_time")};
  if (times.backward_compute.count() == 0) return std::nullopt;
  // The reducer takes its sums for a part of backward.
  if (const auto own = state_->backward_sums ? state_->backward_sums->mean_times() : std::nullopt) {
    times.backward_compute = own->backward;
    times.communication = own->sums;
    times.overlap = {};
  }
  return times;
}

std::chrono::nanoseconds DistributedDataParallel::take_own_time() {
  return state_->pass_timer->take();
}

DistributedDataParallel::NoSync::NoSync(DistributedDataParallel& model)
    : model_(model), before_(std::exchange(model.state_->sync_gradients, false)) {}

DistributedDataParallel::NoSync::~NoSync() {
  model_.state_->sync_gradients = before_;
}

}  // namespace ddp::trainer
