#include "jobenv/record/files/proc_file.hpp"

#include <fstream>
#include <sstream>
#include <utility>

namespace ddp {

std::string load_proc_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();  // which throws where reading fails; operator<< catches it
  return std::move(text).str();
}

}  // namespace ddp
