#pragma once

#include <memory>
#include <set>
#include <string>

#include "jobenv/config/config_node.hpp"

namespace ddp::cli {

/// How an argument that a value comes from was written.
enum class WrittenAs {
  option,  ///< with its name: "--nnodes=2"
  setting  ///< behind --set: "resources.nodes=2"
};

/// The arguments of --set that values come from.
class SettingSources {
 public:
  void add(const Place& place) { sources_.insert(place.source); }
  [[nodiscard]] WrittenAs find(const Place& place) const {
    return sources_.contains(place.source) ? WrittenAs::setting : WrittenAs::option;
  }

 private:
  std::set<std::shared_ptr<const SourceText>> sources_;
};

/// The tree of a configuration as a file: sections as blocks, values with the argument that they come from as
/// a comment.
[[nodiscard]] std::string render_config(const ConfigNode& root, const SettingSources& settings);

}  // namespace ddp::cli
