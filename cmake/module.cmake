# All sources of a folder are compiled as one, so the headers they share are read and compiled once (decision 022). No two of them
# have a hidden name in common. -DCMAKE_UNITY_BUILD_BATCH_SIZE=4 makes the build after an edit faster, and the whole one slower.
function(markeval_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  if(NOT CMAKE_UNITY_BUILD_BATCH_SIZE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
  endif()
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)  # sources look like headers then
endfunction()

# One folder of src = one static library markeval::<folder>.
#
#   markeval_module(geometry SOURCES neighbours.cpp ... MODULES base compute LIBRARIES Eigen3::Eigen)
#
# PROGRAM_ONLY: not installed. GLUE: no loop here takes time, so -O1 is enough and compiles a third faster. MODULES are folders whose headers this one's headers include; LIBRARIES are outside libraries that stay private.
function(markeval_module name)
  cmake_parse_arguments(ARG "PROGRAM_ONLY;GLUE" "" "SOURCES;MODULES;LIBRARIES" ${ARGN})
  add_library(markeval_${name} STATIC ${ARG_SOURCES})
  add_library(markeval::${name} ALIAS markeval_${name})
  set_target_properties(markeval_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(markeval_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  list(TRANSFORM ARG_MODULES PREPEND markeval_)
  target_link_libraries(markeval_${name} PUBLIC ${ARG_MODULES} PRIVATE ${ARG_LIBRARIES} $<BUILD_INTERFACE:markeval_warnings>)
  if(ARG_GLUE)
    target_compile_options(markeval_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  markeval_together(markeval_${name})
  if(NOT ARG_PROGRAM_ONLY)  # what others may link is installed
    set_property(GLOBAL APPEND PROPERTY MARKEVAL_MODULES markeval_${name})
  endif()
endfunction()

# Files go into the program as they are (base/embedded_file.hpp). SOURCE.cpp of the module includes MODULE/SOURCE.inc, which has a
# line MARKEVAL_FILE(symbol, "name", "path") for each.
function(markeval_embed module source)
  set(lines "")
  set(number 0)
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME)
    string(APPEND lines "MARKEVAL_FILE(markeval_${source}_${number}, \"${name}\", \"${file}\")\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${module}/${source}.inc CONTENT "${lines}")
  set_source_files_properties(${source}.cpp PROPERTIES OBJECT_DEPENDS "${ARGN}" SKIP_UNITY_BUILD_INCLUSION ON)  # so that it is made anew with its files
  target_include_directories(markeval_${module} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
