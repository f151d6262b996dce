# `cmake --install` gives a prefix in which find_package(markeval) works; tests/install proves it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
get_property(modules GLOBAL PROPERTY MARKEVAL_MODULES)
install(TARGETS ${modules} EXPORT markevalTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/markeval)
if(TARGET markeval)
  install(TARGETS markeval RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # `man markeval` and completions, written from the program's own --help; without Python they are left out.
  find_package(Python3 COMPONENTS Interpreter)
  if(Python3_FOUND)
    set(shell_files ${CMAKE_CURRENT_BINARY_DIR}/shell_files)
    install(CODE "execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/packaging/shell_files.py
      --output ${shell_files} ${CMAKE_CROSSCOMPILING_EMULATOR} ${CMAKE_CURRENT_BINARY_DIR}/markeval COMMAND_ERROR_IS_FATAL ANY)")
    install(FILES ${shell_files}/markeval.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${shell_files}/markeval DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${shell_files}/_markeval DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${shell_files}/markeval.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()
if(TARGET markeval_api)
  install(FILES src/api/markeval.hpp src/api/compare.hpp src/api/correlate.hpp src/study/experiment.hpp src/api/training.hpp src/api/embedding.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/markeval)
  install(FILES src/base/encoder_options.hpp src/base/error.hpp src/base/result.hpp src/base/text_counts.hpp src/base/text_options.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/markeval/base)  # all that markeval.hpp includes
  target_include_directories(markeval_api INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endif()
install(EXPORT markevalTargets NAMESPACE markeval:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/markeval)
configure_package_config_file(cmake/markevalConfig.cmake.in ${CMAKE_BINARY_DIR}/markevalConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/markeval)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/markevalConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/markevalConfig.cmake ${CMAKE_BINARY_DIR}/markevalConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/markeval)
