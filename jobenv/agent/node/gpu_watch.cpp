#include "jobenv/agent/node/gpu_watch.hpp"

#include "jobenv/record/fields/json_text.hpp"

namespace ddp::agent {
namespace {

/// A start of NVML takes a tenth of a second of a CPU.
constexpr std::chrono::seconds kGpuPause{10};

}  // namespace

void GpuWatch::look() {
  const auto now = std::chrono::steady_clock::now();
  if (query_ || (asked_ && now - *asked_ < kGpuPause)) return;
  asked_ = now;
  query_.emplace(loop_, std::vector<std::string>{"/proc/self/exe", "gpus"}, environment_,
                 [this](const ToolAnswer& answer) {
                   gpus_ = parse_gpus(parse_json(answer.text));
                   query_.reset();
                 });
}

}  // namespace ddp::agent
