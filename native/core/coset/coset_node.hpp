// A state as a coset heuristic sees it, and its successors: what depth-first searches over cosets have in common.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "coset/coset_heuristic.hpp"

namespace hstar {

class CosetNode {
 public:
  explicit CosetNode(const CosetHeuristic& heuristic)
      : heuristic_(&heuristic),
        values_(heuristic.coordinates()),
        seats_(heuristic.lookups().size()),
        distances_(seats_.size()) {}

  // Of a state that has every piece once; false if no moves lead to the goal.
  bool begin(Bytes state) {
    for (std::size_t view = 0; view < views(); ++view) {
      std::uint32_t* const values = values_.data() + lookup(view).first;
      if (!heuristic_->locate(state, lookup(view), values)) return false;
      const unsigned distance = lookup(view).table->distance(values);
      if (distance == Database::kUnreachable) return false;
      distances_[view] = static_cast<std::uint8_t>(distance);
      seats_[view] = lookup(view).table->space->seat(values);
    }
    return true;
  }
  // Becomes the successor by one of the moves.
  void follow(const CosetNode& from, std::size_t move) {
    from.step(*this, move);
    for (std::size_t view = 0; view < views(); ++view) {
      const CosetTable& table = *lookup(view).table;
      const std::uint32_t* const values = values_.data() + lookup(view).first;
      const std::uint64_t entry = table.space->entry(seats_[view], [&](std::size_t i) { return values[i]; });
      distances_[view] = static_cast<std::uint8_t>(table.at(entry, from.distances_[view]));
    }
  }
  // The same for a step of those that were fitted to `from`.
  void follow(const CosetNode& from, std::size_t move, std::size_t step) {
    from.step(*this, move);
    std::copy_n(from.of_children_.begin() + static_cast<std::ptrdiff_t>(step * views()), views(), distances_.begin());
  }

  // By coordinate, of one view after another; and by view.
  const std::vector<std::uint32_t>& values() const noexcept { return values_; }
  const std::vector<std::uint8_t>& distances() const noexcept { return distances_; }

  // The steps of which the distance in the view `first` is at most `most`, and in all others at most `left`: no
  // solution of at most `left` more moves follows others. The first view should leave out most; then all others are
  // looked up together, so that they wait for memory once.
  std::span<const std::uint8_t> fit(std::span<const MoveAutomaton::Step> steps, std::size_t first, unsigned most,
                                    unsigned left) {
    fitting_.resize(steps.size());
    std::iota(fitting_.begin(), fitting_.end(), std::uint8_t{0});
    entries_.resize(steps.size() * views());
    of_children_.resize(steps.size() * views());
    find(steps, first);
    look_up(first, most);
    for (const std::uint8_t step : fitting_) {
      const auto& [table, seen, begin] = lookup(first);
      table->space->prefetch(table->space->after(seats_[first], seen->moves[steps[step].number]));
    }
    for (std::size_t view = 0; view < views(); ++view)
      if (view != first) find(steps, view);
    for (std::size_t view = 0; view < views(); ++view)
      if (view != first) look_up(view, left);
    if (heuristic_->meeting() && left > 0)
      std::erase_if(fitting_, [&](std::uint8_t step) {
        const auto* const distances = of_children_.data() + step * views();
        return std::all_of(distances, distances + views(), [&](unsigned distance) { return distance == left; });
      });
    return fitting_;
  }

 private:
  const CosetHeuristic::Lookup& lookup(std::size_t view) const { return heuristic_->lookups()[view]; }
  std::size_t views() const noexcept { return distances_.size(); }

  void step(CosetNode& to, std::size_t move) const {
    for (std::size_t view = 0; view < views(); ++view) {
      const auto& [table, seen, first] = lookup(view);
      const std::size_t image = seen->moves[move];
      to.seats_[view] = table->space->after(seats_[view], image);
      for (std::size_t i = 0; i < table->space->coordinates(); ++i)
        to.values_[first + i] = table->space->coordinate(i).after(values_[first + i], image);
    }
  }
  void find(std::span<const MoveAutomaton::Step> steps, std::size_t view) {
    const auto& [table, seen, first] = lookup(view);
    const CosetSpace& space = *table->space;
    rows_.resize(space.coordinates());
    for (std::size_t i = space.reduced(); i < rows_.size(); ++i) rows_[i] = space.coordinate(i).row(values_[first + i]);
    for (const std::uint8_t step : fitting_) {
      const std::size_t move = seen->moves[steps[step].number];
      const std::uint64_t entry =
          space.entry(space.after(seats_[view], move), [&](std::size_t i) { return rows_[i][move]; });
      entries_[step * views() + view] = entry;
      table->prefetch(entry);
    }
  }
  void look_up(std::size_t view, unsigned most) {
    std::erase_if(fitting_, [&](std::uint8_t step) {
      const std::size_t at = step * views() + view;
      const unsigned distance = lookup(view).table->at(entries_[at], distances_[view]);
      of_children_[at] = static_cast<std::uint8_t>(distance);
      return distance > most;
    });
  }

  const CosetHeuristic* heuristic_;
  std::vector<std::uint32_t> values_;
  std::vector<CosetSpace::Seat> seats_;       // by view
  std::vector<std::uint8_t> distances_;
  std::vector<std::uint64_t> entries_;        // of the successors, by step and view
  std::vector<std::uint8_t> of_children_;     // their distances, by step and view
  std::vector<std::uint8_t> fitting_;         // steps
  std::vector<const std::uint32_t*> rows_;    // of the coordinates of one view that are not reduced
};

}  // namespace hstar
