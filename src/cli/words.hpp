// The command line before CLI11 sees it: slips it would swallow or answer in its own words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace markeval::cli {

/// The words after the program's name, ready for CLI11: "-m=bleu" is "-m", "bleu"; "help score" is "score",
/// "--help"; "version" and "score --version" are "--version"; "--metrics" is "--metric"; "-r a b -s c" has
/// two references. Throws Error(usage) for an option that is given twice or without its value, and for a word
/// that lacks the option before it ("-s a.txt b.txt").
std::vector<std::string> checked_words(const CLI::App& app, int argc, const char* const* argv);

/// CLI11 would take "-:ref", a column of standard input, for an option, so checked_words() marks it.
std::string as_typed(const std::string& word);

}  // namespace markeval::cli
