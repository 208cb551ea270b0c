#include "trainer/dist/share_memory.hpp"

#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "trainer/dist/broadcast_text.hpp"
#include "trainer/dist/gather_texts.hpp"

namespace ddp::trainer {
namespace {

/// Of one rank, which goes on where it fails: the others wait for its word.
struct Attempt {
  std::optional<SharedMemory> memory;
  std::string trouble;

  template <class Get>
  void get(const Get& get_memory) {
    try {
      memory.emplace(get_memory());
    } catch (const std::exception& error) {
      trouble = error.what();
    }
  }
};

}  // namespace

void share_memory(SharedMemoryGloo& gloo, ProcessGroup& group) {
  Attempt attempt;
  if (group.rank() == 0)
    attempt.get([&] { return SharedMemory::create(SharedSum::bytes_for(group.size())); });
  const std::string address = broadcast_text(attempt.memory ? attempt.memory->address() : "", 0, group);
  if (group.rank() != 0 && !address.empty()) attempt.get([&] { return SharedMemory::open(address); });
  std::optional<SharedSum> sum;
  if (attempt.memory) sum.emplace(std::move(*attempt.memory), group.rank(), group.size());
  const auto troubles = gather_texts(attempt.trouble, group);
  for (int rank = 0; rank < group.size(); ++rank) {
    const std::string& trouble = troubles[static_cast<std::size_t>(rank)];
    if (trouble.empty()) continue;
    if (group.rank() == 0) {
      std::fprintf(stderr, "[rank %d] sums go over TCP, not through shared memory: %s\n", rank,
                   trouble.c_str());
    }
    return;
  }
  gloo.use(std::move(*sum));
}

}  // namespace ddp::trainer
