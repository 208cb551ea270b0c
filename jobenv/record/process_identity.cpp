#include "jobenv/record/process_identity.hpp"

#include <charconv>

#include "jobenv/record/files/proc_file.hpp"

namespace ddp {

std::optional<std::uint64_t> load_process_start(int pid) {
  return parse_process_stat(load_proc_file("/proc/" + std::to_string(pid) + "/stat"));
}

std::optional<std::uint64_t> parse_process_stat(std::string_view stat) {
  // The second field is the program's name in parentheses, which may hold anything; the third is the state.
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return std::nullopt;
  std::string_view rest = stat.substr(name_end + 2);
  if (rest.front() == 'Z' || rest.front() == 'X') return std::nullopt;
  constexpr int kFieldsBeforeStart = 19;  // fields 3 to 21
  for (int field = 0; field < kFieldsBeforeStart; ++field) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  std::uint64_t start = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), start);
  if (error != std::errc{}) return std::nullopt;
  return start;
}

std::string load_boot_id() {
  std::string id = load_proc_file("/proc/sys/kernel/random/boot_id");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

}  // namespace ddp
