#include "jobenv/agent/controller/pmi_exchange.hpp"

#include <utility>

namespace ddp::agent {

bool PmiExchange::put(const PmiPairs& pairs) {
  size_ += size_of(pairs);
  if (size_ > kMaxPmiPairs) return false;
  for (const auto& [key, value] : pairs) pairs_[key] = value;
  return true;
}

bool PmiExchange::arrive(AgentId agent, std::size_t agents) {
  arrived_.insert(agent);
  return arrived_.size() == agents;
}

PmiPairs PmiExchange::finish() {
  arrived_.clear();
  return std::exchange(pairs_, {});
}

}  // namespace ddp::agent
