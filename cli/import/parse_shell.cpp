#include <algorithm>
#include <array>

#include "cli/import/shell_reader.hpp"

namespace ddp::cli {
namespace {

/// A word that begins something of several lines, and the one that ends it.
struct Bracket {
  std::string_view opening;
  std::string_view closing;
  bool takes_command;  ///< a command follows it at once
};

constexpr std::array kBrackets = {
    Bracket{"if", "fi", true},        Bracket{"case", "esac", false}, Bracket{"for", "done", false},
    Bracket{"select", "done", false}, Bracket{"while", "done", true}, Bracket{"until", "done", true},
    Bracket{"{", "}", true},          Bracket{"(", ")", true},
};
constexpr std::array<std::string_view, 5> kBetween = {"then", "do", "else", "elif", "!"};
constexpr std::string_view kFunction = "function";

const Bracket* find_opening(std::string_view word) {
  const auto* found = std::ranges::find(kBrackets, word, &Bracket::opening);
  return found == kBrackets.end() ? nullptr : found;
}

struct HereDocument {
  std::string delimiter;
  bool takes_tabs_off = false;
  std::size_t begin = 0;
};

class ShellParser {
 public:
  explicit ShellParser(std::shared_ptr<const SourceText> source)
      : reader_(source->text, 0), script_{std::move(source), {}, {}, {}} {}

  ShellScript parse() {
    while (!reader_.is_at_end()) {
      skip_between_lines();
      if (!reader_.is_at_end()) script_.lines.push_back(take_line());
    }
    if (reader_.open_end() != std::string_view::npos)
      report(reader_.open_end(), "a quote or a bracket that begins here does not end");
    return std::move(script_);
  }

 private:
  void skip_between_lines() {
    for (;;) {
      reader_.skip_blanks();
      if (reader_.next() == '#') {
        take_comment();
      } else if (reader_.next() == '\n') {
        reader_.skip(1);
      } else {
        return;
      }
    }
  }

  void take_comment() {
    const auto begin = reader_.at();
    reader_.skip_to_line_end();
    script_.comments.push_back({begin, reader_.at()});
  }

  ShellLine take_line() {
    ShellLine line{.begin = reader_.at(), .end = reader_.at()};
    open_.clear();
    awaits_body_ = false;
    while (!reader_.is_at_end()) {
      take_command(line);
      line.end = std::max(line.end, line.commands.empty() ? line.end : line.commands.back().end);
      if (take_operator(line)) break;
    }
    if (!open_.empty()) {
      report(line.begin, "'" + line.compound + "' begins here, and '" + std::string(open_.back()->closing) +
                             "' is missing");
    }
    return line;
  }

  void take_command(ShellLine& line) {
    reader_.skip_blanks();
    ShellCommand command{.begin = reader_.at(), .end = reader_.at()};
    while (!reader_.is_at_end()) {
      reader_.skip_blanks();
      if (reader_.next() == '#') {
        take_comment();
      } else if (reader_.sees_redirection()) {
        command.redirections.push_back(reader_.take_redirection());
        note_here_document(command.redirections.back(), line);
      } else {
        const auto before = reader_.at();
        auto word = reader_.take_word();
        if (reader_.at() == before) break;
        command.words.push_back(std::move(word));
      }
      if (!command.words.empty()) command.end = std::max(command.end, command.words.back().end);
      if (!command.redirections.empty()) command.end = std::max(command.end, command.redirections.back().end);
    }
    if (!command.words.empty()) awaits_body_ = false;
    note_brackets(command, line);
    if (!command.words.empty() || !command.redirections.empty()) {
      line.commands.push_back(std::move(command));
    }
  }

  void note_here_document(const ShellWord& redirection, ShellLine& line) {
    const auto text = script_.text_of(redirection.begin, redirection.end);
    const auto sign = text.find("<<");
    if (sign == text.npos || text.substr(sign).starts_with("<<<")) return;
    HereDocument document{{}, text.substr(sign).starts_with("<<-"), redirection.begin};
    for (const auto& part : redirection.parts) document.delimiter += part.text;
    documents_.push_back(std::move(document));
    line.has_here_document = true;
  }

  /// Words that begin, divide or end something of several lines stand at the front of a command.
  void note_brackets(const ShellCommand& command, ShellLine& line) {
    for (const auto& each : command.words) {
      const auto word = each.plain().value_or(is_brace(each) ? "{" : "");
      if (word == kFunction) return begin_function(line);
      if (const auto* bracket = find_opening(word)) {
        open(*bracket, line);
        if (bracket->takes_command) continue;
        return;
      }
      if (!open_.empty() && open_.back()->closing == word) return open_.pop_back();
      if (std::ranges::find(kBetween, word) == kBetween.end()) return;
    }
  }

  static bool is_brace(const ShellWord& word) {
    return word.parts.size() == 1 && word.parts[0].kind == ShellPart::Kind::pattern &&
           word.parts[0].text == "{";
  }

  void open(const Bracket& bracket, ShellLine& line) {
    open_.push_back(&bracket);
    awaits_body_ = false;
    if (line.compound.empty()) line.compound = bracket.opening;
  }

  void begin_function(ShellLine& line) {
    if (line.compound.empty()) line.compound = kFunction;
    awaits_body_ = true;
  }

  void close_round_bracket() {
    if (!open_.empty() && open_.back()->opening == "(") open_.pop_back();
  }

  void take_round_bracket(ShellLine& line) {
    const bool is_function = reader_.sees("()");
    reader_.skip(is_function ? 2 : 1);
    if (is_function) return begin_function(line);
    open(*find_opening("("), line);
  }

  /// Whether the line ends there.
  bool take_operator(ShellLine& line) {
    const auto begin = reader_.at();
    const char c = reader_.next();
    if (reader_.is_at_end()) return true;
    if (c == '\n') return end_physical_line(line);
    if (c == '(') {
      take_round_bracket(line);
    } else if (c == ')') {
      close_round_bracket();
      reader_.skip(1);
    } else {
      take_joint(line);
    }
    line.end = std::max(line.end, reader_.at());
    if (reader_.at() == begin) reader_.skip(1);
    return false;
  }

  void take_joint(ShellLine& line) {
    struct Sign {
      std::string_view text;
      Joint joint;
    };
    static constexpr std::array kSigns = {Sign{"&&", Joint::and_then}, Sign{"||", Joint::or_else},
                                          Sign{"|&", Joint::pipe},     Sign{";;", Joint::semicolon},
                                          Sign{"|", Joint::pipe},      Sign{"&", Joint::background},
                                          Sign{";", Joint::semicolon}};
    for (const auto& sign : kSigns) {
      if (!reader_.sees(sign.text)) continue;
      reader_.skip(sign.text.size());
      if (!line.commands.empty()) line.commands.back().joint = sign.joint;
      return;
    }
  }

  /// A line goes on behind &&, || and |, and within what is not closed.
  bool end_physical_line(ShellLine& line) {
    const auto joint = line.commands.empty() ? Joint::line_end : line.commands.back().joint;
    reader_.skip(1);
    take_here_documents(line);
    const bool goes_on = joint == Joint::and_then || joint == Joint::or_else || joint == Joint::pipe;
    return open_.empty() && !awaits_body_ && !goes_on;
  }

  void take_here_documents(ShellLine& line) {
    for (const auto& document : documents_) {
      bool is_closed = false;
      while (!reader_.is_at_end() && !is_closed) {
        auto text = reader_.take_line();
        if (document.takes_tabs_off) text.remove_prefix(std::min(text.find_first_not_of('\t'), text.size()));
        is_closed = text == document.delimiter;
      }
      if (!is_closed) report(document.begin, "the here-document has no line '" + document.delimiter + "'");
      line.end = std::max(line.end, reader_.at() - (reader_.is_at_end() ? 0 : 1));
    }
    documents_.clear();
  }

  void report(std::size_t at, std::string message) {
    script_.errors.push_back(
        config_error(place_at(script_.source, at), std::move(message), "check the script: bash -n FILE"));
  }

  ShellReader reader_;
  ShellScript script_;
  std::vector<const Bracket*> open_;  ///< what is open, from the outside
  bool awaits_body_ = false;          ///< of a function
  std::vector<HereDocument> documents_;
};

}  // namespace

ShellScript parse_shell(std::shared_ptr<const SourceText> source) {
  return ShellParser(std::move(source)).parse();
}

}  // namespace ddp::cli
