#include "trainer/checkpoint/checkpoint_files.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "trainer/checkpoint/checked_file.hpp"
#include "trainer/checkpoint/safetensors.hpp"

namespace ddp::trainer {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using std::filesystem::path;

constexpr int kFormat = 1;
constexpr const char* kModel = "model.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kRng = "rng.safetensors";
constexpr const char* kExtra = "extra.safetensors";  // only where there is something in it
constexpr const char* kState = "state.json";
constexpr const char* kManifest = "manifest.json";
constexpr std::array kSummed{kModel, kOptimizer, kRng, kState};

/// state.json and manifest.json are a few kilobytes; more is not ours.
constexpr std::uint64_t kMaxJsonBytes = 16u << 20;

using Manifest = std::map<std::string, FileSum>;

FileSum save_text(const path& file, std::string_view text) {
  CheckedWriter writer(file);
  writer.write(text);
  return writer.finish();
}

std::pair<json, FileSum> load_json(const path& file) {
  CheckedReader reader(file);
  if (reader.file_size() > kMaxJsonBytes) throw std::runtime_error("'" + file.string() + "' is too large");
  std::string text(reader.file_size(), '\0');
  reader.read(std::as_writable_bytes(std::span(text)));
  json value = json::parse(text, nullptr, false);
  if (!value.is_object()) throw std::runtime_error("'" + file.string() + "' is not a JSON object");
  return {std::move(value), reader.sum()};
}

std::string render_crc32c(std::uint32_t crc32c) {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08" PRIx32, crc32c);
  return text.data();
}

std::string render_manifest(const Manifest& manifest) {
  ordered_json files = ordered_json::object();
  for (const auto& [name, sum] : manifest)
    files[name] = {{"size", sum.size}, {"crc32c", render_crc32c(sum.crc32c)}};
  return ordered_json{{"format", kFormat}, {"files", files}}.dump(2) + "\n";
}

Manifest load_manifest(const path& folder) {
  const json value = load_json(folder / kManifest).first;
  try {
    if (value.at("format") != kFormat) throw std::runtime_error("this program cannot read its format");
    Manifest manifest;
    for (const char* name : kSummed) value.at("files").at(name);
    for (const auto& [name, file] : value.at("files").items()) {
      const auto text = file.at("crc32c").get<std::string>();
      const auto crc32c = static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
      manifest[name] = {file.at("size").get<std::uint64_t>(), crc32c};
    }
    return manifest;
  } catch (const std::exception& error) {
    throw std::runtime_error("'" + (folder / kManifest).string() +
                             "' is not a valid checkpoint manifest: " + error.what());
  }
}

ordered_json to_json(const TrainingState& state) {
  return {{"format", kFormat},
          {"step", state.step},
          {"epoch", state.epoch},
          {"position", state.position},
          {"world_size", state.world_size},
          {"shards", state.shards},
          {"batch_size", state.batch_size},
          {"settings", state.settings},
          {"total_steps", state.total_steps},
          {"extra_tensors", state.extra.size()},
          {"versions", {{"libtorch", TORCH_VERSION}}}};
}

/// A configuration may hold any bytes.
std::string render_state(const TrainingState& state) {
  return to_json(state).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

TrainingState from_json(const json& value) {
  TrainingState state;
  value.at("step").get_to(state.step);
  value.at("epoch").get_to(state.epoch);
  value.at("position").get_to(state.position);
  value.at("world_size").get_to(state.world_size);
  state.shards = value.value("shards", 0);
  state.batch_size = value.value("batch_size", std::int64_t{0});
  state.settings = value.value("settings", state.settings);
  state.total_steps = value.value("total_steps", std::int64_t{0});
  state.libtorch = value.value("/versions/libtorch"_json_pointer, std::string());
  if (state.world_size < 1 || state.shards < 0 || state.batch_size < 0)
    throw std::runtime_error("its state.json has an impossible number of ranks, shards or samples");
  return state;
}

NamedTensors named_by_rank(const std::vector<torch::Tensor>& rng) {
  NamedTensors named;
  for (std::size_t rank = 0; rank < rng.size(); ++rank)
    named.emplace_back("rank-" + std::to_string(rank), rng[rank]);
  return named;
}

void check_sum(const path& file, const FileSum& read, const FileSum& expected) {
  if (read == expected) return;
  throw std::runtime_error("'" + file.string() +
                           "' does not match its manifest: " + std::to_string(read.size) +
                           " bytes with crc32c " + render_crc32c(read.crc32c) + ", not " +
                           std::to_string(expected.size) + " with " + render_crc32c(expected.crc32c));
}

/// A generator does not take every state of the right size; one of another size is another device's.
void check_generator(const torch::Tensor& state) {
  at::Generator generator = at::detail::createCPUGenerator();
  const auto size = generator.get_state().numel();
  if (state.scalar_type() != torch::kByte || state.dim() != 1)
    throw std::runtime_error("its rng.safetensors contains no random generator state");
  if (state.numel() < size) return;
  try {
    generator.set_state(state.narrow(0, 0, size).clone());
  } catch (const c10::Error& error) {
    throw std::runtime_error(std::string("its rng.safetensors contains an invalid random generator state: ") +
                             error.what_without_backtrace());
  }
}

NamedTensors load_tensors(const path& folder, const char* name, const Manifest& manifest) {
  LoadedTensors loaded = load_safetensors(folder / name);
  check_sum(folder / name, loaded.sum, manifest.at(name));
  return std::move(loaded.tensors);
}

}  // namespace

void save_checkpoint_files(const path& folder, const TrainingState& state) {
  std::filesystem::create_directory(folder);
  Manifest manifest;
  manifest[kModel] = save_safetensors(folder / kModel, state.model);
  manifest[kOptimizer] = save_safetensors(folder / kOptimizer, state.optimizer);
  manifest[kRng] = save_safetensors(folder / kRng, named_by_rank(state.rng));
  if (!state.extra.empty()) manifest[kExtra] = save_safetensors(folder / kExtra, state.extra);
  manifest[kState] = save_text(folder / kState, render_state(state));
  save_text(folder / kManifest, render_manifest(manifest));
}

TrainingState load_checkpoint_files(const path& folder) {
  const Manifest manifest = load_manifest(folder);
  const auto [value, sum] = load_json(folder / kState);
  check_sum(folder / kState, sum, manifest.at(kState));
  TrainingState state = from_json(value);
  state.model = load_tensors(folder, kModel, manifest);
  state.optimizer = load_tensors(folder, kOptimizer, manifest);
  for (auto& [name, tensor] : load_tensors(folder, kRng, manifest)) {
    check_generator(tensor);
    state.rng.push_back(std::move(tensor));
  }
  // state.json is summed, the names in the manifest are not.
  if (value.value("extra_tensors", 0) > 0) state.extra = load_tensors(folder, kExtra, manifest);
  return state;
}

bool looks_complete(const path& folder) try {
  for (const auto& [name, sum] : load_manifest(folder)) {
    if (std::filesystem::file_size(folder / name) != sum.size) return false;
  }
  return true;
} catch (const std::exception&) {
  return false;
}

}  // namespace ddp::trainer
