#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {

/// Where a run is: one small file of the user's state folder. What state it is in is told by the run folder
/// alone.
struct RunPointer {
  std::string run_id;
  std::string name;
  std::string run_dir;  ///< absolute
  std::string launcher;
  std::string job_id;  ///< the scheduler's; empty: none, or not known yet
  std::chrono::system_clock::time_point created;

  bool operator==(const RunPointer&) const = default;
};

/// The runs that this user has started from this machine: $XDG_STATE_HOME/ddpsubmit/runs/RUN_ID.json.
class RunStore {
 public:
  explicit RunStore(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// The folder that XDG_STATE_HOME or HOME of `environment` stands for.
  [[nodiscard]] static Expected<RunStore> open(const EnvMap& environment);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path path_of(const std::string& run_id) const {
    return folder_ / (run_id + ".json");
  }

  /// Makes the folder, before anything is started that only a pointer leads back to. Refuses one that others
  /// could put pointers into (make_own_folder).
  [[nodiscard]] Expected<void> create() const;
  /// Writes the pointer, or replaces it.
  [[nodiscard]] Expected<void> save(const RunPointer& pointer,
                                    Durability durability = Durability::synced) const;
  /// The run of this id alone; nullopt: it is not known here.
  [[nodiscard]] std::optional<RunPointer> load(const std::string& run_id) const;
  /// When the run was first submitted; nullopt: it is not known here.
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> created_at(
      const std::string& run_id) const;
  /// Forgets the run; its folder stays. A run that is not there is no error.
  void remove(const std::string& run_id) const;
  /// Newest first. Skips files that are not pointers. Refuses the folders that create() refuses.
  [[nodiscard]] Expected<std::vector<RunPointer>> load_all() const;
  /// Of all runs, in no order: the names of the files alone, none of which is read. Empty when there is no
  /// list.
  [[nodiscard]] std::vector<std::string> list_ids() const;
  /// The run that `selector` means; see select_run.
  [[nodiscard]] Expected<RunPointer> find(const std::string& selector) const;

 private:
  std::filesystem::path folder_;
};

/// Which prefixes of a run id stand for it, if no other id has them.
enum class Prefixes {
  any,
  beyond_name,  ///< with a part of what follows "NAME-": the beginning of a name may be meant for another run
};

/// Asked in this order: `last` (the newest run), a run id, a run name (its newest run), a Slurm job id, a
/// unique prefix of run ids. `runs` is sorted newest first. An empty selector means no run.
[[nodiscard]] Expected<RunPointer> select_run(const std::vector<RunPointer>& runs,
                                              const std::string& selector, Prefixes prefixes = Prefixes::any);

/// The runs that have `selector` for a name, in their order; none when it means something else.
[[nodiscard]] std::vector<RunPointer> select_namesakes(const std::vector<RunPointer>& runs,
                                                       const std::string& selector);

}  // namespace ddp::cli
