#include "coset/coset_distances.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/layers.hpp"

namespace hstar {

CosetDistances::CosetDistances(std::shared_ptr<const Coordinate> first, std::shared_ptr<const Coordinate> second,
                               Bytes costs, const Stop& stop)
    : width_(second ? second->size() : 1), distances_(first->size() * width_, kUnreachable) {
  if (second && second->moves() != first->moves()) throw std::invalid_argument("coordinates with different moves");
  const std::size_t moves = first->moves().size();
  if (costs.size() != moves || std::ranges::find(costs, 0) != costs.end())
    throw std::invalid_argument("each move has a cost of at least 1");
  const std::vector<std::uint32_t> nowhere(moves, 0);
  const auto row = [&](std::size_t value) {
    return second ? second->row(static_cast<std::uint32_t>(value)) : nowhere.data();
  };
  distances_[0] = 0;
  Pace pace(stop, 1 << 16);
  if (std::ranges::any_of(costs, [](std::uint8_t cost) { return cost > 1; })) {
    // The entries at d are final once those below have been expanded (Dijkstra). An entry may be nearer than was first
    // seen.
    unsigned farthest = 0;
    for (unsigned d = 0; d <= farthest; ++d)
      for (std::uint32_t a = 0; a < first->size(); ++a) {
        pace.step(width_);
        const std::uint32_t* const after = first->row(a);
        for (std::size_t b = 0; b < width_; ++b) {
          if (distances_[a * width_ + b] != d) continue;
          const std::uint32_t* const beside = row(b);
          for (std::size_t m = 0; m < moves; ++m) {
            std::uint8_t& there = distances_[after[m] * width_ + beside[m]];
            const unsigned with = std::min(d + costs[m], kUnreachable - 1u);
            if (there <= with) continue;
            there = static_cast<std::uint8_t>(with);
            farthest = std::max(farthest, with);
          }
        }
      }
    return;
  }
  // Moves can be undone, so what leads to an entry is what it leads to.
  each_layer(distances_.size(), kUnreachable - 1, [&](unsigned d, std::uint64_t, bool pull) {
    const auto next = static_cast<std::uint8_t>(d + 1);
    std::uint64_t found = 0;
    for (std::uint32_t a = 0; a < first->size(); ++a) {
      pace.step(width_);
      const std::uint32_t* const after = first->row(a);
      std::uint8_t* const here = distances_.data() + a * width_;
      for (std::size_t b = 0; b < width_; ++b) {
        if (here[b] != (pull ? kUnreachable : d)) continue;
        const std::uint32_t* const beside = row(b);
        for (std::size_t m = 0; m < moves; ++m) {
          std::uint8_t& there = distances_[after[m] * width_ + beside[m]];
          if (pull && there == d) {
            here[b] = next;
            ++found;
            break;
          }
          if (!pull && there == kUnreachable) {
            there = next;
            ++found;
          }
        }
      }
    }
    return found;
  });
}

}  // namespace hstar
