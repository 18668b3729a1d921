// Permutation groups given by generators: Schreier-Sims with the base 0, 1, 2, ... (Sims 1970; Seress 2003, chapter 4).
//
//   PermutationGroup group({{1, 2, 0, 3}, {1, 0, 2, 3}}, {});
//   group.orbit_size(0) == 3; group.contains(p); group.at({2, 0, 0, 0})
//
// A permutation is a list of images; the product p q is "first p, then q", so (p q)[x] = q[p[x]].
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/stop.hpp"

namespace hstar {

using Point = std::uint16_t;
using Permutation = std::vector<Point>;

Permutation inverse_of(const Permutation& p);
Permutation product(const Permutation& p, const Permutation& q);
bool commute(const Permutation& p, const Permutation& q) noexcept;
// Whether it is an odd permutation of these points, which it keeps among themselves.
bool is_odd(const Permutation& p, std::span<const Point> points);
// By generator, at most 255: the number of its inverse. Throws std::invalid_argument if one has none.
std::vector<std::uint8_t> inverses_of(const std::vector<Permutation>& generators);

struct GroupLimits {
  std::uint64_t memory_bytes = std::uint64_t{1} << 29;  // for the transversals
  std::uint64_t check_steps = 1'000'000'000;            // images looked up while the chain is checked
};

// The chain of stabilisers G = G_0 >= G_1 >= ... of the points 0, 1, 2, ...: G_i fixes all points below i.
//
// require: at least one generator, all of one degree from 1 to 65,536, all one-to-one (else std::invalid_argument).
// ensure:  deterministic. Random elements are sifted until 64 in a row leave nothing; then, if that takes at most
//          `check_steps`, every Schreier generator is sifted, and `proven()` is true. The product of the orbit sizes
//          always divides the order of the group; if `proven()` is false it is too small with a probability of about
//          2^-64. Throws std::bad_alloc if the transversals need more than `memory_bytes`; Stopped.
class PermutationGroup {
 public:
  PermutationGroup(const std::vector<Permutation>& generators, const GroupLimits& limits, const Stop& stop = NoStop());

  std::size_t degree() const noexcept { return degree_; }
  bool proven() const noexcept { return proven_; }
  // The size of the orbit of point i under G_i. The order of the group is the product of all.
  std::size_t orbit_size(std::size_t level) const noexcept { return levels_[level].orbit.size(); }
  bool contains(std::span<const Point> permutation) const;

  // The element chosen by numbers: the image of point i is number `choices[i]`, in ascending order, of the images that
  // the images of the points below i still allow. So elements are numbered in the lexicographic order of their images.
  // Throws std::invalid_argument unless there are `degree()` choices, each below orbit_size(i).
  Permutation at(std::span<const std::size_t> choices) const;

 private:
  struct Level {
    std::vector<Point> orbit;                // of the point i, itself first
    std::vector<std::int32_t> row_of;        // by point: its index in `orbit`, or -1
    std::vector<Point> inverses;             // row after row: the element that takes orbit[row] to i, on points >= i
    std::vector<std::uint32_t> generators;   // numbers in strong_
  };
  struct Strong {
    Permutation element, inverse;
  };

  bool check(std::uint64_t check_steps, const Stop& stop);
  std::optional<std::size_t> sift(Permutation& element, std::size_t from = 0) const;
  bool add_if_new(Permutation element, const Stop& stop, std::size_t from = 0);
  void extend(std::size_t level, std::uint32_t generator);
  void adjoin(std::size_t level, Point from, const Strong& by);

  std::size_t degree_;
  std::uint64_t memory_left_;
  std::vector<Level> levels_;
  std::vector<Strong> strong_;
  bool proven_ = false;
};

// The orbits of the points, each ascending, in the order of their first points.
std::vector<std::vector<Point>> orbits(const std::vector<Permutation>& generators);

// The finest partition of the points that the generators preserve and in which a and b are in one part: by point, the
// least point of its part. A partition that is neither single points nor whole orbits is a block system (Atkinson
// 1975).
std::vector<Point> finest_blocks(const std::vector<Permutation>& generators, Point a, Point b);

}  // namespace hstar
