#include "trainer/loop/step/agreed_stop.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace ddp::trainer {
namespace {

constexpr std::chrono::duration<double> kPeriod = std::chrono::milliseconds(100);
constexpr std::int64_t kMaxInterval = 1000;

}  // namespace

AgreedStop::AgreedStop(ProcessGroup& group, std::function<bool()> asked,
                       std::optional<std::chrono::seconds> checkpoint_every)
    : group_(group),
      asked_(std::move(asked)),
      checkpoint_every_(checkpoint_every),
      last_checkpoint_(std::chrono::steady_clock::now()),
      last_exchange_(last_checkpoint_) {}

std::int64_t AgreedStop::steps_in_a_period() const {
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - last_exchange_;
  const double steps = static_cast<double>(steps_) * (kPeriod / std::max(taken, kPeriod / kMaxInterval));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(steps), 1, kMaxInterval);
}

bool AgreedStop::checkpoint_due() const {
  return group_.rank() == 0 && checkpoint_every_ &&
         std::chrono::steady_clock::now() - last_checkpoint_ >= *checkpoint_every_;
}

Agreement AgreedStop::after_step() {
  if (++steps_ < interval_) return {};
  const std::int64_t stop = asked_() ? 1 : 0;
  const std::int64_t due = checkpoint_due() ? 1 : 0;
  torch::Tensor proposal = at::tensor({stop, steps_in_a_period(), due}, at::kLong);
  group_.all_reduce(proposal, ReduceOp::max);
  const auto* agreed = proposal.const_data_ptr<std::int64_t>();
  interval_ = agreed[1];
  steps_ = 0;
  last_exchange_ = std::chrono::steady_clock::now();
  return {.stop = agreed[0] != 0, .checkpoint = agreed[2] != 0};
}

}  // namespace ddp::trainer
