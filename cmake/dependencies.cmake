# Every library the program links, all of them Debian packages (scripts/install-packages.sh installs them).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(SQLite3 REQUIRED)  # the embedding cache; xxHash beside it is headers only
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET GLOBAL libutf8proc)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)  # checksums
find_package(CURL 7.85 REQUIRED)  # pulling models; its headers only, models/web_client loads it
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET GLOBAL libpcre2-8)  # patterns of tokenizers
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET GLOBAL cpp-httplib)  # HTTP of `markeval serve`
