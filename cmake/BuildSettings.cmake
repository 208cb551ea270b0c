# ddp_settings: warnings and sanitizers for the project's own targets; link it PRIVATE.
add_library(ddp_settings INTERFACE)
target_compile_options(ddp_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough
  $<$<BOOL:${DDP_WARNINGS_AS_ERRORS}>:-Werror>)
if(DDP_SANITIZE)
  target_compile_options(ddp_settings INTERFACE -fsanitize=${DDP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(ddp_settings INTERFACE -fsanitize=${DDP_SANITIZE})
endif()
