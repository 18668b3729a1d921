#include "coset/coset_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "search/deepening.hpp"
#include "search/request.hpp"

namespace hstar {

CosetHeuristic::CosetHeuristic(std::shared_ptr<const PieceSpace> pieces, std::shared_ptr<const CosetSpace> space,
                               std::span<const std::uint8_t> table, unsigned bits, std::shared_ptr<const void> owner,
                               std::vector<View> views, bool meeting)
    : pieces_(std::move(pieces)),
      space_(std::move(space)),
      table_(table),
      packing_{bits},
      owner_(std::move(owner)),
      views_(std::move(views)),
      meeting_(meeting),
      automaton_(pieces_->puzzle(), space_->moves(), Pruning::canonical) {
  if (bits != 4 && bits != 8) throw std::invalid_argument("bits is " + std::to_string(bits) + ", expected 4 or 8");
  if (table_.size() != packing_.bytes(space_->entries()))
    throw std::invalid_argument("table has " + std::to_string(table_.size()) + " bytes, expected " +
                                std::to_string(packing_.bytes(space_->entries())));
  if (views_.empty()) throw std::invalid_argument("no view");
  for (const View& view : views_)
    if (&view.symmetry->space() != pieces_.get() || view.symmetry->inverse() ||
        view.moves.size() != space_->moves().size())
      throw std::invalid_argument("a view is of another puzzle, or of the inverse");
}

bool CosetHeuristic::locate(Bytes state, const View& view, std::uint32_t* values) const {
  std::vector<Place> places(pieces_->pieces());
  pieces_->locate(state, places.data());
  std::vector<std::uint8_t> image(state.begin(), state.end());
  for (std::size_t piece = 0; piece < places.size(); ++piece) {
    const Orbit& orbit = pieces_->orbit(piece);
    const unsigned place = view.symmetry->image(piece, places[view.symmetry->source(piece)]);
    set_value(image.data(), orbit.first + place / orbit.orientations, puzzle().width(),
              pieces_->home(piece) + place % orbit.orientations);
  }
  for (std::size_t i = 0; i < space_->coordinates(); ++i) {
    const auto value = space_->coordinate(i).of(image);
    if (!value) return false;
    values[i] = *value;
  }
  return true;
}

unsigned CosetHeuristic::value(Bytes state) const noexcept {
  if (!pieces_->is_complete(state)) return 0;
  std::vector<std::uint32_t> values(space_->coordinates());
  unsigned most = 0;
  for (const View& view : views_) {
    if (!locate(state, view, values.data())) return kUnreachable;
    const unsigned distance = at(space_->entry(values.data()));
    if (distance == unreachable()) return kUnreachable;
    most = std::max(most, distance);
  }
  return most;
}

unsigned CosetHeuristic::checked_value(Bytes state) const {
  pieces_->check(state, "state");
  return value(state);
}

namespace {

constexpr unsigned kMaxDepth = 250;

class Walker {
 public:
  using Bound = unsigned;
  static constexpr unsigned kNoBound = ~0u;
  static constexpr std::uint64_t kWorthThreads = 10'000;

  Walker(const CosetHeuristic& heuristic, SharedMeter& shared, Bytes start)
      : heuristic_(heuristic),
        space_(heuristic.space()),
        shared_(shared),
        start_(start),
        moves_(space_.moves()),
        views_(heuristic.views().size()),
        width_(space_.coordinates()),
        frames_(kMaxDepth + 2) {
    for (Frame& frame : frames_) {
      frame.values.resize(views_ * width_);
      frame.distance.resize(views_);
    }
    for (unsigned view = 0; view < views_; ++view)
      if (!heuristic.locate(start, heuristic.views()[view], values(frames_[0], view))) unreachable_ = true;
    if (!unreachable_) look_up(frames_[0]);
  }

  // The first bound.
  unsigned bound() const {
    if (unreachable_) return kNoBound;
    const auto [least, most] = std::ranges::minmax(frames_[0].distance);
    if (most == heuristic_.unreachable()) return kNoBound;
    return most + (heuristic_.meeting() && least == most && most > 0);
  }

  bool search(const Subtree& task, unsigned bound, const Order& order) {
    const Settled settled{*this};
    if (!enter(task, bound, &order)) return false;
    const auto depth = static_cast<unsigned>(task.moves.size());
    return dive(static_cast<std::uint16_t>(task.row), depth, bound);
  }
  bool split(const Subtree& task, unsigned bound, std::vector<Subtree>& next) {
    const auto depth = static_cast<unsigned>(task.moves.size());
    if (depth + 1 >= bound) return false;
    const Settled settled{*this};
    if (!enter(task, bound, nullptr) || !may_expand()) return false;
    each_successor(static_cast<std::uint16_t>(task.row), depth, bound, [&](std::uint8_t move, std::uint16_t after) {
      next.push_back({task.moves, after});
      next.back().moves.push_back(move);
      return false;
    });
    return true;
  }
  unsigned take_next() { return std::exchange(cut_, false) ? bound_ + 1 : kNoBound; }
  std::vector<std::uint8_t> path() const { return path_; }

 private:
  struct Settled {
    Walker& walker;
    ~Settled() { walker.shared_.settle(walker.part_); }
  };
  struct Child {
    std::uint64_t entry;
    std::uint8_t step;
  };
  struct Frame {
    std::vector<std::uint32_t> values;       // of the coordinates, by view
    std::vector<std::uint8_t> distance;      // by view; of one that was not looked up, an upper bound
    std::vector<std::uint8_t> of_children;   // distances, by step and view
    std::vector<Child> fitting;
    std::vector<std::uint8_t> order;         // of the views
  };

  std::uint32_t* values(Frame& frame, std::size_t view) const { return frame.values.data() + view * width_; }

  void look_up(Frame& frame) const {
    for (std::size_t view = 0; view < views_; ++view)
      frame.distance[view] = static_cast<std::uint8_t>(heuristic_.at(space_.entry(values(frame, view))));
  }
  void step(const Frame& from, Frame& to, std::size_t view, std::size_t move) const {
    const std::size_t image = heuristic_.views()[view].moves[move];
    for (std::size_t i = 0; i < width_; ++i)
      to.values[view * width_ + i] = space_.coordinate(i).after(from.values[view * width_ + i], image);
  }

  // Goes to the root of a task; false if that is impossible.
  bool enter(const Subtree& task, unsigned bound, const Order* order) {
    order_ = order;
    bound_ = bound;
    stopping_ = false;
    path_ = task.moves;
    if (bound > kMaxDepth) {
      shared_.end(kOutOfMemory);  // the path is full
      return false;
    }
    for (std::size_t depth = 0; depth < path_.size(); ++depth) {
      const auto move = static_cast<std::size_t>(std::ranges::find(moves_, path_[depth]) - moves_.begin());
      for (std::size_t view = 0; view < views_; ++view) step(frames_[depth], frames_[depth + 1], view, move);
    }
    look_up(frames_[path_.size()]);
    return true;
  }

  // Calls visit(move, automaton's next state) for each successor that fits, with its frame made, until it returns true.
  template <class Visit>
  bool each_successor(std::uint16_t before, unsigned depth, unsigned bound, Visit visit) {
    const auto steps = heuristic_.automaton().steps(before);
    Frame &frame = frames_[depth], &after = frames_[depth + 1];
    const unsigned left = bound - depth - 1;
    fit(frame, after, steps, left);
    std::size_t counted = 0;
    for (const Child& child : frame.fitting) {
      part_.generated += child.step + 1 - std::exchange(counted, child.step + 1);
      for (std::size_t view = 0; view < views_; ++view) {
        step(frame, after, view, steps[child.step].number);
        after.distance[view] = frame.of_children[child.step * views_ + view];
      }
      if (visit(moves_[steps[child.step].number], steps[child.step].next)) return true;
      if (stopping_) return false;
    }
    part_.generated += steps.size() - counted;
    return false;
  }

  // Leaves in `fitting` the successors that may be at most `left` moves away. A move changes a distance by at most 1, so
  // views that cannot become too far are not looked up; the farthest are first.
  void fit(Frame& frame, Frame& scratch, std::span<const MoveAutomaton::Step> steps, unsigned left) {
    frame.order.resize(views_);
    std::iota(frame.order.begin(), frame.order.end(), std::uint8_t{0});
    std::ranges::sort(frame.order, [&](std::uint8_t a, std::uint8_t b) {
      return frame.distance[a] != frame.distance[b] ? frame.distance[a] > frame.distance[b] : a < b;
    });
    frame.fitting.clear();
    for (std::size_t i = 0; i < steps.size(); ++i) frame.fitting.push_back({0, static_cast<std::uint8_t>(i)});
    frame.of_children.resize(steps.size() * views_);
    bool all_known = true;
    for (const std::uint8_t view : frame.order) {
      if (frame.distance[view] < left) {
        all_known = false;
        for (const Child& child : frame.fitting)
          frame.of_children[child.step * views_ + view] = static_cast<std::uint8_t>(frame.distance[view] + 1);
        continue;
      }
      for (Child& child : frame.fitting) {
        step(frame, scratch, view, steps[child.step].number);
        child.entry = space_.entry(values(scratch, view));
        heuristic_.prefetch(child.entry);
      }
      std::erase_if(frame.fitting, [&](const Child& child) {
        const unsigned distance = heuristic_.at(child.entry);
        frame.of_children[child.step * views_ + view] = static_cast<std::uint8_t>(distance);
        cut_ |= distance > left;
        return distance > left;
      });
    }
    if (!heuristic_.meeting() || !all_known || left == 0) return;
    std::erase_if(frame.fitting, [&](const Child& child) {
      const auto* const distances = frame.of_children.data() + child.step * views_;
      const bool alike = std::all_of(distances, distances + views_, [&](unsigned distance) { return distance == left; });
      cut_ |= alike;
      return alike;
    });
  }

  bool dive(std::uint16_t before, unsigned depth, unsigned bound) {
    if (depth == bound) {
      const bool goal = is_goal();
      cut_ |= !goal;  // it is in all the subgroups
      return goal;
    }
    if (!may_expand()) return false;
    return each_successor(before, depth, bound, [&](std::uint8_t move, std::uint16_t next) {
      path_.push_back(move);
      if (dive(next, depth + 1, bound)) return true;
      path_.pop_back();
      return false;
    });
  }

  bool is_goal() {
    std::vector<std::uint8_t> state(start_.begin(), start_.end()), after(state.size());
    for (const std::uint8_t move : path_) {
      heuristic_.puzzle().apply(state, move, after.data());
      state.swap(after);
    }
    return std::ranges::equal(state, heuristic_.puzzle().goal());
  }

  bool may_expand() {
    const auto may_go_on = [&] { return order_ == nullptr || order_->may_go_on(); };
    stopping_ = !may_go_on() ||
                (part_.left == 0 && !shared_.refill(part_, moves_.size(), path_.size() * moves_.size(),
                                                    Meter::kPollInterval, may_go_on));
    if (!stopping_) --part_.left;
    return !stopping_;
  }

  const CosetHeuristic& heuristic_;
  const CosetSpace& space_;
  SharedMeter& shared_;
  const Bytes start_;
  const std::vector<std::uint8_t>& moves_;
  const std::size_t views_, width_;
  SharedMeter::Part part_;
  std::vector<Frame> frames_;
  std::vector<std::uint8_t> path_;
  const Order* order_ = nullptr;
  unsigned bound_ = 0;
  bool cut_ = false, stopping_ = false, unreachable_ = false;
};

}  // namespace

Outcome coset_ida_star(Bytes start, const CosetHeuristic& heuristic, const Limits& limits, unsigned threads,
                       Control& control) {
  return within_memory(control, [&](Clock::time_point begin) {
    SearchOptions options;
    options.limits = limits;
    options.threads = threads;
    check_request(heuristic.puzzle(), start, heuristic.space().moves(), options);
    heuristic.pieces().check(start, "start");
    const Budget none(0);
    Meter meter(limits, control, begin, none);
    SharedMeter shared(meter);
    std::vector<std::unique_ptr<Walker>> walkers;
    for (unsigned i = 0; i < threads; ++i) walkers.push_back(std::make_unique<Walker>(heuristic, shared, start));
    if (const auto ending = meter.poll()) return meter.finish(*ending);
    const unsigned bound = walkers[0]->bound();
    return Deepening<Walker>(shared, std::move(walkers), {}).run(bound);
  });
}

}  // namespace hstar
