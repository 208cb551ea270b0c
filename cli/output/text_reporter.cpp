#include <unistd.h>

#include "cli/output/reporter.hpp"
#include "jobenv/config/diagnostic.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kErrorWord = "error:";
constexpr std::string_view kBoldRed = "\x1b[1;31m";
constexpr std::string_view kPlain = "\x1b[0m";

class TextReporter final : public Reporter {
 public:
  TextReporter(std::ostream& out, std::ostream& err, Colour colour) : out_(out), err_(err), colour_(colour) {}

  [[nodiscard]] OutputMode mode() const override { return OutputMode::text; }
  void answer(const Report& report) override { out_ << report.text; }
  void partial_answer(const Report& report, const Errors& errors) override {
    answer(report);
    this->errors(errors);
  }
  void item(const Report& report) override { out_ << report.text; }
  void outcome(const Report& report) override { talk(report.text); }
  void relay(LogStream stream, std::string_view line) override {
    (stream == LogStream::out ? out_ : err_) << line << '\n';
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
  void flush() override {
    out_.flush();
    err_.flush();
  }

 private:
  void talk(std::string_view text) {
    out_.flush();  // what was printed before is also seen before, when both streams are one terminal
    if (colour_ == Colour::terminal && text.starts_with(kErrorWord)) {
      err_ << kBoldRed << kErrorWord << kPlain;
      text.remove_prefix(kErrorWord.size());
    }
    err_ << text;
  }

  std::ostream& out_;
  std::ostream& err_;
  Colour colour_;
};

}  // namespace

Colour colour_for(const EnvMap& environment) {
  const bool refused = !environment.get("NO_COLOR").value_or("").empty() || environment.get("TERM") == "dumb";
  return !refused && isatty(STDERR_FILENO) != 0 ? Colour::terminal : Colour::never;
}

std::unique_ptr<Reporter> make_text_reporter(std::ostream& out, std::ostream& err, Colour colour) {
  return std::make_unique<TextReporter>(out, err, colour);
}

}  // namespace ddp::cli
