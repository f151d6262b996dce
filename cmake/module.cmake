# One folder of src = one static library markeval::<folder>.
#
#   markeval_module(geometry SOURCES neighbours.cpp ... MODULES base compute LIBRARIES Eigen3::Eigen)
#
# PROGRAM_ONLY: not installed. MODULES are folders whose headers this one's headers include; LIBRARIES are outside libraries that stay private.
function(markeval_module name)
  cmake_parse_arguments(ARG "PROGRAM_ONLY" "" "SOURCES;MODULES;LIBRARIES" ${ARGN})
  add_library(markeval_${name} STATIC ${ARG_SOURCES})
  add_library(markeval::${name} ALIAS markeval_${name})
  set_target_properties(markeval_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(markeval_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  list(TRANSFORM ARG_MODULES PREPEND markeval_)
  target_link_libraries(markeval_${name} PUBLIC ${ARG_MODULES} PRIVATE ${ARG_LIBRARIES} $<BUILD_INTERFACE:markeval_warnings>)
  if(NOT ARG_PROGRAM_ONLY)  # what others may link is installed
    set_property(GLOBAL APPEND PROPERTY MARKEVAL_MODULES markeval_${name})
  endif()
endfunction()
