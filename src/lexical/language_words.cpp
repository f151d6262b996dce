// Small words of twenty languages, and how many of them a text has.
#include "lexical/language_words.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace markeval::lexical {
namespace {

struct Language {
  std::string_view name, words;
};

/// Words that are frequent in the language; many languages share some of them.
constexpr std::array<Language, kLanguages> kTable{{
    {"English",
     "the of and to in is that for it was on are with as be this have from or by not but at his they you we "
     "which had were their has will would been there who what when more its can said"},
    {"German",
     "der die das und ist nicht ein eine einen einem einer zu mit den dem des von auf sich für auch es im "
     "dass wird wie bei sind aus nach hat war wir ich sie er aber noch nur oder wenn als über vor zum zur"},
    {"French",
     "le la les de des et un une est que qui dans pour pas sur avec ce il elle nous vous je du au aux par "
     "plus sont mais ne se cette son sa ses leur été être ont comme tout fait"},
    {"Spanish",
     "el la los las de y que en un una es por con no para se su lo del al más como pero sus le ha este esta "
     "son fue era muy también hay ser cuando sin sobre años"},
    {"Portuguese",
     "o os as de e que um uma é do da dos das em no na nos nas por com não para se mais como mas ao foi ele "
     "ela seu sua são também até isso pelo pela você está muito já"},
    {"Italian",
     "il lo gli le di e che un una è per con non del della dei delle nel nella al alla sono ha più come ma "
     "anche si da questo questa essere stato era suo loro dal sul ed"},
    {"Dutch",
     "de het een en van is dat in op te met voor niet zijn die aan er ook als maar om bij door naar uit "
     "wordt "
     "heeft hij zij wij ik je deze nog wel kan werd hebben meer over geen"},
    {"Polish",
     "i w na z się nie to jest do że o jak po co za ale od przez przy tak dla oraz był była było są jego jej "
     "tym tego także tylko może został już być ma które który"},
    {"Czech",
     "a v na se je že s z do o k i ale jako za by pro po tak to jsou byl byla bylo které který také jeho jen "
     "ve od při už než nebo podle mezi však aby jsem není"},
    {"Romanian",
     "și de la în a cu pe nu că o un este din să pentru care mai sunt au fost dar se prin sau după cum fi "
     "acest această ale cel despre până este al lui"},
    {"Hungarian",
     "a az és hogy nem is egy ez meg volt van csak már azt de mint még el ki fel kell lesz vagy ha azonban "
     "szerint után lehet minden között pedig voltak"},
    {"Swedish",
     "och att det som en på är av för med den till inte har de ett om var jag han men så vi från kan när hon "
     "ska sig eller där efter också under skulle hade"},
    {"Danish",
     "og at det som en på er af for med den til ikke har de et om var jeg han men så vi fra kan når hun skal "
     "sig eller der efter også under ville havde blev"},
    {"Norwegian",
     "og at det som en på er av for med den til ikke har de et om var jeg han men så vi fra kan når hun skal "
     "seg eller der etter også under ville hadde ble"},
    {"Finnish",
     "ja on ei se että oli hän joka mutta ovat myös kun tai niin jos sen ole kuin vain mukaan nyt jo vielä "
     "hänen ollut sitten olla mitä koska voi sekä tämä"},
    {"Turkish",
     "ve bir bu için ile da de çok olarak daha gibi olan ne kadar en ama değil sonra her var olduğunu o ki "
     "mi göre önce kendi şey ya veya oldu"},
    {"Indonesian",
     "yang dan di ini itu dengan untuk tidak dari dalam akan pada ke juga adalah karena bisa oleh ada telah "
     "saya mereka kami kita sudah atau seperti lebih dia tersebut"},
    {"Vietnamese",
     "và của là có không cho các được trong một những người với này đã để khi đó từ vào như ra cũng lại tôi "
     "về đến nhiều phải năm"},
    {"Croatian",
     "i u je da se na su za od a koji nije što će s kako ali biti bi iz do te ne kao sam smo ili samo još po "
     "koja koje prema nakon može bio bila"},
    {"Latvian",
     "un ir no ar uz par ka kas tas lai arī bet kā tika nav pēc vai bija to viņš jau ne tikai viņa kad būs "
     "pie gan vēl šo gada"},
}};

/// Bit i: the word is one of language i.
const std::unordered_map<std::string_view, std::uint32_t>& languages_of_words() {
  static const auto map = [] {
    std::unordered_map<std::string_view, std::uint32_t> found;
    for (std::size_t language = 0; language < kLanguages; ++language) {
      for (std::string_view left = kTable[language].words; !left.empty();) {
        const std::string_view word = left.substr(0, left.find(' '));
        found[word] |= std::uint32_t{1} << language;
        left.remove_prefix(std::min(left.size(), word.size() + 1));
      }
    }
    return found;
  }();
  return map;
}

/// Part of a word: a letter of ASCII or any byte of another letter.
bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) >= 0x80);
}

}  // namespace

std::span<const std::string_view, kLanguages> language_names() {
  static constexpr auto names = [] {
    std::array<std::string_view, kLanguages> list;
    for (std::size_t i = 0; i < kLanguages; ++i) list[i] = kTable[i].name;
    return list;
  }();
  return names;
}

LanguageCounts& LanguageCounts::operator+=(const LanguageCounts& other) {
  words += other.words;
  for (std::size_t i = 0; i < kLanguages; ++i) found[i] += other.found[i];
  return *this;
}

LanguageCounts count_small_words(std::string_view text) {
  LanguageCounts counts;
  const auto& known = languages_of_words();
  std::string word;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && in_word(text[at])) {
      const char c = text[at];
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      continue;
    }
    if (word.empty()) continue;
    ++counts.words;
    if (const auto found = known.find(word); found != known.end()) {
      for (std::size_t i = 0; i < kLanguages; ++i) counts.found[i] += found->second >> i & 1;
    }
    word.clear();
  }
  return counts;
}

}  // namespace markeval::lexical
