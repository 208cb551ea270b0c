#pragma once

#include <string>
#include <utility>

#include "jobenv/config/diagnostic.hpp"
#include "jobenv/config/source_text.hpp"
#include "jobenv/config/yaml_text.hpp"

namespace ddp {

/// A text as if it were the file /project/run.yaml.
inline tl::expected<ConfigNode, Errors> parse_text(std::string text) {
  return parse_yaml(make_source_text("run.yaml", "/project", std::move(text), Origin::config_file));
}

/// What a person would read about the errors of `text`; empty when there are none.
inline std::string diagnose(const std::string& text) {
  const auto root = parse_text(text);
  return root ? std::string() : render_diagnostics(root.error());
}

/// The first error as "LINE:COLUMN MESSAGE".
inline std::string first_error(const Errors& errors) {
  if (errors.empty()) return "no error";
  const Error& error = errors.front();
  if (!error.where) return error.message;
  return std::to_string(error.where->line) + ":" + std::to_string(error.where->column) + " " + error.message;
}

inline std::string first_error(const std::string& text) {
  const auto root = parse_text(text);
  return root ? "no error" : first_error(root.error());
}

}  // namespace ddp
