#include "cli/spec/load_run_spec.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "cli/spec/changeable_keys.hpp"
#include "cli/spec/command_args.hpp"
#include "cli/spec/correct_keys.hpp"
#include "cli/spec/foreign_keys.hpp"
#include "cli/spec/recorded_origins.hpp"
#include "cli/spec/setup_lines.hpp"
#include "cli/spec/spec_checks.hpp"
#include "cli/spec/spec_fields.hpp"
#include "cli/spec/spec_layers.hpp"
#include "cli/spec/sweep_axes.hpp"
#include "jobenv/config/diagnostic.hpp"
#include "jobenv/config/field_reader.hpp"
#include "jobenv/config/suggestion.hpp"
#include "jobenv/config/utf8.hpp"
#include "jobenv/config/yaml_text.hpp"
#include "trainer/config/train_fields.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kEnoughErrors = 10'000;  // of all points, before those that are the same become one
constexpr int kCorrections = 8;                // a misspelt section may have misspelt keys, and so on

/// Programs run in this folder, and it stands in files that have lines.
Expected<void> check_current_folder(const std::filesystem::path& folder) {
  if (!has_control_character(folder.string())) return {};
  return fail(ExitCode::config_invalid,
              "the name of the current folder has a line break, a control character or invalid UTF-8",
              "start ddpsubmit in another folder, or rename this one");
}

/// What reading a tree needs besides the tree.
struct Surroundings {
  std::string home;
  SchemaSource schemas_of;
};

/// Of environment.set, as far as it is a map of texts; what else is wrong with it is told when it is read.
std::map<std::string, std::string> variables_of(const ConfigNode& root) {
  std::map<std::string, std::string> variables;
  const ConfigNode::Entry* set = root.find_path("environment.set");
  if (!set) return variables;
  for (const ConfigNode::Entry& entry : set->value.entries) variables[entry.key] = entry.value.scalar;
  return variables;
}

/// The keys under `train` depend on the program that is to train.
Expected<void> choose_schemas(const ConfigNode& root, const SchemaSource& schemas_of, RunSpec& spec) {
  const ConfigNode::Entry* program = root.find_path("train.program");
  const bool own = program && program->value.kind == ConfigNode::Kind::scalar &&
                   program->value.scalar != trainer::TrainConfig{}.program;
  if (!own || !schemas_of) return {};
  auto schemas = schemas_of(program->value.scalar, variables_of(root));
  if (!schemas) {
    Error error = std::move(schemas.error());
    error.where = program->value.place.mark();
    return tl::unexpected(std::move(error));
  }
  if (*schemas) spec.schemas = std::move(*schemas);
  return {};
}

/// Components of a program that could not be asked look like mistakes.
void explain_unknown_components(const ConfigNode& root, const RunSpec& spec, Errors& errors) {
  const ConfigNode::Entry* program = root.find_path("train.program");
  const bool asked = spec.schemas.get() != &trainer::bundled_schemas();
  if (errors.empty() || asked || !spec.train || spec.train->program == trainer::TrainConfig{}.program) return;
  errors.push_back(config_error(
      program->value.place,
      "'" + spec.train->program + "' cannot be run here, so its --components could not be queried",
      "its own models and datasets are unknown; its path is relative to the current folder"));
}

/// What the sections of all launchers name is loaded: a spec for another launcher is checked, too.
void complete(RunSpec& spec, Errors& errors) {
  for (const auto* launcher : all_launchers()) {
    if (launcher->complete != nullptr) launcher->complete(spec, errors);
  }
}

bool has_program_twice(const ConfigNode& root) {
  return std::ranges::all_of(std::array{"command", "train"}, [&](const char* key) {
    const ConfigNode::Entry* entry = root.find(key);
    return entry && entry->value.kind != ConfigNode::Kind::null;
  });
}

/// `spec` holds the defaults.
tl::expected<RunSpec, Errors> read_one_program(const ConfigNode& root, RunSpec spec,
                                               const Surroundings& surroundings) {
  if (auto chosen = choose_schemas(root, surroundings.schemas_of, spec); !chosen)
    return tl::unexpected(Errors{std::move(chosen.error())});
  Errors errors;
  FieldReader reader(root, surroundings.home, errors, foreign_keys());
  describe_spec(reader, spec);
  reader.finish();
  spec.origins.by_path = reader.origins();
  complete(spec, errors);
  check_run_spec(spec, root, errors);
  check_args(spec, errors);
  if (spec.train) {
    trainer::finish_train_config(*spec.train, spec.rendezvous, *spec.schemas, root, spec.world_size(),
                                 errors);
    explain_unknown_components(root, spec, errors);
  }
  sort_errors(errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return spec;
}

/// Of the keys that are written, each by itself.
Errors find_wrong_keys(const ConfigNode& root, RunSpec spec, const Surroundings& surroundings) {
  if (auto chosen = choose_schemas(root, surroundings.schemas_of, spec); !chosen) return {chosen.error()};
  Errors errors;
  FieldReader reader(root, surroundings.home, errors, foreign_keys());
  describe_spec(reader, spec);
  reader.finish();
  return errors;
}

bool is_same(const Error& one, const Error& other) {
  const auto place_of = [](const Error& error) {
    return error.where ? render_place(*error.where) : std::string();
  };
  return one.message == other.message && place_of(one) == place_of(other);
}

/// Keys that are wrong are told, those of `train`, too. For all other checks `train` is left out: what it
/// lacks would hide that it has no place here.
Errors refuse_train(ConfigNode root, RunSpec spec, const Surroundings& surroundings) {
  Errors errors = find_wrong_keys(root, spec, surroundings);
  const auto train = std::ranges::find(root.entries, "train", &ConfigNode::Entry::key);
  const auto& command = root.find("command")->value;
  const bool train_is_later = train->value.origin() > command.origin();
  const Place place = train_is_later ? train->key_place : command.place;
  const Place other = train_is_later ? command.place : train->key_place;
  const std::string other_key = train_is_later ? "'command'" : "'train'";
  root.entries.erase(train);
  const auto rest = read_one_program(root, std::move(spec), surroundings);
  for (const Error& error : rest ? Errors{} : rest.error()) {
    if (std::ranges::none_of(errors, [&](const Error& known) { return is_same(known, error); }))
      errors.push_back(error);
  }
  errors.push_back(
      config_error(place, "'command' and 'train' are both set",
                   other_key + " is set at " + render_place(other.mark()) +
                       ": keep one of them; keys of 'train' do not reach a program under 'command'"));
  sort_errors(errors);
  return errors;
}

tl::expected<RunSpec, Errors> read_as_written(const ConfigNode& root, RunSpec spec,
                                              const Surroundings& surroundings) {
  if (has_program_twice(root)) return tl::unexpected(refuse_train(root, std::move(spec), surroundings));
  return read_one_program(root, std::move(spec), surroundings);
}

std::vector<FieldReader::Misspelling> find_misspellings(const ConfigNode& root, RunSpec spec,
                                                        const Surroundings& surroundings) {
  if (!choose_schemas(root, surroundings.schemas_of, spec)) return {};
  Errors unused;
  FieldReader reader(root, surroundings.home, unused, foreign_keys());
  describe_spec(reader, spec);
  reader.finish();
  return reader.misspellings();
}

void add_errors(Errors& errors, Errors more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// What only follows from a misspelt key is not told: of "comand: [...]" not that there is nothing to run.
tl::expected<RunSpec, Errors> read_spec(const ConfigNode& root, const RunSpec& defaults,
                                        const Surroundings& surroundings) {
  auto spec = read_as_written(root, defaults, surroundings);
  ConfigNode corrected = spec ? ConfigNode{} : root;
  Errors spelling;
  for (int round = 0; !spec && round < kCorrections; ++round) {
    Errors more = correct_keys(find_misspellings(corrected, defaults, surroundings), corrected);
    if (more.empty()) break;
    add_errors(spelling, std::move(more));
    spec = read_as_written(corrected, defaults, surroundings);
  }
  if (spelling.empty()) return spec;
  if (!spec) add_errors(spelling, std::move(spec.error()));
  sort_errors(spelling);
  return tl::unexpected(std::move(spelling));
}

/// "slurm or local".
std::string name_launchers_of_sweeps() {
  std::vector<std::string> names;
  for (const auto* launcher : all_launchers()) {
    if (launcher->refuses_sweeps.empty()) names.emplace(names.begin(), launcher->name);
  }
  return join_words(names, " or ");
}

/// Not every launcher has sweeps.
Errors refuse_sweep(const ConfigNode& root, const SweepAxes& axes, const RunSpec& defaults) {
  const ConfigNode::Entry* entry = root.find("launcher");
  const auto* named = entry == nullptr ? nullptr : find_launcher(entry->value.scalar);
  const auto* launcher = named == nullptr ? defaults.launcher : named;
  if (launcher->refuses_sweeps.empty()) return {};
  return {config_error(axes.list().front().place, std::string(launcher->refuses_sweeps),
                       "start one run for each point, or set launcher: " + name_launchers_of_sweeps())};
}

/// Corrects what all points have from `root`, and returns the errors: else each point would be read anew for
/// every correction.
Errors correct_shared_keys(ConfigNode& root, const SweepAxes& axes, const RunSpec& defaults,
                           const Surroundings& surroundings) {
  Errors errors;
  for (int round = 0; round < kCorrections; ++round) {
    Errors more = correct_keys(find_misspellings(axes.tree_of(0, root), defaults, surroundings), root);
    if (more.empty()) break;
    add_errors(errors, std::move(more));
  }
  return errors;
}

/// Every point is a whole spec. What the sweep has as such is what the first point has.
tl::expected<RunSpec, Errors> read_sweep(ConfigNode root, const SweepAxes& axes, const RunSpec& defaults,
                                         const Surroundings& surroundings) {
  RunSpec sweep;
  Errors errors = correct_shared_keys(root, axes, defaults, surroundings);
  add_errors(errors, refuse_sweep(root, axes, defaults));
  for (std::size_t point = 0; point < axes.points() && errors.size() < kEnoughErrors; ++point) {
    auto spec = read_spec(axes.tree_of(point, root), defaults, surroundings);
    if (!spec) {
      add_errors(errors, std::move(spec.error()));
      continue;
    }
    if (point == 0) sweep = *spec;
    spec->sweep_options = {};
    sweep.points.push_back(std::move(*spec));
  }
  if (!errors.empty()) return tl::unexpected(axes.combine(std::move(errors)));
  sweep.sweep = axes.to_lists();
  // The points are good: what is wrong now is so for a sweep alone.
  if (sweep.launcher->check != nullptr) sweep.launcher->check(sweep, root, errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  for (const SweepAxis& axis : axes.list()) sweep.origins.by_path["sweep." + axis.key] = axis.place;
  return sweep;
}

/// Of a sweep that lacks keys, all of which may be in it: what is wrong with those that are there.
Errors find_wrong_keys_of(const ConfigNode& root, const SweepAxes& axes, const RunSpec& defaults,
                          const Surroundings& surroundings) {
  if (axes.empty()) return find_wrong_keys(root, defaults, surroundings);
  Errors errors;
  for (std::size_t point = 0; point < axes.points() && errors.size() < kEnoughErrors; ++point)
    add_errors(errors, find_wrong_keys(axes.tree_of(point, root), defaults, surroundings));
  return axes.combine(std::move(errors));
}

tl::expected<RunSpec, Errors> read_tree(ConfigNode root, const RunSpec& defaults,
                                        const Surroundings& surroundings) {
  split_setup_lines(root);
  Errors errors;
  const auto axes = SweepAxes::take(root, errors);
  if (!axes.is_complete()) {
    add_errors(errors, find_wrong_keys_of(root, axes, defaults, surroundings));
    sort_errors(errors);
    return tl::unexpected(std::move(errors));
  }
  auto spec =
      axes.empty() ? read_spec(root, defaults, surroundings) : read_sweep(root, axes, defaults, surroundings);
  if (errors.empty()) return spec;
  if (!spec) add_errors(errors, std::move(spec.error()));
  sort_errors(errors);
  return tl::unexpected(std::move(errors));
}

/// Merges what may change into the tree of a spec.yaml.
Errors apply_changes(const SpecChanges& changes, ConfigNode& root) {
  Errors errors;
  const auto* launcher = root.find("launcher");
  const RunToChange run{.program = root.find("train") ? "train" : "command",
                        .launcher = launcher != nullptr ? launcher->value.scalar : "",
                        .swept = changes.swept};
  for (const std::string& argument : changes.arguments) {
    auto layer = parse_override(argument, changes.current_folder.string(), kTextKeys);
    if (!layer) {
      errors.insert(errors.end(), layer.error().begin(), layer.error().end());
      continue;
    }
    const auto refused = errors.size();
    check_changes(*layer, run, errors);
    if (errors.size() == refused) merge_into(root, std::move(*layer));
  }
  return errors;
}

/// A spec.yaml is not where its values were written.
void trace_origins(RunSpec& spec) {
  spec.origins.by_path = recorded_origins(spec.origins.by_path);
  for (RunSpec& point : spec.points) trace_origins(point);
}

/// The variables of the submitter are below all files. `fallback` is the launcher if the configuration names
/// none.
void put_over_variables(ConfigNode& root, const LauncherRow& fallback, const EnvMap& submitter) {
  const ConfigNode::Entry* entry = root.find("launcher");
  const auto* named = entry == nullptr ? &fallback : find_launcher(entry->value.scalar);
  if (named == nullptr || named->read_variables == nullptr) return;
  ConfigNode base = named->read_variables(submitter);
  merge_into(base, std::move(root));
  root = std::move(base);
}

bool is_program(const std::filesystem::path& file) {
  std::error_code unknown;
  return file.extension() == ".py" && std::filesystem::is_regular_file(file, unknown);
}

Error refuse_program(const std::filesystem::path& program) {
  const auto name = program.string();
  return {ExitCode::config_invalid, "'" + name + "' is a Python program, not a configuration",
          "write a file with command: [python3, " + name +
              "], or have one written: ddpsubmit init --command python3 " + name};
}

}  // namespace

tl::expected<RunSpec, Errors> load_run_spec(const SpecSources& sources) {
  if (const auto checked = check_current_folder(sources.current_folder); !checked)
    return tl::unexpected(Errors{checked.error()});
  auto root = merge_layers(sources);
  if (!root && is_program(sources.file)) return tl::unexpected(Errors{refuse_program(sources.file)});
  if (!root) return tl::unexpected(root.error());
  RunSpec defaults;
  put_over_variables(*root, *defaults.launcher, sources.environment);
  defaults.name = sources.file.stem().string();
  defaults.run_root = (sources.current_folder / "runs").lexically_normal().string();
  return read_tree(std::move(*root), defaults,
                   {sources.environment.get("HOME").value_or(""), sources.schemas_of});
}

tl::expected<RunSpec, Errors> load_resolved_spec(const std::filesystem::path& file,
                                                 const SchemaSource& schemas_of, const SpecChanges& changes) {
  auto root = load_yaml(std::filesystem::absolute(file), file.string(), Origin::config_file, kTextKeys);
  if (!root) return tl::unexpected(root.error());
  Errors errors = apply_changes(changes, *root);
  auto spec = read_tree(std::move(*root), RunSpec{}, {{}, schemas_of});
  if (!spec) errors.insert(errors.end(), spec.error().begin(), spec.error().end());
  sort_errors(errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  trace_origins(*spec);
  return spec;
}

}  // namespace ddp::cli
