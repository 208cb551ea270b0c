#pragma once

namespace ddp::cli {

enum class Came { key, signal };

/// Waits for any key on stdin, which is a terminal, or until `signals` is readable. The key is taken.
[[nodiscard]] Came wait_for_key(int signals);

}  // namespace ddp::cli
