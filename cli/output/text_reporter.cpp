#include <unistd.h>

#include <utility>

#include "cli/output/line_wrap.hpp"
#include "cli/output/reporter.hpp"
#include "cli/output/terminal_text.hpp"
#include "ddp/jobenv/terminal.hpp"
#include "jobenv/config/diagnostic.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kErrorWord = "error:";
constexpr std::string_view kBoldRed = "\x1b[1;31m";
constexpr std::string_view kPlain = "\x1b[0m";

class TextReporter final : public Reporter {
 public:
  TextReporter(Sink out, Sink err, Colour colour, std::optional<LastLine> last_line,
               ColumnsOfTalk columns_of_talk)
      : out_(out.stream),
        err_(err.stream),
        out_reader_(out.reader),
        err_reader_(err.reader),
        colour_(colour),
        last_line_(std::move(last_line)),
        columns_of_talk_(std::move(columns_of_talk)) {}

  [[nodiscard]] OutputMode mode() const override { return OutputMode::text; }
  void answer(const Report& report) override { print(report.text); }
  void partial_answer(const Report& report, const Errors& errors) override {
    answer(report);
    this->errors(errors);
  }
  void item(const Report& report) override { print(report.text); }
  void log_item(const Report& report) override { print_line(LogStream::out, report.text); }
  void print(std::string_view text) override {
    if (out_reader_ == Reader::terminal) {
      out() << neutralize(text);
    } else {
      out() << text;
    }
  }
  void outcome(const Report& report) override { talk(report.text); }
  void relay(LogStream stream, std::string_view line) override {
    // Both streams may be one terminal: what was printed before is also seen before.
    (stream == LogStream::out ? err_ : out_).flush();
    print_line(stream, line);
    (stream == LogStream::out ? out_ : err_) << '\n';
  }
  void note(std::string_view line) override {
    talk(line);
    err_ << '\n';
  }
  void errors(const Errors& errors) override {
    for (const auto& error : errors) {
      if (&error != &errors.front()) err_ << '\n';
      talk(render_diagnostic(error));
    }
  }
  [[nodiscard]] bool shows_progress() const override { return last_line_.has_value(); }
  void progress(const std::optional<LastText>& line) override {
    if (!last_line_) return;
    last_line_->set(line);
    flush();
  }
  void flush() override {
    out_.flush();
    err_.flush();
    if (last_line_) last_line_->draw();
  }

 private:
  // Each of them may be the terminal that has the last line.
  std::ostream& out() { return above_last_line(out_); }
  std::ostream& err() { return above_last_line(err_); }
  std::ostream& above_last_line(std::ostream& stream) {
    if (last_line_) last_line_->erase();
    return stream;
  }

  void print_line(LogStream stream, std::string_view line) {
    std::ostream& where = stream == LogStream::out ? out() : err();
    const auto reader = stream == LogStream::out ? out_reader_ : err_reader_;
    if (reader == Reader::others) {
      where << line;
    } else {
      where << keep_line_controls(line);
    }
  }

  void talk(std::string_view said) {
    const auto clean = err_reader_ == Reader::terminal ? neutralize(said) : std::string(said);
    const auto wrapped = wrap_lines(clean, columns_of_talk_ ? columns_of_talk_() : std::nullopt);
    std::string_view text = wrapped;
    std::ostream& err = this->err();
    out_.flush();  // what was printed before is also seen before, when both streams are one terminal
    if (colour_ == Colour::terminal && text.starts_with(kErrorWord)) {
      err << kBoldRed << kErrorWord << kPlain;
      text.remove_prefix(kErrorWord.size());
    }
    err << text;
  }

  std::ostream& out_;
  std::ostream& err_;
  Reader out_reader_, err_reader_;
  Colour colour_;
  std::optional<LastLine> last_line_;
  ColumnsOfTalk columns_of_talk_;
};

}  // namespace

Colour colour_for(const EnvMap& environment, int descriptor) {
  return allows_escapes(environment) && isatty(descriptor) != 0 ? Colour::terminal : Colour::never;
}

std::optional<std::size_t> columns_of_stderr() {
  return terminal_columns(STDERR_FILENO);
}

std::unique_ptr<Reporter> make_text_reporter(Sink out, Sink err, Colour colour,
                                             std::optional<LastLine> last_line,
                                             ColumnsOfTalk columns_of_talk) {
  return std::make_unique<TextReporter>(out, err, colour, std::move(last_line), std::move(columns_of_talk));
}

}  // namespace ddp::cli
