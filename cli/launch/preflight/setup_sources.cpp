#include "cli/launch/preflight/setup_sources.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace ddp::cli {
namespace {

constexpr std::array<std::string_view, 14> kMakeNothing{"module", "ml",    "source", ".",      "export",
                                                        "unset",  "set",   "shopt",  "ulimit", "umask",
                                                        "conda",  "spack", "echo",   ":"};
/// A shell does something with these: the line, or the name, is more than it seems.
constexpr std::string_view kShellCharacters = "$`*?[](){}<>|&;\\\"'!#";

std::vector<std::string> words_of_line(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> lines_of(const std::vector<std::string>& setup) {
  std::vector<std::string> lines;
  for (const auto& text : setup) {
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
  }
  return lines;
}

bool makes_nothing(const std::string& line) {
  const auto words = words_of_line(line);
  if (words.empty() || words[0].starts_with('#')) return true;
  if (line.find_first_of("`;&|<>") != std::string::npos || line.find("$(") != std::string::npos) return false;
  return std::ranges::find(kMakeNothing, words[0]) != kMakeNothing.end();
}

std::string replace_home(std::string word, const EnvMap& environment) {
  const auto home = environment.get("HOME");
  for (const std::string_view name : {"~/", "$HOME/", "${HOME}/"}) {
    if (home && word.starts_with(name)) return *home + "/" + word.substr(name.size());
  }
  return word;
}

std::string without_quotes(const std::string& word) {
  const bool quoted =
      word.size() > 2 && (word.front() == '"' || word.front() == '\'') && word.back() == word.front();
  return quoted ? word.substr(1, word.size() - 2) : word;
}

}  // namespace

bool may_make_files(const std::vector<std::string>& setup) {
  return !std::ranges::all_of(lines_of(setup), makes_nothing);
}

std::vector<std::string> files_sourced_by(const std::vector<std::string>& setup, const EnvMap& environment) {
  std::vector<std::string> files;
  for (const auto& line : lines_of(setup)) {
    if (!makes_nothing(line)) break;
    const auto words = words_of_line(line);
    if (words.size() < 2 || (words[0] != "source" && words[0] != ".")) continue;
    auto file = replace_home(without_quotes(words[1]), environment);
    // One without a slash is also looked for in PATH.
    if (file.find('/') == std::string::npos || file.find_first_of(kShellCharacters) != std::string::npos)
      continue;
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace ddp::cli
