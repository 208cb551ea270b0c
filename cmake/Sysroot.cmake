# The toolchain of DDP_SYSROOT: g++ 12, and the headers and libraries of the sysroot that scripts/setup makes, so that the programs start
# wherever glibc 2.28 is (RHEL 8 and newer). CMake reads this for each of its compiler checks, too.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DDP_SYSROOT)
set(CMAKE_SYSROOT ${DDP_SYSROOT})
set(CMAKE_C_COMPILER gcc-12)
set(CMAKE_CXX_COMPILER g++-12)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)

# Before g++'s own folders: the stubs, and the start code, as that of glibc 2.34 and newer leaves constructors to the C library, which in
# older ones does not call them. What comes out of libstdc++.a, as the stub lacks it, stays within the program: LibTorch brings the
# machine's libstdc++.so, and neither shall take the other's symbols.
set(ddp_sysroot_link "--sysroot=${DDP_SYSROOT} -B${DDP_SYSROOT}/usr/lib/x86_64-linux-gnu -Wl,--exclude-libs,libstdc++.a")
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "${ddp_sysroot_link}")
endforeach()

# nvcc calls this compiler for what is not the kernel itself.
set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
set(CMAKE_CUDA_FLAGS_INIT "-Xcompiler=--sysroot=${DDP_SYSROOT}")
