# What most files include is read once in a build that unites them. The other builds read it file by file, so that each is known to include what it needs.
#
#   ddp_precompiled                        for the libraries that are free of LibTorch
#   ddp_plain_precompiled                  for those parts of the trainer, which are optimized more: g++ 12 crashes if the header is not;
#                                          made in trainer/
#   ddp_tests_precompiled                  for their unit tests, with GoogleTest besides; made in tests/
#   ddp_use_precompiled(TARGET FROM)       takes over the headers of FROM, where they are precompiled
set(ddp_common_headers
  <algorithm> <chrono> <filesystem> <functional> <map> <memory> <optional> <string> <string_view> <vector> <nlohmann/json.hpp> <tl/expected.hpp>)
if(DDP_BUILD_CLI)
  find_path(DDP_FMT_INCLUDE fmt/format.h REQUIRED)
  list(APPEND ddp_common_headers <fmt/format.h>)
endif()

function(ddp_precompile target)
  target_link_libraries(${target} PRIVATE nlohmann_json::nlohmann_json tl::expected ddp_settings)
  target_precompile_headers(${target} PRIVATE ${ddp_common_headers} ${ARGN})
endfunction()

function(ddp_use_precompiled target from)
  if(TARGET ${from})
    target_precompile_headers(${target} REUSE_FROM ${from})
    # Of precompiled headers g++ 12 forgets that they are the system's, and warns of the strings in them (GCC bug 105651 and its kin).
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-maybe-uninitialized>)
  endif()
endfunction()

if(CMAKE_UNITY_BUILD)
  file(CONFIGURE OUTPUT ddp_precompiled.cpp CONTENT "")
  add_library(ddp_precompiled OBJECT ${CMAKE_CURRENT_BINARY_DIR}/ddp_precompiled.cpp)
  ddp_precompile(ddp_precompiled)
endif()
