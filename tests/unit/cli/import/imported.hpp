#pragma once

#include <string>

#include "cli/import/import_script.hpp"

namespace ddp::cli {

/// What is imported of a script with this text, as job.sbatch.
[[nodiscard]] inline tl::expected<ImportedScript, Errors> import_text(const std::string& text) {
  return import_script(make_source_text("job.sbatch", "/work", text, Origin::config_file));
}

/// "3:1 a loop is not kept", one line for each error.
[[nodiscard]] inline std::string errors_of(const std::string& text) {
  const auto imported = import_text(text);
  std::string errors;
  if (imported) return errors;
  for (const auto& error : imported.error())
    errors += std::to_string(error.where->line) + ":" + std::to_string(error.where->column) + " " +
              error.message + "\n";
  return errors;
}

}  // namespace ddp::cli
