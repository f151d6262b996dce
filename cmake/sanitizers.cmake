# Applied to everything, headers of dependencies included: a half-instrumented program reports false races.
# -g1 is enough for the lines of a trace, and compiles faster than -g.
if(MARKEVAL_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
  add_link_options(-fsanitize=address,undefined)
elseif(MARKEVAL_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -O1 -g1)
  add_link_options(-fsanitize=thread)
elseif(MARKEVAL_SANITIZE STREQUAL "fuzzer")  # clang: the address sanitizer, and counters for libFuzzer
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
  add_link_options(-fsanitize=address,undefined)
elseif(MARKEVAL_SANITIZE)
  message(FATAL_ERROR "MARKEVAL_SANITIZE is '${MARKEVAL_SANITIZE}', expected address, thread, fuzzer or nothing")
endif()

if(MARKEVAL_SANITIZE)
  add_compile_definitions(MARKEVAL_SANITIZED)  # the compilers' own macros differ
endif()
