#include "cli/import/mpi_modules.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ddp::cli {
namespace {

constexpr std::array<std::string_view, 3> kLoaders = {"module", "ml", "spack"};
constexpr std::array<std::string_view, 5> kUnloaders = {"unload", "rm", "del", "purge", "avail"};
constexpr std::array<std::string_view, 9> kLibraries = {
    "openmpi", "gompi", "mpich", "mvapich", "impi", "intel-mpi", "intelmpi", "oneapi-mpi", "hpcx"};

template <std::size_t N>
bool has_word(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_mpi_library(std::string_view module) {
  if (module.starts_with('-')) return false;  // "ml -openmpi" unloads it
  return module == "mpi" || module.starts_with("mpi/") || module.ends_with("/mpi") ||
         std::ranges::any_of(kLibraries, [module](std::string_view name) {
           return module.find(name) != std::string_view::npos;
         });
}

/// In lower case, also of "module purge && module load openmpi".
std::vector<std::string> words_of_step(const ScriptStep& step) {
  std::vector<std::string> words(1);
  const auto add = [&words](std::string_view text) {
    for (const char letter : text) {
      const auto c = static_cast<unsigned char>(letter);
      const bool ends_word = std::isspace(c) != 0 || c == ';';
      if (!ends_word) words.back() += static_cast<char>(std::tolower(c));
      if (ends_word) words.emplace_back();
    }
    words.emplace_back();
  };
  if (step.form == ScriptStep::Form::joined) add(step.text);
  if (step.form == ScriptStep::Form::alone)
    for (const auto& word : step.words) add(word.text);
  std::erase(words, "");
  return words;
}

}  // namespace

bool loads_mpi(const ScriptStep& step) {
  const auto words = words_of_step(step);
  bool is_module = false;
  bool loads = true;
  for (const auto& word : words) {
    const bool begins = has_word(kLoaders, word);
    is_module = is_module || begins;
    loads = begins || (loads && !has_word(kUnloaders, word));
    if (is_module && loads && is_mpi_library(word)) return true;
  }
  return false;
}

}  // namespace ddp::cli
