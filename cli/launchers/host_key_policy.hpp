#pragma once

namespace ddp::cli {

/// What to do about the key of a host that known_hosts does not have: a key that has changed is never taken.
enum class HostKeyPolicy { known_only, accept_new };

}  // namespace ddp::cli
