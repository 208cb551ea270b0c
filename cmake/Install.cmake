# What `cmake --install` puts where, and the package that find_package(ddpsubmit) finds:
#   ddp::jobenv       the job environment alone, free of LibTorch
#   ddp::trainer      process group, DistributedDataParallel, DistributedSampler
#   ddp::train_main   a whole trainer, for programs with models and datasets of their own
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(ddp_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ddpsubmit)

if(DDP_BUILD_CLI)
  install(TARGETS ddpsubmit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ddpsubmit/configs)
  install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ddpsubmit/examples)
endif()
install(TARGETS ddp-agent RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(ddp_jobenv_libraries ddp_settings ddp_jobenv)
set(ddp_trainer_libraries)
install(DIRECTORY jobenv/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(DDP_BUILD_TRAINER)
  install(TARGETS ddptrain RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # The same run path before and after: one that is to be changed by the installation CMake ends with a colon, which stands
  # for the folder that a rank works in. libddp_cuda.so is beside ddptrain, or, installed, where libraries are.
  set_target_properties(ddptrain PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON
    INSTALL_RPATH "\$ORIGIN;\$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${DDP_LIBTORCH}/lib")
  if(TARGET ddp_cuda)
    install(TARGETS ddp_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set_target_properties(ddp_cuda PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${DDP_LIBTORCH}/lib")
  endif()
  install(DIRECTORY trainer/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES cmake/LibTorch.cmake DESTINATION ${ddp_package_dir})
  set(ddp_trainer_libraries ddp_record ddp_probe ddp_yaml ddp_config ddp_train_config ddp_trainer ddp_train_app)
endif()

foreach(library IN LISTS ddp_jobenv_libraries ddp_trainer_libraries)
  string(REPLACE "ddp_" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()
if(DDP_BUILD_TRAINER)
  set_target_properties(ddp_train_app PROPERTIES EXPORT_NAME train_main)
endif()
# Two files of targets: the first is of use without LibTorch.
install(TARGETS ${ddp_jobenv_libraries} EXPORT ddpsubmit ARCHIVE INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ddpsubmit NAMESPACE ddp:: FILE ddpsubmitTargets.cmake DESTINATION ${ddp_package_dir})
if(DDP_BUILD_TRAINER)
  install(TARGETS ${ddp_trainer_libraries} EXPORT ddpsubmitTrainer ARCHIVE INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ddpsubmitTrainer NAMESPACE ddp:: FILE ddpsubmitTrainerTargets.cmake DESTINATION ${ddp_package_dir})
endif()
configure_package_config_file(cmake/ddpsubmitConfig.cmake.in ddpsubmitConfig.cmake
  INSTALL_DESTINATION ${ddp_package_dir} PATH_VARS CMAKE_INSTALL_FULL_LIBDIR)
write_basic_package_version_file(ddpsubmitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ddpsubmitConfig.cmake ${PROJECT_BINARY_DIR}/ddpsubmitConfigVersion.cmake
  DESTINATION ${ddp_package_dir})
