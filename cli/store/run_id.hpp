#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace ddp::cli {

/// NAME-xxxxxxxx: four characters of the time (they repeat after twelve days) and four of `random`, in
/// base 32.
[[nodiscard]] std::string make_run_id(const std::string& name, std::chrono::system_clock::time_point now,
                                      std::uint32_t random);

/// The name in a run id; the id itself if it holds none.
[[nodiscard]] std::string name_in_run_id(const std::string& run_id);

/// 16 hexadecimal digits that tell one submission from all others.
[[nodiscard]] std::string make_token(std::uint64_t random);

/// From the kernel's generator.
[[nodiscard]] std::uint64_t random_number();

}  // namespace ddp::cli
