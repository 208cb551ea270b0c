#include "trainer/mpi/mpi_error.hpp"

#include <c10/util/Exception.h>

#include <string>

namespace ddp::trainer {

void require_success(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  mpi_calls().error_string(code, text, &length);
  C10_THROW_ERROR(DistBackendError,
                  std::string(call) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

}  // namespace ddp::trainer
