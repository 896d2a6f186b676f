#include "calibrate/report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace furrow {

namespace {

constexpr int kWidth = 760, kLabel = 210, kRight = 70;

std::string text_at(double x, double y, const std::string& anchor, const std::string& text,
                    const char* kind = "") {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" class="{}">{}</text>)", x, y, anchor,
                     kind, escaped(text));
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" {}/>)", x1, y1, x2, y2, style);
}

std::string svg(int width, double height, const std::string& inside) {
  return fmt::format(R"(<svg viewBox="0 0 {0} {1:.0f}" width="{0}" role="img">{2}</svg>)", width, height,
                     inside);
}

/// A logarithmic axis over pixels.
class LogAxis {
 public:
  LogAxis(double low, double high, double from, double to)
      : low_(std::log10(low)), high_(std::max(std::log10(high), low_ + 0.05)), from_(from), to_(to) {}
  double at(double value) const {
    return from_ + (std::log10(value) - low_) / (high_ - low_) * (to_ - from_);
  }

  /// 1, 2, 5 a decade, or powers of ten alone over more than three decades.
  std::vector<double> ticks() const {
    std::vector<double> out;
    for (int decade = static_cast<int>(std::floor(low_)); decade <= static_cast<int>(std::ceil(high_));
         ++decade)
      for (const double digit : {1.0, 2.0, 5.0}) {
        if (high_ - low_ > 3 && digit > 1) continue;
        const double value = digit * std::pow(10.0, decade);
        if (std::log10(value) >= low_ - 1e-9 && std::log10(value) <= high_ + 1e-9) out.push_back(value);
      }
    return out;
  }

 private:
  double low_, high_, from_, to_;
};

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string interval_chart(const std::vector<IntervalBar>& all, const std::string& unit) {
  std::vector<IntervalBar> bars;
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const IntervalBar& bar : all) {
    if (!(bar.low > 0) || !std::isfinite(bar.high) || bar.high > 1e6 * bar.value) continue;
    bars.push_back(bar);
    low = std::min(low, bar.low);
    high = std::max(high, bar.high);
  }
  if (bars.empty()) return "";
  constexpr double kRow = 26;
  const double height = kRow * static_cast<double>(bars.size()) + 34;
  const LogAxis axis(low / 1.15, high * 1.15, kLabel, kWidth - kRight);
  std::string inside;
  for (const double tick : axis.ticks()) {
    inside += line(axis.at(tick), 4, axis.at(tick), height - 26, R"(class="grid")");
    inside += text_at(axis.at(tick), height - 10, "middle", fmt::format("{:g}", tick), "axis");
  }
  inside += text_at(kWidth - kRight + 12, height - 10, "start", unit, "axis");
  double y = 18;
  for (const IntervalBar& bar : bars) {
    inside += text_at(kLabel - 12, y + 4, "end", bar.name);
    inside += line(
        axis.at(bar.low), y, axis.at(bar.high), y,
        fmt::format(R"(stroke="{}" stroke-width="3" stroke-linecap="round" opacity="0.45")", bar.colour));
    inside += line(
        axis.at(bar.noise_low), y, axis.at(bar.noise_high), y,
        fmt::format(R"(stroke="{}" stroke-width="7" stroke-linecap="round" opacity="0.75")", bar.colour));
    inside += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="4.5" fill="{}" stroke="white"/>)",
                          axis.at(bar.value), y, bar.colour);
    y += kRow;
  }
  return svg(kWidth, height, inside);
}

std::string grouped_bars(const std::vector<BarGroup>& groups, const std::vector<Series>& series,
                         const std::string& unit) {
  double high = 0;
  for (const BarGroup& group : groups)
    for (const double value : group.values) high = std::max(high, value);
  if (!(high > 0)) return "";
  constexpr double kBar = 11, kGap = 14;
  const double scale = (kWidth - kLabel - kRight) / high;
  std::string inside;
  double y = 6;
  for (const BarGroup& group : groups) {
    inside +=
        text_at(kLabel - 12, y + kBar * static_cast<double>(group.values.size()) / 2 + 4, "end", group.name);
    for (std::size_t k = 0; k < group.values.size(); ++k, y += kBar) {
      if (group.values[k] < 0) continue;
      inside += fmt::format(R"(<rect x="{}" y="{:.1f}" width="{:.1f}" height="{}" rx="2" fill="{}"/>)",
                            kLabel, y, std::max(1.0, group.values[k] * scale), kBar - 2, series[k].colour);
      inside += text_at(kLabel + group.values[k] * scale + 6, y + kBar - 3, "start",
                        fmt::format("{:.3g}", group.values[k]), "axis");
    }
    y += kGap;
  }
  double x = kLabel;
  for (const Series& one : series) {
    inside += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="10" height="10" rx="2" fill="{}"/>)", x, y,
                          one.colour);
    inside += text_at(x + 15, y + 9, "start", one.name, "axis");
    x += 30 + 6.6 * static_cast<double>(one.name.size());
  }
  inside += text_at(kWidth - 8, y + 9, "end", unit, "axis");
  return svg(kWidth, y + 18, inside);
}

std::string history_chart(const std::vector<CurvePoint>& points, const std::string& what) {
  if (points.size() < 2) return "";
  static constexpr std::array<const char*, 4> kColours{"#2b6cb0", "#b7791f", "#2f855a", "#805ad5"};
  double low = points[0].value, high = low;
  for (const CurvePoint& point : points) low = std::min(low, point.value), high = std::max(high, point.value);
  constexpr double kHeight = 220, kLeft = 80, kBottom = kHeight - 34;
  const LogAxis axis(low / 1.2, high * 1.2, kBottom, 10);
  const double step = (kWidth - kLeft - 30) / std::max<double>(1, static_cast<double>(points.size() - 1));
  std::string inside;
  for (const double tick : axis.ticks()) {
    inside += line(kLeft, axis.at(tick), kWidth - 20, axis.at(tick), R"(class="grid")");
    inside += text_at(kLeft - 8, axis.at(tick) + 4, "end", fmt::format("{:g}", tick), "axis");
  }
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double x = kLeft + 10 + step * static_cast<double>(k), y = axis.at(points[k].value);
    const std::string colour = kColours[static_cast<std::size_t>(points[k].stage) % kColours.size()];
    if (k > 0 && points[k].stage == points[k - 1].stage)
      inside += line(x - step, axis.at(points[k - 1].value), x, y,
                     fmt::format(R"(stroke="{}" stroke-width="2")", colour));
    inside += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="{}"/>)", x, y, colour);
    if (points.size() <= 25 || k % 5 == 0)
      inside += text_at(x, kBottom + 18, "middle", std::to_string(k), "axis");
  }
  inside += text_at(kWidth - 20, kHeight - 2, "end", what, "axis");
  return svg(kWidth, kHeight, inside);
}

}  // namespace furrow
