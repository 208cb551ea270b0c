#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ddp::cli {

/// A value and the comment that says where it comes from. Both on one line.
struct DocumentValue {
  std::string value;  ///< as it stands in YAML
  std::string comment = {};
};

/// A line of shell, or several: one item of environment.setup.
struct DocumentLine {
  std::string text;
  std::string comment = {};
};

/// What becomes of lines of the script that have no key.
struct LineNote {
  int first = 0;
  int last = 0;
  std::string text = {};    ///< the line itself, short; empty: it says nothing, as a comment
  std::string reason = {};  ///< a sentence without its end
};

/// A configuration with comments, as a text.
class ConfigDocument {
 public:
  std::string head = {};  ///< lines of comment, without '#'

  /// `path`: of one or two keys. Sections and keys stand in the order of docs/config.md. A second value for a
  /// path replaces the first.
  void set(const std::string& path, std::string value, std::string comment);
  [[nodiscard]] bool has(const std::string& path) const { return values_.contains(path); }
  [[nodiscard]] const DocumentValue* find(const std::string& path) const;
  /// An entry of a map of texts, such as environment.set.
  void set_entry(const std::string& map, const std::string& name, std::string value, std::string comment);

  /// A variable whose value is not in the file: environment.secrets.
  void add_secret(const std::string& name, const std::string& comment);
  /// Names, each with its first comment.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& secrets() const { return secrets_; }
  [[nodiscard]] const DocumentValue* find_entry(const std::string& map, const std::string& name) const;
  /// Whether the comment on a value begins with this one.
  [[nodiscard]] bool cites(std::string_view comment) const;

  std::vector<DocumentLine> setup = {};
  std::vector<std::string> command = {};
  std::string command_comment = {};
  std::vector<LineNote> notes = {};

  /// Ends with a newline.
  [[nodiscard]] std::string render() const;

 private:
  std::vector<std::pair<std::string, std::string>> secrets_;
  std::map<std::string, DocumentValue> values_;                          ///< by dotted path
  std::map<std::string, std::map<std::string, DocumentValue>> entries_;  ///< of maps, by their path
};

}  // namespace ddp::cli
