#include "cli/commands/manual/configuration_page.hpp"

#include <algorithm>
#include <string_view>

#include "cli/commands/manual/contents.hpp"
#include "cli/commands/manual/example_files.hpp"
#include "cli/spec/component_keys.hpp"

namespace ddp::cli {
namespace {

/// "Number of nodes. Values: integer, 1 to 65536. Default: 1."
Entry explain(const KeyRow& row) {
  auto text = row.doc.empty() ? std::string() : to_sentence(row.doc) + " ";
  text += "Values: " + row.values + ".";
  if (!row.default_value.empty()) text += " Default: " + row.default_value + ".";
  return {row.path, std::move(text)};
}

Entries explain_all(const std::vector<KeyRow>& rows) {
  Entries entries;
  for (const auto& row : rows) entries.entries.push_back(explain(row));
  return entries;
}

/// "train.model" of "train.model.name".
std::string section_of(const KeyRow& row) {
  const auto dot = row.path.rfind('.');
  return dot == row.path.npos ? std::string() : row.path.substr(0, dot);
}

/// The rows of each section, by the order in which the sections come first.
std::vector<std::pair<std::string, std::vector<KeyRow>>> group_by_section(const std::vector<KeyRow>& rows) {
  std::vector<std::pair<std::string, std::vector<KeyRow>>> groups;
  for (const auto& row : rows) {
    const auto name = section_of(row);
    auto group = std::ranges::find(groups, name, &decltype(groups)::value_type::first);
    if (group == groups.end()) group = groups.insert(group, {name, {}});
    group->second.push_back(row);
  }
  return groups;
}

Section common_section() {
  const auto keys = common_keys();
  std::vector<Block> blocks;
  for (const auto& [name, rows] : group_by_section(keys.rows())) {
    blocks.emplace_back(Heading{name.empty() ? "Without a section" : name});
    const auto section = std::ranges::find(keys.sections(), name, &KeySection::path);
    if (section != keys.sections().end() && !section->doc.empty())
      blocks.emplace_back(Paragraph{to_sentence(section->doc)});
    blocks.emplace_back(explain_all(rows));
  }
  return {"Keys", std::move(blocks)};
}

Section component_section() {
  std::vector<Block> blocks{
      Paragraph{"The key `name` of these sections chooses one of the following. Each has keys of "
                "its own. A program of your own under `train.program` has others."}};
  for (const auto& component : component_keys()) {
    blocks.emplace_back(Heading{component.section + ".name: " + component.name});
    blocks.emplace_back(Paragraph{to_sentence(component.doc)});
    blocks.emplace_back(explain_all(component.rows));
  }
  return {"Models, datasets, optimizers, schedules, losses", std::move(blocks)};
}

/// Without the comments at its head, which say how to call it in the repository.
Listing show_file(std::string_view text) {
  Listing listing;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!listing.lines.empty() || !line.starts_with('#')) listing.lines.emplace_back(line);
  }
  return listing;
}

Section example_section() {
  std::vector<Block> blocks;
  for (const auto& file : example_files()) {
    blocks.emplace_back(Heading{std::string(file.title)});
    blocks.emplace_back(Paragraph{std::string(file.sentences)});
    blocks.emplace_back(show_file(file.text));
  }
  return {"Examples", std::move(blocks)};
}

}  // namespace

ManualPage configuration_page() {
  return {
      .name = "ddpsubmit.yaml",
      .chapter = 5,
      .summary = "configuration of a run of ddpsubmit",
      .sections = {
          {"Description",
           {Paragraph{"A file in YAML describes a run. It has a `command`, or a `train` for the bundled "
                      "trainer. Every other key has a default. On the command line, keys are dotted paths: "
                      "`resources.nodes=2` overrides the file."},
            Paragraph{"Files under `include` are merged first, in their order. Then come user.yaml of the "
                      "user, the file itself, and the arguments. The later one wins, key by key; a list "
                      "replaces a list."}}},
          common_section(),
          component_section(),
          example_section(),
          {"Files", {files()}},
          {"See also",
           {Paragraph{"`ddpsubmit`(1), `ddpsubmit-run`(1), `ddpsubmit-validate`(1), "
                      "`ddpsubmit-render`(1)"}}}}};
}

}  // namespace ddp::cli
