#pragma once

#include <string>
#include <vector>

namespace ddp::cli {

/// What the word under the cursor can become. One that ends with '=', '.', '/' or ',' goes on: no blank
/// follows it.
struct Candidate {
  std::string word;
  std::string doc = {};  ///< a few words, or none

  bool operator==(const Candidate&) const = default;
};

using Candidates = std::vector<Candidate>;

}  // namespace ddp::cli
