#include "cli/import/script_programs.hpp"

#include <algorithm>
#include <array>

#include "cli/import/launch_options.hpp"

namespace ddp::cli {

bool only_mentions(std::string_view program) {
  static constexpr std::array<std::string_view, 9> kPrograms = {"echo", "printf", "which", "type",  "man",
                                                                "hash", "module", "ml",    "export"};
  return std::ranges::find(kPrograms, program) != kPrograms.end();
}

std::string_view program_name(std::string_view word) {
  return word.substr(word.rfind('/') + 1);
}

bool is_srun(const PlacedWord& word) {
  return program_name(word.text) == "srun";
}

const PlacedWord* find_hidden_srun(const std::vector<PlacedWord>& words) {
  if (words.empty() || only_mentions(words[0].text) || words[0].text == "command") return nullptr;
  const auto program = program_name(words[0].text);
  const bool is_shell = program == "bash" || program == "sh" || program == "eval";
  const auto found = std::find_if(words.begin() + 1, words.end(), [&](const PlacedWord& word) {
    return is_srun(word) || (is_shell && word.text.find("srun ") != std::string::npos);
  });
  return found == words.end() ? nullptr : &*found;
}

bool changes_environment_alone(const std::vector<PlacedWord>& fields) {
  const auto& program = fields[0].text;
  const auto is_hook = [](const PlacedWord& word) {
    return word.text.find("conda shell.") != std::string::npos;
  };
  if (program == "eval") return std::any_of(fields.begin() + 1, fields.end(), is_hook);
  const bool reads_file = program == "source" || program == ".";
  return !reads_file || (fields.size() > 1 && program_name(fields[1].text) == "activate");
}

bool is_program(const std::vector<PlacedWord>& words) {
  if (words.empty()) return false;
  const auto name = program_name(words[0].text);
  const auto is_word = [&](std::string_view text) { return words.size() > 1 && words[1].text == text; };
  if (name.starts_with("python")) return words.size() > 1 && !is_word("--version") && !is_word("-V");
  if (name == "bash" || name == "sh") return words.size() > 1;
  if (name == "apptainer" || name == "singularity" || name.starts_with("podman"))
    return is_word("run") || is_word("exec");
  if (name == "env") return words.size() > 1;
  if (is_wrapper(name)) {
    return std::ranges::any_of(words, [](const PlacedWord& word) {
      return word.text == "run" || word.text == "exec" || program_name(word.text).starts_with("python");
    });
  }
  return words[0].text.find('/') != std::string::npos;
}

bool leaves_environment(const std::vector<PlacedWord>& words) {
  if (words.empty()) return false;
  if (words[0].text == "deactivate") return true;
  const bool is_conda = words[0].text == "conda" || words[0].text == "mamba" || words[0].text == "micromamba";
  return is_conda && words.size() > 1 && words[1].text == "deactivate";
}

}  // namespace ddp::cli
