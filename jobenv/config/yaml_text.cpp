#include "jobenv/config/yaml_text.hpp"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include "jobenv/config/config_limits.hpp"
#include "jobenv/config/indentation.hpp"
#include "jobenv/config/source_check.hpp"
#include "jobenv/config/tree_builder.hpp"

namespace ddp {
namespace {

constexpr std::string_view kIllegalFlowEnd = "illegal flow end";

struct Translation {
  std::string_view theirs;
  std::string_view message;
  std::string_view hint;
  bool of_indentation = false;  ///< a wrong indentation may have led to it
  char bracket = '\0';          ///< that is open; the error belongs where it is
};

constexpr std::array kTranslations = {
    Translation{"illegal map value", "unexpected ':'",
                "check the indentation; quote a text that contains ': '", true},
    Translation{"end of map not found", "this does not fit the map above it",
                "check the indentation and the quotes", true},
    Translation{"end of sequence not found", "this does not fit the list above it", "check the indentation",
                true},
    Translation{"end of map flow not found", "this '{' is not closed", "add the '}'", false, '{'},
    Translation{"end of sequence flow not found", "this '[' is not closed", "add the ']'", false, '['},
    Translation{kIllegalFlowEnd, "a closing bracket without an opening bracket",
                "remove it, or quote the text"},
    Translation{"illegal block entry", "a list item cannot begin here",
                "put it on a line of its own below the key"},
    Translation{"unknown token", "a value cannot begin with this character", "quote the text"},
    Translation{"illegal EOF in scalar", "the quote is not closed on this line",
                "write the value on one line"},
    Translation{"the referenced anchor is not defined", "an alias ('*') without an anchor ('&') before it",
                "quote a text that begins with '*'"},
    Translation{"bad file", "nested too deeply", ""},
};

/// "line 3, column 7"; an argument has no lines.
std::string name_place(const Place& at) {
  const std::string column = "column " + std::to_string(at.column);
  return at.line == 0 ? column : "line " + std::to_string(at.line) + ", " + column;
}

/// Of a bracket that one of the other kind closes.
Error explain_other_bracket(const TreeBuilder::Bracket& bracket, const Place& closing) {
  const bool is_list = bracket.opening == '[';
  const std::string wanted = is_list ? "']'" : "'}'";
  const std::string written = is_list ? "'}'" : "']'";
  return config_error(
      bracket.place,
      std::string("this '") + bracket.opening + "' is closed by " + written + " in " + name_place(closing),
      "write " + wanted + " there, or add the " + wanted + " that is missing before it");
}

Error translate(const YAML::ParserException& exception, const TreeBuilder& builder) {
  const Place at = builder.place(exception.mark);
  if (exception.msg == kIllegalFlowEnd) {
    if (const auto bracket = builder.bracket_closed_at(exception.mark))
      return explain_other_bracket(*bracket, at);
  }
  for (const Translation& known : kTranslations) {
    if (exception.msg != known.theirs) continue;
    if (known.of_indentation) {
      if (auto indentation = describe_indentation(at); !indentation.empty())
        return config_error(at, std::move(indentation), "indent the keys of a section alike, by spaces");
    }
    const auto opening = known.bracket == '\0' ? std::nullopt : builder.open_bracket(known.bracket);
    return config_error(opening.value_or(at), std::string(known.message), std::string(known.hint));
  }
  return config_error(at, "not valid YAML: " + exception.msg);
}

tl::expected<ConfigNode, Errors> build_tree(const std::shared_ptr<const SourceText>& source,
                                            const TreeBuilder::Start& start, TextKeys texts) {
  TreeBuilder builder(source, start, texts);
  Errors errors;
  std::istringstream stream(source->text.substr(start.offset));
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) continue;
    errors = builder.take_errors();
  } catch (const TreeBuilder::Stop& stop) {
    errors = builder.take_errors();
    errors.push_back(stop.error);
  } catch (const YAML::ParserException& exception) {
    errors = {translate(exception, builder)};  // what was found before may only follow from it
  }
  sort_errors(errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return builder.take_root();
}

/// A missing file is `not_found`: the command line is wrong, not the configuration.
Error file_error(ExitCode code, const std::string& name, const std::string& what, const std::string& hint) {
  return Error{code, "cannot read '" + name + "': " + what, hint};
}

tl::expected<std::string, Errors> read_file(const std::filesystem::path& file, const std::string& name) {
  std::error_code code;
  const auto status = std::filesystem::status(file, code);
  if (!std::filesystem::exists(status)) {
    return tl::unexpected(
        Errors{file_error(ExitCode::not_found, name, "there is no such file", "check the path")});
  }
  if (!std::filesystem::is_regular_file(status)) {
    return tl::unexpected(Errors{file_error(ExitCode::config_invalid, name, "it is not a regular file", "")});
  }
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  std::array<char, 16384> part{};
  while (stream && text.size() <= kMaxConfigBytes) {
    stream.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.is_open() || stream.bad()) {
    return tl::unexpected(
        Errors{file_error(ExitCode::config_invalid, name, "it cannot be opened", "check its permissions")});
  }
  if (text.size() > kMaxConfigBytes) {
    return tl::unexpected(Errors{file_error(ExitCode::config_invalid, name, "it is larger than 1 MiB",
                                            "a configuration is small; is this the right file?")});
  }
  return text;
}

bool is_key_path(std::string_view path) {
  const bool has_empty_part =
      path.empty() || path.front() == '.' || path.back() == '.' || path.find("..") != path.npos;
  return !has_empty_part && std::count(path.begin(), path.end(), '.') < kMaxConfigDepth;
}

tl::expected<ConfigNode, Errors> parse_override_value(const std::shared_ptr<const SourceText>& source,
                                                      std::size_t start, TextKeys texts) {
  const std::string value = source->text.substr(start);
  const Place at = place_at(source, start, std::max(1, static_cast<int>(value.size())));
  if (value.empty()) {
    return tl::unexpected(Errors{
        config_error(place_at(source, 0, static_cast<int>(start)), "no value after '='",
                     "for an empty text, write " + source->text + "'\"\"'; null restores the default")});
  }
  if (std::string_view("[{\"'").find(value.front()) != std::string_view::npos)
    return build_tree(source, {.offset = start, .path = source->text.substr(0, start - 1)}, texts);
  if (value == "null" || value == "~")
    return ConfigNode{.kind = ConfigNode::Kind::null, .entries = {}, .place = at};
  return ConfigNode{.kind = ConfigNode::Kind::scalar, .scalar = value, .entries = {}, .place = at};
}

/// {a: {b: value}} for the path `a.b`, which begins at offset `start` of the source.
ConfigNode wrap(ConfigNode value, const std::shared_ptr<const SourceText>& source, std::size_t start,
                std::string_view path) {
  const std::size_t dot = std::min(path.find('.'), path.size());
  const Place at = place_at(source, start, static_cast<int>(dot));
  if (dot < path.size()) value = wrap(std::move(value), source, start + dot + 1, path.substr(dot + 1));
  ConfigNode map{.kind = ConfigNode::Kind::map, .entries = {}, .place = at};
  map.entries.push_back({std::string(path.substr(0, dot)), at, std::move(value)});
  return map;
}

}  // namespace

tl::expected<ConfigNode, Errors> parse_yaml(const std::shared_ptr<const SourceText>& source, TextKeys texts) {
  if (auto error = check_source_text(source)) return tl::unexpected(Errors{*error});
  auto root = build_tree(source, {}, texts);
  if (!root) return root;
  if (root->kind == ConfigNode::Kind::null)
    return ConfigNode{.kind = ConfigNode::Kind::map, .entries = {}, .place = place_at(source, 0)};
  if (root->kind == ConfigNode::Kind::map) return root;
  return tl::unexpected(Errors{config_error(
      root->place, "the file must hold 'key: value' lines, not " + std::string(describe_kind(*root)),
      "a ':' needs a space after it")});
}

tl::expected<std::shared_ptr<const SourceText>, Errors> load_source_text(const std::filesystem::path& file,
                                                                         const std::string& name,
                                                                         Origin origin) {
  auto text = read_file(file, name);
  if (!text) return tl::unexpected(std::move(text.error()));
  return make_source_text(name, file.parent_path().string(), std::move(*text), origin);
}

tl::expected<ConfigNode, Errors> load_yaml(const std::filesystem::path& file, const std::string& name,
                                           Origin origin, TextKeys texts) {
  return load_source_text(file, name, origin).and_then([texts](const auto& source) {
    return parse_yaml(source, texts);
  });
}

tl::expected<ConfigNode, Errors> parse_override(const std::string& argument, const std::string& folder,
                                                TextKeys texts) {
  const auto source = make_argument_source(argument, folder);
  if (auto error = check_source_text(source)) return tl::unexpected(Errors{*error});
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || !is_key_path(std::string_view(argument).substr(0, equals))) {
    Error error = config_error(place_at(source, 0, static_cast<int>(argument.size())),
                               "this is not KEY=VALUE", "KEY is a dotted path: resources.nodes=2");
    error.code = ExitCode::usage;
    return tl::unexpected(Errors{std::move(error)});
  }
  auto value = parse_override_value(source, equals + 1, texts);
  if (!value) return value;
  return wrap(std::move(*value), source, 0, std::string_view(argument).substr(0, equals));
}

}  // namespace ddp
