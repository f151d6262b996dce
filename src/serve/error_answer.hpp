// What a client is told when something is wrong: {"error": a sentence, "type": a word for programs, "hint":
// what to do}.
#pragma once

#include <exception>
#include <string>

#include "base/error.hpp"
#include "serve/http.hpp"

namespace markeval::serve {

/// `type` and the hint come with the status: 413 -> "too_large".
HttpAnswer error_answer(int status, const std::string& message);
/// For a status that stands for several things.
HttpAnswer error_answer(int status, const std::string& message, const std::string& type,
                        const std::string& hint);

/// usage: 400, invalid_input: 422, io: 500, cancelled: 503.
HttpAnswer error_answer(const Error& error);

/// What a failed piece of work tells a client.
HttpAnswer error_answer(const std::exception_ptr& failure);

/// The word for programs: 413 -> "too_large".
std::string error_type(int status);

}  // namespace markeval::serve
