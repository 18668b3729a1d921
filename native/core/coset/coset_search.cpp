#include "coset/coset_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "search/depth_first.hpp"
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

// One thread's coordinates, by depth and view.
class CosetWalker : public DepthFirst<CosetWalker> {
 public:
  static constexpr std::uint64_t kWorthThreads = 10'000;
  static constexpr unsigned kMaxDepth = 250;

  CosetWalker(const CosetHeuristic& heuristic, SharedMeter& shared, Bytes start)
      : DepthFirst(shared, heuristic.space().moves().size()),
        heuristic_(heuristic),
        space_(heuristic.space()),
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
  unsigned root_bound() const {
    if (unreachable_) return kNoBound;
    const auto [least, most] = std::ranges::minmax(frames_[0].distance);
    if (most == heuristic_.unreachable()) return kNoBound;
    return most + (heuristic_.meeting() && least == most && most > 0);
  }

 private:
  friend DepthFirst<CosetWalker>;

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

  void enter() {
    for (std::size_t depth = 0; depth < path().size(); ++depth) {
      const auto move = static_cast<std::size_t>(std::ranges::find(moves_, path()[depth]) - moves_.begin());
      for (std::size_t view = 0; view < views_; ++view) step(frames_[depth], frames_[depth + 1], view, move);
    }
    look_up(frames_[path().size()]);
  }

  template <class Visit>
  bool each_successor(std::uint32_t row, unsigned depth, Visit visit) {
    const auto steps = heuristic_.automaton().steps(static_cast<std::uint16_t>(row));
    Frame &frame = frames_[depth], &after = frames_[depth + 1];
    fit(frame, after, steps, bound() - depth - 1);
    std::size_t counted = 0;
    for (const Child& child : frame.fitting) {
      count_generated(child.step + 1 - std::exchange(counted, child.step + 1));
      for (std::size_t view = 0; view < views_; ++view) {
        step(frame, after, view, steps[child.step].number);
        after.distance[view] = frame.of_children[child.step * views_ + view];
      }
      if (visit(moves_[steps[child.step].number], steps[child.step].next)) return true;
      if (stopping()) return false;
    }
    count_generated(steps.size() - counted);
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
        return distance > left;
      });
    }
    if (heuristic_.meeting() && all_known && left > 0)
      std::erase_if(frame.fitting, [&](const Child& child) {
        const auto* const distances = frame.of_children.data() + child.step * views_;
        return std::all_of(distances, distances + views_, [&](unsigned distance) { return distance == left; });
      });
    if (frame.fitting.size() < steps.size()) prune(bound() + 1);
  }

  bool is_goal() const {
    std::vector<std::uint8_t> state(start_.begin(), start_.end()), after(state.size());
    for (const std::uint8_t move : path()) {
      heuristic_.puzzle().apply(state, move, after.data());
      state.swap(after);
    }
    return std::ranges::equal(state, heuristic_.puzzle().goal());
  }

  const CosetHeuristic& heuristic_;
  const CosetSpace& space_;
  const Bytes start_;
  const std::vector<std::uint8_t>& moves_;
  const std::size_t views_, width_;
  std::vector<Frame> frames_;  // by depth
  bool unreachable_ = false;
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
    std::vector<std::unique_ptr<CosetWalker>> walkers;
    for (unsigned i = 0; i < threads; ++i) walkers.push_back(std::make_unique<CosetWalker>(heuristic, shared, start));
    if (const auto ending = meter.poll()) return meter.finish(*ending);
    const unsigned bound = walkers[0]->root_bound();
    return Deepening<CosetWalker>(shared, std::move(walkers), {}).run(bound);
  });
}

}  // namespace hstar
