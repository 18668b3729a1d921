#include "puzzle/move_automaton.hpp"

#include <algorithm>
#include <cassert>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "puzzle/move_effects.hpp"

namespace hstar {

namespace {

using Step = MoveAutomaton::Step;
using Set = MoveEffects::Set;

// Words: sequences of pairwise commuting moves, in the order of the moves, each the first for its effect. They form a
// tree: a child has one more move. `costs`: of each move.
class Words {
 public:
  static constexpr std::uint32_t kEmpty = 0;

  Words(MoveEffects& effects, const std::vector<unsigned>& costs) : count_(costs.size()) {
    std::unordered_map<MoveEffects::Effect, std::uint32_t, HashEffect> known{{effects.identity(), kEmpty}};
    add({Set().set(), 0, kEmpty, 0});
    std::vector<MoveEffects::Effect> layer{effects.identity()};
    std::uint32_t first = 0;  // word of layer[0]
    for (std::size_t length = 0; length < MoveAutomaton::kMostLength && !layer.empty(); ++length) {
      std::vector<MoveEffects::Effect> longer;
      const auto end = static_cast<std::uint32_t>(first + layer.size());
      for (std::uint32_t word = first; word < end; ++word) {
        for (std::size_t move = words_[word].last; move < count_; ++move) {
          if (!words_[word].commuting[move] || !effects.commuting(move)[move]) continue;
          if (words_.size() == kMostWords || effects.size() > kMostBytes) return;
          if (word != kEmpty && next(words_[word].shorter, move) == kDropped) {
            next(word, move) = kDropped;
            continue;
          }
          MoveEffects::Effect effect = effects.then(layer[word - first], move);
          const unsigned cost = words_[word].cost + costs[move];
          const auto number = static_cast<std::uint32_t>(words_.size());
          const auto [found, fresh] = known.try_emplace(effect, number);
          if (!fresh && words_[found->second].cost <= cost) {
            next(word, move) = kDropped;
            continue;
          }
          next(word, move) = found->second = number;
          const std::uint32_t shorter = word == kEmpty ? kEmpty : next(words_[word].shorter, move);
          add({words_[word].commuting & effects.commuting(move), move, shorter, cost});
          longer.push_back(std::move(effect));
        }
      }
      first = end;
      layer = std::move(longer);
    }
  }

  // The longest word at the end of a sequence that ended with `word` before `move`; nothing if some sequence of
  // commuting moves at its end is not the first for its effect.
  std::optional<std::uint32_t> follow(std::uint32_t word, std::size_t move) const {
    std::uint32_t longest = kEmpty;
    for (;; word = words_[word].shorter) {
      const std::uint32_t longer = next(word, move);
      if (longer == kDropped) return std::nullopt;
      if (longer != kNone && longest == kEmpty) longest = longer;
      if (word == kEmpty) return longest;
    }
  }

 private:
  static constexpr std::uint32_t kDropped = ~std::uint32_t{0};
  static constexpr std::uint32_t kNone = kDropped - 1;  // not a word, or too long
  static constexpr std::size_t kMostWords = 4096;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 22;

  struct Word {
    Set commuting;  // with all its moves
    std::size_t last;
    std::uint32_t shorter;  // the word without its first move
    unsigned cost;
  };
  struct HashEffect {
    std::size_t operator()(const MoveEffects::Effect& effect) const noexcept {
      std::size_t hash = 0;
      for (const auto& [slot, map] : effect) hash = (hash ^ slot ^ std::size_t{map} << 8) * 0x9e3779b97f4a7c15;
      return hash ^ hash >> 32;
    }
  };

  void add(const Word& word) {
    words_.push_back(word);
    next_.resize(next_.size() + count_, kNone);
  }
  // The word extended by `move`, or kDropped or kNone.
  std::uint32_t& next(std::uint32_t word, std::size_t move) { return next_[word * count_ + move]; }
  std::uint32_t next(std::uint32_t word, std::size_t move) const { return next_[word * count_ + move]; }

  std::size_t count_;  // of moves
  std::vector<Word> words_;
  std::vector<std::uint32_t> next_;
};

using Rows = std::vector<std::vector<Step>>;

constexpr std::size_t kMostStates = 1 << 15;

// What a sequence's continuation depends on: its last word, and the moves that would then be out of order.
struct Memory {
  std::uint32_t word;
  Set late;
  bool operator==(const Memory&) const = default;
};
struct HashMemory {
  std::size_t operator()(const Memory& memory) const noexcept {
    return std::hash<Set>{}(memory.late) * 31 + memory.word;
  }
};

// The states and their steps; empty if there are too many. `far`: also look beyond the last move for one that should
// have come later. From move number `last` on, only such moves may follow. back(move, earlier): does it undo the
// earlier one?
template <class Back>
Rows explore(MoveEffects& effects, const Words& words, std::size_t count, std::size_t last, bool far, Back back) {
  std::unordered_map<Memory, std::uint16_t, HashMemory> known{{{Words::kEmpty, {}}, 0}};
  std::vector<Memory> states{{Words::kEmpty, {}}};
  std::vector<Set> late_after(count);  // depends on the last move only
  for (std::size_t move = 0; move < count; ++move)
    for (std::size_t next = 0; next < count; ++next)
      if (!effects.commuting(move)[move]) late_after[move][next] = back(next, move);
  for (std::size_t move = 0; move < count; ++move)
    for (std::size_t earlier = 0; earlier < move; ++earlier)
      late_after[move][earlier] =
          late_after[move][earlier] || effects.commuting(move)[earlier] || (move >= last && earlier < last);
  Rows rows;
  for (std::size_t state = 0; state < states.size(); ++state) {
    std::vector<Step>& row = rows.emplace_back();
    for (std::size_t move = 0; move < count; ++move) {
      const Memory now = states[state];
      if (now.late[move]) continue;
      const auto word = words.follow(now.word, move);
      if (!word) continue;
      Memory next{*word, late_after[move]};
      if (far) next.late |= now.late & effects.commuting(move);
      const auto [found, fresh] = known.try_emplace(next, static_cast<std::uint16_t>(states.size()));
      if (fresh) {
        if (states.size() == kMostStates) return {};
        states.push_back(next);
      }
      row.push_back({static_cast<std::uint16_t>(move), found->second});
    }
  }
  return rows;
}

struct HashLook {
  std::size_t operator()(const std::vector<std::uint32_t>& look) const noexcept {
    std::size_t hash = look.size();
    for (const std::uint32_t word : look) hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
  }
};

// The smallest automaton that allows the same sequences (Moore 1956): states are split by their moves, then by the
// states that these lead to, until nothing changes. The start stays state 0.
Rows minimised(const Rows& rows) {
  std::vector<std::uint16_t> kind(rows.size(), 0);
  std::size_t kinds = 1;
  for (;;) {
    std::unordered_map<std::vector<std::uint32_t>, std::uint16_t, HashLook> numbers;
    std::vector<std::uint16_t> finer;
    for (std::size_t state = 0; state < rows.size(); ++state) {
      std::vector<std::uint32_t> look{kind[state]};
      for (const Step& step : rows[state]) look.push_back(std::uint32_t{step.number} << 16 | kind[step.next]);
      finer.push_back(numbers.try_emplace(std::move(look), static_cast<std::uint16_t>(numbers.size())).first->second);
    }
    kind = std::move(finer);
    if (numbers.size() == kinds) break;
    kinds = numbers.size();
  }
  Rows smallest(kinds);
  for (std::size_t state = 0; state < rows.size(); ++state) {
    std::vector<Step>& row = smallest[kind[state]];
    if (!row.empty()) continue;
    for (const Step& step : rows[state]) row.push_back({step.number, kind[step.next]});
  }
  return smallest;
}

// The largest set of moves that each other move turns into one another, at the same cost, unless all of them commute
// with all others, which is known anyway.
Set turned_into_one_another(MoveEffects& effects, const std::vector<unsigned>& costs) {
  const std::size_t count = costs.size();
  std::vector<std::vector<std::optional<std::size_t>>> image(count, std::vector<std::optional<std::size_t>>(count));
  Set found;
  for (std::size_t move = 0; move < count; ++move) {
    bool all = true;
    for (std::size_t by = 0; all && by < count; ++by) {
      auto& other = image[move][by];
      if (effects.commuting(move)[by]) other = move;
      for (std::size_t one = 0; one < count && !other; ++one)
        if (costs[one] == costs[move] && effects.becomes(move, by, one)) other = one;
      all = other.has_value();
    }
    found[move] = all;
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t move = 0; move < count; ++move) {
      const auto stays = [&](const std::optional<std::size_t>& other) { return found[*other]; };
      if (!found[move] || std::ranges::all_of(image[move], stays)) continue;
      found.reset(move);
      changes = true;
    }
  }
  bool commutes = true;
  for (std::size_t move = 0; move < count; ++move)
    for (std::size_t by = 0; by < count; ++by) commutes &= !found[move] || found[by] || effects.commuting(move)[by];
  return commutes ? Set() : found;
}

// `last`: is set for the moves that come last in the order.
Rows canonical(const PermutationPuzzle& puzzle, Bytes moves, const std::vector<unsigned>& costs,
               std::vector<bool>& last) {
  const Set at_the_end = [&] {
    MoveEffects effects(puzzle, moves);
    if (puzzle.forbids()) return Set();
    return turned_into_one_another(effects, costs);
  }();
  for (std::size_t number = 0; number < moves.size(); ++number) last[number] = at_the_end[number];
  std::vector<std::uint16_t> order;
  for (const bool now : {false, true})
    for (std::size_t number = 0; number < moves.size(); ++number)
      if (last[number] == now) order.push_back(static_cast<std::uint16_t>(number));
  std::vector<std::uint8_t> ordered;
  std::vector<unsigned> ordered_costs;
  for (const std::uint16_t number : order) {
    ordered.push_back(moves[number]);
    ordered_costs.push_back(costs[number]);
  }
  MoveEffects effects(puzzle, ordered);
  const Words words(effects, ordered_costs);
  const std::size_t before = moves.size() - at_the_end.count();
  const auto back = [&](std::size_t move, std::size_t earlier) {
    return puzzle.inverse(ordered[move]) == ordered[earlier];
  };
  Rows rows = explore(effects, words, moves.size(), before, true, back);
  if (rows.empty()) rows = explore(effects, words, moves.size(), before, false, back);
  for (std::vector<Step>& row : rows) {
    for (Step& step : row) step.number = order[step.number];
    std::ranges::sort(row, {}, &Step::number);
  }
  return minimised(rows);
}

// A cache of the automata last asked for: they depend on the moves alone, and take milliseconds to make.
struct Kept {
  std::uint64_t puzzle;
  Pruning pruning;
  std::vector<std::uint16_t> moves;
  std::vector<std::uint8_t> costs;
  std::shared_ptr<const MoveAutomaton> automaton;
};
constexpr std::size_t kMostKept = 32;

}  // namespace

std::shared_ptr<const MoveAutomaton> MoveAutomaton::of(const Puzzle& puzzle, Bytes moves, Pruning pruning,
                                                       Bytes costs) {
  static std::mutex mutex;
  static auto* const kept = new std::deque<Kept>;  // never destroyed: a daemon thread may still be searching at exit
  const std::vector<std::uint16_t> wanted(moves.begin(), moves.end());
  const std::lock_guard hold(mutex);
  for (const Kept& one : *kept)
    if (one.puzzle == puzzle.identity() && one.pruning == pruning && one.moves == wanted &&
        std::ranges::equal(one.costs, costs))
      return one.automaton;
  if (kept->size() == kMostKept) kept->pop_back();
  kept->push_front({puzzle.identity(), pruning, wanted, {costs.begin(), costs.end()},
                    std::make_shared<const MoveAutomaton>(puzzle, moves, pruning, costs)});
  return kept->front().automaton;
}

MoveAutomaton::MoveAutomaton(const Puzzle& puzzle, Bytes moves, Pruning pruning, Bytes costs)
    : last_(moves.size(), false) {
  const auto* permutation = dynamic_cast<const PermutationPuzzle*>(&puzzle);
  if (pruning == Pruning::canonical && permutation != nullptr) {
    std::vector<unsigned> each(costs.begin(), costs.end());
    if (costs.empty()) each.assign(moves.size(), 1);
    for (const std::vector<Step>& row : canonical(*permutation, moves, each, last_)) add_state(row);
    assert(valid(moves.size()));
    if (states() > 0) return;
    last_.assign(moves.size(), false);
  }
  const auto undoes = [&](unsigned move, unsigned last) {
    return permutation != nullptr ? permutation->inverse(move) == last : (move ^ 2) == last;
  };
  // The state is 1 + the number of the last move; without pruning there is only the start.
  const bool remember = pruning != Pruning::none;
  for (std::size_t last = 0; last < (remember ? moves.size() + 1 : 1); ++last) {
    std::vector<Step> row;
    for (std::size_t i = 0; i < moves.size(); ++i)
      if (last == 0 || !undoes(moves[i], moves[last - 1]))
        row.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(remember ? i + 1 : 0)});
    add_state(row);
  }
  assert(valid(moves.size()));
}

std::uint16_t MoveAutomaton::after(Bytes moves, Bytes path) const {
  std::uint16_t state = kStart;
  for (const std::uint8_t move : path) {
    const auto found = std::ranges::find(steps(state), move, [&](const Step& step) { return moves[step.number]; });
    if (found == steps(state).end()) throw std::invalid_argument("the root of the part is not below the start");
    state = found->next;
  }
  return state;
}

bool MoveAutomaton::valid(std::size_t moves) const noexcept {
  for (std::size_t state = 0; state < states(); ++state) {
    std::size_t least = 0;
    for (const auto& [number, next] : steps(static_cast<std::uint16_t>(state))) {
      if (number < least || number >= moves || next >= states()) return false;
      least = std::size_t{number} + 1;
    }
  }
  return true;
}

void MoveAutomaton::add_state(std::span<const Step> steps) {
  steps_.insert(steps_.end(), steps.begin(), steps.end());
  first_.push_back(steps_.size());
}

}  // namespace hstar
