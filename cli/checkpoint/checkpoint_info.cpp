#include "cli/checkpoint/checkpoint_info.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "cli/checkpoint/checkpoint_json.hpp"
#include "cli/checkpoint/tensor_set.hpp"
#include "cli/output/json_values.hpp"
#include "trainer/checkpoint/format/file_names.hpp"

namespace ddp::cli {
namespace {

using std::filesystem::path;
using trainer::kManifestFile, trainer::kStateFile, trainer::TensorPart;

constexpr std::array kBufferEndings = {std::string_view("running_mean"), std::string_view("running_var"),
                                       std::string_view("num_batches_tracked")};

tl::unexpected<Error> refuse_info(const path& folder, const trainer::FileFault& fault) {
  return fail(ExitCode::no_valid_checkpoint,
              fmt::format("the checkpoint '{}' is damaged: {}", folder.string(), render_fault(fault)),
              "to see everything that is wrong with it: ddpsubmit checkpoint verify " + folder.string());
}

std::optional<std::chrono::system_clock::time_point> time_written(const path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return std::chrono::system_clock::from_time_t(status.st_mtim.tv_sec);
}

bool is_batch_norm_buffer(const std::string& name) {
  const auto ending = name.substr(name.rfind('.') + 1);
  return std::ranges::find(kBufferEndings, ending) != kBufferEndings.end();
}

/// The parameters that the optimizer holds state for: "fc.weight" of "fc.weight.exp_avg".
std::set<std::string> names_with_state(const TensorSet& optimizer) {
  std::set<std::string> names;
  for (const auto& tensor : optimizer.tensors) names.insert(tensor.name.substr(0, tensor.name.rfind('.')));
  return names;
}

/// The place behind the last parameter; nullopt: the optimizer does not tell.
std::optional<std::size_t> end_of_parameters(const TensorSet& model, const TensorSet& optimizer) {
  const auto names = names_with_state(optimizer);
  for (auto end = model.tensors.size(); end > 0; --end) {
    if (names.contains(model.tensors[end - 1].name)) return end;
  }
  return std::nullopt;
}

std::vector<std::string> files_of(const trainer::JoinedTensor& tensor, const TensorSet& set) {
  std::vector<std::string> files;
  for (const auto& piece : tensor.pieces) files.push_back(set.files[piece.file]);
  return files;
}

void add_model(TensorSet model, const TensorSet& optimizer, std::vector<DescribedTensor>& tensors) {
  const auto end = end_of_parameters(model, optimizer);
  for (std::size_t index = 0; index < model.tensors.size(); ++index) {
    auto& tensor = model.tensors[index];
    const bool is_buffer = end ? index >= *end : is_batch_norm_buffer(tensor.name);
    auto files = files_of(tensor, model);
    tensors.push_back(
        {is_buffer ? TensorKind::buffer : TensorKind::parameter, std::move(tensor), std::move(files)});
  }
  std::ranges::stable_sort(tensors, {}, &DescribedTensor::kind);
}

void add_part(TensorSet set, TensorKind kind, std::vector<DescribedTensor>& tensors) {
  for (auto& tensor : set.tensors) {
    auto files = files_of(tensor, set);
    tensors.push_back({kind, std::move(tensor), std::move(files)});
  }
}

nlohmann::json to_json(const DescribedTensor& described) {
  const auto& [kind, tensor, files] = described;
  return {{"name", tensor.name},   {"kind", name_of(kind)},   {"dtype", torch_name(tensor.dtype)},
          {"shape", tensor.shape}, {"bytes", tensor.bytes()}, {"files", files}};
}

nlohmann::json to_json(const TensorTotal& total) {
  return {{"tensors", total.tensors}, {"elements", total.elements}, {"bytes", total.bytes}};
}

nlohmann::json number_or_null(std::int64_t number) {
  return number == 0 ? nlohmann::json() : nlohmann::json(number);
}

}  // namespace

std::string_view name_of(TensorKind kind) {
  switch (kind) {
    case TensorKind::parameter:
      return "parameter";
    case TensorKind::buffer:
      return "buffer";
    case TensorKind::optimizer:
      return "optimizer";
    case TensorKind::rng:
      return "rng";
    case TensorKind::extra:
      return "extra";
  }
  return {};
}

TensorTotal total_of(const CheckpointInfo& info, TensorKind kind) {
  TensorTotal total;
  for (const auto& [own_kind, tensor, files] : info.tensors) {
    if (own_kind != kind) continue;
    ++total.tensors;
    total.elements += tensor.elements();
    total.bytes += tensor.bytes();
  }
  return total;
}

std::string torch_name(std::string_view dtype) {
  if (dtype == "BOOL") return "bool";
  const auto digits = dtype.find_first_of("0123456789");
  if (digits == dtype.npos) return std::string(dtype);
  const auto letters = dtype.substr(0, digits);
  const std::string_view name = letters == "F"    ? "float"
                                : letters == "BF" ? "bfloat"
                                : letters == "I"  ? "int"
                                : letters == "U"  ? "uint"
                                                  : letters;
  return std::string(name) + std::string(dtype.substr(digits));
}

Expected<CheckpointInfo> load_checkpoint_info(const path& folder) {
  CheckpointInfo info{.folder = folder, .written = {}, .state = {}, .files = {}, .shards = 0, .tensors = {}};
  auto manifest = load_manifest(folder);
  if (!manifest) return refuse_info(folder, {kManifestFile, manifest.error().message});
  auto state = load_checkpoint_state(folder);
  if (!state) return refuse_info(folder, {kStateFile, state.error().message});
  info.files = std::move(manifest->files);
  info.state = std::move(*state);
  info.written = time_written(folder / kManifestFile);
  const auto load = [&](TensorPart part) { return load_tensor_set(folder, info.files, part); };
  auto model = load(TensorPart::model), optimizer = load(TensorPart::optimizer), rng = load(TensorPart::rng),
       extra = load(TensorPart::extra);
  for (const auto* set : {&model, &optimizer, &rng, &extra}) {
    if (!set->faults.empty()) return refuse_info(folder, set->faults.front());
  }
  info.shards = model.shards;
  add_model(std::move(model), optimizer, info.tensors);
  add_part(std::move(optimizer), TensorKind::optimizer, info.tensors);
  add_part(std::move(rng), TensorKind::rng, info.tensors);
  add_part(std::move(extra), TensorKind::extra, info.tensors);
  return info;
}

nlohmann::json to_json(const CheckpointInfo& info) {
  const auto& state = info.state;
  nlohmann::json files = nlohmann::json::array(), tensors = nlohmann::json::array();
  for (const auto& [name, sum] : info.files) files.push_back({{"name", name}, {"bytes", sum.size}});
  for (const auto& tensor : info.tensors) tensors.push_back(to_json(tensor));
  nlohmann::json totals = nlohmann::json::object();
  for (const auto kind : {TensorKind::parameter, TensorKind::buffer, TensorKind::optimizer})
    totals[std::string(name_of(kind))] = to_json(total_of(info, kind));
  return {{"folder", info.folder.string()},
          {"written", time_or_null(info.written)},
          {"step", state.step},
          {"total_steps", number_or_null(state.total_steps)},
          {"epoch", state.epoch},
          {"position", state.position},
          {"world_size", state.world_size},
          {"batch_size", number_or_null(state.batch_size)},
          {"shards", number_or_null(info.shards)},
          {"libtorch", text_or_null(state.libtorch)},
          {"settings", state.settings},
          {"files", std::move(files)},
          {"totals", std::move(totals)},
          {"tensors", std::move(tensors)}};
}

}  // namespace ddp::cli
