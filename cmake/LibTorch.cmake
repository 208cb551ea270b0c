# Imported targets for the LibTorch of PyPI's torch wheel. find_package(Torch) of a CUDA wheel asks for nvcc even when only
# the CPU library is linked, hence own targets:
#   LibTorch::cpu    libtorch_cpu + libc10, headers, Gloo process group
#   LibTorch::cuda   libtorch_cuda + libc10_cuda, NCCL process group (only when the CUDA toolkit's and NCCL's headers are found)
if(NOT DEFINED DDP_LIBTORCH_VERSIONS)       # an installed package takes the one that it was built with
  set(DDP_LIBTORCH_VERSIONS 2.11.0 2.15.0)  # that the trainer compiles with; scripts/setup fetches the first
endif()
set(DDP_LIBTORCH_CUDA 13)  # that they are built with, and bring the runtime of
list(GET DDP_LIBTORCH_VERSIONS 0 DDP_LIBTORCH_VERSION)

if(NOT DDP_LIBTORCH)
  if(DEFINED ENV{XDG_CACHE_HOME})
    set(ddp_cache "$ENV{XDG_CACHE_HOME}")
  else()
    set(ddp_cache "$ENV{HOME}/.cache")
  endif()
  set(DDP_LIBTORCH "${ddp_cache}/ddpsubmit/libtorch-${DDP_LIBTORCH_VERSION}/torch" CACHE PATH "" FORCE)
endif()
if(NOT EXISTS "${DDP_LIBTORCH}/include/torch/csrc/distributed/c10d/reducer.hpp")
  message(FATAL_ERROR "LibTorch ${DDP_LIBTORCH_VERSION} is not at '${DDP_LIBTORCH}'.\n"
    "Run ./scripts/setup to fetch it, or name an existing one with -DDDP_LIBTORCH=DIR (the folder with include/ and lib/).")
endif()
file(STRINGS "${DDP_LIBTORCH}/include/torch/headeronly/version.h" ddp_torch_version
  REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
list(TRANSFORM ddp_torch_version REPLACE ".* " "")
list(JOIN ddp_torch_version "." ddp_torch_version)
if(NOT ddp_torch_version IN_LIST DDP_LIBTORCH_VERSIONS)
  list(JOIN DDP_LIBTORCH_VERSIONS " or " ddp_torch_versions)
  message(FATAL_ERROR "LibTorch at '${DDP_LIBTORCH}' is version ${ddp_torch_version}, not ${ddp_torch_versions}.")
endif()

# ProcessGroupGloo.hpp includes Gloo's headers, which the wheel does not hold. Debian's serve as declarations; the code is in libtorch_cpu.
find_path(DDP_GLOO_INCLUDE gloo/transport/device.h REQUIRED)

add_library(LibTorch::c10 SHARED IMPORTED)
set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION "${DDP_LIBTORCH}/lib/libc10.so")
add_library(LibTorch::torch_cpu SHARED IMPORTED)
set_target_properties(LibTorch::torch_cpu PROPERTIES IMPORTED_LOCATION "${DDP_LIBTORCH}/lib/libtorch_cpu.so")

add_library(LibTorch::cpu INTERFACE IMPORTED)
target_include_directories(LibTorch::cpu SYSTEM INTERFACE
  "${DDP_LIBTORCH}/include" "${DDP_LIBTORCH}/include/torch/csrc/api/include" "${DDP_GLOO_INCLUDE}")
target_compile_definitions(LibTorch::cpu INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
# The wheel's libtorch_cpu finds libcudart and libcupti by its own RPATH at run time, not at link time.
target_link_options(LibTorch::cpu INTERFACE -Wl,--as-needed -Wl,--allow-shlib-undefined)
target_link_libraries(LibTorch::cpu INTERFACE LibTorch::torch_cpu LibTorch::c10)

# nvidia/ lies beside torch/ in the unpacked wheels and in site-packages.
cmake_path(GET DDP_LIBTORCH PARENT_PATH ddp_wheels)
find_path(DDP_NCCL_INCLUDE nccl.h HINTS "${ddp_wheels}/nvidia/nccl/include" NO_CMAKE_FIND_ROOT_PATH)
find_path(DDP_CUDA_INCLUDE cuda_runtime_api.h HINTS /usr/local/cuda/include "${ddp_wheels}/nvidia/cu13/include" NO_CMAKE_FIND_ROOT_PATH)
set(DDP_HAVE_CUDA FALSE)
if(DDP_NCCL_INCLUDE AND DDP_CUDA_INCLUDE AND EXISTS "${DDP_LIBTORCH}/lib/libtorch_cuda.so")
  set(DDP_HAVE_CUDA TRUE)
  add_library(LibTorch::cuda INTERFACE IMPORTED)
  target_include_directories(LibTorch::cuda SYSTEM INTERFACE "${DDP_NCCL_INCLUDE}" "${DDP_CUDA_INCLUDE}")
  target_compile_definitions(LibTorch::cuda INTERFACE USE_C10D_NCCL)
  target_link_libraries(LibTorch::cuda INTERFACE
    LibTorch::cpu -Wl,--no-as-needed "${DDP_LIBTORCH}/lib/libtorch_cuda.so" "${DDP_LIBTORCH}/lib/libc10_cuda.so" -Wl,--as-needed)
endif()
