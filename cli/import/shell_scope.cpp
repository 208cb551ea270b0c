#include "cli/import/shell_scope.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "cli/import/arithmetic.hpp"
#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

using Strings = std::vector<std::string>;

constexpr std::string_view kTaskOfArray = "SLURM_ARRAY_TASK_ID";
constexpr std::string_view kNameOfTask = "task_id";
/// In a batch script they hold what belongs to its first node.
constexpr std::array<std::string_view, 4> kAddressVariables = {"HOSTNAME", "SLURMD_NODENAME",
                                                               "SLURM_LAUNCH_NODE_IPADDR", "HOST"};
constexpr std::array<std::string_view, 3> kTaskVariables = {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID"};
/// They are the same in the job of a run. Others depend on options that a configuration writes in another
/// way.
constexpr std::array<std::string_view, 22> kJobVariables = {
    "SLURM_JOB_ID",        "SLURM_JOBID",        "SLURM_JOB_NAME",       "SLURM_JOB_NODELIST",
    "SLURM_NODELIST",      "SLURM_SUBMIT_DIR",   "SLURM_SUBMIT_HOST",    "SLURM_JOB_PARTITION",
    "SLURM_JOB_ACCOUNT",   "SLURM_JOB_USER",     "SLURM_JOB_UID",        "SLURM_JOB_GID",
    "SLURM_JOB_GROUP",     "SLURM_CLUSTER_NAME", "SLURM_TMPDIR",         "SLURM_JOB_QOS",
    "SLURM_RESTART_COUNT", "SLURM_CONF",         "SLURM_JOB_START_TIME", "SLURM_JOB_END_TIME",
    "SLURM_ARRAY_JOB_ID",  "SLURM_ARRAY_TASK_ID"};
/// What asks for the nodes of the job.
constexpr std::array<std::string_view, 5> kAddressCommands = {
    "scontrol show hostname", "hostname", "SLURM_JOB_NODELIST", "SLURM_NODELIST", "SLURMD_NODENAME"};
constexpr std::string_view kBlanks = " \t\n";
constexpr std::string_view kPatternSigns = "*?[";

template <std::size_t N>
bool holds_name(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_letter_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string name_of_argument(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string unknown(std::string text) {
  return write_symbol({SymbolKind::unknown, std::move(text)});
}

std::size_t length_of_name(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_letter_of_name) - text.begin());
}

/// ${NAME[@]}, and ${NAME[*]} without quotes: each element is a field. "${NAME[*]}" is one field.
bool is_list(const ShellPart& part) {
  if (part.kind != ShellPart::Kind::variable || part.text.starts_with('#')) return false;
  return part.text.ends_with("[@]") || (part.text.ends_with("[*]") && part.quoting == Quoting::none);
}

std::string name_of_list(const ShellPart& part) {
  return part.text.substr(0, part.text.size() - std::string_view("[@]").size());
}

std::string joined(const Strings& elements) {
  std::string all;
  for (const auto& each : elements) all += (&each == &elements.front() ? "" : " ") + each;
  return all;
}

/// As a person reads it.
std::string readable(std::string_view symbolic) {
  const std::function<std::string(const Symbol&)> text_of = [](const Symbol& symbol) {
    return symbol.kind == SymbolKind::variable ? "$" + symbol.text : symbol.text;
  };
  return replace_symbols(symbolic, text_of);
}

/// Joins the fields that bash makes of a word.
class FieldBuilder {
 public:
  void add(std::string_view text) {
    current_ += text;
    has_current_ = true;
  }
  /// What is not known is one piece, whatever stands in it.
  void add_splitting(std::string_view symbolic) {
    for (const auto& symbol : read_symbols(symbolic)) {
      if (symbol.kind == SymbolKind::text) {
        add_split(symbol.text);
      } else {
        add(write_symbol(symbol));
      }
    }
  }
  void add_split(std::string_view text) {
    while (!text.empty()) {
      const auto blanks = std::min(text.find_first_not_of(kBlanks), text.size());
      if (blanks > 0) end_field();
      text.remove_prefix(blanks);
      const auto length = std::min(text.find_first_of(kBlanks), text.size());
      if (length > 0) add(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  void end_field() {
    if (has_current_) fields_.push_back(std::move(current_));
    current_.clear();
    has_current_ = false;
  }
  Strings take() {
    end_field();
    return std::move(fields_);
  }

 private:
  Strings fields_;
  std::string current_;
  bool has_current_ = false;
};

}  // namespace

void ShellScope::set(const std::string& name, std::string value) {
  variables_[name] = {std::move(value)};
}

void ShellScope::set_array(const std::string& name, Strings elements) {
  variables_[name] = std::move(elements);
}

void ShellScope::forget(const std::string& name) {
  const auto found = variables_.find(name);
  const bool is_array = found != variables_.end() && found->second.size() > 1;
  // An array does not reach the shell of a rank.
  set(name, is_array ? unknown("${" + name + "[…]}") : write_symbol({SymbolKind::variable, name}));
}

void ShellScope::forget_all() {
  for (const auto& [name, values] : std::map(variables_)) {
    const bool is_of_node = !values.empty() && (has_symbol(values[0], SymbolKind::address) ||
                                                has_symbol(values[0], SymbolKind::of_task));
    if (!is_of_node && !name.starts_with("SLURM_")) forget(name);
  }
}

Strings ShellScope::values_of(const std::string& name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? Strings{} : found->second;
}

std::string ShellScope::value_of(const ShellWord& word, const std::string& name) {
  std::string value;
  for (const auto& part : word.parts) value += expand(part, word.parts.size() == 1 ? name : "");
  return value;
}

Strings ShellScope::fields_of(const ShellWord& word) {
  FieldBuilder fields;
  // bash expands braces before variables: {1..$N} stays as it is.
  const auto is_of = [&word](ShellPart::Kind kind, std::string_view text) {
    return std::ranges::any_of(word.parts, [&](const ShellPart& part) {
      return part.kind == kind && part.text.find(text) != std::string::npos;
    });
  };
  using Kind = ShellPart::Kind;
  if (is_of(Kind::pattern, "{") && is_of(Kind::text, "..") && is_of(Kind::variable, ""))
    return {unknown("{…..…}")};
  const bool has_pattern = std::ranges::any_of(
      word.parts, [](const ShellPart& part) { return part.kind == ShellPart::Kind::pattern; });
  for (const auto& part : word.parts) {
    const bool is_quoted = part.quoting == Quoting::quoted;
    if (is_list(part) && knows(name_of_list(part))) {
      const auto elements = values_of(name_of_list(part));
      for (std::size_t index = 0; index < elements.size(); ++index) {
        if (index > 0) fields.end_field();
        is_quoted ? fields.add(elements[index]) : fields.add_splitting(as_splitting(elements[index]));
      }
    } else if (has_pattern && !is_quoted && part.kind == ShellPart::Kind::text) {
      // A pattern goes on there: {a,b} and [0-9].
      fields.add(write_symbol({SymbolKind::pattern, part.text}));
    } else if (is_quoted || part.kind == ShellPart::Kind::text) {
      fields.add(expand(part, ""));
    } else {
      fields.add_splitting(as_splitting(expand_unquoted(part)));
    }
  }
  return fields.take();
}

/// bash looks for files where a value has signs of a pattern: so does the shell of the rank.
std::string ShellScope::expand_unquoted(const ShellPart& part) {
  auto value = expand(part, "");
  const bool is_name =
      part.kind == ShellPart::Kind::variable && length_of_name(part.text) == part.text.size();
  const bool has_sign = std::ranges::any_of(read_symbols(value), [](const Symbol& symbol) {
    return symbol.kind == SymbolKind::text && symbol.text.find_first_of(kPatternSigns) != std::string::npos;
  });
  if (!has_sign) return value;
  return is_name ? write_symbol({SymbolKind::variable, part.text}) : unknown("${" + part.text + "}");
}

Strings ShellScope::fields_of(const std::vector<ShellWord>& words) {
  Strings all;
  for (const auto& word : words) std::ranges::move(fields_of(word), std::back_inserter(all));
  return all;
}

Strings ShellScope::elements_of(const ShellPart& array) {
  return fields_of(array.elements);
}

std::string ShellScope::expand(const ShellPart& part, const std::string& name_hint) {
  switch (part.kind) {
    case ShellPart::Kind::text:
      return part.text;
    case ShellPart::Kind::variable:
      return expand_variable(part.text, name_hint);
    case ShellPart::Kind::arithmetic:
      return expand_arithmetic(part.text, name_hint);
    case ShellPart::Kind::command:
      return expand_command(part.text);
    case ShellPart::Kind::array:
      return unknown("(…)");
    case ShellPart::Kind::pattern:
      return write_symbol({SymbolKind::pattern, part.text});
  }
  return unknown(part.text);
}

std::string ShellScope::expand_variable(const std::string& text, const std::string& name_hint) {
  if (text.starts_with('#') && text.size() > 1) {
    const auto name = text.substr(1, length_of_name(std::string_view(text).substr(1)));
    return knows(name) && text.ends_with("]") ? std::to_string(values_of(name).size())
                                              : unknown("${" + text + "}");
  }
  const auto length = length_of_name(text);
  const auto name = text.substr(0, length);
  const auto rest = text.substr(length);
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 || name == "RANDOM" ||
      name == "SECONDS" || name == "LINENO")
    return unknown(rest.empty() || text.size() == 1 ? "$" + text : "${" + text + "}");
  if (rest.starts_with('[') && rest.ends_with(']'))
    return element(name, rest.substr(1, rest.size() - 2), name_hint);
  if (rest.starts_with(":-") || rest.starts_with(":=") || rest.starts_with('-') || rest.starts_with('=')) {
    const auto values = values_of(name);
    if (values.size() == 1 && values[0] == write_symbol({SymbolKind::variable, name}))
      return write_symbol({SymbolKind::variable, text});
    if (!values.empty() && !values[0].empty()) return values[0];
    return unset_or(text, name);
  }
  if (!rest.empty()) {
    return knows(name) ? unknown("${" + text + "}") : write_symbol({SymbolKind::variable, text});
  }
  if (knows(name)) return values_of(name).empty() ? "" : values_of(name)[0];
  if (name == kTaskOfArray && !array_tasks_.empty()) return sweep(std::string(kNameOfTask), array_tasks_);
  if (holds_name(kAddressVariables, name)) return write_symbol({SymbolKind::address, "$" + name});
  if (holds_name(kTaskVariables, name)) return write_symbol({SymbolKind::of_task, name});
  if (name.starts_with("SLURM_") && !holds_name(kJobVariables, name)) return unknown("$" + name);
  return write_symbol({SymbolKind::variable, name});
}

/// ${NAME:-…} of a variable that the script does not set: Slurm's have no value where nothing asks for them;
/// others may come from where the script is submitted.
std::string ShellScope::unset_or(const std::string& text, const std::string& name) {
  const auto begin = text.find_first_of("-=") + 1;
  std::string value;
  for (const auto& part : parse_shell_word(text.substr(begin))) value += expand(part, "");
  if (knows(name)) return value;
  // The shell of a rank would find another value there.
  const bool differs = has_symbol(value, SymbolKind::address) || has_symbol(value, SymbolKind::of_task) ||
                       has_symbol(value, SymbolKind::unknown) || has_symbol(value, SymbolKind::swept);
  return differs ? unknown("${" + text + "}") : write_symbol({SymbolKind::variable, text});
}

std::string ShellScope::element(const std::string& name, const std::string& index,
                                const std::string& name_hint) {
  const auto elements = values_of(name);
  if (elements.empty()) return unknown("${" + name + "[" + index + "]}");
  if (has_symbol(elements[0], SymbolKind::address)) return elements[0];
  if (index == "@" || index == "*") return joined(elements);
  const auto number = expand_arithmetic(index, "");
  const auto pick = [&](const std::string& text) {
    const auto at = parse_whole_number(text);
    const bool is_there = at && static_cast<std::size_t>(*at) < elements.size();
    return is_there ? elements[static_cast<std::size_t>(*at)]
                    : unknown("${" + name + "[" + readable(text) + "]}");
  };
  if (!has_symbol(number, SymbolKind::swept)) return pick(number);
  Strings values;
  for (std::size_t task = 0; task < array_tasks_.size(); ++task)
    values.push_back(pick(at_task(number, task)));
  return sweep(name_of_argument(name_hint.empty() ? name : name_hint), std::move(values));
}

std::string ShellScope::expand_arithmetic(const std::string& expression, const std::string& name_hint) {
  bool is_swept = false;
  const auto evaluate = [&](std::size_t task) {
    return evaluate_arithmetic(expression, [&](const std::string& name) {
      const auto text = expand_variable(name, "");
      is_swept = is_swept || has_symbol(text, SymbolKind::swept);
      return parse_whole_number(at_task(text, task));
    });
  };
  const auto first = evaluate(0);
  if (!first) return unknown("$((" + expression + "))");
  if (!is_swept) return std::to_string(*first);
  Strings values;
  for (std::size_t task = 0; task < array_tasks_.size(); ++task) {
    const auto value = evaluate(task);
    values.push_back(value ? std::to_string(*value) : unknown("$((" + expression + "))"));
  }
  const bool is_number = values == array_tasks_;
  return sweep(
      is_number ? std::string(kNameOfTask) : name_of_argument(name_hint.empty() ? "value" : name_hint),
      std::move(values));
}

std::string ShellScope::expand_command(const std::string& text) {
  const bool asks_for_nodes = std::ranges::any_of(
      kAddressCommands, [&](std::string_view command) { return text.find(command) != text.npos; });
  const auto names = variables_in(text);
  const bool uses_address = std::ranges::any_of(names, [this](const std::string& name) {
    const auto values = values_of(name);
    return !values.empty() && has_symbol(values[0], SymbolKind::address);
  });
  const auto written = "$(" + text + ")";
  return write_symbol({asks_for_nodes || uses_address ? SymbolKind::address : SymbolKind::unknown, written});
}

std::string ShellScope::sweep(const std::string& name, Strings values) {
  std::string free = name;
  for (int number = 2; swept_.contains(free) && swept_.at(free) != values; ++number)
    free = name + "_" + std::to_string(number);
  swept_[free] = std::move(values);
  return write_symbol({SymbolKind::swept, free});
}

std::string ShellScope::at_task(std::string_view text, std::size_t task) const {
  const std::function<std::string(const Symbol&)> replace = [&](const Symbol& symbol) {
    if (symbol.kind != SymbolKind::swept) return write_symbol(symbol);
    return swept_.at(symbol.text)[task];
  };
  return replace_symbols(text, replace);
}

std::set<std::string> variables_in(std::string_view text) {
  std::set<std::string> names;
  // In $((…)) names need no sign.
  for (auto at = text.find("(("); at != text.npos; at = text.find("((", at + 1)) {
    auto inner = text.substr(at, text.find("))", at) - at);
    while (!inner.empty()) {
      const auto length = length_of_name(inner);
      if (length > 0 && std::isdigit(static_cast<unsigned char>(inner[0])) == 0)
        names.emplace(inner.substr(0, length));
      inner.remove_prefix(std::max<std::size_t>(length, 1));
    }
  }
  for (auto at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    auto begin = at + 1;
    while (begin < text.size() && (text[begin] == '{' || text[begin] == '#' || text[begin] == '!')) ++begin;
    const auto length = length_of_name(text.substr(begin));
    if (length > 0) names.emplace(text.substr(begin, length));
  }
  return names;
}

}  // namespace ddp::cli
