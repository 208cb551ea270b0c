#include "cli/commands/find_run.hpp"

namespace ddp::cli {

Expected<RunPointer> find_run(const std::string& selector, const Context& context) {
  const auto store = RunStore::open(context.environment);
  if (!store) return tl::unexpected(store.error());
  return store->find(selector);
}

Expected<std::vector<RunPointer>> find_runs(const std::vector<std::string>& selectors,
                                            const Context& context) {
  const auto store = RunStore::open(context.environment);
  if (!store) return tl::unexpected(store.error());
  const auto all = store->load_all();
  if (!all) return tl::unexpected(all.error());
  std::vector<RunPointer> found;
  for (const auto& selector : selectors) {
    auto run = select_run(*all, selector);
    if (!run) return tl::unexpected(run.error());
    found.push_back(std::move(*run));
  }
  return found;
}

}  // namespace ddp::cli
