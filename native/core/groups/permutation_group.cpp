#include "groups/permutation_group.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/partition.hpp"
#include "base/splitmix.hpp"

namespace hstar {

Permutation inverse_of(const Permutation& p) {
  Permutation inverse(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) inverse[p[i]] = static_cast<Point>(i);
  return inverse;
}

Permutation product(const Permutation& p, const Permutation& q) {
  Permutation result(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) result[i] = q[p[i]];
  return result;
}

bool commute(const Permutation& p, const Permutation& q) noexcept {
  for (std::size_t i = 0; i < p.size(); ++i)
    if (q[p[i]] != p[q[i]]) return false;
  return true;
}

bool is_odd(const Permutation& p, std::span<const Point> points) {
  std::vector<bool> seen(p.size());
  std::size_t transpositions = points.size();  // one less for each cycle
  for (const Point point : points) {
    transpositions -= !seen[point];
    for (Point x = point; !seen[x]; x = p[x]) seen[x] = true;
  }
  return transpositions % 2 != 0;
}

std::vector<std::uint8_t> inverses_of(const std::vector<Permutation>& generators) {
  std::vector<std::uint8_t> numbers;
  for (const Permutation& generator : generators) {
    const auto inverse = std::ranges::find(generators, inverse_of(generator));
    if (inverse == generators.end()) throw std::invalid_argument("a move has no inverse");
    numbers.push_back(static_cast<std::uint8_t>(inverse - generators.begin()));
  }
  return numbers;
}

namespace {

constexpr int kTrivialInARow = 64;

void check_generators(const std::vector<Permutation>& generators) {
  if (generators.empty()) throw std::invalid_argument("a group needs at least one generator");
  const std::size_t degree = generators.front().size();
  constexpr std::size_t kMost = std::size_t{std::numeric_limits<Point>::max()} + 1;
  if (degree < 1 || degree > kMost)
    throw std::invalid_argument("the degree is " + std::to_string(degree) + ", expected 1 to " + std::to_string(kMost));
  for (std::size_t g = 0; g < generators.size(); ++g) {
    if (generators[g].size() != degree)
      throw std::invalid_argument("generator " + std::to_string(g) + " differs in degree from generator 0");
    std::vector<bool> seen(degree);
    for (const Point image : generators[g]) {
      if (image >= degree || seen[image])
        throw std::invalid_argument("generator " + std::to_string(g) + " is not one-to-one");
      seen[image] = true;
    }
  }
}

// Random elements by product replacement with an accumulator (Celler et al. 1995, Leedham-Green's "rattle").
class RandomElements {
 public:
  explicit RandomElements(const std::vector<Permutation>& generators) : pool_(generators) {
    constexpr std::size_t kPool = 12;
    for (std::size_t i = 0; pool_.size() < kPool; ++i) pool_.push_back(generators[i % generators.size()]);
    accumulated_ = pool_.front();
    for (std::size_t i = 0; i < 10 * pool_.size(); ++i) (void)next();
  }

  const Permutation& next() {
    const std::size_t a = below(pool_.size());
    const std::size_t b = (a + 1 + below(pool_.size() - 1)) % pool_.size();
    const Permutation factor = below(2) != 0 ? pool_[b] : inverse_of(pool_[b]);
    pool_[a] = below(2) != 0 ? product(pool_[a], factor) : product(factor, pool_[a]);
    accumulated_ = product(accumulated_, pool_[a]);
    return accumulated_;
  }

 private:
  std::size_t below(std::size_t n) noexcept { return static_cast<std::size_t>(random_() % n); }

  std::vector<Permutation> pool_;
  Permutation accumulated_;
  SplitMix random_{1};
};

}  // namespace

PermutationGroup::PermutationGroup(const std::vector<Permutation>& generators, const GroupLimits& limits,
                                   const Stop& stop)
    : degree_(generators.empty() ? 0 : generators.front().size()), memory_left_(limits.memory_bytes) {
  check_generators(generators);
  levels_.resize(degree_);
  for (std::size_t i = 0; i < degree_; ++i) {
    levels_[i].row_of.assign(degree_, -1);
    levels_[i].row_of[i] = 0;
    levels_[i].orbit.push_back(static_cast<Point>(i));
    levels_[i].inverses.resize(degree_ - i);
    std::iota(levels_[i].inverses.begin(), levels_[i].inverses.end(), static_cast<Point>(i));
  }
  for (const Permutation& generator : generators) add_if_new(generator, stop);
  RandomElements random(generators);
  do {
    for (int trivial = 0; trivial < kTrivialInARow; ++trivial)
      if (add_if_new(random.next(), stop)) trivial = -1;
  } while (!check(limits.check_steps, stop));
}

// Sifting: divides `element` by elements of the chain until it fixes all points; returns the level where that fails.
std::optional<std::size_t> PermutationGroup::sift(Permutation& element, std::size_t from) const {
  for (std::size_t i = from; i < degree_; ++i) {
    const Point image = element[i];
    if (image == i) continue;
    const std::int32_t row = levels_[i].row_of[image];
    if (row < 0) return i;
    const Point* const inverse = levels_[i].inverses.data() + static_cast<std::size_t>(row) * (degree_ - i);
    for (std::size_t k = i; k < degree_; ++k) element[k] = inverse[element[k] - i];
  }
  return std::nullopt;
}

bool PermutationGroup::add_if_new(Permutation element, const Stop& stop, std::size_t from) {
  stop.check();
  const std::optional<std::size_t> level = sift(element, from);
  if (!level) return false;
  const auto number = static_cast<std::uint32_t>(strong_.size());
  Permutation inverse = inverse_of(element);
  strong_.push_back({std::move(element), std::move(inverse)});
  for (std::size_t i = 0; i <= *level; ++i) {
    stop.check();
    extend(i, number);
  }
  return true;
}

// Completes the orbit of `level` after a generator was added.
void PermutationGroup::extend(std::size_t level, std::uint32_t generator) {
  Level& here = levels_[level];
  here.generators.push_back(generator);
  const std::size_t before = here.orbit.size();
  for (std::size_t k = 0; k < before; ++k) adjoin(level, here.orbit[k], strong_[generator]);
  for (std::size_t k = before; k < here.orbit.size(); ++k)
    for (const std::uint32_t g : here.generators) adjoin(level, here.orbit[k], strong_[g]);
}

void PermutationGroup::adjoin(std::size_t level, Point from, const Strong& by) {
  Level& here = levels_[level];
  const Point to = by.element[from];
  if (here.row_of[to] >= 0) return;
  const std::size_t length = degree_ - level;
  if (memory_left_ < length * sizeof(Point)) throw std::bad_alloc();
  memory_left_ -= length * sizeof(Point);
  const std::size_t row = here.orbit.size();
  here.inverses.resize((row + 1) * length);
  const Point* const back = here.inverses.data() + static_cast<std::size_t>(here.row_of[from]) * length;
  Point* const made = here.inverses.data() + row * length;
  for (std::size_t k = 0; k < length; ++k) made[k] = back[by.inverse[level + k] - level];
  here.row_of[to] = static_cast<std::int32_t>(row);
  here.orbit.push_back(to);
}

// Sifts the Schreier generators, if that takes at most `check_steps`. False if one was missing, which is then added.
bool PermutationGroup::check(std::uint64_t check_steps, const Stop& stop) {
  std::uint64_t lookups = 0;
  for (std::size_t i = 0; i < degree_; ++i) {
    std::uint64_t sift_cost = 0;
    for (std::size_t k = i; k < degree_; ++k) sift_cost += levels_[k].orbit.size() > 1 ? degree_ - k : 1;
    lookups += std::uint64_t{levels_[i].orbit.size()} * levels_[i].generators.size() * sift_cost;
    if (lookups > check_steps) return true;
  }
  for (std::size_t i = degree_; i-- > 0;) {
    const std::size_t length = degree_ - i;
    for (std::size_t k = 0; k < levels_[i].orbit.size(); ++k) {
      Permutation there(degree_), inverse(levels_[i].inverses.begin() + static_cast<std::ptrdiff_t>(k * length),
                                          levels_[i].inverses.begin() + static_cast<std::ptrdiff_t>((k + 1) * length));
      std::iota(there.begin(), there.begin() + static_cast<std::ptrdiff_t>(i), Point{0});
      for (std::size_t x = 0; x < length; ++x) there[inverse[x]] = static_cast<Point>(i + x);
      for (const std::uint32_t g : levels_[i].generators)
        if (add_if_new(product(there, strong_[g].element), stop, i)) return false;
    }
  }
  proven_ = true;
  return true;
}

bool PermutationGroup::contains(std::span<const Point> permutation) const {
  if (permutation.size() != degree_) return false;
  std::vector<bool> seen(degree_);
  for (const Point image : permutation) {
    if (image >= degree_ || seen[image]) return false;
    seen[image] = true;
  }
  Permutation element(permutation.begin(), permutation.end());
  return !sift(element);
}

Permutation PermutationGroup::at(std::span<const std::size_t> choices) const {
  if (choices.size() != degree_)
    throw std::invalid_argument("expected " + std::to_string(degree_) + " choices, found " +
                                std::to_string(choices.size()));
  Permutation element(degree_);
  std::iota(element.begin(), element.end(), Point{0});
  std::vector<Point> images;
  Permutation next(degree_);
  for (std::size_t i = 0; i < degree_; ++i) {
    const Level& level = levels_[i];
    if (choices[i] >= level.orbit.size())
      throw std::invalid_argument("choice " + std::to_string(i) + " is " + std::to_string(choices[i]) + " of " +
                                  std::to_string(level.orbit.size()));
    if (level.orbit.size() == 1) continue;
    images.clear();
    for (const Point x : level.orbit) images.push_back(element[x]);
    std::nth_element(images.begin(), images.begin() + static_cast<std::ptrdiff_t>(choices[i]), images.end());
    const Point image = images[choices[i]];
    const auto chosen =
        std::find_if(level.orbit.begin(), level.orbit.end(), [&](Point x) { return element[x] == image; });
    const std::size_t length = degree_ - i;
    const Point* const inverse =
        level.inverses.data() + static_cast<std::size_t>(chosen - level.orbit.begin()) * length;
    next = element;  // the element that takes i to the chosen point, followed by the old one
    for (std::size_t x = 0; x < length; ++x) next[inverse[x]] = element[i + x];
    element = next;
  }
  return element;
}

std::vector<std::vector<Point>> orbits(const std::vector<Permutation>& generators) {
  check_generators(generators);
  Partition partition(generators.front().size());
  for (const Permutation& generator : generators)
    for (std::size_t x = 0; x < generator.size(); ++x) partition.join(x, generator[x]);
  std::vector<std::vector<Point>> found;
  std::vector<std::size_t> number(generators.front().size());
  for (std::size_t x = 0; x < number.size(); ++x) {
    const std::size_t root = partition.find(x);
    if (root == x) {
      number[x] = found.size();
      found.emplace_back();
    }
    found[number[root]].push_back(static_cast<Point>(x));
  }
  return found;
}

std::vector<Point> finest_blocks(const std::vector<Permutation>& generators, Point a, Point b) {
  check_generators(generators);
  const std::size_t degree = generators.front().size();
  if (a >= degree || b >= degree) throw std::invalid_argument("a point is not below the degree");
  Partition partition(degree);
  std::vector<Point> waiting;
  const auto join = [&](Point x, Point y) {
    if (const auto lost = partition.join(x, y)) waiting.push_back(static_cast<Point>(*lost));
  };
  join(a, b);
  while (!waiting.empty()) {
    const Point x = waiting.back();
    waiting.pop_back();
    const auto root = static_cast<Point>(partition.find(x));
    for (const Permutation& generator : generators) join(generator[x], generator[root]);
  }
  std::vector<Point> least(degree);
  for (std::size_t x = 0; x < degree; ++x) least[x] = static_cast<Point>(partition.find(x));
  return least;
}

}  // namespace hstar
