#include "cli/checkpoint/verify_checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cli/checkpoint/checkpoint_json.hpp"
#include "cli/checkpoint/file_mismatch.hpp"
#include "cli/checkpoint/tensor_set.hpp"
#include "jobenv/record/files/regular_file.hpp"
#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/data/files/safetensors_header.hpp"

namespace ddp::cli {
namespace {

using std::filesystem::path;
using trainer::kManifestFile, trainer::kStateFile, trainer::render_tensor_file_name, trainer::TensorPart;

/// Where the data of a safetensors file begins; 0: it cannot be read.
std::uint64_t begin_of_data(const path& file) {
  const auto opened = open_regular_file(file);
  std::uint64_t length = 0;
  std::string bytes(sizeof length, '\0');
  if (!opened || read_up_to(opened->descriptor.get(), bytes.data(), bytes.size()) !=
                     static_cast<std::ptrdiff_t>(bytes.size()))
    return 0;
  std::memcpy(&length, bytes.data(), bytes.size());
  return length + bytes.size();
}

/// Each byte behind the header belongs to one tensor: readers refuse the file otherwise.
std::optional<std::string> find_gap(const path& file, std::uint64_t size) {
  auto entries = trainer::read_safetensors_header(file);
  if (!entries) return std::nullopt;  // load_tensor_set tells it
  std::ranges::sort(*entries, {}, [](const auto& entry) { return std::pair(entry.begin, entry.end); });
  std::uint64_t next = begin_of_data(file);
  for (const auto& entry : *entries) {
    if (entry.begin != next) return fmt::format("has a gap or an overlap before tensor '{}'", entry.name);
    next = entry.end;
  }
  if (next == size) return std::nullopt;
  return fmt::format("has {} bytes behind its tensors", size - next);
}

class Verifier {
 public:
  explicit Verifier(path folder) : folder_(folder) { result_.folder = std::move(folder); }

  Verification verify() {
    auto manifest = load_manifest(folder_);
    if (!manifest) {
      add(kManifestFile, manifest.error().message);
      return std::move(result_);
    }
    files_ = std::move(manifest->files);
    check_sums();
    check_state();
    const auto model = check_part(TensorPart::model);
    const auto optimizer = check_part(TensorPart::optimizer);
    check_part(TensorPart::rng);
    if (extra_is_needed_ || files_.contains(render_tensor_file_name({TensorPart::extra})))
      check_part(TensorPart::extra);
    const bool has_both = !model.files.empty() && !optimizer.files.empty();
    if (has_both && model.shards != optimizer.shards)
      add(kManifestFile, fmt::format("names {} shards of the model, but {} of the optimizer", model.shards,
                                     optimizer.shards));
    result_.shards = model.shards;
    return std::move(result_);
  }

 private:
  void add(const std::string& file, std::string what) {
    damaged_.insert(file);
    result_.faults.push_back({file, std::move(what)});
  }

  void check_sums() {
    for (const auto& [name, sum] : files_) {
      ++result_.files;
      result_.bytes += sum.size;
      if (auto mismatch = find_mismatch(folder_ / name, sum)) add(name, std::move(*mismatch));
    }
  }

  void check_state() {
    if (!files_.contains(kStateFile)) return add(kManifestFile, "does not name state.json");
    if (damaged_.contains(kStateFile)) return;
    const auto state = load_checkpoint_state(folder_);
    if (!state) return add(kStateFile, state.error().message);
    result_.step = state->step;
    extra_is_needed_ = state->extra_tensors > 0;
  }

  /// Files that are damaged have been told; what their headers say does not count.
  TensorSet check_part(TensorPart part) {
    auto set = load_tensor_set(folder_, files_, part);
    result_.tensors += set.tensors.size();
    if (set.files.empty())
      add(kManifestFile, "does not name " + render_tensor_file_name({part}) + ", or shards of it");
    const bool has_damage =
        std::ranges::any_of(set.files, [this](const std::string& file) { return damaged_.contains(file); });
    if (has_damage) return set;
    for (auto& fault : set.faults) add(fault.file, fault.what);
    for (const auto& file : set.files) {
      if (auto gap = find_gap(folder_ / file, files_.at(file).size)) add(file, std::move(*gap));
    }
    return set;
  }

  path folder_;
  trainer::FileSums files_;
  std::set<std::string> damaged_;
  bool extra_is_needed_ = false;
  Verification result_;
};

}  // namespace

Verification verify_checkpoint(const path& folder) {
  return Verifier(folder).verify();
}

}  // namespace ddp::cli
