#include "cli/output/reporter.hpp"
#include "cli/output/terminal_text.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

enum class Layout { indented, line };

json to_json(const SourceMark& mark) {
  return {{"file", mark.file},
          {"line", mark.line},
          {"column", mark.column},
          {"length", mark.length},
          {"text", mark.text}};
}

json to_json(const Error& error) {
  json value = {{"code", static_cast<int>(error.code)}, {"message", error.message}};
  value["hint"] = error.hint.empty() ? json() : json(error.hint);
  value["where"] = error.where ? to_json(*error.where) : json();
  return value;
}

json to_json(const Errors& errors) {
  json list = json::array();
  for (const auto& error : errors) list.push_back(to_json(error));
  return list;
}

/// Values on stdout, talk as plain text on stderr.
class JsonReporter final : public Reporter {
 public:
  JsonReporter(Sink out, Sink err)
      : out_(out.stream), err_(err.stream), out_reader_(out.reader), err_reader_(err.reader) {}

  [[nodiscard]] OutputMode mode() const override { return OutputMode::json; }
  void answer(const Report& report) override { print(report, Layout::indented); }
  void partial_answer(const Report& report, const Errors& errors) override {
    Report whole = report;
    whole.value["errors"] = to_json(errors);
    print(whole, Layout::indented);
  }
  void item(const Report& report) override { print(report, Layout::line); }
  void log_item(const Report& report) override { item(report); }
  void print(std::string_view text) override {
    out_ << (out_reader_ == Reader::terminal ? neutralize(text) : std::string(text));
  }
  void outcome(const Report& report) override { print(report, Layout::indented); }
  void relay(LogStream, std::string_view) override {}
  void note(std::string_view line) override {
    err_ << (err_reader_ == Reader::terminal ? neutralize(line) : std::string(line)) << '\n';
  }
  void errors(const Errors& errors) override {
    const int code = static_cast<int>(worst_code(errors));
    print({"ddpsubmit.error.v1", {{"exit_code", code}, {"errors", to_json(errors)}}, {}}, Layout::indented);
  }
  [[nodiscard]] bool shows_progress() const override { return false; }
  void progress(const std::optional<LastText>&) override {}
  void flush() override {
    out_.flush();
    err_.flush();
  }

 private:
  void print(const Report& report, Layout layout) {
    // Logs and file names may hold bytes that are no UTF-8.
    constexpr auto kReplace = json::error_handler_t::replace;
    const bool indented = layout == Layout::indented;
    // JSON itself writes out only the older half of the control characters.
    const bool ascii = out_reader_ == Reader::terminal;
    const auto text = report.value.dump(indented ? 2 : -1, ' ', ascii, kReplace);
    // The schema comes first; keys are sorted, and a copy in another order takes long for many runs.
    out_ << (indented ? "{\n  \"schema\": " : "{\"schema\":") << json(report.schema).dump();
    if (report.value.empty()) {
      out_ << (indented ? "\n}\n" : "}\n");
    } else {
      out_ << ',' << std::string_view(text).substr(1) << '\n';
    }
  }

  std::ostream& out_;
  std::ostream& err_;
  Reader out_reader_, err_reader_;
};

}  // namespace

std::unique_ptr<Reporter> make_json_reporter(Sink out, Sink err) {
  return std::make_unique<JsonReporter>(out, err);
}

}  // namespace ddp::cli
