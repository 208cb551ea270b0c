#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "cli/launchers/ssh/connection/remote_host.hpp"

namespace ddp::cli {

/// Answers what it was told, and remembers what it was asked.
class ToldHost final : public RemoteHost {
 public:
  [[nodiscard]] const remote::Greeting& greeting() const override { return greeting_; }
  [[nodiscard]] Expected<remote::Answer> ask(const remote::Request& request) override {
    requests.push_back(request);
    if (answers.empty()) return fail(ExitCode::outcome_unknown, "the connection broke");
    auto answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }
  [[nodiscard]] Expected<remote::Answer> ask_with(const remote::Request& request,
                                                  const Content& content) override {
    contents.push_back(content.file);
    if (content.on_sent) content.on_sent(content.size);
    return ask(request);
  }
  /// From `files`, by their paths.
  [[nodiscard]] Expected<std::string> ask_for_bytes(const remote::SendFile& request) override {
    requests.emplace_back(request);
    if (!files.contains(request.file.path)) return fail(ExitCode::outcome_unknown, "the connection broke");
    return files.at(request.file.path).substr(request.offset, request.most);
  }
  std::vector<remote::Request> requests;
  std::vector<std::filesystem::path> contents;  ///< that came with them
  std::deque<remote::Answer> answers;
  std::map<std::string, std::string> files;

 private:
  remote::Greeting greeting_{"", "", "", "2.36", "/own", ""};
};

}  // namespace ddp::cli
