#pragma once

#include <string>

#include "cli/report/model/report_model.hpp"

namespace ddp::cli {

/// The report as one HTML file that loads nothing. Of a run all that is known; of several their curves over
/// each other and a table of what differs. Texts of the model are escaped, whatever they hold.
[[nodiscard]] std::string render_page(const ReportModel& model);

}  // namespace ddp::cli
