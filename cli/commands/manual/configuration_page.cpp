#include "cli/commands/manual/configuration_page.hpp"

#include <algorithm>

#include "cli/commands/manual/contents.hpp"
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

Section common_section() {
  const auto keys = common_keys();
  std::vector<Block> blocks{explain_all(keys.rows())};
  Entries sections;
  for (const auto& section : keys.sections())
    sections.entries.push_back({section.path, to_sentence(section.doc)});
  blocks.insert(blocks.begin(), std::move(sections));
  blocks.insert(blocks.begin(), Paragraph{"The sections:"});
  blocks.insert(blocks.begin() + 2, Paragraph{"The keys:"});
  return {"Keys", std::move(blocks)};
}

Section component_section() {
  std::vector<Block> blocks{
      Paragraph{"The key `name` of these sections chooses one of the following. Each has keys of "
                "its own. A program of your own under `train.program` has others."}};
  for (const auto& component : component_keys()) {
    blocks.emplace_back(
        Paragraph{"`" + component.section + ".name: " + component.name + "`: " + component.doc + "."});
    blocks.emplace_back(explain_all(component.rows));
  }
  return {"Models, datasets, optimizers, schedules", std::move(blocks)};
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
          {"Examples",
           {Listing{{"name: hello", "resources: {tasks_per_node: 2}",
                     "command: [sh, -c, \"echo rank $RANK of $WORLD_SIZE\"]"}}}},
          {"Files", {files()}},
          {"See also",
           {Paragraph{"`ddpsubmit`(1), `ddpsubmit-run`(1), `ddpsubmit-validate`(1), "
                      "`ddpsubmit-render`(1)"}}}}};
}

}  // namespace ddp::cli
