// The description of the server for programs (OpenAPI 3.1) and for people (a page), made of the routes and of
// the field tables.
#pragma once

#include <string>
#include <string_view>

namespace markeval::serve {

std::string openapi_json();
/// `host`: by which the client asked, for its example.
std::string docs_page(std::string_view host);

}  // namespace markeval::serve
