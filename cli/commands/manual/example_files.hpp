#pragma once

#include <span>
#include <string_view>

namespace ddp::cli {

/// A configuration of the repository that the manual shows.
struct ExampleFile {
  std::string_view title;
  std::string_view sentences;  ///< what it is, in the manual
  std::string_view text;       ///< the whole file
};

[[nodiscard]] std::span<const ExampleFile> example_files();

}  // namespace ddp::cli
