#pragma once

#include <filesystem>
#include <vector>

namespace ddp::cli {

/// The folders in which a Python that is installed in `prefix` looks for packages, such as
/// lib/python3.12/site-packages, those of the newest Python first. A virtual environment that was made with
/// --system-site-packages also looks in those of the Python that it was made with.
[[nodiscard]] std::vector<std::filesystem::path> package_folders(const std::filesystem::path& prefix);

}  // namespace ddp::cli
