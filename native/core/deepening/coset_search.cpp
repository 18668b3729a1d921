#include "deepening/coset_search.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "coset/coset_node.hpp"
#include "deepening/depth_first.hpp"
#include "search/request.hpp"

namespace hstar {

namespace {

constexpr unsigned kEndless = std::numeric_limits<unsigned>::max();

// One thread's search, depth first over a few states at a time: the entries of all their successors are asked for
// before the first is looked at, so that a thread waits for memory once for many of them.
class CosetWalker : public DepthFirst<CosetWalker> {
 public:
  static constexpr std::uint64_t kWorthThreads = 10'000;
  static constexpr unsigned kMaxDepth = 250;

  CosetWalker(const CosetHeuristic& heuristic, SharedMeter& shared, Bytes start, unsigned longest)
      : DepthFirst(shared, heuristic.moves().size()),
        heuristic_(heuristic),
        inverse_(heuristic.inverse()),
        start_(start),
        longest_(longest),
        parity_(heuristic.parity().of(start)),
        moves_(heuristic.moves()),
        lookups_(heuristic.lookups()),
        views_(lookups_.size()),
        pieces_(heuristic.pieces().alike() ? 0 : heuristic.pieces().pieces()),
        keeping_(moves_.size(), 0),
        every_view_(views_ < kMostMarked ? (std::uint64_t{1} << views_) - 1 : ~std::uint64_t{0}),
        root_(heuristic),
        levels_(kMaxDepth + 2) {
    for (const CosetHeuristic::Lookup& lookup : lookups_) {
      first_number_.push_back(numbers_);
      numbers_ += 1 + lookup.table->space->coordinates() - lookup.table->space->reduced();
      for (std::size_t move = 0; move < moves_.size(); ++move)
        if (first_number_.size() <= kMostMarked && (lookup.table->normal || heuristic.keeps(lookup, move)))
          keeping_[move] |= std::uint64_t{1} << (first_number_.size() - 1);
    }
    find_resting();
    unreachable_ = !root_.begin(start);
    if (!unreachable_) enter();
  }

  // The first bound.
  unsigned root_bound() const {
    if (unreachable_) return kNoBound;
    const std::uint8_t* const distances = levels_[0].distances.data();
    const auto of = [&](const std::uint8_t* views) {
      const auto [least, most] = std::ranges::minmax(std::span(views, views_));
      return most + unsigned{heuristic_.meeting() && least == most && most > 0};
    };
    return possible(inverse_.known() ? std::max(of(distances), of(distances + views_)) : of(distances));
  }
  unsigned take_next() noexcept { return possible(DepthFirst::take_next()); }

  // The sum of all distances.
  unsigned nearness(const Subtree& task) {
    path_ = task.moves;
    enter();
    const std::vector<std::uint8_t>& distances = levels_[path_.size()].distances;
    return std::accumulate(distances.begin(), distances.end(), 0u);
  }
  std::uint32_t row_of(Bytes path) const { return heuristic_.automaton().after(moves_, path); }

 private:
  friend DepthFirst<CosetWalker>;

  static constexpr std::size_t kTogether = 16;   // states whose successors are looked up together
  static constexpr std::size_t kMostMarked = 64;  // views

  // States of one depth.
  struct Level {
    struct Made {
      std::uint32_t before;  // number of a state of the level before, and the move from there
      std::uint16_t row;
      std::uint8_t move;
    };
    std::vector<Made> made;
    std::vector<std::uint32_t> numbers;    // by state and view: its seat, then the values that are not reduced
    std::vector<std::uint8_t> distances;   // by state: of all views, then at most those of all views of the inverse
    std::vector<Place> places;             // by state: of its pieces
  };
  struct Successor {
    std::uint32_t of;           // number of a state
    std::uint16_t number, row;  // of the move, and what it leads to
  };

  // The least length of a solution that is at least the bound.
  unsigned possible(unsigned bound) const noexcept {
    if (bound == kNoBound) return kNoBound;
    if (heuristic_.parity().known()) bound += (bound + parity_) % 2;
    return bound > longest_ ? kNoBound : bound;
  }

  // The pieces that are in slots which moves that come last do not touch.
  void find_resting() {
    const MoveAutomaton& automaton = heuristic_.automaton();
    if (pieces_ == 0 || !automaton.has_last()) return;
    std::vector<bool> rests(pieces_, true);
    for (std::size_t number = 0; number < moves_.size(); ++number)
      if (automaton.last()[number])
        for (const PermutationPuzzle::Touch& touch : heuristic_.pieces().puzzle().touches(moves_[number]))
          rests[touch.dst] = rests[touch.src] = false;
    for (std::size_t piece = 0; piece < pieces_; ++piece)
      if (rests[piece]) resting_.push_back(piece);
  }

  // Begins with the state at the end of path().
  void enter() {
    const std::vector<std::uint8_t> state = state_after(path());
    root_.begin(state);
    Level& level = levels_[path().size()];
    level = {};
    level.made.push_back({0, static_cast<std::uint16_t>(row_of(path())), 0});
    level.distances = root_.distances();
    level.distances.resize(2 * views_, 0);
    for (const auto& [table, seen, first] : lookups_) {
      const std::uint32_t* const values = root_.values().data() + first;
      level.numbers.push_back(table->space->seat(values));
      level.numbers.insert(level.numbers.end(), values + table->space->reduced(), values + table->space->coordinates());
    }
    if (pieces_ == 0) return;
    level.places.resize(pieces_);
    heuristic_.pieces().locate(state, level.places.data());
    if (!inverse_.known()) return;
    std::vector<std::uint32_t> values(heuristic_.coordinates());
    inverse_.find(level.places.data(), values.data());
    inverse_.look_up(values.data());
    for (std::size_t view = 0; view < views_; ++view)
      if (!lookups_[view].table->normal)
        level.distances[views_ + view] = static_cast<std::uint8_t>(
            lookups_[view].table->at_least(find_inverse(view, values.data() + lookups_[view].first)));
  }

  bool dive(std::uint32_t, unsigned depth) { return descend(depth); }

  template <class Visit>
  bool each_successor(std::uint32_t, unsigned depth, Visit visit) {
    expand(depth, 0, 1);
    for (const typename Level::Made& made : levels_[depth + 1].made)
      if (visit(made.move, made.row)) return true;
    return false;
  }

  // Below all states of a level.
  bool descend(unsigned depth) {
    const std::size_t states = levels_[depth].made.size();
    if (depth == bound()) {
      for (std::size_t state = 0; state < states; ++state)
        if (is_goal(depth, state)) return true;
      if (states > 0) prune(bound() + 1);  // their successors are farther, though the tables say that they are the goal
      return false;
    }
    for (std::size_t begin = 0, end = 0; begin < states; begin = end) {
      while (end < states && end < begin + kTogether && may_expand()) ++end;
      expand(depth, begin, end);
      if (stopping()) return false;
      if (descend(depth + 1)) return true;
      if (stopping()) return false;
    }
    return false;
  }

  // Makes the next level of the successors of some states that may be within the bound. A view is looked up before the
  // inverse only if it may be too far: one move changes its distance by at most 1.
  void expand(unsigned depth, std::size_t begin, std::size_t end) {
    const Level& level = levels_[depth];
    const unsigned left = bound() - depth - 1;
    successors_.clear();
    entries_.clear();
    order_.resize(2 * (end - begin) * views_);
    const std::uint16_t* const order = order_.data();
    std::size_t all = 0;
    for (std::size_t state = begin; state < end; ++state) {
      sort_views(level, state, order_.data() + 2 * (state - begin) * views_);
      all += add_successors(level, state, order[2 * (state - begin) * views_], left);
    }
    count_generated(all);
    found_.resize(successors_.size() * views_);
    fitting_.resize(successors_.size());
    std::iota(fitting_.begin(), fitting_.end(), std::uint32_t{0});
    for (std::size_t rank = 0; rank < views_; ++rank) {
      const auto view_of = [&](std::uint32_t i) { return order[2 * (successors_[i].of - begin) * views_ + rank]; };
      if (rank > 0)
        for (const std::uint32_t i : fitting_)
          if (distance(level, i, view_of(i)) >= left) find(level, i, view_of(i));
      for (const std::uint32_t i : fitting_)
        if (distance(level, i, view_of(i)) >= left) prefetch(i, view_of(i));
      std::erase_if(fitting_, [&](std::uint32_t i) {
        return distance(level, i, view_of(i)) >= left && look_up(level, i, view_of(i)) > left;
      });
    }
    if (pieces_ > 0) place(level);
    if (inverse_.known()) leave_out_inverses(level, order + views_, begin, left);
    for (std::size_t view = 0; view < views_; ++view) {
      for (const std::uint32_t i : fitting_)
        if (distance(level, i, view) < left) find(level, i, view);
      for (const std::uint32_t i : fitting_)
        if (distance(level, i, view) < left) prefetch(i, view);
      for (const std::uint32_t i : fitting_)
        if (distance(level, i, view) < left) look_up(level, i, view);
    }
    // The nearest first, by the sum of their distances: so a solution is found sooner.
    const auto sum = [&](std::uint32_t i) {
      return std::pair(std::accumulate(found_.data() + i * views_, found_.data() + (i + 1) * views_, 0u), i);
    };
    std::ranges::sort(fitting_, {}, sum);
    make(level, levels_[depth + 1], left);
    if (levels_[depth + 1].made.size() < all) prune(bound() + 1);
  }

  // All views at one distance, which is what is left.
  bool meets_farther(const std::uint8_t* distances, unsigned left) const noexcept {
    return heuristic_.meeting() && left > 0 &&
           std::all_of(distances, distances + views_, [&](unsigned distance) { return distance == left; });
  }

  // The views of a state, the farthest first, and then those of its inverse.
  void sort_views(const Level& level, std::size_t state, std::uint16_t* order) const noexcept {
    const std::uint8_t* distances = level.distances.data() + state * 2 * views_;
    for (const std::size_t side : {0, 1}) {
      for (std::size_t i = 0; i < views_; ++i) {
        std::size_t at = side * views_ + i;
        for (; at > side * views_ && distances[order[at - 1]] < distances[i]; --at) order[at] = order[at - 1];
        order[at] = static_cast<std::uint16_t>(i);
      }
      distances += views_;
    }
  }

  // Returns how many successors a state has, and finds their entries in one view. Those are left out of which the
  // inverse stays in a coset that is too far.
  std::size_t add_successors(const Level& level, std::size_t state, std::size_t view, unsigned left) {
    const std::uint8_t* const distances = level.distances.data() + state * 2 * views_;
    std::uint64_t far = 0;
    for (std::size_t other = 0; inverse_.known() && other < std::min(views_, kMostMarked); ++other)
      far |= std::uint64_t{distances[views_ + other] > left} << other;
    const MoveAutomaton& automaton = heuristic_.automaton();
    const std::uint16_t row = level.made[state].row;
    const Place* const places = level.places.data() + state * pieces_;
    const auto rests = [&](std::size_t piece) { return places[piece] == heuristic_.pieces().home(piece); };
    const auto steps =
        std::ranges::all_of(resting_, rests) ? automaton.steps(row) : automaton.steps_before_last(row, kept_);
    const auto& [table, seen, at] = lookups_[view];
    const CosetSpace& space = *table->space;
    const std::uint32_t* const numbers = level.numbers.data() + state * numbers_ + first_number_[view];
    const CosetSpace::SeatRow seats = space.row(numbers[0]);
    rows_.resize(space.coordinates());
    for (std::size_t i = space.reduced(); i < rows_.size(); ++i)
      rows_[i] = space.coordinate(i).row(numbers[1 + i - space.reduced()]);
    const bool looked_up = distances[view] >= left;
    for (const auto& [number, next] : steps) {
      if ((keeping_[number] & far) != 0) continue;
      successors_.push_back({static_cast<std::uint32_t>(state), number, next});
      entries_.push_back(0);
      if (!looked_up) continue;
      const std::size_t move = seen->moves[number];
      entries_.back() = space.entry(seats.after(move), [&](std::size_t i) { return rows_[i][move]; });
    }
    return steps.size();
  }

  // Of the state before a successor.
  unsigned distance(const Level& level, std::uint32_t i, std::size_t view) const noexcept {
    return level.distances[successors_[i].of * 2 * views_ + view];
  }
  void find(const Level& level, std::uint32_t i, std::size_t view) noexcept {
    const auto& [table, seen, first] = lookups_[view];
    const CosetSpace& space = *table->space;
    const Successor& successor = successors_[i];
    const std::uint32_t* const numbers = level.numbers.data() + successor.of * numbers_ + first_number_[view];
    const std::size_t move = seen->moves[successor.number], reduced = space.reduced();
    entries_[i] = space.entry(space.after(numbers[0], move), [&](std::size_t coordinate) {
      return space.coordinate(coordinate).after(numbers[1 + coordinate - reduced], move);
    });
  }
  // In a loop of its own: what finds an entry keeps those after it from being asked for.
  void prefetch(std::uint32_t i, std::size_t view) const noexcept { lookups_[view].table->prefetch(entries_[i]); }
  unsigned look_up(const Level& level, std::uint32_t i, std::size_t view) noexcept {
    const unsigned there = lookups_[view].table->at(entries_[i], distance(level, i, view));
    found_[i * views_ + view] = static_cast<std::uint8_t>(there);
    return there;
  }

  // The places of the pieces of those that fit.
  void place(const Level& level) {
    const PieceSpace& pieces = heuristic_.pieces();
    placed_.resize(successors_.size() * pieces_);
    for (const std::uint32_t i : fitting_) {
      const Place* const from = level.places.data() + successors_[i].of * pieces_;
      Place* const to = placed_.data() + i * pieces_;
      for (unsigned number = 0; number < pieces.orbits().size(); ++number) {
        const Orbit& orbit = pieces.orbits()[number];
        const Place* const carry = pieces.carry(moves_[successors_[i].number], number);
        for (std::size_t piece = orbit.first; piece < orbit.first + orbit.pieces; ++piece)
          to[piece] = carry[from[piece]];
      }
    }
  }

  // Leaves out those of which the inverse is too far. Its distances are at least of_inverses_, which need no look-up in
  // views in which it stays in its coset, or of a normal subgroup: there they are left at 0.
  void leave_out_inverses(const Level& level, const std::uint16_t* order, std::size_t begin, unsigned left) {
    const std::size_t coordinates = heuristic_.coordinates();
    inverse_values_.resize(successors_.size() * coordinates);
    of_inverses_.resize(successors_.size() * views_);
    const auto moves_inverse = [&](std::uint32_t i) {
      return views_ > kMostMarked || keeping_[successors_[i].number] != every_view_;
    };
    for (const std::uint32_t i : fitting_)
      if (moves_inverse(i)) inverse_.find(placed_.data() + i * pieces_, inverse_values_.data() + i * coordinates);
    for (const std::uint32_t i : fitting_)
      if (moves_inverse(i)) inverse_.look_up(inverse_values_.data() + i * coordinates);
    for (std::size_t rank = 0; rank < views_; ++rank) {
      const auto view_of = [&](std::uint32_t i) { return order[2 * (successors_[i].of - begin) * views_ + rank]; };
      const auto stays = [&](std::uint32_t i) {
        const std::size_t view = view_of(i);
        if (view >= kMostMarked) return lookups_[view].table->normal;
        return (keeping_[successors_[i].number] >> view & 1) != 0;
      };
      const auto values_of = [&](std::uint32_t i) {
        return inverse_values_.data() + i * coordinates + lookups_[view_of(i)].first;
      };
      for (const std::uint32_t i : fitting_)
        if (!stays(i)) prefetch_seat(view_of(i), values_of(i));
      for (const std::uint32_t i : fitting_)
        if (!stays(i)) entries_[i] = find_inverse(view_of(i), values_of(i));
      for (const std::uint32_t i : fitting_)
        if (!stays(i)) prefetch(i, view_of(i));
      std::erase_if(fitting_, [&](std::uint32_t i) {
        const std::size_t view = view_of(i);
        const unsigned least = stays(i) ? level.distances[(successors_[i].of * 2 + 1) * views_ + view]
                                        : lookups_[view].table->at_least(entries_[i]);
        of_inverses_[i * views_ + view] = static_cast<std::uint8_t>(least);
        return least > left;
      });
    }
    std::erase_if(fitting_, [&](std::uint32_t i) { return meets_farther(of_inverses_.data() + i * views_, left); });
  }
  std::uint32_t sum_of(std::size_t view, const std::uint32_t* values) const noexcept {
    return std::accumulate(values, values + lookups_[view].table->space->reduced(), std::uint32_t{0});
  }
  void prefetch_seat(std::size_t view, const std::uint32_t* values) const noexcept {
    lookups_[view].table->space->prefetch_seat_at(sum_of(view, values));
  }
  std::uint64_t find_inverse(std::size_t view, const std::uint32_t* values) const noexcept {
    const CosetSpace& space = *lookups_[view].table->space;
    return space.entry(space.seat_at(sum_of(view, values)), [&](std::size_t i) { return values[i]; });
  }

  // Makes states of those that fit.
  void make(const Level& level, Level& next, unsigned left) {
    next.made.clear();
    next.numbers.clear();
    next.distances.clear();
    next.places.clear();
    for (const std::uint32_t i : fitting_) {
      const std::uint8_t* const distances = found_.data() + i * views_;
      if (meets_farther(distances, left)) continue;
      const Successor& successor = successors_[i];
      next.made.push_back({successor.of, successor.row, moves_[successor.number]});
      next.distances.insert(next.distances.end(), distances, distances + views_);
      if (inverse_.known())
        next.distances.insert(next.distances.end(), of_inverses_.data() + i * views_,
                              of_inverses_.data() + (i + 1) * views_);
      next.distances.resize(next.made.size() * 2 * views_, 0);
      next.places.insert(next.places.end(), placed_.data() + i * pieces_, placed_.data() + (i + 1) * pieces_);
      const std::uint32_t* numbers = level.numbers.data() + successor.of * numbers_;
      for (const auto& [table, seen, first] : lookups_) {
        const CosetSpace& space = *table->space;
        const std::size_t move = seen->moves[successor.number];
        next.numbers.push_back(space.after(*numbers++, move));
        space.prefetch(next.numbers.back());
        for (std::size_t coordinate = space.reduced(); coordinate < space.coordinates(); ++coordinate)
          next.numbers.push_back(space.coordinate(coordinate).after(*numbers++, move));
      }
    }
  }

  std::vector<std::uint8_t> state_after(const std::vector<std::uint8_t>& path) const {
    std::vector<std::uint8_t> state(start_.begin(), start_.end()), after(state.size());
    for (const std::uint8_t move : path) {
      heuristic_.puzzle().apply(state, move, after.data());
      state.swap(after);
    }
    return state;
  }
  // Then path() ends there.
  bool is_goal(unsigned depth, std::size_t state) {
    std::vector<std::uint8_t> whole(depth);
    std::ranges::copy(path(), whole.begin());
    for (std::size_t at = depth; at > path().size(); --at) {
      whole[at - 1] = levels_[at].made[state].move;
      state = levels_[at].made[state].before;
    }
    if (!std::ranges::equal(state_after(whole), heuristic_.puzzle().goal())) return false;
    path_ = whole;
    return true;
  }

  const CosetHeuristic& heuristic_;
  const InverseCoordinates& inverse_;
  const Bytes start_;
  const unsigned longest_, parity_;
  const std::vector<std::uint8_t>& moves_;
  const std::vector<CosetHeuristic::Lookup>& lookups_;
  const std::size_t views_, pieces_;         // 0 pieces: some look alike
  std::vector<std::uint64_t> keeping_;       // by move: the views without a look-up of the inverse after it, as bits
  const std::uint64_t every_view_;
  std::vector<std::size_t> first_number_;    // by view, among the numbers of a state
  std::size_t numbers_ = 0;
  std::vector<std::size_t> resting_;         // pieces, if there are moves that come last
  bool unreachable_ = false;
  CosetNode root_;
  std::vector<Level> levels_;                // by depth
  // What is looked up at one time.
  std::vector<Successor> successors_;
  std::vector<std::uint32_t> fitting_;        // numbers of successors
  std::vector<std::uint16_t> order_;          // by state: views of it, and of its inverse
  std::vector<std::uint64_t> entries_;        // by successor
  std::vector<std::uint8_t> found_, of_inverses_;  // by successor and view: distances
  std::vector<Place> placed_;                 // by successor and piece
  std::vector<std::uint32_t> inverse_values_;  // by successor and coordinate
  std::vector<MoveAutomaton::Step> kept_;
  std::vector<const std::uint32_t*> rows_;    // of the coordinates of one view that are not reduced
};

}  // namespace

Outcome coset_ida_star(Bytes start, const CosetHeuristic& heuristic, const Limits& limits, unsigned threads,
                       Control& control, unsigned longest, const std::optional<Part>& part) {
  return within_memory(control, [&](Clock::time_point begin) {
    SearchOptions options;
    options.limits = limits;
    options.threads = threads;
    check_request(heuristic.puzzle(), start, heuristic.moves(), options);
    heuristic.pieces().check(start, "start");
    if (heuristic.pieces().puzzle().forbids())
      throw std::invalid_argument("this search is for puzzles without forbidden moves");
    const Budget none(0);
    Meter meter(limits, control, begin, none);
    Outcome outcome = deepen(
        meter, threads, MoveAutomaton::kStart, part,
        [&](SharedMeter& shared) { return std::make_unique<CosetWalker>(heuristic, shared, start, longest); },
        [](const CosetWalker& walker) { return walker.root_bound(); });
    if (outcome.status == Status::exhausted && !part && longest < kEndless) outcome.f_bound = longest + 1.0;
    return outcome;
  });
}

}  // namespace hstar
