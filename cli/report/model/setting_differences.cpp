#include "cli/report/model/setting_differences.hpp"

#include <algorithm>
#include <map>

namespace ddp::cli {

std::vector<DifferingFact> differing_facts(const std::vector<ReportedRun>& runs) {
  std::vector<DifferingFact> facts;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (std::size_t number = 0; number < runs.size(); ++number) {
    for (const auto& fact : runs[number].facts) {
      if (fact.section == "hosts") continue;
      const auto [place, is_new] = places.try_emplace({fact.section, fact.key}, facts.size());
      if (is_new) facts.push_back({fact.key, std::vector<std::string>(runs.size())});
      facts[place->second].texts[number] = fact.text;
    }
  }
  std::erase_if(facts, [](const DifferingFact& fact) {
    return std::ranges::all_of(fact.texts, [&](const auto& text) { return text == fact.texts.front(); });
  });
  return facts;
}

}  // namespace ddp::cli
