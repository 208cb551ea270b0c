#include "jobenv/record/run_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "jobenv/record/fields/timestamp.hpp"
#include "jobenv/record/files/trusted_path.hpp"

namespace ddp {
namespace {

constexpr mode_t kPrivate = 0700;

Expected<void> make_folder(const std::filesystem::path& path) {
  if (mkdir(path.c_str(), kPrivate) == 0) return {};
  return fail_errno(ExitCode::run_failed, "cannot create " + path.string(), errno);
}

/// For a head that loses the race for its first claim.
constexpr int kMostClaims = 5;

/// More than the name of a checkpoint has room for: no head has claimed it.
constexpr int kMostAttempts = 1'000'000'000;

/// The number that a folder in attempts/ or points/ is named by, written as std::to_string does.
std::optional<int> folder_number(const std::string& name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || number < 0 || std::to_string(number) != name) return std::nullopt;
  return number;
}

}  // namespace

std::string RunFolder::run_id() const {
  return point() ? sweep().run_id() + "/" + root_.filename().string() : root_.filename().string();
}

// No run id is a number alone.
std::optional<int> RunFolder::point() const {
  if (root_.parent_path().filename() != "points") return std::nullopt;
  return folder_number(root_.filename());
}

Expected<void> RunFolder::create(Durability durability) const {
  if (auto made = make_shared_folder(root_.parent_path()); !made) return tl::unexpected(made.error());
  for (const auto& path : {root_, ledger(), attempts(), root_ / "logs", root_ / "exit"}) {
    if (auto made = make_folder(path); !made) return made;
  }
  if (durability == Durability::visible) return {};
  return sync_together(std::array{root_, root_.parent_path()});
}

Expected<void> RunFolder::secure() const {
  const auto secured = make_own_folder(root_, kPrivate, Way::shared);
  if (secured) return {};
  return fail(secured.error().code, secured.error().message, "start a new run: ddpsubmit run CONFIG");
}

Expected<int> RunFolder::highest_attempt() const {
  std::error_code error;
  int highest = -1;
  for (std::filesystem::directory_iterator entry(attempts(), error), end; !error && entry != end;
       entry.increment(error)) {
    highest = std::max(highest, folder_number(entry->path().filename()).value_or(-1));
  }
  if (error)
    return tl::unexpected(
        fail_errno(ExitCode::not_found, "cannot list " + attempts().string(), error.value()).value());
  if (highest < kMostAttempts) return highest;
  return fail(ExitCode::run_failed, attempt(highest).string() + " is not an attempt that a head has claimed",
              "remove it");
}

Expected<int> RunFolder::claim_attempt(const std::string& nonce, const std::string& job_id,
                                       int restart_count) const {
  Expected<int> claimed = -1;
  for (int claims = 0; claims < kMostClaims; ++claims) {
    const auto highest = highest_attempt();
    if (!highest) return highest;
    claimed = claim_attempt_after(*highest, nonce, job_id, restart_count);
    if (claimed || claimed.error().code != ExitCode::still_running) return claimed;
  }
  return claimed;
}

Expected<int> RunFolder::claim_attempt_after(int previous, const std::string& nonce,
                                             const std::string& job_id, int restart_count) const {
  const int number = previous + 1;
  if (mkdir(attempt(number).c_str(), kPrivate) != 0) {
    if (errno == EEXIST) {
      return fail(ExitCode::still_running,
                  "attempt " + std::to_string(number) + " of " + run_id() + " was claimed by another head",
                  "only one head may run; this one ends");
    }
    return tl::unexpected(
        fail_errno(ExitCode::run_failed, "cannot create " + attempt(number).string(), errno).value());
  }
  const nlohmann::json fields = {{"schema", "ddpsubmit.claim.v1"},
                                 {"attempt", number},
                                 {"nonce", nonce},
                                 {"job_id", job_id},
                                 {"restart_count", restart_count},
                                 {"time", render_time(std::chrono::system_clock::now())}};
  const auto saved = save_file(claim(number), fields.dump(2) + "\n", Durability::synced).and_then([&] {
    return sync_folder(attempts());
  });
  if (saved) return number;
  std::error_code ignored;  // the first error counts
  std::filesystem::remove_all(attempt(number), ignored);
  return tl::unexpected(saved.error());
}

}  // namespace ddp
