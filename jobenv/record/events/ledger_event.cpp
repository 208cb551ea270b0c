#include "jobenv/record/events/ledger_event.hpp"

#include "jobenv/record/fields/lenient_fields.hpp"

namespace ddp {

std::string token_of(const LedgerEvent& event) {
  return text_of(event.fields, "token");
}

std::string job_of(const LedgerEvent& event) {
  return text_of(event.fields, "job_id");
}

std::string cluster_of(const LedgerEvent& event) {
  return text_of(event.fields, "cluster");
}

}  // namespace ddp
