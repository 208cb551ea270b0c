#include "trainer/distributed/group/join_shared_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "trainer/distributed/agreement/broadcast_text.hpp"
#include "trainer/distributed/agreement/gather_texts.hpp"

namespace ddp::trainer {
namespace {

/// Goes on where `step` fails, and keeps the reason: the other ranks wait for this one's word.
template <class Step>
void attempt(std::string& trouble, const Step& step) {
  if (!trouble.empty()) return;
  try {
    step();
  } catch (const std::exception& error) {
    trouble = error.what();
  }
}

}  // namespace

void join_shared_memory(SharedMemoryGloo& gloo, ProcessGroup& group, const std::vector<int>& ranks) {
  const bool first = group.rank() == 0;
  std::optional<SharedMemory> memory;
  std::optional<SharedSlots> slots;
  std::string address;
  std::string trouble;
  attempt(trouble, [&] {
    if (!first) return;
    memory.emplace(SharedMemory::create(SharedSlots::bytes_for(group.size())));
    address = memory->address();
  });
  address = broadcast_text(address, 0, group);
  attempt(trouble, [&] {
    if (address.empty()) return;
    if (!first) memory.emplace(SharedMemory::open(address));
    slots.emplace(std::move(*memory), group.rank(), group.size(),
                  ranks[static_cast<std::size_t>(group.rank())]);
  });
  const auto troubles = gather_texts(trouble, group);
  const auto found = std::ranges::find_if_not(troubles, &std::string::empty);
  if (found == troubles.end()) return gloo.share_memory(std::move(*slots));
  if (!first) return;
  std::fprintf(stderr, "[rank %d] gradients are summed over TCP instead of shared memory: %s\n",
               ranks[static_cast<std::size_t>(found - troubles.begin())], found->c_str());
}

}  // namespace ddp::trainer
