# One folder of tests = one program test_<folder>, its cases listed by ctest one by one.
#
#   markeval_test(base SOURCES error_test.cpp ... MODULES base)
#   markeval_test(contract SOURCES ... MODULES compute LABEL contract)   # the label is unit if none is given
function(markeval_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;MODULES;LIBRARIES" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  add_executable(test_${name} ${ARG_SOURCES})
  markeval_together(test_${name})
  list(TRANSFORM ARG_MODULES PREPEND markeval_)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  # Tests are compiled far more often than they run: a third of the time of -O3 is saved.
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(test_${name} PRIVATE ${ARG_MODULES} ${ARG_LIBRARIES} GTest::gmock GTest::gtest_main markeval_warnings)
  # Under qemu a program with the thread sanitizer takes 20 s to start.
  gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120 PROPERTIES LABELS ${ARG_LABEL})
endfunction()
