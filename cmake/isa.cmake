# Kernels are written once and compiled once per instruction set; base/cpu_features.hpp picks one at run time.
#
#   markeval_isa_objects(compute SOURCES cpu/gemm_f32.cpp ISAS avx2 avx512 neon portable)
#
# compiles every source once per named instruction set that exists on the target architecture, with
# MARKEVAL_KERNEL_ISA set to its name (the source uses it as a namespace), and adds the objects to the module.
# Such a source may only define functions inside that namespace or an unnamed one, and may include no header
# with inline functions: the linker keeps one copy of an inline function, and it might be the AVX-512 one.
# tests/architecture checks this on the object files.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set(MARKEVAL_ISAS portable portable_fma avx2 avx512 avx512_vnni avx512_bf16 amx)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(MARKEVAL_ISAS portable neon neon_dotprod neon_i8mm)
else()
  set(MARKEVAL_ISAS portable)
endif()

set(MARKEVAL_FLAGS_portable "")
set(MARKEVAL_FLAGS_portable_fma -mfma)
set(MARKEVAL_FLAGS_avx2 -mavx2 -mfma -mf16c)
set(MARKEVAL_FLAGS_avx512 ${MARKEVAL_FLAGS_avx2} -mprfchw -mavx512f -mavx512bw -mavx512vl -mavx512dq -mprefer-vector-width=512)
set(MARKEVAL_FLAGS_avx512_vnni ${MARKEVAL_FLAGS_avx512} -mavx512vnni)
set(MARKEVAL_FLAGS_avx512_bf16 ${MARKEVAL_FLAGS_avx512_vnni} -mavx512bf16)
set(MARKEVAL_FLAGS_amx ${MARKEVAL_FLAGS_avx512_bf16} -mamx-tile -mamx-bf16 -mamx-int8)
set(MARKEVAL_FLAGS_neon "")
set(MARKEVAL_FLAGS_neon_dotprod -march=armv8.2-a+dotprod)
set(MARKEVAL_FLAGS_neon_i8mm -march=armv8.2-a+dotprod+i8mm+bf16)

function(markeval_isa_objects module)
  cmake_parse_arguments(ARG "" "" "SOURCES;ISAS" ${ARGN})
  foreach(isa IN LISTS ARG_ISAS)
    if(NOT isa IN_LIST MARKEVAL_ISAS)
      continue()
    endif()
    set(objects markeval_${module}_${isa})
    if(NOT TARGET ${objects})
      add_library(${objects} OBJECT)
      target_compile_definitions(${objects} PRIVATE MARKEVAL_KERNEL_ISA=${isa})
      # Kernels throw nothing, and without tables for it their objects hold nothing the linker could share.
      target_compile_options(${objects} PRIVATE ${MARKEVAL_FLAGS_${isa}} -fno-exceptions)
      # GCC 12's own AVX-512 headers set off these warnings wherever they are inlined (GCC bug 105593).
      target_compile_options(${objects} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>")
      target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/src)
      target_link_libraries(${objects} PRIVATE markeval_warnings)
      target_sources(markeval_${module} PRIVATE $<TARGET_OBJECTS:${objects}>)
    endif()
    target_sources(${objects} PRIVATE ${ARG_SOURCES})
  endforeach()
endfunction()
