set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the Python module links the same archives
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Scores must not depend on whether the compiler found it handy to fuse a multiply and an add.
# Kernels that want fused arithmetic ask for it by name.
add_compile_options(-ffp-contract=off)
find_program(MARKEVAL_CCACHE ccache)
if(MARKEVAL_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MARKEVAL_CCACHE})
endif()
mark_as_advanced(MARKEVAL_CCACHE)
# What the compiler and the linker can add against faults nobody found yet. The sanitizers bring their own.
if(NOT MARKEVAL_SANITIZE)
  add_compile_options(-fstack-protector-strong $<$<CONFIG:Release>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
  add_link_options(-Wl,-z,relro,-z,now)
  include(CheckPIESupported)
  check_pie_supported()  # programs are linked as they are compiled: position independent
endif()
