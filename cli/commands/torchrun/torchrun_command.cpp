#include "cli/commands/torchrun/torchrun_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ddp::cli {
namespace {

constexpr std::string_view kLocalRank = "local_rank";
constexpr std::size_t kLongestRunName = 64;

bool is_word_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether `$local_rank` or `${local_rank}` begins there.
bool names_local_rank(std::string_view text) {
  if (!text.starts_with('$')) return false;
  text.remove_prefix(1);
  if (text.starts_with('{')) return text.substr(1).starts_with(std::string(kLocalRank) + "}");
  if (!text.starts_with(kLocalRank)) return false;
  return text.size() == kLocalRank.size() || !is_word_letter(text[kLocalRank.size()]);
}

/// torchrun takes each word as a template of Python: "$$" stands for a dollar sign, and the name of the local
/// rank for its number, which is refused because all ranks have the same words here.
std::string expand_template(const std::string& word, Errors& errors) {
  std::string text;
  for (std::size_t at = 0; at < word.size(); ++at) {
    const auto rest = std::string_view(word).substr(at);
    if (names_local_rank(rest)) {
      errors.push_back({ExitCode::usage, fmt::format("'{}': all ranks get the same arguments", word),
                        "read LOCAL_RANK in the script, or start a shell: --no-python bash -c 'exec python3 "
                        "train.py --rank $LOCAL_RANK'"});
      return word;
    }
    text += word[at];
    if (rest.starts_with("$$")) ++at;
  }
  return text;
}

bool fits_run_name(char c) {
  return is_word_letter(c) || c == '.' || c == '-';
}

}  // namespace

std::vector<std::string> command_of_torchrun(const TorchrunLine& line, const EnvMap& environment,
                                             Errors& errors) {
  const bool runs_path = line.has("--run-path");
  const bool is_module = line.has("--module") && !runs_path;
  const bool has_python = !line.has("--no-python") || runs_path;
  if (!has_python && is_module)
    errors.push_back(
        {ExitCode::usage, "--no-python and --module cannot be used together", "leave out one of them"});
  std::vector<std::string> words;
  if (has_python) words = {environment.get("PYTHON_EXEC").value_or("python3"), "-u"};
  if (is_module) words.emplace_back("-m");
  words.push_back(has_python ? expand_template(line.script, errors) : line.script);
  for (const auto& argument : line.arguments) words.push_back(expand_template(argument, errors));
  return words;
}

std::string run_name_of_script(const std::string& script) {
  std::string name = script.substr(script.rfind('/') + 1);
  for (const std::string_view ending : {".py", ".sh"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  std::ranges::replace_if(
      name, [](char c) { return !fits_run_name(c); }, '-');
  const auto begin =
      std::ranges::find_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
  name.erase(name.begin(), begin);
  name.resize(std::min(name.size(), kLongestRunName));
  return name.empty() ? "torchrun" : name;
}

}  // namespace ddp::cli
