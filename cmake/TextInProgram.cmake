# Files that are put into a program as strings: no path has to be found when it runs.
#
#   ddp_read_text(VARIABLE FILE)    the text of FILE, a path from the project folder, for configure_file(); when the file changes, CMake runs again
function(ddp_read_text variable file)
  set(path ${PROJECT_SOURCE_DIR}/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()
