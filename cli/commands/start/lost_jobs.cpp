#include "cli/commands/start/lost_jobs.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "cli/launch/launchers.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/ledger/ledger_damage.hpp"
#include "jobenv/record/ledger/submission_token.hpp"

namespace ddp::cli {
namespace {

/// Whether all submissions of a folder are known: none is lost in damaged lines, and the newest one, whose
/// script is written before the ledger tells of it, is told of there.
bool knows_submissions(const RunFolder& folder, const std::optional<std::string>& token) {
  const auto ledger = load_ledger(folder, RankEvents::skip);
  if (!ledger || std::ranges::any_of(*ledger, may_hide_submission)) return false;
  return !token || std::ranges::any_of(*ledger, [&token](const LedgerEvent& event) {
    const auto intent = as<event::SubmitIntent>(event);
    return intent && intent->token == *token;
  });
}

/// A point of a sweep is submitted with others, or by itself.
std::vector<RunFolder> folders_of(const RunFolder& folder, const std::vector<int>& points) {
  std::vector<RunFolder> folders{folder};
  if (folder.point()) folders.push_back(folder.sweep());
  for (const int point : points) folders.push_back(folder.point_folder(point));
  return folders;
}

std::vector<LostJob> find_folders_in_doubt(const std::vector<RunFolder>& folders) {
  std::vector<LostJob> lost;
  for (const auto& folder : folders) {
    const auto token = load_script_token(folder);
    if (!knows_submissions(folder, token)) lost.push_back({token.value_or(""), folder, std::nullopt});
  }
  return lost;
}

/// The one that the ledger names last; empty: it names none.
std::string cluster_of(const RunFolder& folder) {
  std::string cluster;
  for (const auto& event : load_ledger(folder, RankEvents::skip).value_or(std::vector<LedgerEvent>{})) {
    if (auto named = ddp::cluster_of(event); !named.empty()) cluster = std::move(named);
  }
  return cluster;
}

Error doubt(const RunFolder& folder, const std::string& why, std::string hint) {
  return {ExitCode::outcome_unknown, "it is unknown whether run " + folder.run_id() + " has a job: " + why,
          std::move(hint)};
}

/// Another cluster's queue tells nothing.
Expected<void> check_cluster(const RunFolder& folder, JobQueue& queue, const std::string& when_it_answers) {
  const auto cluster = cluster_of(folder);
  const auto here = queue.ask_cluster();
  if (!here) return tl::unexpected(doubt(folder, here.error().message, when_it_answers));
  if (cluster.empty() || here->empty() || *here == cluster) return {};
  return tl::unexpected(doubt(folder,
                              "it was submitted to cluster " + cluster + ", but this is cluster " + *here,
                              "rerun it on cluster " + cluster));
}

}  // namespace

Expected<void> check_lost_jobs(const RunPointer& pointer, const std::vector<int>& points,
                               const Context& context) {
  const RunFolder folder(pointer.run_dir);
  const auto lost = find_folders_in_doubt(folders_of(folder, points));
  if (lost.empty()) return {};
  const auto launcher = make_launcher(pointer.launcher, context.seams());
  if (!launcher) return tl::unexpected(launcher.error());
  auto* const queue = (*launcher)->queue();
  if (queue == nullptr) return {};
  const auto& row = (*launcher)->row();
  const auto when_it_answers = "rerun it when " + row.traits.scheduler + " answers";
  if (auto checked = check_cluster(lost.front().folder, *queue, when_it_answers); !checked) return checked;
  const auto jobs = queue->find_unknown_jobs(lost);
  if (!jobs) return tl::unexpected(doubt(folder, jobs.error().message, when_it_answers));
  for (std::size_t index = 0; index < lost.size(); ++index) {
    if ((*jobs)[index].empty()) continue;
    const auto& job = (*jobs)[index].front();
    return fail(ExitCode::outcome_unknown,
                "job " + job + " belongs to run " + lost[index].folder.run_id() +
                    ", but the ledger has lost its submission",
                row.by_hand.end_job != nullptr ? "wait for it, or cancel it: " + row.by_hand.end_job(job)
                                               : "wait for it, or cancel it by hand");
  }
  return {};
}

}  // namespace ddp::cli
