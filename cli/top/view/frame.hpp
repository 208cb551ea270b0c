#pragma once

#include <chrono>
#include <cstddef>

#include "cli/output/terminal_text.hpp"

namespace ddp::cli {

/// The terminal that a screen is made for, and the time.
struct Frame {
  std::size_t columns = 80;
  std::size_t rows = 24;
  Charset charset = Charset::utf8;
  std::chrono::system_clock::time_point now = {};
};

}  // namespace ddp::cli
