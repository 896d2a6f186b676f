// SHA-256 (FIPS 180-4). The constants are the leading fraction bits of roots of the first primes, computed in
// integers.
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "forward/base/json_file.h"
#include "forward/base/text_file.h"

namespace furrow {

namespace {

using Words8 = std::array<std::uint32_t, 8>;

/// First 32 bits of the fraction of the k-th root of p (k = 2 or 3): floor(2^32 p^(1/k)) mod 2^32, found bit
/// by bit.
constexpr std::uint32_t root_fraction(std::uint32_t p, int k) {
  __extension__ using Wide = unsigned __int128;
  const Wide target = static_cast<Wide>(p) << (32 * k);
  Wide root = 0;
  for (int bit = 37; bit >= 0; --bit) {
    const Wide trial = root | (static_cast<Wide>(1) << bit);
    if ((k == 2 ? trial * trial : trial * trial * trial) <= target) root = trial;
  }
  return static_cast<std::uint32_t>(root);
}

template <std::size_t n>
constexpr std::array<std::uint32_t, n> root_fractions(int k) {
  std::array<std::uint32_t, n> fractions{};
  std::uint32_t p = 2;
  for (std::size_t i = 0; i < n; ++p) {
    bool prime = true;
    for (std::uint32_t d = 2; d * d <= p; ++d) prime = prime && p % d != 0;
    if (prime) fractions[i++] = root_fraction(p, k);
  }
  return fractions;
}

constexpr Words8 initial_state = root_fractions<8>(2);
constexpr std::array<std::uint32_t, 64> round_constants = root_fractions<64>(3);

std::array<std::uint32_t, 64> message_schedule(const unsigned char* block) {
  std::array<std::uint32_t, 64> w{};
  for (int t = 0; t < 16; ++t) {
    const unsigned char* b = block + 4 * t;
    w[t] = std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
  }
  for (int t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  return w;
}

Words8 compress(const Words8& state, const unsigned char* block) {
  const auto w = message_schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (int t = 0; t < 64; ++t) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constants[t] + w[t];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  return {state[0] + a, state[1] + b, state[2] + c, state[3] + d,
          state[4] + e, state[5] + f, state[6] + g, state[7] + h};
}

}  // namespace

std::string sha256_of(const std::filesystem::path& file) {
  std::string message = read_bytes(file);
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(message.size());
  message += '\x80';
  while (message.size() % 64 != 56) message += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) message += static_cast<char>(bits >> shift);

  Words8 state = initial_state;
  for (std::size_t at = 0; at < message.size(); at += 64) {
    state = compress(state, reinterpret_cast<const unsigned char*>(message.data()) + at);
  }
  std::string hex;
  for (const std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 15];
  }
  return hex;
}

}  // namespace furrow
