#include "cli/checkpoint/checkpoint_info_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "cli/output/count_text.hpp"
#include "cli/output/size_text.hpp"
#include "cli/output/table.hpp"
#include "cli/output/time_text.hpp"

namespace ddp::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kTensorsShown = 20;

/// A setting that a short description has, and how it is called there.
struct ShortSetting {
  std::string_view key;
  std::string_view name;
};

constexpr std::array kShortSettings = {
    ShortSetting{"train.model.name", "model"},
    ShortSetting{"train.data.name", "data"},
    ShortSetting{"train.optimizer.name", "optimizer"},
    ShortSetting{"train.optimizer.learning_rate", "learning rate"},
    ShortSetting{"train.strategy", "strategy"},
    ShortSetting{"train.precision", "precision"},
};

/// The value of the setting KEY, which is written "KEY: value". Empty if there is no such setting.
std::string_view value_of(const std::vector<std::string>& settings, std::string_view key) {
  for (const std::string_view setting : settings) {
    if (setting.starts_with(key) && setting.substr(key.size()).starts_with(": "))
      return setting.substr(key.size() + 2);
  }
  return {};
}

/// "1,234,567"
std::string render_thousands(std::uint64_t number) {
  auto text = std::to_string(number);
  for (std::size_t place = text.size(); place > 3; place -= 3) text.insert(place - 3, ",");
  return text;
}

std::string render_step(const trainer::CheckpointState& state) {
  return state.total_steps > 0 ? fmt::format("{} of {}", state.step, state.total_steps)
                               : std::to_string(state.step);
}

std::string render_form(int shards) {
  return shards == 0 ? "whole"
                     : fmt::format("sharded over {}", render_count(static_cast<std::size_t>(shards), "rank"));
}

std::string render_size(const trainer::FileSums& files) {
  std::uint64_t bytes = 0;
  for (const auto& [name, sum] : files) bytes += sum.size;
  return fmt::format("{} in {}", render_file_size(bytes), render_count(files.size(), "file"));
}

std::string render_total(const TensorTotal& total) {
  return fmt::format("{} in {}, {}", render_thousands(total.elements), render_count(total.tensors, "tensor"),
                     render_file_size(total.bytes));
}

Rows facts_of(const CheckpointInfo& info) {
  const auto& state = info.state;
  Rows rows = {{"checkpoint", info.folder.string()}};
  if (info.written) rows.push_back({"written", render_local_time(*info.written)});
  rows.push_back({"step", render_step(state)});
  rows.push_back(
      {"position", fmt::format("after {} and {} {} of the next", render_count(state.epoch, "epoch"),
                               state.position, state.position == 1 ? "batch" : "batches")});
  rows.push_back({"world size", std::to_string(state.world_size)});
  if (!state.libtorch.empty()) rows.push_back({"LibTorch", state.libtorch});
  if (const auto settings = render_short_settings(state.settings); !settings.empty())
    rows.push_back({"settings", settings});
  rows.push_back({"form", render_form(info.shards)});
  rows.push_back({"size", render_size(info.files)});
  rows.push_back({"parameters", render_total(total_of(info, TensorKind::parameter))});
  for (const auto kind : {TensorKind::buffer, TensorKind::optimizer}) {
    if (const auto total = total_of(info, kind); total.tensors > 0)
      rows.push_back({kind == TensorKind::buffer ? "buffers" : "optimizer", render_total(total)});
  }
  return rows;
}

/// As PyTorch prints one: "[32, 64]".
std::string render_shape(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

bool is_of_model(const DescribedTensor& described) {
  return described.kind == TensorKind::parameter || described.kind == TensorKind::buffer;
}

/// The first tensors, below the names of their kinds.
Rows rows_of_tensors(const CheckpointInfo& info, std::size_t most) {
  Rows rows = {{"tensor", "type", "shape", "size"}};
  std::optional<TensorKind> kind;
  for (std::size_t index = 0; index < most; ++index) {
    const auto& [own_kind, tensor, files] = info.tensors[index];
    if (kind != own_kind) rows.push_back({std::string(name_of(own_kind))});
    kind = own_kind;
    rows.push_back({"  " + tensor.name, torch_name(tensor.dtype), render_shape(tensor.shape),
                    render_file_size(tensor.bytes())});
  }
  return rows;
}

}  // namespace

std::string render_short_settings(const std::vector<std::string>& settings) {
  std::string text;
  for (const auto& [key, name] : kShortSettings) {
    const auto value = value_of(settings, key);
    if (!value.empty()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

std::string render_checkpoint_info(const CheckpointInfo& info, ListedTensors listed,
                                   std::optional<std::size_t> columns) {
  const auto facts = facts_of(info);
  auto text = render_table(columns ? wrap_last_column(facts, *columns) : facts) + "\n";
  const auto of_model = static_cast<std::size_t>(std::ranges::count_if(info.tensors, is_of_model));
  const auto most = listed == ListedTensors::all ? info.tensors.size() : std::min(of_model, kTensorsShown);
  text += render_table(rows_of_tensors(info, most), columns);
  if (most < info.tensors.size())
    text += fmt::format("and {} more; to list all tensors: --all\n", info.tensors.size() - most);
  return text;
}

}  // namespace ddp::cli
