#pragma once

#include <memory>
#include <optional>

#include "jobenv/config/source_text.hpp"

namespace ddp::cli {

/// The error of a file that is a shell script, such as a batch script for sbatch; nullopt: it does not look
/// like one. Asked of a text that is not a configuration: one may begin with "#!", too.
[[nodiscard]] std::optional<Error> recognise_shell_script(const std::shared_ptr<const SourceText>& source);

}  // namespace ddp::cli
