#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// What was recorded of the source of a run when it was submitted: source/record.json. docs/run-folder.md
/// describes it.
struct SourceRecord {
  std::string folder;  ///< in which ddpsubmit was called
  std::string root;    ///< of the working tree
  std::string commit;  ///< of git; empty: there is none
  std::string branch;
  bool copied = false;               ///< whether the tree is in source/tree, and the ranks run there
  std::uint64_t files = 0;           ///< of the copy
  std::uint64_t bytes = 0;           ///< of the copy
  std::optional<bool> dirty;         ///< whether something is not committed; nullopt: not known
  std::vector<std::string> changed;  ///< as `git status --porcelain` writes it
  bool has_diff = false;             ///< in source/changes.diff
  std::vector<std::string> remarks;  ///< what is missing, and why

  static void describe(auto& fields, auto& record) {
    fields.field("folder", record.folder);
    fields.field("root", record.root);
    fields.field("commit", record.commit);
    fields.field("branch", record.branch);
    fields.field("copied", record.copied);
    fields.field("files", record.files);
    fields.field("bytes", record.bytes);
    fields.field("dirty", record.dirty);
    fields.field("changed", record.changed);
    fields.field("diff", record.has_diff);
    fields.field("remarks", record.remarks);
  }
  bool operator==(const SourceRecord&) const = default;
};

/// As text of JSON. Bytes of names that are no UTF-8 are replaced.
[[nodiscard]] std::string render_source_record(const SourceRecord& record);

/// nullopt: nothing was recorded, or it cannot be read.
[[nodiscard]] std::optional<SourceRecord> load_source_record(const RunFolder& folder);

}  // namespace ddp::cli
