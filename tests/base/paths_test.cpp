#include "base/paths.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

TEST(Paths, NamesThatLeadNowhereAreNoException) {
  const TempFolder folder;
  std::filesystem::create_symlink("loop", folder.file("loop"));
  for (const std::string& path :
       {std::string(300, 'x'), folder.file(std::string(400, 'y')), folder.file("loop"),
        folder.write("file", "") + "/below", std::string("bad\xff\xfe")}) {
    EXPECT_FALSE(path_exists(path)) << path;
    EXPECT_FALSE(is_folder(path)) << path;
    EXPECT_FALSE(is_ordinary_file(path)) << path;
    EXPECT_NO_THROW(remove_file(folder.file("none")));
    EXPECT_ERROR(names_in(path), ErrorCode::io, "cannot read");
  }
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"file", "loop"}));
}

TEST(JsonText, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(json_text(nlohmann::json{{"name", "a\xff"}}), "{\"name\":\"a\xEF\xBF\xBD\"}");
}

}  // namespace
}  // namespace markeval
