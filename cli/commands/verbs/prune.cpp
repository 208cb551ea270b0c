#include <set>

#include "cli/commands/prune/prune_report.hpp"
#include "cli/commands/watch/find_run.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {
namespace {

constexpr Option kYes{"--yes", "", "delete; without this, only print what would be deleted"};

/// The ids of the runs that are named. Nothing is deleted if a word means no run.
tl::expected<std::set<std::string>, Errors> find_named(const Arguments& arguments, const Context& context) {
  std::set<std::string> ids;
  const auto words = arguments.all(kPrunedRuns.name);
  if (words.empty()) return ids;
  auto found = find_runs(words, context, RunUse::remove);
  if (!found) return refuse(found.error());
  for (const auto& run : found->pointers) {
    const RunFolder folder(run.run_dir);
    ids.insert(run.run_id);
    if (folder.point())
      found->errors.push_back({ExitCode::usage,
                               run.run_id + " is a point of a sweep, which is deleted as a whole",
                               "to delete the sweep: ddpsubmit prune " + folder.sweep().run_id() + " --yes"});
  }
  if (!found->errors.empty()) return tl::unexpected(std::move(found->errors));
  return ids;
}

Outcome prune(const Arguments& arguments, Context& context) {
  auto rules = parse_prune_rules(arguments);
  if (!rules) return refuse(rules.error());
  auto named = find_named(arguments, context);
  if (!named) return tl::unexpected(std::move(named.error()));
  rules->named = std::move(*named);
  const auto store = RunStore::open(context.environment);
  if (!store) return refuse(store.error());
  auto plan = plan_prune(*rules, context);
  if (!plan) return refuse(plan.error());
  const auto mode = arguments.has(kYes.name) ? PruneMode::act : PruneMode::preview;
  PruneResult result{.deleted = {}, .kept = plan->kept, .errors = {}};
  if (mode == PruneMode::act) {
    StatusResolver resolver(context.seams());
    auto done = carry_out(*plan, *store, [&](const RunPointer& run, const RunFolder& folder) {
      auto* launcher = resolver.launcher(run.launcher);
      return launcher != nullptr ? launcher->remove_copies(folder) : RemovedCopies{};
    });
    result.deleted = std::move(done.deleted);
    result.kept.insert(result.kept.end(), done.kept.begin(), done.kept.end());
    result.errors = std::move(done.errors);
  } else {
    result.deleted = std::move(plan->items);
  }
  const auto report = report_prune(result, plan->gone, mode, context.system.clock.now());
  context.reporter.partial_answer(report, result.errors);
  for (const auto& note : prune_notes(result, plan->gone, mode, rules->target)) context.reporter.note(note);
  return worst_code(result.errors);
}

std::vector<Option> options_of_prune() {
  auto options = prune_options();
  options.push_back(kYes);
  return options;
}

}  // namespace

Command prune_command() {
  return {.name = "prune",
          .summary = "Delete the folders of old runs, or checkpoints that they do not need",
          .operands = {kPrunedRuns},
          .options = options_of_prune(),
          .examples = {{"prune mnist-1a2b3c4d --yes", "delete the folder of one run"},
                       {"prune --older-than 30d", "print which runs ended more than 30 days ago"},
                       {"prune --older-than 30d --yes", "delete their folders"},
                       {"prune --keep 20 --state failed --yes",
                        "failed runs that are not among the newest 20 of their name"},
                       {"prune --checkpoints --larger-than 10GiB --yes",
                        "of large runs, all checkpoints but the newest and the best"},
                       {"prune --gone --yes", "remove runs from the list whose folders no longer exist"}},
          .run = prune};
}

}  // namespace ddp::cli
