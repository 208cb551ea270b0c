#include "trainer/loop/step_window.hpp"

#include <ATen/ATen.h>

#include <algorithm>

#include "ddp/jobenv/rank_layout.hpp"
#include "trainer/distributed/group/cuda_plugin.hpp"

namespace ddp::trainer {
namespace {

using namespace std::chrono_literals;

/// Empty where the environment does not tell.
std::string host_of(int rank, const JobEnvironment& job) {
  const auto layout = RankLayout::make(job.tasks_per_node);
  if (!layout || rank >= layout->world_size()) return {};
  const auto node = static_cast<std::size_t>(layout->place(rank).node_rank);
  return node < job.hostnames.size() ? job.hostnames[node] : std::string();
}

std::optional<DeviceUse> device_use(const at::Device& device) {
  return device.is_cuda() ? std::optional(cuda_plugin().device_use(device.index())) : std::nullopt;
}

std::optional<double> read_number(const torch::Tensor& tensor) {
  return tensor.defined() ? std::optional(tensor.item<double>()) : std::nullopt;
}

}  // namespace

void StepWindow::add(std::span<const PassResult> passes, const UpdateMade& update) {
  for (const PassResult& pass : passes) totals_.add(pass.loss, pass.logits, pass.targets);
  last_update_ = update;
}

TrainReport StepWindow::close(Strategy& strategy) {
  const StepTimeSummary times = times_.summary();
  // Ranks that take statistics together wait for each other within their passes.
  const auto passes = job_.config.sync_batch_norm ? std::nullopt : strategy.take_own_time();
  const SharedWindow window =
      share_window(totals_.sum(), time_of_this_rank(times, passes.value_or(0s)), job_.group);
  totals_ = {};
  times_ = {};
  return {.totals = window.totals,
          .times = times,
          .learning_rate = last_update_.learning_rate,
          .gradient_norm = read_number(last_update_.gradient_norm),
          .parts = job_.device.is_cpu() ? std::optional(times.parts) : std::nullopt,
          .exposed_communication = strategy.exposed_communication(),
          .slowest = passes ? find_slowest_rank(window.times) : std::nullopt,
          .ranks = passes ? ranks_to_record(window.times) : std::vector<TimedRank>(),
          .device = job_.group.rank() == 0 ? device_use(job_.device) : std::nullopt};
}

/// Of a step of the window, whose passes have taken so long. On CUDA they go on while the host waits for
/// batches.
RankTime StepWindow::time_of_this_rank(const StepTimeSummary& times,
                                       std::chrono::duration<double> passes) const {
  const auto steps = static_cast<double>(times.steps);
  const double total =
      job_.device.is_cuda() ? std::max(times.data_wait, passes.count()) : times.data_wait + passes.count();
  return {.total = total / steps, .data_wait = times.data_wait / steps};
}

std::optional<std::string> StepWindow::find_straggler(const TrainReport& report) {
  const auto& slowest = report.slowest;
  if (!slowest || !stragglers_.finds(*slowest, std::chrono::duration<double>(report.times.total)))
    return std::nullopt;
  return describe_straggler(*slowest, host_of(slowest->rank, job_.environment));
}

}  // namespace ddp::trainer
