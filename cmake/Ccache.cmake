# With DDP_CCACHE, ccache returns objects that any clone of the repository has compiled before. The settings are part of each command,
# so that `cmake --build` finds the same objects as the scripts do.
if(DDP_CCACHE)
  find_program(ccache_program ccache NO_CACHE NO_CMAKE_FIND_ROOT_PATH)
  file(REAL_PATH ${CMAKE_CXX_COMPILER} compiler)
  if(NOT ccache_program)
    message(STATUS "ccache is not installed: everything is compiled anew")
  elseif(compiler MATCHES "/ccache$")
    message(STATUS "${CMAKE_CXX_COMPILER} is ccache already, with the settings of its user")
  else()
    # Paths below CCACHE_BASEDIR are hashed as relative ones, and CCACHE_NOHASHDIR leaves the build folder out of the hash:
    # BuildSettings.cmake keeps both out of the objects. ccache does not hash the options that do so; CCACHE_EXTRAFILES makes it hash that
    # file. CCACHE_SLOPPINESS is what ccache needs for precompiled headers.
    set(base ${PROJECT_SOURCE_DIR})
    if(CMAKE_UNITY_BUILD AND DDP_SANITIZE)
      set(base "")  # sanitizers write the absolute paths of such a build into the objects, whatever the prefix maps say
    endif()
    set(launcher env CCACHE_BASEDIR=${base} CCACHE_NOHASHDIR=1 CCACHE_EXTRAFILES=${CMAKE_CURRENT_LIST_DIR}/BuildSettings.cmake
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CMAKE_CURRENT_LIST_DIR}/through_ccache ${ccache_program})
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
    # ccache hashes what the preprocessor prints. A precompiled header also holds macros; -dD makes the preprocessor print them.
    list(APPEND CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH -dD)
  endif()
endif()
