#include "relabel.hpp"

#include <algorithm>

#if defined(__x86_64__) && defined(__GNUC__)
#define HSTAR_AVX512VBMI 1
#include <immintrin.h>
#endif

namespace hstar {

Instructions best_instructions() noexcept {
#ifdef HSTAR_AVX512VBMI
  static const bool vbmi = __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw");
  if (vbmi) return Instructions::avx512vbmi;
#endif
  return Instructions::portable;
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
      relabel.source[touch.dst] = touch.src;
      const std::uint8_t* map = puzzle.maps() + touch.map;
      const unsigned values = puzzle.values(touch.src);
      // Slots of fewer values share the table of a map that agrees on those.
      std::array<std::uint8_t, 64> table;
      for (unsigned value = 0; value < 64; ++value) table[value] = value < values ? map[value] : static_cast<std::uint8_t>(value);
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

#ifdef HSTAR_AVX512VBMI

__attribute__((target("avx512f,avx512bw,avx512vbmi"))) void relabel_all(const Relabels& relabels,
                                                                        const std::uint8_t* state, std::size_t slots,
                                                                        void* first, std::size_t count,
                                                                        std::size_t move_at) noexcept {
  const __mmask64 used = slots == 64 ? ~__mmask64{0} : (__mmask64{1} << slots) - 1;
  const __m512i parent = _mm512_maskz_loadu_epi8(used, state);
  const __mmask64 fields = (__mmask64{1} << move_at) - 1;
  auto* record = static_cast<std::uint8_t*>(first);
  for (std::size_t i = 0; i < count; ++i, record += 64) {
    const Relabel& relabel = relabels[record[move_at]];
    __m512i child = _mm512_maskz_permutexvar_epi8(used, _mm512_load_si512(relabel.source.data()), parent);
    for (const Relabel::Map& map : relabel.maps)
      child = _mm512_mask_permutexvar_epi8(child, map.slots, child, _mm512_load_si512(map.table.data()));
    _mm512_mask_storeu_epi8(record, fields, child);  // the other fields of the record are set already
  }
}

#else

void relabel_all(const Relabels&, const std::uint8_t*, std::size_t, void*, std::size_t, std::size_t) noexcept {}

#endif

}  // namespace hstar
