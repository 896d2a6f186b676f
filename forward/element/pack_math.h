// Four doubles at a time, and their elementary functions without a call per lane: a pack is a GCC/Clang
// vector, which the compiler maps to one AVX2 register.
//
//   exp x = 2^n exp r,   n = round(x / ln 2),  |r| <= ln(2)/2;  expm1 keeps exp r - 1 apart from the 1
//   ln(2^k m) = k ln 2 + 2 atanh z,   z = f / (2 + f),  f = m - 1,  m in [1/sqrt 2, sqrt 2)
//
// Both by their power series; errors stay below 2 units in the last place (measured in the tests).
#pragma once

#ifdef __AVX__
#include <immintrin.h>
#endif

#include <cmath>
#include <cstddef>
#include <utility>

namespace furrow {

inline constexpr int kLanes = 4;
using Pack = double __attribute__((vector_size(8 * kLanes)));
using PackMask = decltype(Pack{} < Pack{});  ///< 64-bit integers: -1 where true, 0 where false

inline bool pack_any(PackMask mask) {
#ifdef __AVX__
  return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) != 0;
#else
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}
/// a where the mask is true, b elsewhere.
inline Pack pack_select(PackMask mask, Pack a, Pack b) {
  return mask ? a : b;
}
inline Pack pack_min(Pack a, Pack b) {
  return a < b ? a : b;
}
inline Pack pack_max(Pack a, Pack b) {
  return a > b ? a : b;
}
inline Pack pack_abs(Pack a) {
  return reinterpret_cast<Pack>(reinterpret_cast<PackMask>(a) & 0x7fffffffffffffff);
}
/// |magnitude| with the sign of `sign`.
inline Pack pack_copysign(Pack magnitude, Pack sign) {
  const PackMask bit = PackMask{} + (-0x7fffffffffffffff - 1);
  return reinterpret_cast<Pack>((reinterpret_cast<PackMask>(magnitude) & ~bit) |
                                (reinterpret_cast<PackMask>(sign) & bit));
}
/// a where b >= +0, -a where b has the sign bit.
inline Pack pack_flip_sign(Pack a, Pack b) {
  const PackMask bit = PackMask{} + (-0x7fffffffffffffff - 1);
  return reinterpret_cast<Pack>(reinterpret_cast<PackMask>(a) ^ (reinterpret_cast<PackMask>(b) & bit));
}
inline Pack pack_sqrt(Pack a) {
#ifdef __AVX__
  return reinterpret_cast<Pack>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(a)));
#else
  return Pack{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}

namespace pack_detail {

/// c[0] + c[1] x + ... by Horner's rule, unrolled.
template <std::size_t N, std::size_t... I>
inline Pack polynomial(Pack x, const double (&c)[N], std::index_sequence<I...>) {
  Pack sum = Pack{} + c[N - 1];
  ((sum = sum * x + c[N - 2 - I]), ...);
  return sum;
}
template <std::size_t N>
inline Pack polynomial(Pack x, const double (&c)[N]) {
  return polynomial(x, c, std::make_index_sequence<N - 1>{});
}

inline constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
inline constexpr double kLog2High = 0x1.62e42fefap-1, kLog2Low = 0x1.cf79abc9e3b3ap-40;  // sum: ln 2

/// 2^n for integers |n| <= 1022 held as doubles.
inline Pack power_of_two(Pack n) {
  const Pack biased = n + (kRound + 1023.0);
  return reinterpret_cast<Pack>(reinterpret_cast<PackMask>(biased) << 52);
}
inline Pack round(Pack a) {
  return (a + kRound) - kRound;
}

/// exp(x) = (1 + minus_one) 2^n.
struct SplitExp {
  Pack minus_one, n;
};
inline SplitExp split_exp(Pack x) {
  const Pack n = round(x * 1.4426950408889634074);
  const Pack r = (x - n * kLog2High) - n * kLog2Low, r2 = r * r;
  static constexpr double kEven[] = {1.0 / 2,     1.0 / 24,        1.0 / 720,
                                     1.0 / 40320, 1.0 / 3628800.0, 1.0 / 479001600.0};
  static constexpr double kOdd[] = {1.0 / 6,      1.0 / 120,        1.0 / 5040,
                                    1.0 / 362880, 1.0 / 39916800.0, 1.0 / 6227020800.0};
  return {r + r2 * (polynomial(r2, kEven) + r * polynomial(r2, kOdd)), n};
}

/// ln(u + rest) for |rest| <= 1 ulp of u, u > 0 and finite.
inline Pack log_of_sum(Pack u, Pack rest) {
  using Bits = unsigned long long __attribute__((vector_size(8 * kLanes)));
  constexpr unsigned long long kRootHalf = 0x3fe6a09e667f3bcd;  // bits of 1/sqrt 2
  const Bits bits = reinterpret_cast<Bits>(u);
  const Bits biased = (bits + ((1023ULL << 52) - kRootHalf)) >> 52;  // k + 1023
  const Pack m = reinterpret_cast<Pack>(bits - ((biased - 1023ULL) << 52));
  const Pack k = reinterpret_cast<Pack>(biased | 0x4330000000000000ULL) - (4503599627370496.0 + 1023.0);
  const Pack shrink = reinterpret_cast<Pack>((2046ULL - biased) << 52);  // 2^-k
  const Pack f = (m - 1.0) + rest * shrink;
  const Pack z = f / (2.0 + f), z2 = z * z, half_square = 0.5 * f * f;
  static constexpr double kSeries[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                                       2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
  const Pack tail = z2 * polynomial(z2, kSeries);
  return k * kLog2High + (f - (half_square - (z * (half_square + tail) + k * kLog2Low)));
}

}  // namespace pack_detail

/// exp, with 0 and infinity beyond the range of doubles.
inline Pack pack_exp(Pack x) {
  x = x < -746.0 ? Pack{} - 746.0 : x;
  x = x > 710.0 ? Pack{} + 710.0 : x;
  const auto [minus_one, n] = pack_detail::split_exp(x);
  const Pack half = pack_detail::round(0.5 * n);
  return (1.0 + minus_one) * pack_detail::power_of_two(half) * pack_detail::power_of_two(n - half);
}

/// exp(x) - 1, accurate near 0.
inline Pack pack_expm1(Pack x) {
  x = x < -40.0 ? Pack{} - 40.0 : x;
  x = x > 710.0 ? Pack{} + 710.0 : x;
  const auto [minus_one, n] = pack_detail::split_exp(x);
  const Pack half = pack_detail::round(0.5 * n), rest = n - half;
  const Pack inverse = pack_detail::power_of_two(-half) * pack_detail::power_of_two(-rest);
  return (minus_one + (1.0 - inverse)) * pack_detail::power_of_two(half) * pack_detail::power_of_two(rest);
}

/// ln; NaN below 0, -infinity at 0.
inline Pack pack_log(Pack a) {
  constexpr double kInfinity = __builtin_huge_val();
  const PackMask tiny = a < 0x1p-1022;  // subnormal, or no logarithm at all
  const Pack scaled = tiny ? a * 0x1p54 : a;
  Pack value = pack_detail::log_of_sum(scaled, Pack{});
  value = tiny ? value - 54 * 0.69314718055994530942 : value;
  value = a == 0.0 ? Pack{} - kInfinity : value;
  const PackMask proper = (a >= 0.0) & (a < kInfinity);
  return proper ? value : (a < 0.0 ? Pack{} + __builtin_nan("") : a);
}

/// ln(1 + x), accurate near 0; NaN below -1, -infinity at -1.
inline Pack pack_log1p(Pack x) {
  constexpr double kInfinity = __builtin_huge_val();
  const Pack u = 1.0 + x;
  const PackMask proper = (u > 0.0) & (u < kInfinity);
  // the part of 1 + x that rounding drops: the smaller of both summands less what it contributed
  const Pack rest = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);
  const Pack value = pack_detail::log_of_sum(proper ? u : Pack{} + 1.0, proper ? rest : Pack{});
  return proper ? value : pack_log(u);
}

}  // namespace furrow
