#include "trainer/loop/common_folder.hpp"

#include <ATen/ATen.h>

#include <cstdint>
#include <fstream>
#include <random>
#include <system_error>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/distributed/agreement/broadcast_text.hpp"
#include "trainer/distributed/agreement/rank_agreement.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

/// An empty file of rank 0, as long as this object lives.
class Mark {
 public:
  Mark(const path& folder, ProcessGroup& group)
      : name_(broadcast_text(group.rank() == 0 ? make(folder) : "", 0, group)),
        file_(folder / name_),
        is_mine_(group.rank() == 0) {}
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  ~Mark() {
    std::error_code ignored;
    if (is_mine_ && is_made()) std::filesystem::remove(file_, ignored);
  }

  [[nodiscard]] bool is_made() const { return !name_.empty(); }
  [[nodiscard]] bool is_seen() const {
    std::error_code ignored;
    return std::filesystem::exists(file_, ignored);
  }

 private:
  /// The name is new: no host has in a cache that such a file is not there.
  static std::string make(const path& folder) {
    remove_older(folder);
    std::string name = kPrefix + std::to_string(std::random_device()());
    return std::ofstream(folder / name) ? name : std::string();
  }

  /// Those of starts that were killed.
  static void remove_older(const path& folder) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
      if (entry.path().filename().string().starts_with(kPrefix))
        std::filesystem::remove(entry.path(), ignored);
  }

  static constexpr const char* kPrefix = ".seen-by-all-";

  std::string name_;
  path file_;
  bool is_mine_;
};

}  // namespace

void require_seen_by_all(bool sees, const std::string& what, const std::string& key, ProcessGroup& group) {
  const auto all = group.all_gather(at::full({1}, sees ? 1 : 0, at::kLong));
  Disagreement blind;
  for (int rank = 0; rank < group.size(); ++rank)
    if (all[static_cast<std::size_t>(rank)].item<std::int64_t>() == 0) blind.ranks.push_back(rank);
  if (blind.ranks.empty()) return;
  throw InvalidConfiguration(
      blind.render_ranks() + (blind.ranks.size() == 1 ? " does" : " do") + " not see " + what +
      " that rank 0 sees; with the strategies fsdp and hsdp every rank reads and writes its own part of a "
      "checkpoint: use a folder that all hosts share (key " +
      key + "), or train.strategy: ddp");
}

void require_common_folder(const path& folder, ProcessGroup& group) {
  if (group.size() == 1) return;
  const Mark mark(folder, group);
  if (mark.is_made())
    require_seen_by_all(mark.is_seen(), "the run folder '" + folder.string() + "'", kRunRoot, group);
}

}  // namespace ddp::trainer
