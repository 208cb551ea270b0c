#include "cli/commands/find_run.hpp"

#include "cli/output/run_json.hpp"
#include "cli/output/run_text.hpp"

namespace ddp::cli {

Expected<RunPointer> find_run(const std::string& selector, const Context& context) {
  const auto store = RunStore::open(context.environment);
  if (!store) return tl::unexpected(store.error());
  return store->find(selector);
}

Expected<FoundRuns> find_runs(const std::vector<std::string>& selectors, const Context& context) {
  const auto store = RunStore::open(context.environment);
  if (!store) return tl::unexpected(store.error());
  const auto all = store->load_all();
  if (!all) return tl::unexpected(all.error());
  FoundRuns found;
  for (const auto& selector : selectors) {
    if (auto run = select_run(*all, selector)) {
      found.pointers.push_back(std::move(*run));
    } else {
      found.errors.push_back(run.error());
    }
  }
  return found;
}

Outcome report_runs(std::string_view schema, const std::vector<KnownRun>& runs, Errors errors,
                    Context& context) {
  if (runs.empty() && !errors.empty()) return tl::unexpected(std::move(errors));
  const auto now = context.system.clock.now();
  Report report{.schema = schema, .value = {}, .text = {}};
  if (context.reporter.mode() == OutputMode::json) {
    report.value = to_json(runs, now);
  } else {
    report.text = render_run_states(runs, now);
  }
  context.reporter.partial_answer(report, errors);
  return worst_code(errors);
}

}  // namespace ddp::cli
