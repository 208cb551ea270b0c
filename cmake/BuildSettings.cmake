# What computes for long is in LibTorch; the command and the agent wait for processes and machines. ddp_optimize_more() is for a folder
# that computes itself.
string(REPLACE "-O3" "-O1" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
macro(ddp_optimize_more)
  string(REPLACE "-O1" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endmacro()

# Collecting garbage less often saves g++ a tenth of its time, and takes 150 MB more.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1000000>)

# ddp_settings: warnings and sanitizers for the project's own targets; link it PRIVATE.
add_library(ddp_settings INTERFACE)
target_compile_options(ddp_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  # The attribute, not a comment, marks what falls through: ccache does not see comments.
  $<IF:$<CXX_COMPILER_ID:GNU>,-Wimplicit-fallthrough=5,-Wimplicit-fallthrough>
  # g++ 12 at -O3 takes "text" + std::string for overlapping copies (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<BOOL:${DDP_WARNINGS_AS_ERRORS}>:-Werror>)
if(DDP_SANITIZE)
  target_compile_options(ddp_settings INTERFACE -fsanitize=${DDP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(ddp_settings INTERFACE -fsanitize=${DDP_SANITIZE})
endif()
if(DDP_FUZZ)
  target_compile_options(ddp_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()

# No path of this machine gets into the objects of a release, nor into those that ccache may give to another clone. Where ccache makes a
# path relative, it is relative to the build folder. In the folder of the clone, debuggers find the sources of a build with debug
# information.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(ddp_source_name ddpsubmit)
elseif(DDP_CCACHE)
  set(ddp_source_name .)
endif()
if(ddp_source_name)
  cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_BINARY_DIR} OUTPUT_VARIABLE ddp_source_path)
  # The compiler takes the last one that fits.
  set(ddp_prefix_maps ${PROJECT_SOURCE_DIR}=${ddp_source_name} ${PROJECT_BINARY_DIR}=${ddp_source_name}/build
    ${ddp_source_path}=${ddp_source_name})
  foreach(folder IN ITEMS ${DDP_SYSROOT} ${DDP_LIBTORCH})
    cmake_path(GET folder FILENAME name)
    list(PREPEND ddp_prefix_maps ${folder}=${name})
  endforeach()
  foreach(map IN LISTS ddp_prefix_maps)
    add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-ffile-prefix-map=${map}>)
    add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffile-prefix-map=${map}>)
  endforeach()
endif()

# Reading headers takes longer than compiling most files: a release compiles several files as one. The other builds keep them
# apart, so that each file is known to include what it needs.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(CMAKE_UNITY_BUILD ON)
endif()
