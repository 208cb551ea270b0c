#include "cli/launchers/slurm/keys/dependency_list.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kSingleton = "singleton";
constexpr std::array<std::string_view, 6> kTypes = {"after",     "afterany",   "afterburstbuffer",
                                                    "aftercorr", "afternotok", "afterok"};

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

tl::unexpected<Error> refuse_part(const std::string& part, const std::string& why, std::string hint) {
  return fail(ExitCode::config_invalid, "'" + part + "' is not a dependency that Slurm accepts: " + why,
              std::move(hint));
}

bool is_id(std::string_view text) {
  return parse_whole_number(text).value_or(0) > 0;
}

/// "12", "12_3", "12_*"; after `after` also "12+5".
bool is_job(std::string_view job, std::string_view type) {
  if (const auto plus = job.find('+'); plus != job.npos) {
    if (type != "after" || !parse_whole_number(job.substr(plus + 1))) return false;
    job = job.substr(0, plus);
  }
  const auto bar = job.find('_');
  if (bar == job.npos) return is_id(job);
  const auto task = job.substr(bar + 1);
  return is_id(job.substr(0, bar)) && (task == "*" || parse_whole_number(task));
}

Expected<void> check_part(const std::string& part) {
  if (part == kSingleton) return {};
  const auto words = split_at(part, ':');
  const auto& type = words.front();
  if (std::ranges::find(kTypes, type) == kTypes.end()) {
    std::vector<std::string> known(kTypes.begin(), kTypes.end());
    known.emplace_back(kSingleton);
    const auto suggestion = suggest(type, known);
    return refuse_part(part, "it does not begin with a type",
                       suggestion.empty() ? "write afterok:123" : suggestion);
  }
  if (words.size() == 1) return refuse_part(part, "it does not name a job", "write " + type + ":123");
  for (std::size_t place = 1; place < words.size(); ++place) {
    if (!is_job(words[place], type))
      return refuse_part(part, "'" + words[place] + "' is not the id of a job",
                         "write " + type + ":123 or " + type + ":123_4");
  }
  return {};
}

}  // namespace

Expected<void> check_dependency(std::string_view list) {
  const bool any = list.find('?') != list.npos;
  if (any && list.find(',') != list.npos) {
    return fail(ExitCode::config_invalid,
                "the dependency mixes ',' and '?', but Slurm applies the last one to all parts",
                "write ',' if all parts must be fulfilled, '?' if one is enough");
  }
  for (const auto& part : split_at(list, any ? '?' : ',')) {
    if (auto checked = check_part(part); !checked) return checked;
  }
  return {};
}

std::string add_end_of_job(std::string_view list, std::string_view id) {
  const std::string end = "afterany:" + std::string(id);
  const bool any = list.find('?') != list.npos;
  return list.empty() || any ? end : end + ',' + std::string(list);
}

}  // namespace ddp::cli
