#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobenv/config/source_text.hpp"

/// What an import knows of the grammar of bash: words, commands, lines. Offsets are those of the source text.
namespace ddp::cli {

enum class Quoting { none, quoted };

struct ShellPart;

struct ShellWord {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<ShellPart> parts;

  /// The word when it has neither quotes nor anything to expand; nullopt otherwise.
  [[nodiscard]] std::optional<std::string> plain() const;
};

/// A piece of a word that is expanded as a whole.
struct ShellPart {
  enum class Kind {
    text,        ///< stands for itself
    variable,    ///< $NAME or ${…}
    arithmetic,  ///< $((…))
    command,     ///< $(…), `…`, <(…)
    array,       ///< (…) behind NAME=
    pattern,     ///< *, ?, [, {, ~ and what else bash replaces outside of quotes
  };
  Kind kind = Kind::text;
  std::string text;  ///< without the signs around it
  Quoting quoting = Quoting::none;
  std::vector<ShellWord> elements = {};  ///< of an array
};

/// How a command is connected with the next one.
enum class Joint { line_end, semicolon, and_then, or_else, pipe, background };

struct ShellCommand {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<ShellWord> words = {};
  std::vector<ShellWord> redirections = {};
  Joint joint = Joint::line_end;
};

/// A line of the script, with the lines that continue it; or a whole loop, condition, function or group.
struct ShellLine {
  std::size_t begin = 0;
  std::size_t end = 0;        ///< behind the last character, that of a here-document if there is one
  std::string compound = {};  ///< the word that begins it: "for", "if", "(", or "function"; empty: it is none
  bool has_here_document = false;
  std::vector<ShellCommand> commands = {};
};

/// A comment: it begins with '#'.
struct ShellComment {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct ShellScript {
  std::shared_ptr<const SourceText> source;
  std::vector<ShellLine> lines;
  std::vector<ShellComment> comments;
  Errors errors;  ///< quotes, brackets and here-documents that do not end

  [[nodiscard]] std::string text_of(std::size_t begin, std::size_t end) const {
    return source->text.substr(begin, end - begin);
  }
};

/// Of any text; what it does not understand is in `errors`. Pure.
[[nodiscard]] ShellScript parse_shell(std::shared_ptr<const SourceText> source);

/// The parts of a word, or of the inner text of ${NAME:-…}.
[[nodiscard]] std::vector<ShellPart> parse_shell_word(const std::string& text);

}  // namespace ddp::cli
