#include "trainer/distributed/unused_parameters.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

namespace ddp::trainer {
namespace {

constexpr std::size_t kShown = 4;
constexpr std::string_view kUnfinished = "Expected to have finished reduction in the prior iteration";
constexpr std::string_view kChanged = "your training graph has changed";
constexpr std::string_view kNumbers = "Parameter indices which did not receive grad for rank ";

std::vector<std::size_t> numbers_in(std::string_view complaint) {
  const auto begin = complaint.find(kNumbers);
  if (begin == complaint.npos) return {};
  std::istringstream text{std::string(complaint.substr(begin + kNumbers.size()))};
  int rank = 0;
  char colon = 0;
  text >> rank >> colon;
  std::vector<std::size_t> numbers;
  for (std::size_t number = 0; text >> number;) numbers.push_back(number);
  return numbers;
}

std::string render_names(const std::vector<std::size_t>& numbers,
                         const std::unordered_map<std::size_t, std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(numbers.size(), kShown); ++i) {
    const auto found = names.find(numbers[i]);
    text += i == 0 ? ": " : ", ";
    text += found == names.end() ? std::to_string(numbers[i]) : "'" + found->second + "'";
  }
  if (numbers.size() > kShown) text += " and " + std::to_string(numbers.size() - kShown) + " more";
  return text;
}

}  // namespace

std::optional<std::string> describe_unused_parameters(
    std::string_view complaint, const std::unordered_map<std::size_t, std::string>& names) {
  if (complaint.find(kUnfinished) == complaint.npos) return std::nullopt;
  if (complaint.find(kChanged) != complaint.npos)
    return "the model uses other parameters than in its first step, which static_graph (of train.ddp) does "
           "not allow; leave it out";
  return "some parameters got no gradient in the step before" + render_names(numbers_in(complaint), names) +
         "; if the model does not use all of them in each step, set find_unused_parameters: true (of "
         "train.ddp)";
}

}  // namespace ddp::trainer
