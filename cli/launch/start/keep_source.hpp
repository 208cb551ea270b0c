#pragma once

#include <optional>

#include "cli/launch/launcher.hpp"
#include "cli/source/source_revision.hpp"

namespace ddp::cli {

/// Keeps in the run folder what the spec asks for: the copy of the working tree, and what is not committed.
/// It appears there when it is complete. A run has one copy: the attempts to come run in that of the first
/// submission. ExitCode::not_found: it is gone, though ranks have run in it.
/// Whoever calls this has the lock of the submission.
[[nodiscard]] Expected<void> keep_source(const LaunchRequest& request, const LauncherSeams& seams);

/// What git has checked out where the ranks run: of a run that has its copy already, that of the copy.
[[nodiscard]] std::optional<SourceRevision> find_revision_of(const LaunchRequest& request);

}  // namespace ddp::cli
