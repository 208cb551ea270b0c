# With DDP_CCACHE, ccache returns objects that any clone of the repository has compiled before. The settings are part of each command,
# so that `cmake --build` finds the same objects as the scripts do.
option(DDP_CCACHE "Use ccache, if it is installed; not for packages" OFF)

if(DDP_CCACHE)
  find_program(DDP_CCACHE_PROGRAM ccache NO_CMAKE_FIND_ROOT_PATH)
  if(DDP_CCACHE_PROGRAM)
    # Paths below CCACHE_BASEDIR are hashed as relative ones. CCACHE_NOHASHDIR leaves the build folder out of the hash: BuildSettings.cmake
    # keeps both out of the objects, with options that ccache does not hash; so it hashes that file. The sloppiness is what ccache
    # needs for precompiled headers.
    set(base ${PROJECT_SOURCE_DIR})
    if(CMAKE_UNITY_BUILD AND DDP_SANITIZE MATCHES undefined)
      set(base "")  # UBSan writes the absolute paths of such a build into the objects, whatever the prefix maps say
    endif()
    set(launcher env CCACHE_BASEDIR=${base} CCACHE_NOHASHDIR=1
      CCACHE_EXTRAFILES=${CMAKE_CURRENT_LIST_DIR}/BuildSettings.cmake
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${DDP_CCACHE_PROGRAM})
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
    add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  else()
    message(STATUS "ccache is not installed: everything is compiled anew")
  endif()
endif()
