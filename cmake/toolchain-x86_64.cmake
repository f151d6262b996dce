# Debian's cross compiler, with the target's libraries from multiarch packages and its programs run by qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_CXX_COMPILER x86_64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# setarch: the thread sanitizer wants addresses that are not random and cannot start itself anew under qemu.
set(CMAKE_CROSSCOMPILING_EMULATOR setarch -R qemu-x86_64 -cpu max)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/x86_64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
