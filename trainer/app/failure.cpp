#include "trainer/app/failure.hpp"

#include <c10/util/Exception.h>
#include <gloo/common/error.h>

#include "ddp/jobenv/error.hpp"
#include "ddp/jobenv/rank_contract.hpp"
#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/distributed/group/nccl_error.hpp"

namespace ddp::trainer {
namespace {

Failure peer_lost(const std::string& detail) {
  return {kExitPeerLost, "another rank has exited or does not respond: " + detail};
}

/// NCCL's watchdog makes one of all that it catches, its backtrace included.
Failure backend_failure(const std::string& text) {
  return is_cuda_failure(text) ? Failure{1, cut_backtrace(text)} : peer_lost(cut_backtrace(text));
}

}  // namespace

Failure describe_failure(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InvalidConfiguration& refused) {
    return {static_cast<int>(ExitCode::config_invalid), refused.what()};
  } catch (const NoValidCheckpoint& none) {
    return {static_cast<int>(ExitCode::no_valid_checkpoint), none.what()};
  } catch (const gloo::IoException& lost) {
    return peer_lost(lost.what());
  } catch (const c10::DistBackendError& failed) {
    return backend_failure(failed.what_without_backtrace());
  } catch (const c10::DistError& lost) {
    return peer_lost(lost.what_without_backtrace());
  } catch (const c10::Error& failed) {
    return {1, failed.what_without_backtrace()};
  } catch (const std::exception& failed) {
    return {1, failed.what()};
  } catch (...) {
    return {1, "an exception of unknown type"};
  }
}

}  // namespace ddp::trainer
