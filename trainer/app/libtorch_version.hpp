#pragma once

#include <optional>
#include <string>

#include "ddp/jobenv/error.hpp"

namespace ddp::trainer {

/// What is wrong with the libtorch_cpu.so that this process has loaded: another version than the headers it
/// was built with, whose classes may be laid out otherwise. nullopt: nothing. To be called before anything
/// else of LibTorch; takes some microseconds.
[[nodiscard]] std::optional<Error> find_foreign_libtorch();

}  // namespace ddp::trainer
