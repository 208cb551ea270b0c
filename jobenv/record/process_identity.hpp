#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What tells a process from every other one, past and to come, on the same host: its number, its start time
/// and the boot it lives in.
namespace ddp {

/// Start time of a process in clock ticks since boot (field 22 of /proc/PID/stat); nullopt when there is
/// none, or only a zombie of it.
[[nodiscard]] std::optional<std::uint64_t> load_process_start(int pid);

/// The text of /proc/PID/stat -> start time; nullopt for zombies and for text that is no such file.
[[nodiscard]] std::optional<std::uint64_t> parse_process_stat(std::string_view stat);

/// 36 characters that are new with each boot; empty where the kernel has none.
[[nodiscard]] std::string load_boot_id();

}  // namespace ddp
