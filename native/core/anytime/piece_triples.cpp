#include "anytime/piece_triples.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>

namespace hstar {

namespace {

constexpr std::size_t kEach = 2;  // triples of each piece with earlier ones
constexpr std::uint8_t kUnknown = 255;

}  // namespace

class PieceTriples::Maker {
 public:
  Maker(PieceTriples& all, const std::vector<Permutation>& symmetries, const std::vector<Point>& first, const Stop& stop)
      : all_(all), symmetries_(symmetries), first_(first), stop_(stop), orbit_(first.size(), kNone), number_(first.size()) {
    for (std::size_t x = 0; x < first.size(); ++x) {
      if (orbit_[x] != kNone) continue;
      std::vector<std::size_t> orbit{x};
      orbit_[x] = sizes_.size();
      for (std::size_t i = 0; i < orbit.size(); ++i) {
        number_[orbit[i]] = static_cast<std::uint32_t>(i);
        for (const Permutation& g : all_.generators_)
          if (const Point y = g[orbit[i]]; orbit_[y] == kNone) {
            orbit_[y] = sizes_.size();
            orbit.push_back(y);
          }
      }
      sizes_.push_back(static_cast<std::uint32_t>(orbit.size()));
    }
  }

  // Makes the triples of one piece with earlier ones; false if stopped or too large.
  bool add(std::size_t piece) {
    std::vector<std::pair<std::size_t, std::size_t>> near;  // fewest moves in common last, later pieces first
    for (std::size_t other = 0; other < piece; ++other) {
      const auto both = std::count_if(all_.generators_.begin(), all_.generators_.end(), [&](const Permutation& g) {
        return g[all_.base_[piece]] != all_.base_[piece] && g[all_.base_[other]] != all_.base_[other];
      });
      near.emplace_back(all_.generators_.size() - static_cast<std::size_t>(both), piece - other);
    }
    std::sort(near.begin(), near.end());
    const auto pick = [&](std::size_t a) { return piece - near[a].second; };
    if (near.size() < 2) {
      std::vector<std::size_t> few{piece};
      if (!near.empty()) few.push_back(pick(0));
      return make(few);
    }
    for (std::size_t k = 0; k < std::min(kEach, near.size() - 1); ++k)
      if (!make({piece, pick(0), pick(k + 1)})) return false;
    return true;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  using Homes = std::vector<std::pair<Point, std::size_t>>;  // the first place of the home slot, and the piece

  bool make(const std::vector<std::size_t>& pieces) {
    Homes best, homes;
    std::size_t by = 0;
    const auto slots = [](const Homes& some) {
      std::vector<Point> key;
      for (const auto& home : some) key.push_back(home.first);
      return key;
    };
    for (std::size_t s = 0; s < symmetries_.size(); ++s) {
      homes.clear();
      for (const std::size_t piece : pieces) homes.emplace_back(first_[symmetries_[s][all_.base_[piece]]], piece);
      std::sort(homes.begin(), homes.end());
      if (best.empty() || slots(homes) < slots(best)) {
        best = homes;
        by = s;
      }
    }
    const std::uint8_t* const distances = table(slots(best));
    if (distances == nullptr) return false;
    Triple triple{};
    std::uint32_t stride = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const bool exists = k < best.size();
      triple.piece[k] = static_cast<std::uint32_t>(best[exists ? k : 0].second);
      triple.entry[k] = exists ? entry(by, best[k].second, stride) : entry(by, best[0].second, 0);
      if (exists) stride *= sizes_[orbit_[best[k].first]];
    }
    triple.distances = distances;
    all_.triples_.push_back(triple);
    return true;
  }

  // By place of a piece: the number of the place where the symmetry has the first place of its home slot, times `stride`.
  const std::uint32_t* entry(std::size_t symmetry, std::size_t piece, std::uint32_t stride) {
    const Permutation& images = symmetries_[symmetry];
    const Point home = images[all_.base_[piece]];
    const std::size_t turned = home - first_[home];
    auto& known = entries_[{symmetry, stride == 0 ? 0 : orbit_[home], turned, stride}];
    if (known != nullptr) return known;
    std::vector<std::uint32_t> added(images.size(), 0);
    for (std::size_t x = 0; x < images.size(); ++x) {
      const std::size_t slot = first_[images[x]];
      std::size_t turns = 1;
      while (slot + turns < first_.size() && first_[slot + turns] == slot) ++turns;
      added[x] = stride * number_[slot + (images[x] - slot + turns - turned % turns) % turns];
    }
    all_.entries_.push_back(std::move(added));
    return known = all_.entries_.back().data();
  }

  // The distances of the contents of these places from home; nullptr if stopped or too large.
  const std::uint8_t* table(const std::vector<Point>& homes) {
    auto& known = tables_[homes];
    if (known != nullptr) return known;
    const std::size_t moves = all_.generators_.size();
    std::uint64_t size = 1;
    for (const Point home : homes) {
      size *= sizes_[orbit_[home]];
      if (size * moves > kMostSteps - steps_) {
        all_.too_large_ = true;
        return nullptr;
      }
    }
    steps_ += size * moves;
    // By piece, move and place: the place after the move, as part of the number of an entry.
    std::vector<std::vector<std::uint32_t>> moved(homes.size() * moves);
    std::uint32_t stride = 1, home_entry = 0;
    for (std::size_t k = 0; k < homes.size(); ++k) {
      const std::size_t orbit = orbit_[homes[k]];
      for (std::size_t m = 0; m < moves; ++m) {
        std::vector<std::uint32_t>& to = moved[k * moves + m];
        to.resize(sizes_[orbit]);
        for (std::size_t x = 0; x < orbit_.size(); ++x)
          if (orbit_[x] == orbit) to[number_[x]] = stride * number_[all_.generators_[m][x]];
      }
      home_entry += stride * number_[homes[k]];
      stride *= sizes_[orbit];
    }
    std::vector<std::uint8_t> distances(size, kUnknown);
    std::vector<std::uint32_t> layer{home_entry}, next;
    distances[home_entry] = 0;
    for (std::uint8_t depth = 1; !layer.empty() && depth < kUnknown; ++depth) {
      next.clear();
      for (std::size_t i = 0; i < layer.size(); ++i) {
        if (i % 4096 == 0 && stop_()) return nullptr;
        std::array<std::uint32_t, 3> at{};
        std::uint32_t rest = layer[i];
        for (std::size_t k = 0; k < homes.size(); ++k) {
          at[k] = rest % sizes_[orbit_[homes[k]]];
          rest /= sizes_[orbit_[homes[k]]];
        }
        for (std::size_t m = 0; m < moves; ++m) {
          std::uint32_t to = 0;
          for (std::size_t k = 0; k < homes.size(); ++k) to += moved[k * moves + m][at[k]];
          if (distances[to] != kUnknown) continue;
          distances[to] = depth;
          next.push_back(to);
        }
      }
      layer.swap(next);
    }
    all_.bytes_ += size;
    all_.tables_.push_back(std::move(distances));
    return known = all_.tables_.back().data();
  }

  PieceTriples& all_;
  const std::vector<Permutation>& symmetries_;
  const std::vector<Point>& first_;
  const Stop& stop_;
  std::vector<std::size_t> orbit_;     // by place
  std::vector<std::uint32_t> number_;  // by place: within its orbit
  std::vector<std::uint32_t> sizes_;   // by orbit
  std::map<std::vector<Point>, const std::uint8_t*> tables_;  // by homes
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, std::uint32_t>, const std::uint32_t*> entries_;
  std::uint64_t steps_ = 0;
};

PieceTriples::PieceTriples(const std::vector<Permutation>& generators, std::vector<Point> base,
                           const std::vector<Permutation>& symmetries, const std::vector<Point>& first, const Stop& stop)
    : generators_(generators), base_(std::move(base)), until_{0} {
  if (generators.empty()) throw std::invalid_argument("there are no generators");
  const std::size_t degree = first.size();
  const auto fits = [&](const Permutation& p) {
    return p.size() == degree && std::all_of(p.begin(), p.end(), [&](Point x) { return x < degree; });
  };
  if (symmetries.empty() || !std::all_of(generators.begin(), generators.end(), fits) ||
      !std::all_of(symmetries.begin(), symmetries.end(), fits) || !fits(first) ||
      !std::all_of(base_.begin(), base_.end(), [&](Point x) { return x < degree; }))
    throw std::invalid_argument("the generators, symmetries, slots and the base do not fit each other");
  Maker maker(*this, symmetries, first, stop);
  for (std::size_t piece = 0; piece < base_.size(); ++piece) {
    if (!maker.add(piece)) return;
    until_.push_back(triples_.size());
  }
  complete_ = true;
}

}  // namespace hstar
