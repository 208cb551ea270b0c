#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/import/shell_syntax.hpp"
#include "cli/import/symbolic_text.hpp"

namespace ddp::cli {

/// The variables of a script up to a line, as far as its text tells them. Values are symbolic texts. Pure.
class ShellScope {
 public:
  /// `array_tasks`: the numbers of the tasks of a job array; empty for a job without an array.
  explicit ShellScope(std::vector<std::string> array_tasks) : array_tasks_(std::move(array_tasks)) {}

  void set(const std::string& name, std::string value);
  void set_array(const std::string& name, std::vector<std::string> elements);
  /// From here on, only the job knows its value.
  void forget(const std::string& name);
  /// Another program may have changed all that the script has set: what it found out about nodes stays.
  void forget_all();
  /// It holds the first node, or all of them.
  void set_address(const std::string& name) { set(name, write_symbol({SymbolKind::address, "$" + name})); }
  [[nodiscard]] bool knows(const std::string& name) const { return variables_.contains(name); }

  /// The value of a word as an assignment to `name` takes it: it is not split.
  [[nodiscard]] std::string value_of(const ShellWord& word, const std::string& name = {});
  /// The words that a word of a command becomes.
  [[nodiscard]] std::vector<std::string> fields_of(const ShellWord& word);
  [[nodiscard]] std::vector<std::string> fields_of(const std::vector<ShellWord>& words);
  /// The elements of NAME=(…).
  [[nodiscard]] std::vector<std::string> elements_of(const ShellPart& array);

  /// Values by the names of swept symbols, one for each task of the array.
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& swept() const { return swept_; }

 private:
  std::string expand(const ShellPart& part, const std::string& name_hint);
  std::string expand_unquoted(const ShellPart& part);
  std::string expand_variable(const std::string& text, const std::string& name_hint);
  std::string expand_arithmetic(const std::string& expression, const std::string& name_hint);
  std::string expand_command(const std::string& text);
  std::string element(const std::string& name, const std::string& index, const std::string& name_hint);
  std::string unset_or(const std::string& text, const std::string& name);
  std::string sweep(const std::string& name, std::vector<std::string> values);
  /// The text for one task of the array.
  [[nodiscard]] std::string at_task(std::string_view text, std::size_t task) const;
  [[nodiscard]] std::vector<std::string> values_of(const std::string& name) const;

  std::vector<std::string> array_tasks_;
  std::map<std::string, std::vector<std::string>> variables_;  ///< of several elements: an array
  std::map<std::string, std::vector<std::string>> swept_;
};

/// The names of variables that a text of bash mentions: $NAME and ${NAME…}.
[[nodiscard]] std::set<std::string> variables_in(std::string_view text);

}  // namespace ddp::cli
