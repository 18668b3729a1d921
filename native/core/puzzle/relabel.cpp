#include "puzzle/relabel.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#ifdef HSTAR_X86
#include <immintrin.h>
#endif

namespace hstar {

Instructions best_instructions() noexcept {
  static const Instructions best = [] {
    const char* asked = std::getenv("HSTAR_INSTRUCTIONS");
    if (asked != nullptr && std::string_view(asked) == "portable") return Instructions::portable;
#ifdef HSTAR_X86
    const bool at_most_avx2 = asked != nullptr && std::string_view(asked) == "avx2";
    if (!at_most_avx2 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw"))
      return Instructions::avx512vbmi;
    if (__builtin_cpu_supports("avx2")) return Instructions::avx2;
#endif
    return Instructions::portable;
  }();
  return best;
}

Relabels make_relabels(const PermutationPuzzle& puzzle, Bytes moves) {
  if (puzzle.slots() > 64) return {};
  for (std::size_t slot = 0; slot < puzzle.slots(); ++slot)
    if (puzzle.values(slot) > 64) return {};
  Relabels relabels(puzzle.move_count());
  for (const std::uint8_t move : moves) {
    Relabel& relabel = relabels[move];
    for (unsigned slot = 0; slot < 64; ++slot) relabel.source[slot] = static_cast<std::uint8_t>(slot);
    for (const PermutationPuzzle::Touch& touch : puzzle.touches(move)) {
      relabel.source[touch.dst] = static_cast<std::uint8_t>(touch.src);
      const Value* map = puzzle.maps() + touch.map;
      const unsigned values = puzzle.values(touch.src);
      // A slot with fewer values shares the table of a map that agrees on those values.
      std::array<std::uint8_t, 64> table;
      for (unsigned value = 0; value < 64; ++value)
        table[value] = static_cast<std::uint8_t>(value < values ? map[value] : value);
      bool unchanged = true;
      for (unsigned value = 0; value < values; ++value) unchanged = unchanged && map[value] == value;
      if (unchanged) continue;
      const auto same = std::ranges::find(relabel.maps, table, &Relabel::Map::table);
      Relabel::Map& home = same != relabel.maps.end() ? *same : relabel.maps.emplace_back(Relabel::Map{0, table});
      home.slots |= std::uint64_t{1} << touch.dst;
    }
  }
  return relabels;
}

#ifdef HSTAR_X86

#define HSTAR_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

namespace {

// The state after the move; bytes that are not `used` are 0.
HSTAR_TARGET inline __m512i moved(const Relabel& relabel, __mmask64 used, const std::uint8_t* state) noexcept {
  const __m512i parent = _mm512_maskz_loadu_epi8(used, state);
  __m512i moved = _mm512_maskz_permutexvar_epi8(used, _mm512_load_si512(relabel.source.data()), parent);
  for (const Relabel::Map& map : relabel.maps)
    moved = _mm512_mask_permutexvar_epi8(moved, map.slots, moved, _mm512_load_si512(map.table.data()));
  return moved;
}
HSTAR_TARGET inline __mmask64 first(std::size_t size) noexcept { return ~__mmask64{0} >> (64 - size); }

}  // namespace

HSTAR_TARGET void relabel(const Relabel& relabel, const std::uint8_t* state, std::uint8_t* child,
                          std::size_t size) noexcept {
  _mm512_mask_storeu_epi8(child, first(size), moved(relabel, first(size), state));
}
HSTAR_TARGET bool relabels_to(const Relabel& relabel, const std::uint8_t* state, const std::uint8_t* other,
                              std::size_t size) noexcept {
  const __mmask64 used = first(size);
  return _mm512_cmpneq_epi8_mask(moved(relabel, used, state), _mm512_maskz_loadu_epi8(used, other)) == 0;
}
HSTAR_TARGET bool relabel_to_same(const Relabel& a, const std::uint8_t* state_a, const Relabel& b,
                                  const std::uint8_t* state_b, std::size_t size) noexcept {
  const __mmask64 used = first(size);
  return _mm512_cmpneq_epi8_mask(moved(a, used, state_a), moved(b, used, state_b)) == 0;
}

#else

void relabel(const Relabel&, const std::uint8_t*, std::uint8_t*, std::size_t) noexcept {}
bool relabels_to(const Relabel&, const std::uint8_t*, const std::uint8_t*, std::size_t) noexcept { return false; }
bool relabel_to_same(const Relabel&, const std::uint8_t*, const Relabel&, const std::uint8_t*, std::size_t) noexcept {
  return false;
}

#endif

}  // namespace hstar
