#include "ddp/jobenv/progress_page.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "ddp/jobenv/rank_contract.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "ddpsubmit.h"

namespace ddp {
namespace {

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
constexpr auto kAcquire = std::memory_order_acquire;

static_assert(sizeof(ddpsubmit_page) == sizeof(ProgressPage));
static_assert(offsetof(ddpsubmit_page, parts) == offsetof(ProgressPage, parts));
static_assert(offsetof(ddpsubmit_page, stop_step) == offsetof(ProgressPage, stop_step));
static_assert(offsetof(ddpsubmit_page, phase_names) == offsetof(ProgressPage, phase_names));
static_assert(offsetof(ddpsubmit_page, metric_count) == offsetof(ProgressPage, metric_count));
static_assert(offsetof(ddpsubmit_page, first_step) == offsetof(ProgressPage, first_step));
static_assert(offsetof(ddpsubmit_page, unused) == offsetof(ProgressPage, unused));
static_assert(DDPSUBMIT_PAGE_VERSION == ProgressPage::kVersion && DDPSUBMIT_STOPPED == kExitStopped);
static_assert(DDPSUBMIT_NO_STOP == ProgressPage::kNoStop && DDPSUBMIT_HOLD == ProgressPage::kHold);

Error errno_error(const std::string& message) {
  return fail_errno(ExitCode::run_failed, message, errno).value();
}

Expected<void*> map_page(int descriptor) {
  const int flags = descriptor < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
  void* memory = mmap(nullptr, sizeof(ProgressPage), PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (memory == MAP_FAILED) return tl::unexpected(errno_error("cannot map the progress page"));
  return memory;
}

/// Up to its zero byte. A copy: the rank may write there meanwhile.
template <std::size_t size>
std::string copy_text(const std::array<char, size>& shared) {
  const std::array<char, size> text = shared;
  return {text.begin(), std::ranges::find(text, '\0')};
}

/// Behind it are the numbers that stand for none.
std::optional<std::uint64_t> known_step(std::uint64_t number) {
  return number < ProgressPage::kNoStop - 1 ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> known_unless_zero(const std::atomic<std::uint64_t>& number) {
  const auto value = number.load(std::memory_order_relaxed);
  return value == 0 ? std::nullopt : known_step(value);
}

/// A memfd of the page's size that nobody can shrink: a rank must not be able to kill its agent by SIGBUS.
Expected<int> make_page_file() {
  const int descriptor = memfd_create("ddp-progress", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return tl::unexpected(errno_error("cannot create the progress page"));
  if (ftruncate(descriptor, sizeof(ProgressPage)) != 0 || fcntl(descriptor, F_ADD_SEALS, kSizeSeals) != 0) {
    const Error error = errno_error("cannot size the progress page");
    close(descriptor);
    return tl::unexpected(error);
  }
  return descriptor;
}

/// Whether the descriptor is such a file: the number in the variable could belong to anything.
bool is_page_file(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return false;
  return static_cast<std::size_t>(status.st_size) == sizeof(ProgressPage) &&
         (fcntl(descriptor, F_GET_SEALS) & kSizeSeals) == kSizeSeals;
}

}  // namespace

PhaseName phase_of(const ProgressPage& page) {
  const Phase phase = page.phase.load(std::memory_order_relaxed);
  if (phase <= Phase::done) return phase;
  const auto index = static_cast<std::size_t>(phase) - kPhases;
  if (index >= std::min<std::size_t>(page.phase_name_count.load(kAcquire), ProgressPage::kNames))
    return Phase::start;
  return PhaseName::parse(copy_text(page.phase_names[index])).value_or(Phase::start);
}

std::optional<std::uint64_t> step_of(const ProgressPage& page) {
  return known_step(page.step.load(std::memory_order_relaxed));
}

std::optional<std::uint64_t> first_step_of(const ProgressPage& page) {
  return known_unless_zero(page.first_step);
}

std::optional<std::uint64_t> total_steps_of(const ProgressPage& page) {
  return known_unless_zero(page.total_steps);
}

std::map<std::string, double> metrics_of(const ProgressPage& page) {
  std::map<std::string, double> values;
  const auto count = std::min<std::size_t>(page.metric_count.load(kAcquire), ProgressPage::kMetrics);
  for (std::size_t index = 0; index < count; ++index) {
    const auto& metric = page.metrics[index];
    const double value = metric.value.load(std::memory_order_relaxed);
    const auto name = copy_text(metric.name);
    if (std::isfinite(value) && PhaseName::parse(name)) values.emplace(name, value);
  }
  return values;
}

Expected<ProgressMapping> ProgressMapping::create() {
  const auto descriptor = make_page_file();
  if (!descriptor) return tl::unexpected(descriptor.error());
  const auto memory = map_page(*descriptor);
  if (!memory) {
    close(*descriptor);
    return tl::unexpected(memory.error());
  }
  return ProgressMapping(new (*memory) ProgressPage, *descriptor);
}

Expected<ProgressMapping> ProgressMapping::attach(const EnvMap& env) {
  const auto number = env.get(kProgressFd);
  if (!number) {
    const auto memory = map_page(-1);
    if (!memory) return tl::unexpected(memory.error());
    return ProgressMapping(new (*memory) ProgressPage, -1);
  }
  const auto inherited = parse_whole_number(*number);
  if (!inherited || *inherited > std::numeric_limits<int>::max() ||
      !is_page_file(static_cast<int>(*inherited))) {
    return fail(ExitCode::run_failed,
                std::string(kProgressFd) + "='" + *number + "' is not an open progress page",
                "ddp-agent sets this variable for the ranks it starts; do not set or pass it on by hand");
  }
  const int descriptor = fcntl(static_cast<int>(*inherited), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) return tl::unexpected(errno_error("cannot duplicate the progress page's descriptor"));
  const auto memory = map_page(descriptor);
  if (!memory) {
    close(descriptor);
    return tl::unexpected(memory.error());
  }
  ProgressMapping mapping(static_cast<ProgressPage*>(*memory), descriptor);
  if (const std::uint32_t version = mapping.page().version.load(); version != ProgressPage::kVersion) {
    return fail(ExitCode::run_failed,
                "the progress page has version " + std::to_string(version) + ", not " +
                    std::to_string(ProgressPage::kVersion),
                "ddp-agent and this program come from different versions of ddpsubmit");
  }
  return mapping;
}

ProgressMapping::ProgressMapping(ProgressMapping&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)), descriptor_(std::exchange(other.descriptor_, -1)) {}

ProgressMapping& ProgressMapping::operator=(ProgressMapping&& other) noexcept {
  std::swap(page_, other.page_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

ProgressMapping::~ProgressMapping() {
  if (page_ != nullptr) munmap(page_, sizeof(ProgressPage));
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace ddp
