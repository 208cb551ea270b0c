#include "cli/launchers/ssh/pushed_checkpoint.hpp"

#include "cli/launchers/ssh/push/pushed_run.hpp"
#include "cli/launchers/ssh/ssh_targets.hpp"
#include "cli/store/state/run_records.hpp"

namespace ddp::cli {

LatestCheckpoint place_of_checkpoint(LatestCheckpoint here, const RunFolder& folder,
                                     const RunStatus& status) {
  const auto plan = load_run_plan(folder);
  if (!plan || plan->shared_folder || has_all_files(here.folder)) return here;
  const std::string host = status.head ? status.head->host : plan->hosts.front();
  const auto known = load_host(folder.spec(), host);
  if (!known) return here;
  const auto run_dir = run_dir_on_host(known->options.push_folder.value_or(".ddpsubmit"), folder.run_id());
  here.folder = host + ":" + run_dir + "/checkpoints/" + here.folder.filename().string();
  if (!here.is_sharded) here.parameters = here.folder / "model.safetensors";
  return here;
}

}  // namespace ddp::cli
