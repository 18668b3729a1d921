// Chains of words, and searches through them, on small groups.
#include <numeric>

#include "anytime/chain_search.hpp"
#include "check.hpp"

using hstar::HalfWords;
using hstar::Permutation;
using hstar::Point;
using hstar::WordChain;

namespace {

const auto kNever = [] { return false; };

// The 2 x 2 x 2 cube's corners as 8 points that two turns and their inverses permute, without orientations.
const std::vector<Permutation> kTurns = {{1, 2, 3, 0, 4, 5, 6, 7}, {3, 0, 1, 2, 4, 5, 6, 7},
                                         {4, 0, 2, 3, 5, 1, 6, 7}, {1, 5, 2, 3, 0, 4, 6, 7},
                                         {0, 1, 2, 3, 5, 6, 7, 4}, {0, 1, 2, 3, 7, 4, 5, 6}};
const std::vector<Point> kBase = {0, 1, 2, 3, 4, 5, 6, 7};
const std::vector<HalfWords> kKinds = {{{0, 1, 2, 3, 4, 5}, 3, 10'000, 0}, {{0, 1, 2, 3}, 4, 10'000, 3}};

void check_solves(const WordChain& chain) {
  std::uint64_t random = 1;
  for (int trial = 0; trial < 50; ++trial) {
    Permutation element(8);
    std::iota(element.begin(), element.end(), Point{0});
    for (int k = 0; k < 40; ++k) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      for (Point& x : element) x = kTurns[(random >> 33) % kTurns.size()][x];
    }
    for (const std::size_t width : {std::size_t{1}, std::size_t{30}}) {
      const auto way = hstar::descend(chain, element, {width, 0.25}, kNever);
      CHECK(way.ending == hstar::Descent::Ending::kDone);
      CHECK(way.stored > 0 && way.peak_bytes > 0);
      Permutation after = element;
      for (const std::uint8_t m : way.moves)
        for (Point& x : after) x = kTurns[m][x];
      for (std::size_t x = 0; x < after.size(); ++x) CHECK_EQUAL(after[x], x);
    }
  }
}

}  // namespace

TEST(anytime, every_element_is_taken_to_the_identity) {
  const WordChain chain(kTurns, kBase, kKinds, {}, kNever);
  CHECK(chain.complete());
  check_solves(chain);
  for (std::size_t level = 0; level < chain.levels(); ++level)
    for (Point place = 0; place < 8; ++place)
      for (const hstar::Word& word : chain.words(level, place)) {
        CHECK_EQUAL(word.image[place], kBase[level]);
        for (std::size_t above = 0; above < level; ++above) CHECK_EQUAL(word.image[kBase[above]], kBase[above]);
      }
}

TEST(anytime, a_chain_without_halves_is_filled_at_random) {
  const WordChain chain(kTurns, kBase, {}, {}, kNever);
  CHECK(chain.complete());
  check_solves(chain);
}

TEST(anytime, a_chain_is_read_as_it_was_written) {
  const WordChain chain(kTurns, kBase, kKinds, {}, kNever);
  const std::vector<std::uint8_t> text = chain.text();
  const WordChain again(kTurns, kBase, text);
  CHECK(again.text() == text);
  check_solves(again);
  for (std::size_t length = 0; length < text.size(); length += 7)
    CHECK_THROWS(WordChain(kTurns, kBase, std::span(text).first(length)), "does not hold words of this chain");
  for (std::size_t at = 0; at < text.size(); at += 11) {
    std::vector<std::uint8_t> damaged = text;
    damaged[at] ^= 0x55;
    try {
      check_solves(WordChain(kTurns, kBase, damaged));  // a changed word may still fit the chain
    } catch (const std::invalid_argument&) {
    }
  }
}

TEST(anytime, what_cannot_be_is_refused) {
  CHECK_THROWS(WordChain(kTurns, {0, 1, 2}, kKinds, {}, kNever), "does not fix place");
  CHECK_THROWS(WordChain(kTurns, {0, 1, 1}, kKinds, {}, kNever), "twice");
  CHECK_THROWS(WordChain(kTurns, {9}, kKinds, {}, kNever), "place 9");
  CHECK_THROWS(WordChain(kTurns, kBase, {{{6}, 3, 100, 0}}, {}, kNever), "no generator 6");
  const WordChain stopped(kTurns, kBase, kKinds, {}, [] { return true; });
  CHECK(!stopped.complete());
  CHECK_THROWS(hstar::descend(stopped, kBase, {}, kNever), "not complete");
  const std::vector<Permutation> cycle = {{1, 2, 0}, {2, 0, 1}};
  const WordChain chain(cycle, {0, 1, 2}, {}, {}, kNever);
  CHECK_THROWS(hstar::descend(chain, {1, 0, 2}, {}, kNever), "not in the group");
  CHECK(hstar::descend(chain, {1, 2, 0}, {}, [] { return true; }).ending == hstar::Descent::Ending::kStopped);
  hstar::ChainSearchOptions few;
  few.max_expanded = 1;
  const auto expanded = hstar::descend(chain, {1, 2, 0}, few, kNever);
  CHECK(expanded.ending == hstar::Descent::Ending::kExpanded);
  CHECK_EQUAL(expanded.expanded, 1u);
  CHECK(expanded.moves.empty());
  few = {};
  few.max_generated = 0;
  const auto generated = hstar::descend(chain, {1, 2, 0}, few, kNever);
  CHECK(generated.ending == hstar::Descent::Ending::kGenerated);
  CHECK_EQUAL(generated.generated, 0u);
  few = {};
  few.memory_bytes = 1;
  CHECK(hstar::descend(chain, {1, 2, 0}, few, kNever).ending == hstar::Descent::Ending::kMemory);
}
