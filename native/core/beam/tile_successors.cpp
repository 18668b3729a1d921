#include "beam/tile_successors.hpp"

#include <algorithm>

#include "base/splitmix.hpp"

namespace hstar {

TileSuccessors::TileSuccessors(const TileHeuristic& heuristic, const TileRanking& ranking, unsigned longest)
    : puzzle_(heuristic.puzzle()),
      reader_(heuristic),
      ranking_(ranking),
      longest_(longest),
      cells_(puzzle_.slots()),
      views_(reader_.views()),
      parts_(reader_.parts()) {
  for (std::size_t i = 0; i < key_.size(); ++i)
    for (std::size_t cell = 0; cell < cells_; ++cell)
      key_[i][cell] = i == 0 ? hash_of_piece(cell / 2) : SplitMix::at(i * 256 + cell + 1) & (hash_of_piece(1) - 1);
  for (unsigned cell = 0; cell < cells_; ++cell)
    for (unsigned move = 0; move < SlidingTiles::kMoves; ++move)
      beside_[cell][move] = static_cast<std::uint16_t>(puzzle_.neighbour(cell, move));
}

unsigned TileSuccessors::begin(Bytes start, TileLayer& layer) const {
  layer.resize(1);
  std::copy(start.begin(), start.end(), layer.board(0));
  TileReader::Positions at{};
  std::uint64_t hash = 0;
  unsigned manhattan = 0;
  for (unsigned cell = 0; cell < cells_; ++cell) {
    const unsigned tile = start[cell];
    at[tile] = static_cast<std::uint8_t>(cell);
    hash ^= key_[tile][cell];
    if (tile == 0) continue;
    manhattan += reader_.manhattan(tile, cell);
  }
  unsigned most = 0;
  for (std::size_t v = 0; v < views_; ++v) {
    unsigned sum = 0;
    for (std::size_t p = 0; p < parts_; ++p) {
      const unsigned excess = reader_.excess(v, p, reader_.rank(v, p, at));
      layer.excess(0)[v * parts_ + p] = static_cast<std::uint8_t>(excess);
      sum += excess;
    }
    most = std::max(most, sum);
  }
  layer.hash[0] = hash;
  layer.pairs[0] = 0;
  layer.manhattan[0] = static_cast<std::uint16_t>(manhattan);
  layer.way[0] = TileWay();
  layer.blank[0] = at[0];
  layer.last[0] = SlidingTiles::kMoves;
  std::fill(layer.piece.begin() + piece_of(hash) + 1, layer.piece.end(), 1);
  return manhattan + 2 * most;
}

void TileSuccessors::look(const TileLayer& parents, std::size_t begin, std::size_t end, std::size_t depth,
                          TileCandidates& candidates) const {
  std::array<Asked, kBatch * kMost> asked;
  std::size_t count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint8_t* board = parents.board(i);
    TileReader::Positions at;
    for (unsigned cell = 0; cell < cells_; ++cell) at[board[cell]] = static_cast<std::uint8_t>(cell);
    const unsigned blank = parents.blank[i];
    for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) {
      const unsigned from = beside_[blank][move];
      if (from == SlidingTiles::kNoCell || (move ^ 2) == parents.last[i]) continue;
      Asked& child = asked[count++];
      const unsigned tile = board[from];
      child.tile = static_cast<std::uint8_t>(tile);
      child.manhattan = static_cast<std::uint16_t>(parents.manhattan[i] + reader_.manhattan(tile, blank) -
                                                   reader_.manhattan(tile, from));
      child.candidate.hash = parents.hash[i] ^ key_[tile][from] ^ key_[tile][blank] ^ key_[0][blank] ^ key_[0][from];
      child.candidate.origin = static_cast<std::uint32_t>(i) * 4 + move;
      child.candidate.pairs = parents.pairs[i];
      if (ranking_.has_pairs()) child.candidate.pairs += ranking_.change(board, tile, from, move);
      at[tile] = static_cast<std::uint8_t>(blank);
      for (std::size_t v = 0; v < views_; ++v) {
        const unsigned part = reader_.part(v, tile);
        if (part == TileReader::kNoPart) continue;
        child.rank[v] = reader_.rank(v, part, at);
        reader_.prefetch(v, part, child.rank[v]);
      }
      at[tile] = static_cast<std::uint8_t>(from);
    }
  }
  candidates.expanded += end - begin;
  candidates.generated += count;
  for (std::size_t c = 0; c < count; ++c) evaluate(parents, asked[c], depth, candidates);
}

void TileSuccessors::evaluate(const TileLayer& parents, Asked& child, std::size_t depth,
                              TileCandidates& candidates) const {
  const std::uint8_t* excess = parents.excess(child.candidate.parent());
  unsigned most = 0, total = 0;
  child.candidate.excess = 0;
  for (std::size_t v = 0; v < views_; ++v, excess += parts_) {
    unsigned sum = 0;
    for (std::size_t p = 0; p < parts_; ++p) sum += excess[p];
    if (const unsigned part = reader_.part(v, child.tile); part != TileReader::kNoPart) {
      const unsigned changed = reader_.excess(v, part, child.rank[v]);
      sum += changed - excess[part];
      child.candidate.excess |= changed << 4 * v;
    }
    most = std::max(most, sum);
    total += sum;
  }
  if (child.manhattan == 0 && candidates.goal == TileCandidates::kNone) candidates.goal = child.candidate.origin;
  if (depth + 1 + child.manhattan + 2 * most > longest_) return;
  child.candidate.score = score(child.manhattan, total, child.candidate.pairs);
  candidates.add(child.candidate);
}

// The estimate, in moves times TileRanking::kUnit. `excess`: half of it, in all views together.
std::int32_t TileSuccessors::score(unsigned manhattan, unsigned excess, std::int32_t pairs) const noexcept {
  const auto tiles = static_cast<std::int32_t>(manhattan), conflicts = static_cast<std::int32_t>(2 * excess);
  return ranking_.manhattan() * tiles + ranking_.excess() * conflicts / static_cast<std::int32_t>(views_) + pairs;
}

void TileSuccessors::make(const TileLayer& parents, const TileCandidate& candidate, TileLayer& next,
                          std::size_t i) const noexcept {
  const std::size_t parent = candidate.parent();
  std::uint8_t *board = next.board(i), *excess = next.excess(i);
  std::copy_n(parents.board(parent), cells_, board);
  std::copy_n(parents.excess(parent), views_ * parts_, excess);
  const unsigned blank = parents.blank[parent], from = beside_[blank][candidate.move()], tile = board[from];
  std::swap(board[blank], board[from]);
  for (std::size_t v = 0; v < views_; ++v)
    if (const unsigned part = reader_.part(v, tile); part != TileReader::kNoPart)
      excess[v * parts_ + part] = candidate.excess >> 4 * v & 15;
  next.hash[i] = candidate.hash;
  next.pairs[i] = candidate.pairs;
  next.manhattan[i] = static_cast<std::uint16_t>(parents.manhattan[parent] + reader_.manhattan(tile, blank) -
                                                 reader_.manhattan(tile, from));
  next.way[i] = parents.way[parent].then(candidate.move());
  next.blank[i] = static_cast<std::uint8_t>(from);
  next.last[i] = static_cast<std::uint8_t>(candidate.move());
}

}  // namespace hstar
