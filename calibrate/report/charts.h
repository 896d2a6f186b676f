// Charts of the report as SVG text.
#pragma once

#include <string>
#include <vector>

namespace furrow {

/// Text as it may stand in HTML and SVG.
std::string escaped(const std::string& text);

/// A value with its 95 % intervals, by the noise alone and in total.
struct IntervalBar {
  std::string name;
  double value, noise_low, noise_high, low, high;
  std::string colour;
};
/// Dots and bars over a logarithmic axis in `unit`. Only bars whose numbers are positive and finite are
/// drawn.
std::string interval_chart(const std::vector<IntervalBar>& bars, const std::string& unit);

/// One group of horizontal bars a row; a negative value leaves its bar out.
struct BarGroup {
  std::string name;
  std::vector<double> values;
};
struct Series {
  std::string name, colour;
};
std::string grouped_bars(const std::vector<BarGroup>& groups, const std::vector<Series>& series,
                         const std::string& unit);

/// Positive values over 0, 1, 2, ... on a logarithmic axis, in stages told apart by colour.
struct CurvePoint {
  double value;
  int stage;
};
std::string history_chart(const std::vector<CurvePoint>& points, const std::string& what);

}  // namespace furrow
