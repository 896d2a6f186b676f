// Tables on the screen: columns as wide as their longest cell, the first to the left, the others to the
// right.
#pragma once

#include <string>
#include <vector>

namespace furrow::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// A last column without a heading (remarks) keeps to the left.
  std::vector<std::string> lines() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace furrow::cli
