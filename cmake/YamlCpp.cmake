# YamlCpp::yaml: the archive, where there is one: a library less to load in every program. yaml-cpp's own package calls its target
# yaml-cpp before version 0.8, and yaml-cpp::yaml-cpp since.
if(NOT TARGET YamlCpp::yaml)
  find_path(DDP_YAML_INCLUDE yaml-cpp/yaml.h REQUIRED)
  find_library(DDP_YAML_LIBRARY NAMES libyaml-cpp.a yaml-cpp REQUIRED)
  add_library(YamlCpp::yaml INTERFACE IMPORTED)
  target_include_directories(YamlCpp::yaml SYSTEM INTERFACE ${DDP_YAML_INCLUDE})
  target_link_libraries(YamlCpp::yaml INTERFACE ${DDP_YAML_LIBRARY})
endif()
