#include "jobenv/agent/stack/stack_text.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace ddp::agent {
namespace {

constexpr std::size_t kMostFrames = 40;
constexpr std::size_t kLongestFrame = 120;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void add_frame(Frames& frames, std::string_view frame) {
  if (frames.size() < kMostFrames && !frame.empty()) frames.emplace_back(frame.substr(0, kLongestFrame));
}

/// What follows `mark`; empty where it is not there.
std::string_view behind(std::string_view line, std::string_view mark) {
  const auto found = line.find(mark);
  return found == std::string_view::npos ? std::string_view() : line.substr(found + mark.size());
}

/// "c10d::Work::wait" of "c10d::Work::wait(std::chrono::duration<…>) () from …", and of
/// "pthread_cond_wait@@GLIBC_2.3.2".
std::string_view name_of_call(std::string_view call) {
  if (call.starts_with("??")) return {};
  return call.substr(0, std::min({call.find('('), call.find('@'), call.find(' '), call.size()}));
}

/// "torch/nn/modules/module.py" of "/opt/lib/python3.11/site-packages/torch/nn/modules/module.py"; the name
/// alone of a file that belongs to no package.
std::string shorten_path(std::string_view path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    if (const auto within = behind(path, folder); !within.empty()) return std::string(within);
  }
  return std::filesystem::path(path).filename().string();
}

/// "all_reduce (torch/distributed/distributed_c10d.py:3075)".
std::string describe_python_frame(std::string_view line) {
  const auto rest = behind(line, "File \"");
  const auto path = rest.substr(0, rest.find('"'));
  const auto place = behind(rest, "\", line ");
  const auto number = place.substr(0, place.find(' '));
  return std::string(behind(place, " in ")) + " (" + shorten_path(path) + ":" + std::string(number) + ")";
}

bool is_number_of_frame(std::string_view line) {
  return line.size() > 1 && line[0] == '#' && std::isdigit(static_cast<unsigned char>(line[1])) != 0;
}

}  // namespace

Frames parse_py_spy(std::string_view text) {
  Frames frames;
  bool in_main_thread = false;
  for (const auto line : lines_of(text)) {
    if (line.starts_with("Thread ")) {
      if (in_main_thread && !frames.empty()) break;
      in_main_thread = line.ends_with("\"MainThread\"") || line.find("MainThread") != std::string_view::npos;
    } else if (in_main_thread && line.starts_with("    ") && line.find('(') != std::string_view::npos) {
      add_frame(frames, line.substr(4));
    }
  }
  return frames;
}

Frames parse_faulthandler(std::string_view text) {
  Frames frames;
  bool found_current = false;
  for (const auto line : lines_of(text)) {
    const bool current = line.starts_with("Current thread ");
    if (current || line.starts_with("Thread ")) {
      if (found_current) break;
      found_current = current;
      frames.clear();
    } else if (line.starts_with("  File \"")) {
      add_frame(frames, describe_python_frame(line));
    }
  }
  return frames;
}

Frames parse_eu_stack(std::string_view text) {
  Frames frames;
  for (const auto line : lines_of(text)) {
    if (!is_number_of_frame(line)) continue;
    const auto address = line.find("0x");
    if (address == std::string_view::npos) continue;
    const auto space = line.find(' ', address);
    if (space == std::string_view::npos) continue;
    auto call = line.substr(std::min(line.find_first_not_of(' ', space), line.size()));
    if (call.starts_with("- 1 ")) call.remove_prefix(4);  // the address of a call, not of what follows it
    add_frame(frames, name_of_call(call));
  }
  return frames;
}

Frames parse_gdb(std::string_view text) {
  Frames frames;
  for (const auto line : lines_of(text)) {
    if (!is_number_of_frame(line)) continue;
    auto call = behind(line, " in ");
    if (call.empty()) call = line.substr(std::min(line.find_first_not_of("#0123456789 "), line.size()));
    add_frame(frames, name_of_call(call));
  }
  return frames;
}

}  // namespace ddp::agent
