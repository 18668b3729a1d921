#include "puzzle/wide_moves.hpp"

#include <algorithm>
#include <map>

#ifdef HSTAR_X86
#include <immintrin.h>
#endif

namespace hstar {

WideMoves::WideMoves(const PermutationPuzzle& puzzle, Bytes moves, Instructions instructions)
    : instructions_(instructions), width_(puzzle.width()), size_(puzzle.state_bytes()) {
  for (const std::uint8_t number : moves) {
    Move& move = moves_.emplace_back();
    for (const PermutationPuzzle::Touch& touch : puzzle.touches(number))
      move.touches.push_back(puzzle.mapped(touch));
    if (instructions_ != Instructions::portable) plan(puzzle, move);
  }
}

void WideMoves::plan(const PermutationPuzzle& puzzle, Move& move) const {
  const bool wide_registers = instructions_ == Instructions::avx512vbmi;
  const std::size_t to_size = wide_registers ? 64 : 32, from_size = wide_registers ? 64 : 16;
  std::vector<std::size_t> source(size_);
  for (std::size_t byte = 0; byte < size_; ++byte) source[byte] = byte;
  std::map<std::pair<std::size_t, std::vector<std::uint8_t>>, Map> maps;
  for (const Touch& touch : move.touches) {
    for (std::size_t byte = 0; byte < width_; ++byte) source[touch.dst * width_ + byte] = touch.src * width_ + byte;
    const unsigned values = puzzle.values(touch.src);
    bool same = true;
    for (unsigned value = 0; value < values; ++value) same = same && touch.map[value] == value;
    if (same) continue;
    if (!wide_registers || width_ != 1 || values > kRegister) {
      move.rest.push_back(touch);
      continue;
    }
    const std::size_t to = touch.dst / to_size * to_size;
    std::vector<std::uint8_t> table(touch.map, touch.map + values);
    const auto [found, fresh] = maps.try_emplace({to, table});
    if (fresh) {
      std::ranges::copy(table, found->second.table.begin());
      found->second.to = static_cast<std::uint16_t>(to);
    }
    found->second.slots |= std::uint64_t{1} << (touch.dst - to);
  }
  for (const auto& [key, map] : maps) move.maps.push_back(map);
  for (std::size_t to = 0; to < size_; to += to_size) {
    const std::size_t end = std::min(to + to_size, size_);
    bool changed = false;
    for (std::size_t byte = to; byte < end; ++byte) changed = changed || source[byte] != byte;
    if (!changed && std::ranges::none_of(move.maps, [&](const Map& map) { return map.to == to; })) continue;
    std::map<std::size_t, Shuffle> shuffles;  // by `from`
    for (std::size_t byte = to; byte < end; ++byte) {
      const std::size_t from = source[byte] / from_size * from_size;
      const auto [found, fresh] = shuffles.try_emplace(from);
      Shuffle& shuffle = found->second;
      if (fresh) {
        shuffle.index.fill(128);  // AVX2's instruction writes 0 there
        shuffle.to = static_cast<std::uint16_t>(to);
        shuffle.from = static_cast<std::uint16_t>(from);
      }
      shuffle.index[byte - to] = static_cast<std::uint8_t>(source[byte] - from);
      shuffle.taken |= std::uint64_t{1} << (byte - to);
    }
    for (const auto& [from, shuffle] : shuffles) move.shuffles.push_back(shuffle);
  }
  // Where a move scatters bytes all over the state, moving them one by one is quicker.
  if (move.shuffles.size() > 1 + move.touches.size() / 2) {
    move.shuffles.clear();
    move.maps.clear();
    move.rest.clear();
  }
}

void WideMoves::apply(std::size_t number, const WideState& state, WideState& after) const noexcept {
  const Move& move = moves_[number];
  after.resize(size_);
  if (instructions_ == Instructions::avx512vbmi && !move.shuffles.empty()) {
    avx512(move, state.data(), after.data());
    portable(move.rest, state.data(), after.data());
  } else if (instructions_ == Instructions::avx2 && !move.shuffles.empty()) {
    avx2(move, state.data(), after.data());
    portable(move.rest, state.data(), after.data());
  } else {
    std::memcpy(after.data(), state.data(), size_);
    portable(move.touches, state.data(), after.data());
  }
}

void WideMoves::portable(const std::vector<Touch>& touches, const std::uint8_t* state,
                         std::uint8_t* after) const noexcept {
  if (width_ == 1)
    for (const Touch& touch : touches) after[touch.dst] = static_cast<std::uint8_t>(touch.map[state[touch.src]]);
  else
    for (const Touch& touch : touches)
      set_value(after, touch.dst, sizeof(Value), touch.map[value_at(state, touch.src, sizeof(Value))]);
}

std::size_t WideMoves::bytes() const noexcept {
  std::size_t all = 0;
  for (const Move& move : moves_)
    all += sizeof move + (move.touches.size() + move.rest.size()) * sizeof(Touch) +
           move.shuffles.size() * sizeof(Shuffle) + move.maps.size() * sizeof(Map);
  return all;
}

#ifdef HSTAR_X86

__attribute__((target("avx512f,avx512bw,avx512vbmi"))) void WideMoves::avx512(const Move& move,
                                                                             const std::uint8_t* state,
                                                                             std::uint8_t* after) const noexcept {
  // The state may be at the end of the memory, so nothing behind it is read.
  const auto load = [&](std::size_t at) __attribute__((target("avx512f,avx512bw,avx512vbmi"))) {
    const std::size_t left = size_ - at;
    if (left >= kRegister) return _mm512_loadu_si512(state + at);
    return _mm512_maskz_loadu_epi8(~__mmask64{0} >> (kRegister - left), state + at);
  };
  auto shuffle = move.shuffles.begin();
  auto map = move.maps.begin();
  for (std::size_t to = 0; to < size_; to += kRegister) {
    __m512i moved = load(to);
    for (; shuffle != move.shuffles.end() && shuffle->to == to; ++shuffle)
      moved = _mm512_mask_permutexvar_epi8(moved, shuffle->taken, _mm512_load_si512(shuffle->index.data()),
                                           load(shuffle->from));
    for (; map != move.maps.end() && map->to == to; ++map)
      moved = _mm512_mask_permutexvar_epi8(moved, map->slots, moved, _mm512_load_si512(map->table.data()));
    _mm512_storeu_si512(after + to, moved);
  }
}

__attribute__((target("avx2"))) void WideMoves::avx2(const Move& move, const std::uint8_t* state,
                                                     std::uint8_t* after) const noexcept {
  alignas(32) std::uint8_t from[WideState::kMost];
  std::memcpy(from, state, size_);
  auto shuffle = move.shuffles.begin();
  for (std::size_t to = 0; to < size_; to += 32) {
    __m256i moved = _mm256_load_si256(reinterpret_cast<const __m256i*>(from + to));
    if (shuffle != move.shuffles.end() && shuffle->to == to) {
      moved = _mm256_setzero_si256();
      for (; shuffle != move.shuffles.end() && shuffle->to == to; ++shuffle) {
        const __m128i piece = _mm_load_si128(reinterpret_cast<const __m128i*>(from + shuffle->from));
        const __m256i index = _mm256_load_si256(reinterpret_cast<const __m256i*>(shuffle->index.data()));
        moved = _mm256_or_si256(moved, _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(piece), index));
      }
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(after + to), moved);
  }
}

#else

void WideMoves::avx512(const Move&, const std::uint8_t*, std::uint8_t*) const noexcept {}
void WideMoves::avx2(const Move&, const std::uint8_t*, std::uint8_t*) const noexcept {}

#endif

}  // namespace hstar
