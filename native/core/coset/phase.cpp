#include "coset/phase.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace hstar {

Phase::Phase(const std::shared_ptr<const PieceSpace>& space, std::vector<std::uint8_t> moves,
             std::vector<std::uint8_t> costs, const std::vector<Coordinate::Kind>& kinds,
             const std::vector<Pair>& pairs, std::uint32_t most_values, const Stop& stop)
    : space_(space),
      moves_(std::move(moves)),
      costs_(std::move(costs)),
      automaton_(space->puzzle(), moves_, Pruning::canonical) {
  if (kinds.size() > kMostCoordinates) throw std::invalid_argument("a phase has at most 8 coordinates");
  for (const Coordinate::Kind& kind : kinds)
    coordinates_.push_back(std::make_shared<const Coordinate>(space, kind, moves_, most_values, stop));
  std::vector<bool> covered(kinds.size(), false);
  for (const auto& [first, second] : pairs) {
    if (std::max(first, second) >= kinds.size())
      throw std::invalid_argument("a pair of coordinates that there are not");
    covered[first] = covered[second] = true;
    const bool alone = first == second;
    tables_.push_back({first, second, alone,
                       std::make_shared<const CosetDistances>(coordinates_[first],
                                                              alone ? nullptr : coordinates_[second], costs_, stop)});
  }
  if (std::ranges::find(covered, false) != covered.end()) throw std::invalid_argument("a coordinate is in no pair");
}

std::vector<std::uint32_t> Phase::sizes() const {
  std::vector<std::uint32_t> sizes;
  for (const auto& coordinate : coordinates_) sizes.push_back(coordinate->size());
  return sizes;
}

std::uint64_t Phase::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& coordinate : coordinates_)
    sum += std::uint64_t{coordinate->size()} *
           (moves_.size() * sizeof(std::uint32_t) + 32);  // and the numbers' hash table
  for (const Table& table : tables_) sum += table.distances->entries();
  return sum;
}

bool Phase::locate(Bytes state, Values& values) const noexcept {
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const auto value = coordinates_[i]->of(state);
    if (!value) return false;
    values[i] = *value;
  }
  return distance(values) != CosetDistances::kUnreachable;
}

}  // namespace hstar
