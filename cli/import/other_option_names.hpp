#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cli/import/batch_options.hpp"

namespace ddp::cli {

/// Whether an option of sbatch or srun that has no meaning of its own here takes a value; nullopt: the name
/// is not known. With the options of the plug-in pyxis, which starts containers.
[[nodiscard]] std::optional<OptionValue> value_of_other_option(std::string_view name);

/// The names that begin so.
[[nodiscard]] std::vector<std::string_view> other_options_that_begin(std::string_view beginning);

}  // namespace ddp::cli
