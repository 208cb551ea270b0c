#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// Where a value comes from. Of the layers that a user writes, the later ones win.
enum class Origin {
  default_value,
  included_file,
  user_file,
  config_file,
  command_line,
  environment,  ///< ddpsubmit has found the value itself
};

/// A text that configuration was read from. Shared by all nodes read from it.
struct SourceText {
  std::string name;                      ///< as the user would type it, or "command line"
  std::string folder;                    ///< relative paths in the text start here; absolute
  std::string text;                      ///< without byte order mark
  std::vector<std::size_t> line_starts;  ///< offsets into `text`; empty for a command-line argument
  Origin origin = Origin::config_file;
};

/// A place in a SourceText: cheap to hold, a SourceMark when asked. Lines and columns count from 1, columns
/// and length in bytes.
struct Place {
  std::shared_ptr<const SourceText> source;
  int line = 0;
  int column = 0;
  int length = 1;

  [[nodiscard]] SourceMark mark() const;
  /// "run.yaml:4", "command line" or "default".
  [[nodiscard]] std::string describe() const;
};

/// Takes off a byte order mark, makes CRLF to LF and finds the lines.
[[nodiscard]] std::shared_ptr<const SourceText> make_source_text(std::string name, std::string folder,
                                                                 std::string text, Origin origin);

/// A command-line argument as a source: it has no lines.
[[nodiscard]] std::shared_ptr<const SourceText> make_argument_source(std::string argument,
                                                                     std::string folder);

/// The line that holds `offset`, without its end, and where it begins.
struct SourceLine {
  int number = 0;
  std::size_t start = 0;
  std::string_view text;
};
[[nodiscard]] SourceLine line_at(const SourceText& source, std::size_t offset);
[[nodiscard]] Place place_at(const std::shared_ptr<const SourceText>& source, std::size_t offset,
                             int length = 1);

/// An ExitCode::config_invalid error at `place`.
[[nodiscard]] Error config_error(const Place& place, std::string message, std::string hint = {});

}  // namespace ddp
