#pragma once

#include <memory>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

struct QueueOptions final : LauncherOptionsOf<QueueOptions> {
  static constexpr std::string_view kLauncher = "queue";
  std::optional<std::string> tool;  ///< the program that is the queue; nullopt: ddp-queue in PATH

  void describe(Fields& fields) override { fields.path({"tool", "the queue's program"}, tool); }
  bool operator==(const QueueOptions&) const = default;
};

extern const LauncherRow queue_launcher;

[[nodiscard]] std::unique_ptr<Launcher> make_queue_launcher(const LauncherSeams& seams);

}  // namespace ddp::cli
