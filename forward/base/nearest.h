// Suggestions for misspelt words.
#pragma once

#include <string>
#include <vector>

namespace furrow {

/// The candidate with the smallest edit distance; empty when none is near enough to be meant.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// "; did you mean \"young\"?" or nothing.
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace furrow
