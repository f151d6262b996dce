# `cpack`: a .deb, which depends on Debian's libraries, and a .tar.gz, which brings its own and runs from any folder.
# scripts/make-packages.sh makes both and tries them in a bare Debian. Wheels are scikit-build's work.
set(CPACK_PACKAGE_NAME markeval)
set(CPACK_PACKAGE_VENDOR "the markeval developers")
set(CPACK_PACKAGE_CONTACT "the markeval developers <markeval@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tells how good generated text is")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION text)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Debian's name of the processor the program is for, which need not be this one.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4, ca-certificates")  # for `markeval model pull`
set(CPACK_PACKAGE_FILE_NAME markeval-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_SOURCE_DIR}/cmake/package_parts.cmake)
include(CPack)
