// Small words tell the languages in Latin script apart.
#include "lexical/language_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace markeval::lexical {
namespace {

std::string language_of(std::string_view text) {
  const LanguageCounts counts = count_small_words(text);
  const auto most = std::max_element(counts.found.begin(), counts.found.end());
  return std::string(language_names()[static_cast<std::size_t>(most - counts.found.begin())]);
}

TEST(LanguageWords, OfSentencesNameTheLanguage) {
  EXPECT_EQ(language_of("The old man said that it was not the end of the road."), "English");
  EXPECT_EQ(language_of("Der alte Mann sagte, dass es nicht das Ende der Straße ist."), "German");
  EXPECT_EQ(language_of("Le vieil homme dit que ce n'est pas la fin de la route pour les enfants."),
            "French");
  EXPECT_EQ(language_of("El viejo dijo que no era el final del camino para los niños."), "Spanish");
  EXPECT_EQ(language_of("Starý muž řekl, že to není konec cesty, ale že se je třeba vrátit."), "Czech");
  EXPECT_EQ(language_of("Yaşlı adam bunun bir son olmadığını ve daha çok yol olduğunu söyledi."), "Turkish");
}

TEST(LanguageWords, AreCountedInAnyCaseAndWithoutPunctuation) {
  const LanguageCounts counts = count_small_words("Der Hund, und DIE Katze.");
  EXPECT_EQ(counts.words, 5u);
  EXPECT_EQ(counts.found[1], 3u);
  EXPECT_EQ(counts.found[0], 0u);
}

}  // namespace
}  // namespace markeval::lexical
