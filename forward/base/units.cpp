#include "forward/base/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>

#include "forward/base/error.h"
#include "forward/base/nearest.h"
#include "forward/base/text_file.h"

namespace furrow {

namespace {

/// One unit is factor * 10^decimal internal units. All but degrees and minutes are powers of ten, so that "4
/// kPa" is exactly the double 0.004.
struct Unit {
  Dimension dimension;
  int decimal = 0;
  double factor = 1;
};

struct NamedUnit {
  const char* name;
  Unit unit;
};

constexpr Dimension mass{.mass = 1};
constexpr Dimension energy{.mass = 1, .length = 2, .time = -2};
constexpr std::array<NamedUnit, 29> named_units{{
    {"t", {mass, 0}},
    {"kg", {mass, -3}},
    {"g", {mass, -6}},
    {"mg", {mass, -9}},
    {"mm", {dimension::length, 0}},
    {"cm", {dimension::length, 1}},
    {"m", {dimension::length, 3}},
    {"um", {dimension::length, -3}},
    {"\u00b5m", {dimension::length, -3}},  // micro sign
    {"\u03bcm", {dimension::length, -3}},  // Greek mu
    {"s", {dimension::time, 0}},
    {"ms", {dimension::time, -3}},
    {"us", {dimension::time, -6}},
    {"min", {dimension::time, 0, 60}},
    {"Hz", {{.time = -1}, 0}},
    {"N", {dimension::force, 0}},
    {"mN", {dimension::force, -3}},
    {"uN", {dimension::force, -6}},
    {"kN", {dimension::force, 3}},
    {"MPa", {dimension::stress, 0}},
    {"kPa", {dimension::stress, -3}},
    {"Pa", {dimension::stress, -6}},
    {"GPa", {dimension::stress, 3}},
    {"J", {energy, 3}},
    {"mJ", {energy, 0}},
    {"rad", {dimension::angle, 0}},
    {"mrad", {dimension::angle, -3}},
    {"deg", {dimension::angle, 0, std::numbers::pi / 180}},
    {"px", {dimension::pixel, 0}},
}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

Unit find_unit(std::string_view name) {
  for (const NamedUnit& known : named_units) {
    if (name == known.name) return known.unit;
  }
  std::vector<std::string> names;
  for (const NamedUnit& known : named_units) names.emplace_back(known.name);
  throw std::invalid_argument("unknown unit " + in_quotes(name) +
                              suggestion(std::string(name.substr(0, 20)), names));
}

/// [unit]^power, folded into `product`.
Unit times(Unit product, const Unit& unit, int power) {
  product.dimension.mass += power * unit.dimension.mass;
  product.dimension.length += power * unit.dimension.length;
  product.dimension.time += power * unit.dimension.time;
  product.dimension.pixel += power * unit.dimension.pixel;
  product.dimension.angle += power * unit.dimension.angle;
  product.decimal += power * unit.decimal;
  product.factor *= std::pow(unit.factor, power);
  return product;
}

/// "^-2" cut off the front of `rest`; 1 when there is none.
int cut_power(std::string_view& rest) {
  rest = trimmed(rest);
  if (!rest.starts_with('^')) return 1;
  rest = trimmed(rest.substr(1));
  std::size_t length = !rest.empty() && (rest[0] == '-' || rest[0] == '+') ? 1 : 0;
  while (length < rest.size() && is_digit(rest[length])) ++length;
  const auto power = to_integer(rest.substr(0, length));
  if (!power || *power < -9 || *power > 9)
    throw std::invalid_argument("a power is a whole number such as \"^2\"");
  rest.remove_prefix(length);
  return static_cast<int>(*power);
}

/// unit := ['/'] factor { ('*' | '/') factor },  factor := "1" | name ['^' integer];  blanks between them are
/// ignored.
Unit parse_unit(std::string_view text) {
  constexpr int longest = 16;  // factors; more are a mistake, and exponents stay small
  Unit product;
  std::string_view rest = trimmed(text);
  for (int count = 0; !rest.empty(); ++count) {
    int sign = 1;
    if (rest[0] == '/' || rest[0] == '*') {
      if (rest[0] == '*' && count == 0) throw std::invalid_argument("a unit cannot begin with \"*\"");
      sign = rest[0] == '/' ? -1 : 1;
      rest = trimmed(rest.substr(1));
    } else if (count > 0) {
      throw std::invalid_argument("write \"*\" or \"/\" between units, and powers as \"^2\", before " +
                                  in_quotes(rest));
    }
    if (count == longest) throw std::invalid_argument("the unit has too many factors");
    const std::string_view name = rest.substr(0, std::min(rest.find_first_of("*/^ \t"), rest.size()));
    if (name.empty()) throw std::invalid_argument("a unit is missing after \"/\" or \"*\"");
    rest.remove_prefix(name.size());
    const Unit unit = name == "1" ? Unit{} : find_unit(name);
    const int power = cut_power(rest);
    product = times(product, unit, sign * power);
    rest = trimmed(rest);
  }
  return product;
}

/// Length of the decimal number at the front of `text` (sign, digits with a point, exponent); 0 when there is
/// none.
std::size_t number_length(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  std::size_t digits = 0;
  for (bool point = false; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.')
      point = true;
    else
      ++digits;
  }
  if (digits == 0) return 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t end = at + 1;
    if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
    const std::size_t first = end;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > first) at = end;
  }
  return at;
}

/// text * 10^decimal, rounded once. Throws std::invalid_argument beyond the range of doubles.
double shifted_number(std::string_view text, int decimal) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const auto exponent = e < text.size() ? to_integer(text.substr(e + 1)) : std::optional<long long>(0);
  const bool sane = exponent && std::abs(*exponent) < 100000;
  const auto value =
      sane ? to_number(std::string(text.substr(0, e)) + "e" + std::to_string(*exponent + decimal))
           : std::nullopt;
  if (!value) throw std::invalid_argument("the number " + in_quotes(text) + " is out of range");
  return *value;
}

/// A quantity's text in its parts: "1/12 s" is {"1", "12", "s"}.
struct Parts {
  std::string_view numerator, denominator, unit;
};

Parts split(std::string_view text) {
  Parts parts;
  std::string_view rest = trimmed(text);
  parts.numerator = rest.substr(0, number_length(rest));
  rest.remove_prefix(parts.numerator.size());
  if (rest.starts_with('/') && !parts.numerator.empty()) {
    const std::string_view after = rest.substr(1);
    const std::size_t length = !after.empty() && is_digit(after[0]) ? number_length(after) : 0;
    parts.denominator = after.substr(0, length);
    if (length > 0) rest = after.substr(length);
  }
  parts.unit = trimmed(rest);
  return parts;
}

double value_of(const Parts& parts, const Unit& unit) {
  double value = shifted_number(parts.numerator, unit.decimal) * unit.factor;
  if (!parts.denominator.empty()) value /= shifted_number(parts.denominator, 0);
  if (!std::isfinite(value)) throw std::invalid_argument("the number is out of range or divided by zero");
  return value;
}

/// The shortest decimal text of a double.
std::string shortest(double value, std::chars_format format) {
  std::array<char, 64> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
  return std::string(buffer.data(), error == std::errc{} ? end : buffer.data());
}

/// value / unit, rounded once where the unit is a power of ten.
double in_unit(double value, const Unit& unit) {
  if (!std::isfinite(value)) return value;
  return shifted_number(shortest(value / unit.factor, std::chars_format::scientific), -unit.decimal);
}

}  // namespace

double parse_quantity(std::string_view text, const Dimension& expected) {
  const auto refuse = [&](const std::string& reason) {
    throw std::invalid_argument(in_quotes(text) + ": " + reason + (reason.ends_with('?') ? " E" : "; e") +
                                "xpected " + describe(expected));
  };
  const Parts parts = split(text);
  if (parts.numerator.empty()) refuse("does not begin with a number");
  if (parts.unit.empty() && expected != dimension::none) refuse("has no unit");
  double value = 0;
  Unit unit;
  try {
    unit = parse_unit(parts.unit);
    value = value_of(parts, unit);
  } catch (const std::invalid_argument& problem) {
    refuse(problem.what());
  }
  if (unit.dimension != expected) {
    refuse(in_quotes(parts.unit) + " has the wrong dimension (" + describe(unit.dimension) + ")");
  }
  return value;
}

double convert_to(double value, std::string_view unit) {
  return in_unit(value, parse_unit(unit));
}

std::string format_quantity(double value, std::string_view unit_name) {
  require(std::isfinite(value), "format_quantity: a finite value");
  const Unit unit = parse_unit(unit_name);
  std::string suffix(unit_name);
  if (!suffix.empty()) suffix.insert(0, 1, ' ');
  const double number = in_unit(value, unit);
  const auto reads_back = [&](const std::string& text) { return value_of(split(text), unit) == value; };
  // Units that are no power of ten: the neighbours of the quotient may be the ones that read back.
  double above = number, below = number;
  for (int step = 0; step < 4; ++step) {
    for (const double candidate : {above, below}) {
      const std::string text = shortest(candidate, std::chars_format::general);
      if (reads_back(text)) return text + suffix;
    }
    above = std::nextafter(above, std::numeric_limits<double>::infinity());
    below = std::nextafter(below, -std::numeric_limits<double>::infinity());
  }
  // Powers of ten: the value's own digits with the exponent moved always read back.
  const std::string digits = shortest(value, std::chars_format::scientific);
  const std::size_t e = digits.find('e');
  if (unit.factor != 1 || e == std::string::npos)
    return shortest(number, std::chars_format::general) + suffix;
  const long long exponent = to_integer(digits.substr(e + 1)).value_or(0) - unit.decimal;
  return digits.substr(0, e) + "e" + std::to_string(exponent) + suffix;
}

std::string unit_of(std::string_view text) {
  return std::string(split(text).unit);
}

}  // namespace furrow
