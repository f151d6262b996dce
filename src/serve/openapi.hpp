// The description of the server for programs (OpenAPI 3.1) and for people (a page), made of the routes and of
// the field tables.
#pragma once

#include <string>

namespace markeval::serve {

std::string openapi_json();
std::string docs_page();

}  // namespace markeval::serve
