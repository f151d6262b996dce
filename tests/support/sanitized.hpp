// Whether a sanitizer watches: it maps and keeps far more memory than the program asks for, and is slow.
#pragma once

namespace markeval {

#ifdef MARKEVAL_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace markeval
