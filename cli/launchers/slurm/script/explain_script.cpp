#include "cli/launchers/slurm/script/explain_script.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "jobenv/config/field_reader.hpp"

namespace ddp::cli {
namespace {

struct TemplateLine {
  std::string_view start;
  std::string_view why;
};

// Of the built-in template.
constexpr std::array<TemplateLine, 12> kTemplateLines{{
    {"#!", "sbatch needs a script that names its shell"},
    {"# ", "a comment"},
    {"trap '' ", "a signal during the set-up does not end the script; ddp-agent handles it later"},
    {"trap 'case ", "names the line of the set-up that fails"},
    {"  printf ", "for ddpsubmit status, in the output of the job"},
    {"    \"${", "and the function or the file in which it fails"},
    {"set -E", "the next line holds in functions, too"},
    {"set -e", "a line that fails ends the job"},
    {"nodes=", "the nodes of the job, as Slurm lists them"},
    {"head_node=", "the first node"},
    {"exec ", "ddp-agent starts srun, and exits with the outcome of the run"},
    {"", ""},
}};

/// Which values a line of the built-in template shows.
std::vector<std::string> keys_of_template_line(std::string_view line) {
  if (line.starts_with("trap '' ")) return {"fault_tolerance.signal"};
  if (line.starts_with("exec ")) return {"run_root", "name"};
  return {};
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<ExplainedLine> setup_lines(const RunSpec& spec) {
  std::vector<ExplainedLine> lines;
  const auto add = [&](const std::string& key, const std::vector<std::string>& texts) {
    for (const auto& text : texts)
      lines.push_back({text, {item_path(key, static_cast<std::size_t>(&text - texts.data()))}, {}});
  };
  add("slurm.setup", options_of<SlurmOptions>(spec).setup);
  add("environment.setup", spec.environment.setup);
  return lines;
}

/// Options as the built-in template records them.
std::vector<ExplainedLine> option_lines(const std::vector<SbatchOption>& options, const RunSpec& spec) {
  std::vector<ExplainedLine> lines;
  for (const auto& option : options)
    lines.push_back({"#SBATCH " + render_directive(option), option.keys, option.why});
  for (const auto& option : srun_options_of(spec))
    lines.push_back({"# srun gets " + render_directive(option), option.keys, option.why});
  return lines;
}

class ScriptExplainer {
 public:
  ScriptExplainer(const std::vector<SbatchOption>& options, const RunSpec& spec)
      : options_(option_lines(options, spec)),
        has_own_template_(options_of<SlurmOptions>(spec).template_file.has_value()),
        setup_(setup_lines(spec)) {}

  std::vector<ExplainedLine> explain(const std::string& script) {
    const auto lines = split_lines(script);
    // The last place: a line of the template may read like the first of them.
    const auto found = std::find_end(lines.begin(), lines.end(), setup_.begin(), setup_.end(), is_text_of);
    std::vector<ExplainedLine> explained;
    for (auto line = lines.begin(); line != lines.end(); ++line) {
      const bool is_setup = !setup_.empty() && line >= found && line - found < std::ssize(setup_);
      explained.push_back(is_setup ? setup_[static_cast<std::size_t>(line - found)] : explain_line(*line));
    }
    return explained;
  }

 private:
  static bool is_text_of(const std::string& text, const ExplainedLine& line) { return text == line.text; }

  ExplainedLine explain_line(const std::string& line) {
    const bool is_option = next_option_ < options_.size() && line == options_[next_option_].text;
    return is_option ? options_[next_option_++] : explain_template_line(line);
  }

  [[nodiscard]] ExplainedLine explain_template_line(const std::string& line) const {
    if (line.empty()) return {};
    if (has_own_template_) return {line, {"slurm.template"}, {}};
    const auto* row = std::ranges::find_if(
        kTemplateLines, [&](const TemplateLine& known) { return line.starts_with(known.start); });
    return {line, keys_of_template_line(line), std::string(row->why)};
  }

  std::vector<ExplainedLine> options_;
  bool has_own_template_;
  std::vector<ExplainedLine> setup_;
  std::size_t next_option_ = 0;
};

}  // namespace

std::vector<ExplainedLine> explain_script(const std::string& script, const std::vector<SbatchOption>& options,
                                          const RunSpec& spec) {
  return ScriptExplainer(options, spec).explain(script);
}

}  // namespace ddp::cli
