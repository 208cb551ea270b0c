#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jobenv/config/source_text.hpp"

namespace ddp::cli {

/// The configuration that a batch script stands for.
struct ImportedScript {
  std::string yaml;                ///< with comments that name the lines of the script
  std::vector<std::string> notes;  ///< what a person has to do or to know, one line each
};

/// Translates a script for sbatch. Each of its lines is a value of the configuration, a set-up line or a
/// comment that says why it is neither; or an error. All errors at once, with ExitCode::config_invalid. Pure.
[[nodiscard]] tl::expected<ImportedScript, Errors> import_script(
    const std::shared_ptr<const SourceText>& source);

}  // namespace ddp::cli
