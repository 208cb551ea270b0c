#pragma once

#include <string>
#include <string_view>

namespace ddp {

enum class ListOf { texts, numbers };

/// "[python3, train.py, --lr, "0.1"]" for "python3 train.py --lr 0.1"; empty when the text has quotes or
/// other characters that a shell would read.
[[nodiscard]] std::string list_form(std::string_view text, ListOf items);

}  // namespace ddp
