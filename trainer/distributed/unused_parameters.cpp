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
    return "the model does not use the same parameters as in its first step, which train.ddp.static_graph "
           "does not allow; remove static_graph";
  return "some parameters got no gradient in the previous step" + render_names(numbers_in(complaint), names) +
         "; if the model does not use all parameters in each step, set train.ddp.find_unused_parameters: "
         "true";
}

}  // namespace ddp::trainer
