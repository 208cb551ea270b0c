#include "cli/commands/torchrun/torchrun_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/commands/torchrun/node_range.hpp"
#include "cli/commands/torchrun/torchrun_command.hpp"
#include "cli/launchers/launcher_row.hpp"
#include "cli/spec/owned_variables.hpp"
#include "cli/spec/setup_lines.hpp"
#include "cli/torchrun/torchrun_options.hpp"
#include "ddp/jobenv/shell_quote.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/config/suggestion.hpp"
#include "jobenv/config/yaml_text.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kOnNodes = "add --launcher slurm or --launcher ssh before the script";

ConfigNode scalar_node(std::string value, Place place) {
  return {
      .kind = ConfigNode::Kind::scalar, .scalar = std::move(value), .entries = {}, .place = std::move(place)};
}

/// The map that has `value` at a dotted path.
ConfigNode wrap_in_path(std::string_view path, ConfigNode value) {
  const Place place = value.place;
  for (auto dot = path.rfind('.');; dot = path.rfind('.')) {
    const auto key = dot == path.npos ? path : path.substr(dot + 1);
    ConfigNode map{.kind = ConfigNode::Kind::map, .entries = {}, .place = place};
    map.entries.push_back({std::string(key), place, std::move(value)});
    if (dot == path.npos) return map;
    value = std::move(map);
    path = path.substr(0, dot);
  }
}

/// The devices that programs may use, of those of this machine.
int visible_gpus(const TorchrunSurroundings& around) {
  const auto visible = around.environment.get("CUDA_VISIBLE_DEVICES");
  if (!visible) return around.gpus;
  if (visible->empty() || visible->front() == '-') return 0;
  const auto named = static_cast<int>(std::ranges::count(*visible, ',')) + 1;
  return std::min(named, around.gpus);
}

/// "--nnodes" of "--nnodes=2", "--nnodes 2".
std::string name_in(const std::string& written) {
  return written.substr(0, written.find_first_of("= "));
}

/// Why an option has no effect.
std::string explain(const TorchrunOption& row) {
  const std::string why(row.why);
  return row.setting.empty() ? why : why + " --set " + quote_on_one_line(row.setting);
}

/// How many ranks a node has, and, where that follows from its GPUs, how many those are.
struct NodeRanks {
  std::int64_t ranks = 1;
  std::int64_t gpus = 0;  ///< 0: not known
};

class TorchrunTranslation {
 public:
  TorchrunTranslation(const TorchrunLine& line, const TorchrunSurroundings& around)
      : line_(line), around_(around) {}

  tl::expected<TorchrunConfig, Errors> translate() {
    check_refusals();
    const auto* name = line_.find(torchrun::kName);
    set("name", name == nullptr ? run_name_of_script(line_.script) : name->value, written_of(name));
    if (!choose_launcher()) return tl::unexpected(std::move(errors_));
    read_settings();
    translate_nodes();
    translate_ranks();
    translate_role();
    translate_run_id();
    translate_restarts();
    check_node_rank();
    merge_into(config_.root, std::move(settings_));
    add_command();
    note_options_without_effect();
    if (errors_.empty()) check_rendering();
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    return std::move(config_);
  }

 private:
  static std::string written_of(const LineValue* option) {
    return option == nullptr ? std::string() : option->written;
  }

  /// Values that no option stands for have no place.
  void set(std::string_view path, std::string value, const std::string& written) {
    merge_into(config_.root, wrap_in_path(path, scalar_node(std::move(value), place_of(written))));
  }

  [[nodiscard]] Place place_of(const std::string& written) const {
    if (written.empty()) return {};
    return place_at(make_argument_source(written, around_.current_folder), 0,
                    static_cast<int>(written.size()));
  }

  bool choose_launcher() {
    const auto* given = line_.find(torchrun::kLauncher);
    launcher_ = given == nullptr ? &launcher_here() : find_launcher(given->value);
    if (launcher_ != nullptr) {
      set("launcher", std::string(launcher_->name), written_of(given));
      return true;
    }
    std::vector<std::string> names;
    for (const auto* launcher : all_launchers()) names.emplace_back(launcher->name);
    report(fmt::format("--launcher: '{}' is not a launcher", given->value),
           "launchers are " + join_words(names, " and "));
    return false;
  }

  [[nodiscard]] bool runs_here() const { return launcher_->ranks_run == RanksRun::here; }

  void read_settings() {
    for (const auto& argument : line_.settings) {
      auto layer = parse_override(argument, around_.current_folder, kTextKeys);
      if (!layer) {
        errors_.insert(errors_.end(), layer.error().begin(), layer.error().end());
        continue;
      }
      const auto& key = layer->entries.front().key;
      if (key == "launcher")
        report("--set cannot set the launcher", "use --launcher NAME");
      else if (key == "command" || key == "train" || key == "include")
        report(fmt::format("--set cannot set '{}'", key),
               "the program is what stands behind the options; for all else write a file (--dry-run prints "
               "one)");
      else
        add_setting(std::move(*layer));
    }
  }

  void add_setting(ConfigNode layer) {
    config_.settings.add(layer.entries.front().key_place);
    merge_into(settings_, std::move(layer));
  }

  void check_refusals() {
    for (const auto& row : torchrun_options()) {
      if (row.meaning == TorchrunMeaning::refused && line_.has(row.name))
        report(std::string(row.why), std::string(row.advice));
    }
  }

  void translate_nodes() {
    const auto* given = line_.find("--nnodes");
    if (given == nullptr) return set("resources.nodes", "1", written_of(given));
    const auto range = parse_node_range(given->value);
    if (!range)
      return report(fmt::format("{}: '{}' is not a number of nodes", name_in(given->written), given->value),
                    "write N, or MIN:MAX with 0 < MIN <= MAX");
    if (line_.has("--standalone") && range->lowest > 1)
      return report(fmt::format("--standalone is for one node, but --nnodes is {}", given->value),
                    "leave out --standalone, and " + std::string(kOnNodes));
    if (runs_here() && range->lowest > 1)
      return report(fmt::format("--nnodes is {}, but launcher '{}' uses one node: this machine", given->value,
                                launcher_->name),
                    std::string(kOnNodes));
    set("resources.nodes", std::to_string(count_nodes(*range)), written_of(given));
    if (range->lowest < range->highest) translate_range(*range, *given);
  }

  [[nodiscard]] std::int64_t count_nodes(const NodeRange& range) const {
    return runs_here() || line_.has("--standalone") ? range.lowest : range.highest;
  }

  void translate_range(const NodeRange& range, const LineValue& given) {
    const auto nodes = count_nodes(range);
    if (nodes > range.lowest && launcher_->starts_with_fewer_nodes)
      return set("fault_tolerance.min_nodes", std::to_string(range.lowest), given.written);
    config_.notes.push_back(
        fmt::format("{}: with launcher '{}' a run always has all its nodes; this one has {}", given.written,
                    launcher_->name, nodes));
  }

  void translate_ranks() {
    const auto* given = line_.find("--nproc-per-node");
    const auto node = given == nullptr ? NodeRanks{} : resolve_ranks(*given);
    if (!node) return;
    set("resources.tasks_per_node", std::to_string(node->ranks), written_of(given));
    if (node->gpus > 0 && runs_here())
      set("resources.gpus_per_node", std::to_string(node->gpus), written_of(given));
    translate_threads(node->ranks);
    translate_filter(node->ranks);
  }

  /// nullopt: an error was reported.
  std::optional<NodeRanks> resolve_ranks(const LineValue& given) {
    const auto& value = given.value;
    if (const auto number = parse_whole_number(value); number && *number > 0) return NodeRanks{*number, 0};
    if (value != "gpu" && value != "cpu" && value != "auto") {
      report(fmt::format("{}: '{}' is not a number of ranks", name_in(given.written), value),
             "write a number, gpu, cpu or auto");
      return std::nullopt;
    }
    return runs_here() ? count_here(given) : count_on_nodes(given);
  }

  std::optional<NodeRanks> count_here(const LineValue& given) {
    const int gpus = visible_gpus(around_);
    if (given.value != "cpu" && gpus > 0) return NodeRanks{gpus, gpus};
    if (given.value != "gpu") return NodeRanks{around_.cpus, 0};
    report(fmt::format("{}: no GPU is visible on this machine", given.written),
           "write a number, or cpu; check CUDA_VISIBLE_DEVICES");
    return std::nullopt;
  }

  /// What the nodes have is not known before the run, unless --set says what it asks for.
  std::optional<NodeRanks> count_on_nodes(const LineValue& given) {
    const auto* asked = settings_.find_path("resources.gpus_per_node");
    const auto gpus = asked == nullptr ? std::nullopt : parse_whole_number(asked->value.scalar);
    if (given.value != "cpu" && gpus && *gpus > 0) return NodeRanks{*gpus, *gpus};
    report(fmt::format("{}: with launcher '{}' it is not known here what the nodes have", given.written,
                       launcher_->name),
           given.value == "cpu" ? "write the number of ranks per node"
                                : "write the number, or add --set resources.gpus_per_node=N");
    return std::nullopt;
  }

  /// OMP_NUM_THREADS of a rank is cpus_per_task. torchrun keeps the variable; without it several ranks have
  /// one thread each, and a single rank has all CPUs.
  void translate_threads(std::int64_t ranks) {
    const auto given = around_.environment.get("OMP_NUM_THREADS");
    const auto threads = given ? parse_whole_number(given->substr(0, given->find(','))) : std::nullopt;
    if (threads && *threads > 0)
      set("resources.cpus_per_task", std::to_string(*threads), "OMP_NUM_THREADS=" + *given);
    else if (ranks == 1 && runs_here())
      set("resources.cpus_per_task", std::to_string(around_.cpus), {});
  }

  void translate_filter(std::int64_t ranks) {
    const auto* given = line_.find("--local-ranks-filter");
    if (given == nullptr || given->value.empty()) return;
    std::string_view rest = given->value;
    while (true) {
      const auto comma = rest.find(',');
      const auto rank = parse_whole_number(rest.substr(0, comma));
      if (!rank || *rank >= ranks)
        return report(
            fmt::format("{}: '{}' is not a local rank", name_in(given->written), rest.substr(0, comma)),
            fmt::format("local ranks are 0 to {}; write them with commas between them", ranks - 1));
      config_.shown_local_ranks.push_back(static_cast<int>(*rank));
      if (comma == rest.npos) return;
      rest.remove_prefix(comma + 1);
    }
  }

  void translate_role() {
    if (const auto* given = line_.find("--role"))
      set("environment.set.ROLE_NAME", given->value, given->written);
  }

  /// Programs ask for the variable to know that torchrun has started them.
  void translate_run_id() {
    const auto* given = line_.find("--rdzv-id");
    if (given == nullptr && !launcher_->has_scheduler()) return;
    set("environment.set." + std::string(kTorchelasticRunId),
        given == nullptr ? std::string(kDefaultRunId) : given->value, written_of(given));
  }

  void translate_restarts() {
    const auto* given = line_.find("--max-restarts");
    if (given == nullptr) return;
    if (!parse_whole_number(given->value))
      return report(
          fmt::format("{}: '{}' is not a number of restarts", name_in(given->written), given->value),
          "write a whole number");
    set("fault_tolerance.max_restarts", given->value, given->written);
  }

  void check_node_rank() {
    const auto* given = line_.find("--node-rank");
    if (given == nullptr) return;
    if (parse_whole_number(given->value) == 0) {
      config_.notes.push_back(given->written + " has no effect: ddpsubmit starts the ranks of all nodes");
    } else {
      report(given->written + ": this line is for another node, but one line starts the ranks of all nodes",
             "start the line of node 0 alone, or leave out --node-rank");
    }
  }

  /// Behind all other keys, as in most files.
  void add_command() {
    ConfigNode list{.kind = ConfigNode::Kind::sequence, .entries = {}};
    for (auto& word : command_of_torchrun(line_, around_.environment, errors_)) {
      Place place = place_of(word);
      list.items.push_back(scalar_node(std::move(word), std::move(place)));
      list.items.back().quoting = ConfigNode::Quoting::quoted;
    }
    list.place = list.items.front().place;
    merge_into(config_.root, wrap_in_path("command", std::move(list)));
  }

  /// In the order of the table; options with the same reason on one line.
  void note_options_without_effect() {
    using Reason = std::pair<std::string, std::vector<std::string>>;
    std::vector<Reason> reasons;
    for (const auto& row : torchrun_options()) {
      const auto* given = line_.find(row.name);
      if (given == nullptr || row.meaning != TorchrunMeaning::no_effect) continue;
      const auto why = explain(row);
      const auto same = std::ranges::find(reasons, why, &Reason::first);
      auto& reason = same == reasons.end() ? reasons.emplace_back(why, std::vector<std::string>{}) : *same;
      reason.second.push_back(name_in(given->written));
    }
    for (const auto& [why, names] : reasons)
      config_.notes.push_back(fmt::format("{} {} no effect: {}", join_words(names, " and "),
                                          names.size() == 1 ? "has" : "have", why));
  }

  /// A word may hold what no configuration may.
  void check_rendering() {
    const auto source = make_source_text("command line", around_.current_folder,
                                         render_config(config_.root, config_.settings), Origin::command_line);
    auto parsed = parse_yaml(source, kTextKeys);
    if (!parsed) errors_ = std::move(parsed.error());
  }

  void report(std::string message, std::string hint) {
    errors_.push_back({ExitCode::usage, std::move(message), std::move(hint)});
  }

  const TorchrunLine& line_;
  const TorchrunSurroundings& around_;
  const LauncherRow* launcher_ = nullptr;
  ConfigNode settings_{.kind = ConfigNode::Kind::map, .entries = {}};
  TorchrunConfig config_{.root = {.kind = ConfigNode::Kind::map, .entries = {}},
                         .settings = {},
                         .notes = {},
                         .shown_local_ranks = {}};
  Errors errors_;
};

}  // namespace

tl::expected<TorchrunConfig, Errors> translate_torchrun(const TorchrunLine& line,
                                                        const TorchrunSurroundings& surroundings) {
  return TorchrunTranslation(line, surroundings).translate();
}

}  // namespace ddp::cli
