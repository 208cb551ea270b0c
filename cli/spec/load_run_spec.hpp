#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cli/spec/run_spec.hpp"
#include "cli/spec/spec_sources.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// Layers, later ones win: defaults, the submitter's variables (SBATCH_ACCOUNT), the files under `include`,
/// the user's user.yaml, the file, the files of +include, KEY=VALUE. Returns all errors at once, in the order
/// of their places; when a file cannot be parsed, only those of the files.
[[nodiscard]] tl::expected<RunSpec, Errors> load_run_spec(const SpecSources& sources);

/// Other values for what may change between two attempts of a run.
struct SpecChanges {
  std::vector<std::string> arguments = {};    ///< KEY=VALUE, in order
  std::vector<std::string> swept = {};        ///< keys of the sweep that the run is a point of
  std::filesystem::path current_folder = {};  ///< absolute
};

/// A spec.yaml that render_spec wrote: that file alone, no user.yaml. Its values have the origins that the
/// file tells, which are not in it. All errors at once, those of keys that may not change among them.
[[nodiscard]] tl::expected<RunSpec, Errors> load_resolved_spec(const std::filesystem::path& file,
                                                               const SchemaSource& schemas_of = {},
                                                               const SpecChanges& changes = {});

}  // namespace ddp::cli
