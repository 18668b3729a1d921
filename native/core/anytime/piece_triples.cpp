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
  Maker(PieceTriples& all, const std::vector<Permutation>& symmetries, const std::vector<Point>& first,
        const Stop& stop)
      : all_(all), symmetries_(symmetries), first_(first), stop_(stop), orbit_(first.size(), kNone),
        number_(first.size()) {
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

  // Makes the triples for the regions of the pieces that the last moves turn; false if stopped or too large.
  bool add_regions(const std::vector<std::uint8_t>& last_moves) {
    std::map<std::size_t, std::vector<std::size_t>> restricted;  // by orbit: pieces whose regions are not whole slots
    std::map<std::size_t, std::vector<Point>> regions;           // by piece
    for (std::size_t piece = all_.ending_; piece < all_.base_.size(); ++piece) {
      std::vector<Point>& region = regions[piece];
      std::set<Point> places{all_.base_[piece]}, slots;
      region = {all_.base_[piece]};
      for (std::size_t i = 0; i < region.size(); ++i)
        for (const std::uint8_t m : last_moves)
          if (const Point y = all_.generators_[m][region[i]]; places.insert(y).second) region.push_back(y);
      for (const Point x : region) slots.insert(first_[x]);
      const auto of_these = std::count_if(first_.begin(), first_.end(), [&](Point f) { return slots.contains(f); });
      if (region.size() < static_cast<std::size_t>(of_these)) restricted[orbit_[region.front()]].push_back(piece);
    }
    for (const auto& [orbit, pieces] : restricted)
      for (std::size_t k = 0; k < pieces.size(); ++k) {  // each piece and the two after it
        std::vector<std::vector<Point>> goals;
        Triple triple{};
        std::uint32_t stride = 1;
        for (std::size_t j = 0; j < 3; ++j) {
          const bool exists = j < pieces.size();
          const std::size_t piece = pieces[(k + (exists ? j : 0)) % pieces.size()];
          triple.piece[j] = static_cast<std::uint32_t>(piece);
          auto& added = all_.entries_.emplace_back(first_.size(), 0);
          for (std::size_t x = 0; exists && x < first_.size(); ++x)
            if (orbit_[x] == orbit) added[x] = stride * number_[x];
          triple.entry[j] = added.data();
          if (!exists) continue;
          goals.push_back(regions[piece]);
          stride *= sizes_[orbit];
        }
        triple.distances = distances_from(goals);
        if (triple.distances == nullptr) return false;
        all_.regions_.push_back(triple);
      }
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

  // By place of a piece: the number of the place where the symmetry has the first place of its home slot, times
  // `stride`.
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
    std::vector<std::vector<Point>> goals;
    for (const Point home : homes) goals.push_back({home});
    return known = distances_from(goals);
  }

  // The distances of pieces from where each is at one of its goals, all in different slots; nullptr if stopped or too
  // large.
  const std::uint8_t* distances_from(const std::vector<std::vector<Point>>& goals) {
    const std::size_t moves = all_.generators_.size();
    std::uint64_t size = 1;
    for (const auto& places : goals) {
      size *= sizes_[orbit_[places.front()]];
      if (size * moves > kMostSteps - steps_) {
        all_.too_large_ = true;
        return nullptr;
      }
    }
    steps_ += size * moves;
    // By piece, move and place: the place after the move, as part of the number of an entry.
    std::vector<std::vector<std::uint32_t>> moved(goals.size() * moves);
    // Entries, and the slots that are taken.
    std::vector<std::pair<std::uint32_t, std::vector<Point>>> ends = {{0, {}}};
    std::uint32_t stride = 1;
    for (std::size_t k = 0; k < goals.size(); ++k) {
      const std::size_t orbit = orbit_[goals[k].front()];
      for (std::size_t m = 0; m < moves; ++m) {
        std::vector<std::uint32_t>& to = moved[k * moves + m];
        to.resize(sizes_[orbit]);
        for (std::size_t x = 0; x < orbit_.size(); ++x)
          if (orbit_[x] == orbit) to[number_[x]] = stride * number_[all_.generators_[m][x]];
      }
      std::vector<std::pair<std::uint32_t, std::vector<Point>>> longer;
      for (const auto& [entry, taken] : ends)
        for (const Point place : goals[k])
          if (std::find(taken.begin(), taken.end(), all_.first_[place]) == taken.end()) {
            longer.emplace_back(entry + stride * number_[place], taken);
            longer.back().second.push_back(all_.first_[place]);
          }
      ends.swap(longer);
      stride *= sizes_[orbit];
    }
    std::vector<std::uint8_t> distances(size, kUnknown);
    std::vector<std::uint32_t> layer, next;
    for (const auto& [entry, taken] : ends) {
      distances[entry] = 0;
      layer.push_back(entry);
    }
    for (std::uint8_t depth = 1; !layer.empty() && depth < kUnknown; ++depth) {
      next.clear();
      for (std::size_t i = 0; i < layer.size(); ++i) {
        if (i % 4096 == 0 && stop_.requested()) return nullptr;
        std::array<std::uint32_t, 3> at{};
        std::uint32_t rest = layer[i];
        for (std::size_t k = 0; k < goals.size(); ++k) {
          at[k] = rest % sizes_[orbit_[goals[k].front()]];
          rest /= sizes_[orbit_[goals[k].front()]];
        }
        for (std::size_t m = 0; m < moves; ++m) {
          std::uint32_t to = 0;
          for (std::size_t k = 0; k < goals.size(); ++k) to += moved[k * moves + m][at[k]];
          if (distances[to] != kUnknown) continue;
          distances[to] = depth;
          next.push_back(to);
        }
      }
      layer.swap(next);
    }
    all_.bytes_ += size;
    all_.tables_.push_back(std::move(distances));
    return all_.tables_.back().data();
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
                           const std::vector<Permutation>& symmetries, const std::vector<Point>& first,
                           const std::vector<std::uint8_t>& last_moves, const Stop& stop)
    : generators_(generators), base_(std::move(base)), first_(first), until_{0} {
  if (generators.empty()) throw std::invalid_argument("there are no generators");
  const std::size_t degree = first.size();
  const auto fits = [&](const Permutation& p) {
    return p.size() == degree && std::all_of(p.begin(), p.end(), [&](Point x) { return x < degree; });
  };
  if (symmetries.empty() || !std::all_of(generators.begin(), generators.end(), fits) ||
      !std::all_of(symmetries.begin(), symmetries.end(), fits) || !fits(first) ||
      !std::all_of(base_.begin(), base_.end(), [&](Point x) { return x < degree; }) ||
      !std::all_of(last_moves.begin(), last_moves.end(), [&](std::uint8_t m) { return m < generators.size(); }))
    throw std::invalid_argument("the generators, symmetries, slots and the base do not fit each other");
  Maker maker(*this, symmetries, first, stop);
  for (std::size_t piece = 0; piece < base_.size(); ++piece) {
    if (!maker.add(piece)) return;
    until_.push_back(triples_.size());
  }
  if (!last_moves.empty()) {
    const auto fixed = [&](Point x) {
      return std::all_of(last_moves.begin(), last_moves.end(), [&](std::uint8_t m) { return generators[m][x] == x; });
    };
    ending_ = static_cast<std::size_t>(std::find_if_not(base_.begin(), base_.end(), fixed) - base_.begin());
    if (!maker.add_regions(last_moves)) return;
  }
  complete_ = true;
}

}  // namespace hstar
