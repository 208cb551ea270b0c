#include "cli/store/source_record.hpp"

#include <nlohmann/json.hpp>

#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/fields/object_form.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

constexpr ObjectForm<SourceRecord> kSourceForm{"record of the source", "ddpsubmit.source.v1"};

}  // namespace

std::string render_source_record(const SourceRecord& record) {
  using nlohmann::json;
  return kSourceForm.render(record).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<SourceRecord> load_source_record(const RunFolder& folder) {
  const auto text = load_file(folder.source_record());
  if (!text) return std::nullopt;
  auto record = kSourceForm.parse(parse_json(*text));
  if (!record) return std::nullopt;
  return std::move(*record);
}

}  // namespace ddp::cli
