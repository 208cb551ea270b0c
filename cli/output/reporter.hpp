#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "cli/output/last_line.hpp"
#include "cli/store/log_merge.hpp"
#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

enum class OutputMode { text, json };

/// What a verb has to say, once as JSON and once as text.
struct Report {
  std::string_view schema;  ///< "ddpsubmit.NAME.vN"
  nlohmann::json value;     ///< an object; printed with a "schema" field
  std::string text;         ///< whole lines
};

/// The only printer of ddpsubmit. stdout is data, stderr is talk.
class Reporter {
 public:
  virtual ~Reporter() = default;
  /// Which form of a Report is printed: long lists need not be made in both.
  [[nodiscard]] virtual OutputMode mode() const = 0;
  /// The answer of a verb: on stdout. At most one a command, or none and errors.
  virtual void answer(const Report& report) = 0;
  /// The answer about what could be done, and the errors of the rest, if any. Text: errors are talk. JSON: a
  /// field "errors" of the answer.
  virtual void partial_answer(const Report& report, const Errors& errors) = 0;
  /// One item of a stream of answers: on stdout, in JSON one line each.
  virtual void item(const Report& report) = 0;
  /// The same: a line that a rank printed. Its colours reach a terminal, and what a progress bar needs.
  virtual void log_item(const Report& report) = 0;
  /// A part of an answer that is too long to be held at once: on stdout, as it is.
  virtual void print(std::string_view text) = 0;
  /// How a run ended. JSON: the answer. Text: talk, since stdout may hold what the ranks printed.
  virtual void outcome(const Report& report) = 0;
  /// A line that a rank printed, on its own stream, for a terminal as log_item. JSON leaves it out: the log
  /// files have it.
  virtual void relay(LogStream stream, std::string_view line) = 0;
  /// Talk: one line.
  virtual void note(std::string_view line) = 0;
  virtual void errors(const Errors& errors) = 0;
  /// Whether `progress` is seen by anybody.
  [[nodiscard]] virtual bool shows_progress() const = 0;
  /// Stays the last line of a terminal until there is another; nullopt: none. Nowhere else is it written.
  virtual void progress(const std::optional<LastText>& line) = 0;
  /// Hands on what is buffered.
  virtual void flush() = 0;
};

/// The exit code of several errors: the highest.
[[nodiscard]] ExitCode worst_code(const Errors& errors);

enum class Colour { never, terminal };

/// `never` if NO_COLOR is set, or if `descriptor` is not a terminal.
[[nodiscard]] Colour colour_for(const EnvMap& environment, int descriptor);

/// How wide the terminal is that talk is written to; nullopt: it goes somewhere else.
using ColumnsOfTalk = std::function<std::optional<std::size_t>()>;

[[nodiscard]] std::optional<std::size_t> columns_of_stderr();

enum class Reader { terminal, others };

/// Where a reporter prints. A terminal gets nothing that others have written and that would control it; a
/// pipe or a file gets each byte.
struct Sink {
  Sink(std::ostream& where, Reader read_by = Reader::others) : stream(where), reader(read_by) {}

  std::ostream& stream;  ///< outlives the reporter
  Reader reader;
};

/// Talk is broken at words where it is wider than its terminal.
[[nodiscard]] std::unique_ptr<Reporter> make_text_reporter(Sink out, Sink err, Colour colour,
                                                           std::optional<LastLine> last_line = std::nullopt,
                                                           ColumnsOfTalk columns_of_talk = {});
[[nodiscard]] std::unique_ptr<Reporter> make_json_reporter(Sink out, Sink err);

}  // namespace ddp::cli
