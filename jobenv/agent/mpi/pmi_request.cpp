#include "jobenv/agent/mpi/pmi_request.hpp"

#include <algorithm>

namespace ddp::agent {

std::string PmiRequest::field(const std::string& name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string() : found->second;
}

PmiRequest parse_pmi_request(std::string_view line) {
  PmiRequest request;
  while (!line.empty()) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) break;
    std::string name(line.substr(0, equals));
    line.remove_prefix(equals + 1);
    const auto end = name == "value" ? line.size() : std::min(line.find(' '), line.size());
    request.fields.insert_or_assign(std::move(name), std::string(line.substr(0, end)));
    line.remove_prefix(end);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  }
  if (const auto command = request.fields.extract("cmd")) request.command = command.mapped();
  return request;
}

bool is_pmi_text(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; });
}

}  // namespace ddp::agent
