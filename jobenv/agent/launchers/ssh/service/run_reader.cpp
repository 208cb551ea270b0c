#include "jobenv/agent/launchers/ssh/service/run_reader.hpp"

#include <filesystem>

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

/// Of one answer.
constexpr std::size_t kMostBytes = 1u << 20;

/// How a file of a run folder changes.
enum class Growth {
  appended,
  replaced,   ///< by a text of another length
  rewritten,  ///< by any text
};

class RunReader {
 public:
  explicit RunReader(const remote::ReadRun& request) : request_(request), root_(request.run_dir) {}

  remote::RunRecords read() && {
    add_all("ledger", Growth::appended,
            [](const fs::path& path) { return path.filename().string().starts_with("head-"); });
    add("metrics.jsonl", Growth::appended);
    add("live.json", Growth::rewritten);
    add_all("stacks", Growth::rewritten,
            [](const fs::path& path) { return !path.filename().string().starts_with("wanted-"); });
    add_all("logs", Growth::appended, [](const fs::path&) { return true; });
    add_all("exit", Growth::replaced, [](const fs::path&) { return true; });
    add_all("attempts", Growth::replaced, [](const fs::path&) { return true; });
    add_all("checkpoints", Growth::replaced, [](const fs::path& path) {
      const std::string name = path.filename();
      return name == "LATEST" || name == "BEST" || name == "manifest.json" || name == "state.json";
    });
    return std::move(records_);
  }

 private:
  template <class Fits>
  void add_all(const char* folder, Growth growth, Fits fits) {
    std::error_code error;
    fs::recursive_directory_iterator entry(root_ / folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      const bool hidden = entry->path().filename().string().starts_with('.');
      std::error_code ignored;
      if (!hidden && entry->is_regular_file(ignored) && fits(entry->path()))
        add(entry->path().lexically_relative(root_), growth);
    }
  }

  void add(const std::string& path, Growth growth) {
    std::error_code error;
    const std::uint64_t size = fs::file_size(root_ / path, error);
    const auto known = request_.have.find(path);
    const std::uint64_t had = known == request_.have.end() ? 0 : known->second;
    // Another name of a checkpoint may be as long as the last one.
    const bool tells = growth == Growth::appended || (growth == Growth::replaced && size > kLongestName);
    const bool same = size == had && tells;
    if (error || (same && known != request_.have.end())) return;
    add_pieces(path, growth == Growth::appended && size >= had ? had : 0, size);
  }

  void add_pieces(const std::string& path, std::uint64_t offset, std::uint64_t size) {
    do {
      if (bytes_ >= kMostBytes) {
        records_.more = true;
        return;
      }
      records_.pieces.push_back(load_piece(root_, path, offset));
      const std::size_t loaded = records_.pieces.back().bytes.size();
      bytes_ += loaded + 1;
      offset += loaded;
      if (loaded == 0) return;
    } while (offset < size);
  }

  static constexpr std::uint64_t kLongestName = 256;

  const remote::ReadRun& request_;
  fs::path root_;
  remote::RunRecords records_;
  std::size_t bytes_ = 0;
};

}  // namespace

Expected<remote::RunRecords> read_run(const remote::ReadRun& request) {
  std::error_code error;
  if (!fs::is_directory(request.run_dir, error))
    return fail(ExitCode::run_failed, "there is no run folder '" + request.run_dir + "'");
  return RunReader(request).read();
}

}  // namespace ddp::agent
