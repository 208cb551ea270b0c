#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/store/run_store.hpp"

namespace ddp::cli {

/// What the settings of a run name: its start checkpoint, weights, data, arguments, working folder.
class RunUses {
 public:
  /// Reads spec.yaml and plan.json of the run, of a sweep those of its points, too.
  [[nodiscard]] static RunUses load(const RunPointer& run);

  [[nodiscard]] const std::string& run_id() const { return run_id_; }
  /// A file that may name another run, and that is there but cannot be read; empty: there is none.
  [[nodiscard]] const std::filesystem::path& unreadable() const { return unreadable_; }
  /// The key whose value is in the folder of `other`; nullopt: there is none. A value that contains the id of
  /// `other` as a part of a path counts, whether it exists or not, and so does a link that leads there.
  [[nodiscard]] std::optional<std::string> key_that_needs(const RunPointer& other) const;

 private:
  struct Value {
    std::string key;
    std::string text;
    std::filesystem::path place;  ///< with links resolved; empty: the text names no existing path
  };

  void add_settings(const std::filesystem::path& run_dir);

  std::string run_id_;
  std::filesystem::path unreadable_;
  std::vector<Value> values_;
};

}  // namespace ddp::cli
