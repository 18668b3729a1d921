#include "anytime/stage_ranking.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace hstar {

StageRanking::StageRanking(std::size_t pieces, std::size_t degree, std::vector<std::int8_t> weights,
                           std::vector<std::int16_t> first, std::vector<std::int16_t> counts, std::int32_t constant)
    : pieces_(pieces), degree_(degree), weights_(std::move(weights)), constant_(constant) {
  if (weights_.size() != pieces * degree * kUnits || first.size() != kUnits || counts.size() != kUnits)
    throw std::invalid_argument("the weights of a ranking do not fit its pieces and places");
  std::ranges::copy(first, first_.begin());
  std::ranges::copy(counts, counts_.begin());
  std::int64_t most = std::abs(std::int64_t{constant});
  for (std::size_t u = 0; u < kUnits; ++u) {
    std::int64_t sum = std::abs(first_[u]);
    for (std::size_t k = 0; k < pieces; ++k) {
      int highest = 0;
      for (std::size_t x = 0; x < degree; ++x)
        highest = std::max(highest, std::abs(weights_[(k * degree + x) * kUnits + u]));
      sum += highest;
    }
    if (sum > std::numeric_limits<std::int16_t>::max())
      throw std::invalid_argument("the weights of a ranking are too large");
    most += sum * std::abs(counts_[u]);
  }
  if (most > std::numeric_limits<std::int32_t>::max())
    throw std::invalid_argument("the weights of a ranking are too large");
}

}  // namespace hstar
