#include "cli/launchers/slurm/script/template_engine.hpp"

#include <kainjow/mustache.hpp>
#include <set>

#include "ddp/jobenv/shell_quote.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

namespace mustache = kainjow::mustache;

/// Remembers the names that were asked for in vain: mustache itself renders them as nothing.
class StrictContext : public mustache::context<std::string> {
 public:
  explicit StrictContext(const mustache::data* data) : context(data) {}

  const mustache::data* get(const std::string& name) const override {
    const auto* found = context::get(name);
    if (found == nullptr) missing_.insert(name);
    return found;
  }
  const mustache::data* get_partial(const std::string& name) const override {
    missing_.insert("> " + name);
    return nullptr;
  }
  [[nodiscard]] const std::set<std::string>& missing() const { return missing_; }

 private:
  mutable std::set<std::string> missing_;
};

mustache::data to_data(const TemplateValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* shown = std::get_if<bool>(&value)) return *shown;
  mustache::data list{mustache::data::type::list};
  for (const auto& item : std::get<std::vector<std::string>>(value)) list.push_back(mustache::data(item));
  return list;
}

Error missing_error(const std::string& name, const TemplateValues& values, const std::string& template_name) {
  std::vector<std::string> known;
  for (const auto& [known_name, value] : values) known.push_back(known_name);
  const std::string hint = suggest(name, known);
  return {ExitCode::config_invalid, template_name + ": unknown variable '" + name + "'",
          hint.empty() ? "known: " + join_words(known, " and ") : hint};
}

}  // namespace

Expected<std::string> render_template(const std::string& text, const TemplateValues& values,
                                      const std::string& template_name) {
  mustache::mustache engine(text);
  if (!engine.is_valid())
    return fail(ExitCode::config_invalid, template_name + ": " + engine.error_message());
  engine.set_custom_escape([](const std::string& word) { return quote_for_shell(word); });
  mustache::data data;
  for (const auto& [name, value] : values) data.set(name, to_data(value));
  StrictContext context(&data);
  std::string rendered = engine.render(context);
  if (!context.missing().empty()) {
    return tl::unexpected(missing_error(*context.missing().begin(), values, template_name));
  }
  return rendered;
}

}  // namespace ddp::cli
