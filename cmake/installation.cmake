# `cmake --install` gives a prefix in which find_package(markeval) works; tests/install proves it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
get_property(modules GLOBAL PROPERTY MARKEVAL_MODULES)
install(TARGETS ${modules} EXPORT markevalTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/markeval)
if(TARGET markeval)
  # Where libraries lie beside the program (the relocatable archive) they are taken, else those of the system.
  set(library_folder ${CMAKE_INSTALL_LIBDIR}/markeval)
  file(RELATIVE_PATH from_program /${CMAKE_INSTALL_BINDIR} /${library_folder})
  # In the build folder too: the room CMake else leaves for it there, a row of colons, means the current folder.
  set_target_properties(markeval PROPERTIES INSTALL_RPATH "$ORIGIN/${from_program}" BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(markeval PRIVATE -Wl,--disable-new-dtags)  # the path holds for libraries of libraries too
  install(TARGETS markeval RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  # All libraries of the program and of libcurl, which it loads, but those of the C library.
  install(CODE "
    file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"$<TARGET_FILE:markeval>\" LIBRARIES \"$<TARGET_FILE:CURL::libcurl>\"
      RESOLVED_DEPENDENCIES_VAR found
      POST_EXCLUDE_REGEXES \"/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv))[.]so\")
    file(REAL_PATH \"$<TARGET_FILE:CURL::libcurl>\" curl)
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${library_folder}\" TYPE SHARED_LIBRARY FOLLOW_SYMLINK_CHAIN FILES \${found})
    file(COPY_FILE \"\${curl}\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${library_folder}/libcurl.so.4\")
    # Their licences ask that they travel along.
    execute_process(COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/packaging/library_licences.sh
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/licences\" \${found} \${curl} COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT libraries EXCLUDE_FROM_ALL)
  # `man markeval` and completions, written from the program's own --help; without Python they are left out.
  find_package(Python3 COMPONENTS Interpreter)
  if(Python3_FOUND)
    set(shell_files ${CMAKE_CURRENT_BINARY_DIR}/shell_files)
    install(CODE "execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/packaging/shell_files.py
      --output ${shell_files} ${CMAKE_CROSSCOMPILING_EMULATOR} ${CMAKE_CURRENT_BINARY_DIR}/markeval COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
    install(FILES ${shell_files}/markeval.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
    install(FILES ${shell_files}/markeval DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
    install(FILES ${shell_files}/_markeval DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
    install(FILES ${shell_files}/markeval.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
  endif()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
endif()
if(TARGET markeval_api)
  install(FILES src/api/markeval.hpp src/api/compare.hpp src/api/correlate.hpp src/study/experiment.hpp src/api/training.hpp src/api/embedding.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/markeval)
  install(FILES src/base/encoder_options.hpp src/base/error.hpp src/base/option.hpp src/base/result.hpp src/base/text_counts.hpp src/base/text_options.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/markeval/base)  # all that these headers include
  install(FILES src/metric/metric.hpp src/metric/options.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/markeval/metric)
  install(FILES src/request/compare_options.hpp src/request/correlate_request.hpp src/request/embed_request.hpp src/request/observer.hpp src/request/score_request.hpp src/request/train_request.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/markeval/request)
  # The second folder is for the headers of request, which name those of base by their folder.
  target_include_directories(markeval_api INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/markeval>)
endif()
install(EXPORT markevalTargets NAMESPACE markeval:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/markeval)
configure_package_config_file(cmake/markevalConfig.cmake.in ${CMAKE_BINARY_DIR}/markevalConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/markeval)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/markevalConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/markevalConfig.cmake ${CMAKE_BINARY_DIR}/markevalConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/markeval)
