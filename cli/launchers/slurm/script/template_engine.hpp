#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// What a template can name: a text, a list of texts for a section (`{{.}}` in it is the item), or whether a
/// section is shown.
using TemplateValue = std::variant<std::string, std::vector<std::string>, bool>;
using TemplateValues = std::map<std::string, TemplateValue>;

/// Fills in a mustache template. `{{name}}` becomes one shell word, `{{{name}}}` the text as it is. Strict: a
/// name that has no value, and a template that cannot be parsed, is an error. `template_name` is for the
/// message.
[[nodiscard]] Expected<std::string> render_template(const std::string& text, const TemplateValues& values,
                                                    const std::string& template_name);

}  // namespace ddp::cli
