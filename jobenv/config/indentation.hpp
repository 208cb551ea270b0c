#pragma once

#include <string>

#include "jobenv/config/source_text.hpp"

namespace ddp {

/// "'model' is indented by 3 spaces, but the line above by 2" for the line of `at`; empty when the two agree,
/// or when the line is not that of a key. Lines that are blank or a comment do not count.
[[nodiscard]] std::string describe_indentation(const Place& at);

}  // namespace ddp
