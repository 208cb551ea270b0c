#include "cli/launchers/ssh/push/copy_progress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/output/count_text.hpp"
#include "cli/output/size_text.hpp"
#include "cli/output/time_text.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using Instant = std::chrono::steady_clock::time_point;

constexpr std::chrono::seconds kPause{5};
constexpr std::size_t kMostHosts = 4;

}  // namespace

void CopyProgress::say(const std::string& line) {
  const std::lock_guard lock(lock_);
  note_(line);
}

void CopyProgress::expect(const std::string& host, std::uint64_t bytes) {
  const std::lock_guard lock(lock_);
  const auto now = clock_.steady();
  if (copies_.empty()) next_ = now + kPause;
  auto& copy = copies_.try_emplace(host, Copy{0, 0, now}).first->second;
  copy.all += bytes;
}

void CopyProgress::add(const std::string& host, std::uint64_t bytes) {
  const std::lock_guard lock(lock_);
  const auto copy = copies_.find(host);
  if (copy == copies_.end()) return;
  copy->second.done += bytes;
  const auto now = clock_.steady();
  if (now < next_) return;
  next_ = now + kPause;
  if (const auto line = render(now); !line.empty()) note_(line);
}

milliseconds CopyProgress::time_left(const Copy& copy, Instant now) const {
  const std::chrono::duration<double> passed = now - copy.begin;
  const auto left = static_cast<double>(copy.all - std::min(copy.done, copy.all));
  const double seconds = passed.count() * left / static_cast<double>(std::max<std::uint64_t>(copy.done, 1));
  return std::chrono::ceil<milliseconds>(std::chrono::duration<double>(std::min(seconds, 1e8)));
}

/// The slowest come first. Empty: nothing is left.
std::string CopyProgress::render(Instant now) const {
  std::vector<std::pair<milliseconds, std::string>> hosts;
  for (const auto& [host, copy] : copies_) {
    if (copy.done >= copy.all) continue;
    const auto left = time_left(copy, now);
    const std::chrono::duration<double> passed = now - copy.begin;
    const auto rate =
        static_cast<std::uint64_t>(static_cast<double>(copy.done) / std::max(passed.count(), 1e-3));
    hosts.emplace_back(
        left, fmt::format("{}: {} of {}, {}/s, {} left", host, render_file_size(copy.done),
                          render_file_size(copy.all), render_file_size(rate), render_short_time(left)));
  }
  std::ranges::sort(hosts, std::greater{}, [](const auto& host) { return host.first; });
  std::vector<std::string> shown;
  for (const auto& [left, text] : hosts)
    if (shown.size() < kMostHosts) shown.push_back(text);
  if (hosts.size() > shown.size())
    shown.push_back(render_count(hosts.size() - shown.size(), "other host") + " are nearer to the end");
  return fmt::format("{}", fmt::join(shown, "; "));
}

}  // namespace ddp::cli
