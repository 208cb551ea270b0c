# What `cmake --install` puts where, in three components:
#   programs      ddpsubmit, ddp-agent, manual pages, completions of shells, the schema of the configuration, presets, examples, the
#                 Python package, the licence
#   trainer       ddptrain and its plug-ins for CUDA and MPI, in a folder that says which torch they are built for
#   development   the package that find_package(ddpsubmit) finds:
#     ddp::jobenv       the job environment alone, free of LibTorch
#     ddp::trainer      process group, DistributedDataParallel, DistributedSampler
#     ddp::train_main   a whole trainer, for programs with models and datasets of their own
# and local: a link to the LibTorch of this machine, which no package holds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(ddp_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ddpsubmit)

if(DDP_BUILD_CLI)
  install(TARGETS ddpsubmit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ddpsubmit/configs COMPONENT programs)
  install(FILES ${PROJECT_BINARY_DIR}/share/ddpsubmit/ddpsubmit.schema.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/ddpsubmit COMPONENT programs)
  install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ddpsubmit/examples COMPONENT programs)
  # The program writes them: share/man, and where bash, zsh and fish look for completions.
  install(CODE "
    execute_process(COMMAND $<TARGET_FILE:ddpsubmit> manual --share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\"
      COMMAND_ERROR_IS_FATAL ANY)" COMPONENT programs)
endif()
install(TARGETS ddp-agent RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
install(DIRECTORY python/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ddpsubmit/python COMPONENT programs
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ddpsubmit COMPONENT programs)

set(ddp_trainer_dir ${CMAKE_INSTALL_LIBEXECDIR}/ddpsubmit)
set(ddp_jobenv_libraries ddp_settings ddp_jobenv)
set(ddp_trainer_libraries)
install(DIRECTORY jobenv/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
if(DDP_BUILD_TRAINER)
  # Run paths are relative: beside the programs, libtorch is a link to DDP_LIBTORCH, in the build as in an installation.
  string(APPEND ddp_trainer_dir /torch-${ddp_torch_version})
  file(MAKE_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  file(CREATE_LINK ${DDP_LIBTORCH} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/libtorch SYMBOLIC)
  foreach(target ddptrain ddp_cuda ddp_mpi)
    if(TARGET ${target})
      install(TARGETS ${target} DESTINATION ${ddp_trainer_dir} COMPONENT trainer)
      # The same run path before and after: one that is to be changed by the installation CMake ends with a colon, which
      # stands for the folder that a rank works in.
      set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN;\$ORIGIN/libtorch/lib")
    endif()
  endforeach()
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${ddp_trainer_dir}\")
    file(MAKE_DIRECTORY \${folder})
    file(CREATE_LINK \"${DDP_LIBTORCH}\" \${folder}/libtorch SYMBOLIC)" COMPONENT local)
  install(DIRECTORY trainer/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  install(FILES cmake/LibTorch.cmake cmake/YamlCpp.cmake DESTINATION ${ddp_package_dir} COMPONENT development)
  set(ddp_trainer_libraries ddp_record ddp_probe ddp_config ddp_train_config ddp_trainer ddp_train_app)
endif()

foreach(library IN LISTS ddp_jobenv_libraries ddp_trainer_libraries)
  string(REPLACE "ddp_" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()
if(DDP_BUILD_TRAINER)
  set_target_properties(ddp_train_app PROPERTIES EXPORT_NAME train_main)
endif()
# Two files of targets: the first is of use without LibTorch.
install(TARGETS ${ddp_jobenv_libraries} EXPORT ddpsubmit ARCHIVE COMPONENT development INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ddpsubmit NAMESPACE ddp:: FILE ddpsubmitTargets.cmake DESTINATION ${ddp_package_dir} COMPONENT development)
if(DDP_BUILD_TRAINER)
  install(TARGETS ${ddp_trainer_libraries} EXPORT ddpsubmitTrainer ARCHIVE COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ddpsubmitTrainer NAMESPACE ddp:: FILE ddpsubmitTrainerTargets.cmake DESTINATION ${ddp_package_dir}
    COMPONENT development)
endif()
configure_package_config_file(cmake/ddpsubmitConfig.cmake.in ddpsubmitConfig.cmake
  INSTALL_DESTINATION ${ddp_package_dir} PATH_VARS ddp_trainer_dir)
write_basic_package_version_file(ddpsubmitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ddpsubmitConfig.cmake ${PROJECT_BINARY_DIR}/ddpsubmitConfigVersion.cmake
  DESTINATION ${ddp_package_dir} COMPONENT development)
