#include "cli/checkpoint/merge_tensors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/checkpoint/checkpoint_json.hpp"
#include "cli/checkpoint/file_mismatch.hpp"
#include "cli/checkpoint/tensor_set.hpp"
#include "cli/system/signal_watch.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/regular_file.hpp"

namespace ddp::cli {
namespace {

using std::filesystem::path;
using trainer::JoinedTensor, trainer::kManifestFile, trainer::TensorPart;

constexpr std::size_t kCopiedBlock = std::size_t{1} << 20;
constexpr std::size_t kHeaderAlignment = 8;
constexpr std::size_t kOpenFiles = 64;  // a checkpoint of many ranks has more files than may be open

tl::unexpected<Error> refuse_target(const path& target, std::string_view why, std::string hint) {
  return fail(ExitCode::usage, fmt::format("'{}' {}", target.string(), why), std::move(hint));
}

tl::unexpected<Error> cannot_write(const path& target, int error) {
  return fail_errno(ExitCode::run_failed, "cannot write '" + target.string() + "'", error);
}

/// The new file, under a temporary name until it is whole. Removed unless it was given its name.
class NewFile {
 public:
  explicit NewFile(const path& target)
      : target_(target),
        name_((folder() / ("." + target.filename().string() + ".XXXXXX")).string()),
        file_(::mkostemp(name_.data(), O_CLOEXEC)),
        exists_(file_.is_open()) {}
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (exists_) ::unlink(name_.c_str());
  }

  [[nodiscard]] bool exists() const { return exists_; }

  [[nodiscard]] Expected<void> write(std::string_view bytes) {
    if (const int error = write_all(file_.get(), bytes); error != 0) return cannot_write(target_, error);
    size_ += bytes.size();
    return {};
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Makes the file durable and gives it its name.
  [[nodiscard]] Expected<void> finish(Replacement replacement) {
    if (::fsync(file_.get()) != 0) return cannot_write(target_, errno);
    if (const int error = file_.close(); error != 0) return cannot_write(target_, error);
    if (auto named = give_name(replacement); !named) return named;
    return sync_folder(folder());
  }

 private:
  [[nodiscard]] path folder() const { return target_.has_parent_path() ? target_.parent_path() : "."; }

  /// A link, unlike a rename, never replaces a file that has come in the meantime.
  [[nodiscard]] Expected<void> give_name(Replacement replacement) {
    if (replacement == Replacement::refused) {
      if (::link(name_.c_str(), target_.c_str()) == 0) return {};  // the temporary name is removed at the end
      if (errno == EEXIST) return refuse_target(target_, "already exists", "to replace it: --force");
      std::error_code unknown;  // some file systems have no links
      if (std::filesystem::exists(target_, unknown))
        return refuse_target(target_, "already exists", "to replace it: --force");
    }
    if (::rename(name_.c_str(), target_.c_str()) != 0) return cannot_write(target_, errno);
    exists_ = false;
    return {};
  }

  path target_;
  std::string name_;
  FileDescriptor file_;
  bool exists_;
  std::uint64_t size_ = 0;
};

/// Files of a checkpoint that are being read. One is closed when there are too many.
class OpenFiles {
 public:
  explicit OpenFiles(path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] Expected<int> open(const std::string& name) {
    if (const auto found = files_.find(name); found != files_.end()) return found->second.get();
    auto file = open_regular_file(folder_ / name);
    if (!file) return tl::unexpected(file.error());
    if (files_.size() >= kOpenFiles) files_.erase(files_.begin());
    return files_.emplace(name, std::move(file->descriptor)).first->second.get();
  }

 private:
  path folder_;
  std::map<std::string, FileDescriptor> files_;
};

std::uint64_t width_of(const JoinedTensor& tensor) {
  const auto elements = tensor.elements();
  return elements == 0 ? 0 : tensor.bytes() / elements;
}

/// As the trainer orders them: wide types first, so that each tensor is aligned to its own width.
std::vector<const JoinedTensor*> order_in_file(const TensorSet& set) {
  std::vector<const JoinedTensor*> order;
  for (const auto& tensor : set.tensors) order.push_back(&tensor);
  std::ranges::stable_sort(order, std::greater(),
                           [](const JoinedTensor* tensor) { return width_of(*tensor); });
  return order;
}

/// The length of the header and the header, as the trainer writes them.
std::string render_merged_header(const TensorSet& set, const std::vector<const JoinedTensor*>& order) {
  std::map<const JoinedTensor*, std::uint64_t> begin;
  std::uint64_t end = 0;
  for (const auto* tensor : order) {
    begin[tensor] = end;
    end += tensor->bytes();
  }
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "pt"}}}};
  for (const auto& tensor : set.tensors) {
    const auto at = begin.at(&tensor);
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {at, at + tensor.bytes()}}};
  }
  std::string text = header.dump();
  text.append((kHeaderAlignment - text.size() % kHeaderAlignment) % kHeaderAlignment, ' ');
  std::string length(sizeof(std::uint64_t), '\0');
  for (std::size_t byte = 0; byte < length.size(); ++byte)
    length[byte] = static_cast<char>(std::uint64_t{text.size()} >> (8 * byte) & 0xff);
  return length + text;
}

/// Copies bytes of the checkpoint to the new file.
class Copier {
 public:
  Copier(const path& folder, NewFile& into, SignalWatch& signals)
      : folder_(folder), files_(folder), into_(into), signals_(signals) {}

  [[nodiscard]] Expected<void> copy(const std::string& name, std::uint64_t begin, std::uint64_t end) {
    const auto file = files_.open(name);
    if (!file) return tl::unexpected(file.error());
    while (begin < end) {
      if (const auto signal = signals_.take())
        return fail(*signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated,
                    "interrupted; no file was written");
      const auto size = read_block_at(*file, begin, end - begin);
      if (size < 0)
        return fail_errno(ExitCode::run_failed, "cannot read '" + (folder_ / name).string() + "'", errno);
      if (size == 0)
        return fail(ExitCode::no_valid_checkpoint, "'" + (folder_ / name).string() + "' has become shorter");
      const auto read = static_cast<std::size_t>(size);
      if (auto written = into_.write({block_.data(), read}); !written) return written;
      begin += read;
    }
    return {};
  }

 private:
  [[nodiscard]] ssize_t read_block_at(int file, std::uint64_t begin, std::uint64_t most) {
    const auto wanted = std::min<std::uint64_t>(most, block_.size());
    ssize_t size = -1;
    do {
      size = ::pread(file, block_.data(), wanted, static_cast<off_t>(begin));
    } while (size < 0 && errno == EINTR);
    return size;
  }

  path folder_;
  OpenFiles files_;
  NewFile& into_;
  SignalWatch& signals_;
  std::string block_ = std::string(kCopiedBlock, '\0');
};

Expected<void> copy_tensors(const TensorSet& set, NewFile& into, Copier& copier) {
  const auto order = order_in_file(set);
  if (auto written = into.write(render_merged_header(set, order)); !written) return written;
  for (const auto* tensor : order) {
    for (const auto& piece : tensor->pieces) {
      if (auto copied = copier.copy(set.files[piece.file], piece.begin, piece.end); !copied) return copied;
    }
  }
  return {};
}

Expected<void> check_target(const path& folder, const path& target, Replacement replacement) {
  std::error_code error;
  const auto parent = target.has_parent_path() ? target.parent_path() : path(".");
  if (std::filesystem::equivalent(parent, folder, error))
    return refuse_target(target, "would be in the folder of the checkpoint, which is not changed",
                         "give --output a file in another folder");
  if (replacement == Replacement::refused && std::filesystem::exists(target, error))
    return refuse_target(target, "already exists", "to replace it: --force");
  return {};
}

tl::unexpected<Error> refuse_damage(const path& folder, const trainer::FileFault& fault) {
  return fail(ExitCode::no_valid_checkpoint,
              fmt::format("the checkpoint '{}' is damaged: {}", folder.string(), render_fault(fault)),
              "to see everything that is wrong with it: ddpsubmit checkpoint verify " + folder.string());
}

Expected<TensorSet> load_checked(const path& folder, TensorPart part) {
  const auto manifest = load_manifest(folder);
  if (!manifest) return refuse_damage(folder, {kManifestFile, manifest.error().message});
  auto set = load_tensor_set(folder, manifest->files, part);
  for (const auto& file : set.files) {
    if (auto mismatch = find_mismatch(folder / file, manifest->files.at(file)))
      return refuse_damage(folder, {file, std::move(*mismatch)});
  }
  if (!set.faults.empty()) return refuse_damage(folder, set.faults.front());
  if (set.files.empty())
    return refuse_damage(folder,
                         {kManifestFile, "does not name " + trainer::render_tensor_file_name({part})});
  return set;
}

}  // namespace

Expected<MergedTensors> merge_tensors(const path& folder, TensorPart part, const path& target,
                                      Replacement replacement) {
  if (auto checked = check_target(folder, target, replacement); !checked)
    return tl::unexpected(checked.error());
  const auto set = load_checked(folder, part);
  if (!set) return tl::unexpected(set.error());
  SignalWatch signals;
  NewFile file(target);
  if (!file.exists()) return cannot_write(target, errno);
  Copier copier(folder, file, signals);
  std::error_code unknown;
  const auto copied = set->shards > 0
                          ? copy_tensors(*set, file, copier)
                          : copier.copy(set->files.front(), 0,
                                        std::filesystem::file_size(folder / set->files.front(), unknown));
  if (!copied) return tl::unexpected(copied.error());
  if (auto finished = file.finish(replacement); !finished) return tl::unexpected(finished.error());
  return MergedTensors{.tensors = set->tensors.size(), .shards = set->shards, .bytes = file.size()};
}

}  // namespace ddp::cli
