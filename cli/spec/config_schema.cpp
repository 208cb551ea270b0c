#include "cli/spec/config_schema.hpp"

#include <algorithm>

#include "cli/spec/schema_fields.hpp"
#include "cli/spec/spec_fields.hpp"
#include "cli/spec/sweep_axes.hpp"
#include "cli/spec/sweep_schema.hpp"
#include "trainer/config/train_fields.hpp"

namespace ddp::cli {
namespace {

using nlohmann::ordered_json;

SchemaSection describe_file() {
  RunSpec spec;
  SchemaFields fields;
  describe_spec(fields, spec);
  return fields.take_section();
}

/// The values of a sweep are those of the keys that it names; of a program's own components nothing is known.
void add_sweep(const SchemaSection& file, ordered_json& schema) {
  schema["properties"][kSweepKey].update(any_sweep());
  const auto train = std::ranges::find(file.keys, trainer::kTrainKey.name, &SchemaKey::name);
  schema["if"] = {{"required", {train->name}},
                  {"properties", {{train->name, render_condition(*train->section->condition)}}}};
  schema["else"] = {{"properties", {{kSweepKey, known_sweep(file)}}}};
  schema["definitions"] = sweep_definitions(file);
}

/// A program and a training: of a key that is null nothing is set.
ordered_json both_programs() {
  const std::string train(trainer::kTrainKey.name);
  const ordered_json set{{"not", {{"type", "null"}}}};
  return {{"required", {"command", train}}, {"properties", {{"command", set}, {train, set}}}};
}

}  // namespace

ordered_json config_schema() {
  const SchemaSection file = describe_file();
  ordered_json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                      {"$comment", "made by: ddpsubmit schema"},
                      {"title", "configuration file of ddpsubmit"}};
  schema.update(render_section(file));
  schema["not"] = both_programs();
  add_sweep(file, schema);
  return schema;
}

}  // namespace ddp::cli
