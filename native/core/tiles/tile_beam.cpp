#include "tiles/tile_beam.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "search/meter.hpp"
#include "search/parallel.hpp"
#include "tiles/tile_reader.hpp"

namespace hstar {

namespace {

// Parts of the candidates by their hash, so that each can be searched for duplicates in the cache, and by any thread.
constexpr unsigned kPieces = 64;
constexpr unsigned kMostChildren = 3;  // the move that undoes the last one is left out
constexpr std::size_t kPolled = 512;   // parents, or candidates, from one look whether to stop to the next
constexpr std::size_t kWorthThreads = 2'000;  // parents

// splitmix64
std::uint64_t random(std::uint64_t i) noexcept {
  std::uint64_t x = i * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The states of one layer, field by field.
class Layer {
 public:
  Layer(std::size_t cells, std::size_t entries) : cells_(cells), entries_(entries) {}

  void resize(std::size_t count) {
    each_field([&](auto& field, std::size_t of_one) { field.resize(count * of_one); });
  }
  void reserve(std::size_t count) {
    each_field([&](auto& field, std::size_t of_one) { field.reserve(count * of_one); });
  }
  std::size_t size() const noexcept { return hash.size(); }
  static std::size_t bytes_of_one(std::size_t cells, std::size_t entries) noexcept {
    std::size_t bytes = 0;
    Layer(cells, entries).each_field([&](const auto& field, std::size_t of_one) { bytes += of_one * sizeof(field[0]); });
    return bytes;
  }
  std::uint8_t* board(std::size_t i) noexcept { return boards_.data() + i * cells_; }
  const std::uint8_t* board(std::size_t i) const noexcept { return boards_.data() + i * cells_; }
  // By view and part.
  std::uint8_t* excess(std::size_t i) noexcept { return excess_.data() + i * entries_; }
  const std::uint8_t* excess(std::size_t i) const noexcept { return excess_.data() + i * entries_; }

  std::vector<std::uint64_t> hash;
  std::vector<std::int32_t> pairs;  // what the pairs of tiles add to the ranking, beyond those of the start
  std::vector<std::uint16_t> manhattan;
  std::vector<std::uint8_t> blank, last;  // cell; move that led to it, or kMoves
  std::array<std::size_t, kPieces + 1> piece{};  // states whose hash is of piece k: piece[k] .. piece[k + 1]

 private:
  // visit(field, how many elements a state has in it)
  template <class Visit>
  void each_field(Visit visit) {
    visit(boards_, cells_);
    visit(excess_, entries_);
    visit(hash, std::size_t{1});
    visit(pairs, std::size_t{1});
    visit(manhattan, std::size_t{1});
    visit(blank, std::size_t{1});
    visit(last, std::size_t{1});
  }

  std::size_t cells_, entries_;
  std::vector<std::uint8_t> boards_, excess_;
};

// A child of a state, not made yet.
struct Candidate {
  std::uint64_t hash;
  std::uint32_t origin;  // parent * 4 + move
  std::uint32_t excess;  // of the part that has the tile, four bits a view
  std::int32_t pairs, score;
  std::uint32_t parent() const noexcept { return origin / 4; }
  unsigned move() const noexcept { return origin % 4; }
};
constexpr unsigned piece_of(std::uint64_t hash) noexcept { return static_cast<unsigned>(hash >> 58); }
static_assert(kPieces == 64 && TileHeuristic::kMaxViews * 4 <= 32);

// Hashes of a piece: those of the last layer but one, and of the candidates so far.
class Seen {
 public:
  void clear(std::size_t most) {
    std::size_t size = 1024;
    while (size < 2 * most) size *= 2;
    slots_.assign(std::max(size, slots_.size()), 0);
    mask_ = slots_.size() - 1;
  }
  // False if it was there. 0 is never there.
  bool insert(std::uint64_t hash) noexcept {
    std::size_t i = hash & mask_;
    for (; slots_[i] != 0; i = (i + 1) & mask_)
      if (slots_[i] == hash) return false;
    slots_[i] = hash;
    return true;
  }
  std::size_t bytes() const noexcept { return slots_.capacity() * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> slots_;
  std::size_t mask_ = 0;
};

class Beam {
 public:
  Beam(Bytes start, const TileHeuristic& heuristic, const TileRanking& ranking, const TileBeamOptions& options,
       Control& control, Clock::time_point begin)
      : puzzle_(heuristic.puzzle()),
        reader_(heuristic),
        options_(options),
        ranking_(ranking),
        cells_(puzzle_.slots()),
        views_(reader_.views()),
        parts_(reader_.parts()),
        begin_(begin),
        budget_(options.limits.memory_bytes),
        meter_(options.limits, control, begin, budget_),
        interruption_(options.limits, control, begin),
        now_(cells_, views_ * parts_),
        next_(cells_, views_ * parts_),
        before_(0, 0),
        workers_(options.threads) {
    for (std::size_t i = 0; i < key_.size(); ++i)
      for (std::size_t cell = 0; cell < cells_; ++cell) key_[i][cell] = random(i * 256 + cell + 1);
    for (unsigned cell = 0; cell < cells_; ++cell)
      for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) beside_[cell][move] = static_cast<std::uint16_t>(puzzle_.neighbour(cell, move));
    begin_with(start);
  }

  Outcome run() {
    if (const auto ending = meter_.poll()) return meter_.finish(*ending);
    if (now_.manhattan[0] == 0) return meter_.finish({Status::solved});
    if (!budget_.charge(options_.width * (2 * Layer::bytes_of_one(cells_, views_ * parts_) + sizeof(std::uint64_t) +
                                          kMostChildren * sizeof(Candidate))))
      return meter_.finish(kOutOfMemory);
    now_.reserve(options_.width);
    next_.reserve(options_.width);
    for (Worker& worker : workers_)
      for (auto& piece : worker.candidates)
        piece.reserve(5 * kMostChildren * options_.width / (4 * kPieces * workers_.size()) + kPieces);
    while (now_.size() > 0) {
      if (const auto ending = expand()) return meter_.finish(*ending);
      if (goal_ != kNone) return solved();
      if (!choose()) return meter_.finish(*interruption_.ending());
      if (!budget_.charge(now_.size() * sizeof(std::uint32_t))) return meter_.finish(kOutOfMemory);
      if (!make()) return meter_.finish(*interruption_.ending());
    }
    return meter_.finish({Status::exhausted});
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::int32_t kNoScore = std::numeric_limits<std::int32_t>::max();
  static constexpr double kForever = std::numeric_limits<double>::infinity();
  static constexpr std::uint64_t kPaced = 100'000;  // expansions after which it is known how long one takes
  static constexpr double kSafe = 0.95;
  static constexpr std::size_t kNarrowest = 1'000;
  static constexpr std::size_t kBatch = 16;  // parents whose children are looked up together

  // What one thread makes of its share of the parents.
  struct Worker {
    std::array<std::vector<Candidate>, kPieces> candidates;
    std::uint64_t expanded = 0, generated = 0;
    std::uint32_t goal = kNone;  // origin of the first child that is the goal
    std::int32_t least = kNoScore;  // of the candidates' scores
    Seen seen;
  };
  // A child whose entries are being fetched.
  struct Asked {
    Candidate candidate;
    std::uint16_t manhattan;
    std::uint8_t tile;
    std::array<std::uint64_t, TileHeuristic::kMaxViews> rank;
  };

  void begin_with(Bytes start) {
    now_.resize(1);
    std::copy(start.begin(), start.end(), now_.board(0));
    TileReader::Positions at{};
    std::uint64_t hash = 0;
    unsigned manhattan = 0;
    for (unsigned cell = 0; cell < cells_; ++cell) {
      const unsigned tile = start[cell];
      at[tile] = static_cast<std::uint8_t>(cell);
      if (tile == 0) continue;
      hash ^= key_[tile][cell];
      manhattan += reader_.manhattan(tile, cell);
    }
    unsigned most = 0;
    for (std::size_t v = 0; v < views_; ++v) {
      unsigned sum = 0;
      for (std::size_t p = 0; p < parts_; ++p) {
        const unsigned excess = reader_.excess(v, p, reader_.rank(v, p, at));
        now_.excess(0)[v * parts_ + p] = static_cast<std::uint8_t>(excess);
        sum += excess;
      }
      most = std::max(most, sum);
    }
    now_.hash[0] = hash;
    now_.pairs[0] = 0;
    now_.manhattan[0] = static_cast<std::uint16_t>(manhattan);
    now_.blank[0] = at[0];
    now_.last[0] = SlidingTiles::kMoves;
    std::fill(now_.piece.begin() + piece_of(hash) + 1, now_.piece.end(), 1);
    meter_.count.f_bound = manhattan + 2 * most;
    meter_.count.stored = 1;
  }

  unsigned threads_for(std::size_t parents) const noexcept { return parents < kWorthThreads ? 1 : options_.threads; }

  // The candidates of all parents.
  std::optional<Ending> expand() {
    const std::size_t parents = now_.size();
    Outcome& count = meter_.count;
    const Limits& limits = options_.limits;
    if (count.expanded >= limits.expanded) return Ending{Status::limit_reached, Limit::expanded};
    if (count.generated >= limits.generated) return Ending{Status::limit_reached, Limit::generated};
    const bool tight = limits.expanded - count.expanded < parents ||
                       limits.generated - count.generated < kMostChildren * parents;
    used_ = tight ? 1 : threads_for(parents);
    std::optional<Ending> ending;
    std::atomic<unsigned> next{0};
    on_threads(used_, [&] {
      for (unsigned t; (t = next.fetch_add(1)) < used_;) {
        Worker& worker = workers_[t];
        for (auto& piece : worker.candidates) piece.clear();
        worker.goal = kNone;
        worker.least = kNoScore;
        worker.expanded = worker.generated = 0;
        const std::size_t begin = parents * t / used_, end = parents * (t + 1) / used_;
        for (std::size_t i = begin; i < end; i += kBatch) {
          if ((i - begin) % kPolled == 0 && interruption_.requested()) return;
          if (tight) {
            if (count.expanded + worker.expanded + kBatch > limits.expanded || count.generated + worker.generated + kBatch * kMostChildren > limits.generated) {
              for (std::size_t one = i; one < std::min(i + kBatch, end); ++one) {
                if (count.expanded + worker.expanded >= limits.expanded) ending = Ending{Status::limit_reached, Limit::expanded};
                else if (count.generated + worker.generated >= limits.generated) ending = Ending{Status::limit_reached, Limit::generated};
                if (ending) return;
                look(worker, one, one + 1);
              }
              continue;
            }
          }
          look(worker, i, std::min(i + kBatch, end));
        }
      }
    });
    for (unsigned t = 0; t < used_; ++t) {
      count.expanded += workers_[t].expanded;
      count.generated += workers_[t].generated;
      count.evaluated += workers_[t].generated;
      if (goal_ == kNone) goal_ = workers_[t].goal;
    }
    if (goal_ != kNone) return std::nullopt;
    return ending ? ending : meter_.poll();
  }

  void look(Worker& worker, std::size_t begin, std::size_t end) {
    std::array<Asked, kBatch * kMostChildren> asked;
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint8_t* board = now_.board(i);
      TileReader::Positions at;
      for (unsigned cell = 0; cell < cells_; ++cell) at[board[cell]] = static_cast<std::uint8_t>(cell);
      const unsigned blank = now_.blank[i];
      for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) {
        const unsigned from = beside_[blank][move];
        if (from == SlidingTiles::kNoCell || (move ^ 2) == now_.last[i]) continue;
        Asked& child = asked[count++];
        const unsigned tile = board[from];
        child.tile = static_cast<std::uint8_t>(tile);
        child.manhattan = static_cast<std::uint16_t>(now_.manhattan[i] + reader_.manhattan(tile, blank) - reader_.manhattan(tile, from));
        child.candidate.hash = now_.hash[i] ^ key_[tile][from] ^ key_[tile][blank];
        child.candidate.origin = static_cast<std::uint32_t>(i) * 4 + move;
        child.candidate.pairs = now_.pairs[i];
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
    worker.expanded += end - begin;
    worker.generated += count;
    for (std::size_t c = 0; c < count; ++c) evaluate(worker, asked[c]);
  }

  void evaluate(Worker& worker, Asked& child) {
    const std::uint8_t* excess = now_.excess(child.candidate.parent());
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
    if (child.manhattan == 0 && worker.goal == kNone) worker.goal = child.candidate.origin;
    if (origins_.size() + 1 + child.manhattan + 2 * most > options_.longest) return;
    child.candidate.score = score(child.manhattan, total, child.candidate.pairs);
    worker.least = std::min(worker.least, child.candidate.score);
    worker.candidates[piece_of(child.candidate.hash)].push_back(child.candidate);
  }

  // The estimate, in moves times TileRanking::kUnit. `excess`: half of it, in all views together.
  std::int32_t score(unsigned manhattan, unsigned excess, std::int32_t pairs) const noexcept {
    const auto tiles = static_cast<std::int32_t>(manhattan), conflicts = static_cast<std::int32_t>(2 * excess);
    return ranking_.manhattan() * tiles + ranking_.excess() * conflicts / static_cast<std::int32_t>(views_) + pairs;
  }

  // How many states the next layer keeps: fewer than asked for if there is not the time for as many in each of the
  // layers that may follow.
  std::size_t width() const noexcept {
    const std::uint64_t expanded = meter_.count.expanded;
    if (expanded < kPaced || options_.limits.seconds == kForever || options_.longest <= origins_.size()) return options_.width;
    const double spent = seconds_since(begin_), left = std::max(0.0, options_.limits.seconds - spent);
    const double fits = kSafe * left / static_cast<double>(options_.longest - origins_.size()) * static_cast<double>(expanded) / spent;
    return fits >= static_cast<double>(options_.width) ? options_.width : std::max(static_cast<std::size_t>(fits), kNarrowest);
  }

  // Leaves those candidates that are new and good enough. False: interrupted.
  bool choose() {
    const std::size_t width = this->width();
    std::int32_t least = kNoScore;
    for (unsigned t = 0; t < used_; ++t) least = std::min(least, workers_[t].least);
    std::array<std::vector<std::size_t>, kPieces> counts;  // by piece and score, from the least on
    each_piece([&](Worker& worker, unsigned piece) {
      std::size_t most = before_.piece[piece + 1] - before_.piece[piece];
      for (unsigned t = 0; t < used_; ++t) most += workers_[t].candidates[piece].size();
      worker.seen.clear(most);
      for (std::size_t i = before_.piece[piece]; i < before_.piece[piece + 1]; ++i) worker.seen.insert(before_.hash[i]);
      for (unsigned t = 0; t < used_; ++t)
        std::erase_if(workers_[t].candidates[piece], [&](const Candidate& candidate) {
          if (!worker.seen.insert(candidate.hash)) return true;
          const auto score = static_cast<std::size_t>(candidate.score - least);
          if (counts[piece].size() <= score) counts[piece].resize(score + 1);
          ++counts[piece][score];
          return false;
        });
    });
    if (interruption_.requested()) return false;
    std::size_t kept = 0, score = 0, scores = 0;
    for (const auto& of_piece : counts) scores = std::max(scores, of_piece.size());
    const auto of_score = [&](std::size_t piece, std::size_t one) { return one < counts[piece].size() ? counts[piece][one] : 0; };
    for (; score < scores; ++score) {
      std::size_t more = 0;
      for (unsigned piece = 0; piece < kPieces; ++piece) more += of_score(piece, score);
      if (kept + more > width) break;
      kept += more;
    }
    // Of those that have the worst score, as many as there is room for. Pieces are as good as random.
    last_score_ = scores == 0 ? least : least + static_cast<std::int32_t>(score);
    std::size_t room = width - kept, begin = 0;
    next_.piece[0] = 0;
    for (unsigned piece = 0; piece < kPieces; ++piece) {
      last_of_[piece] = std::min(room, of_score(piece, score));
      room -= last_of_[piece];
      for (std::size_t one = 0; one < score; ++one) begin += of_score(piece, one);
      begin += last_of_[piece];
      next_.piece[piece + 1] = begin;
    }
    return true;
  }

  // The next layer. False: interrupted.
  bool make() {
    next_.resize(next_.piece[kPieces]);
    origins_.emplace_back(next_.size());
    each_piece([&](Worker&, unsigned piece) {
      std::size_t i = next_.piece[piece], worst = last_of_[piece];
      for (unsigned t = 0; t < used_; ++t)
        for (const Candidate& candidate : workers_[t].candidates[piece]) {
          if (candidate.score > last_score_) continue;
          if (candidate.score == last_score_ && worst-- == 0) {
            worst = 0;
            continue;
          }
          make(candidate, i++);
        }
    });
    if (interruption_.requested()) return false;
    before_.piece = now_.piece;
    std::swap(before_.hash, now_.hash);
    std::swap(now_, next_);
    meter_.count.stored = std::max<std::uint64_t>(meter_.count.stored, now_.size());
    meter_.count.max_open = meter_.count.stored;
    return true;
  }

  void make(const Candidate& candidate, std::size_t i) noexcept {
    const std::size_t parent = candidate.parent();
    std::uint8_t *board = next_.board(i), *excess = next_.excess(i);
    std::copy_n(now_.board(parent), cells_, board);
    std::copy_n(now_.excess(parent), views_ * parts_, excess);
    const unsigned blank = now_.blank[parent], from = beside_[blank][candidate.move()], tile = board[from];
    std::swap(board[blank], board[from]);
    for (std::size_t v = 0; v < views_; ++v)
      if (const unsigned part = reader_.part(v, tile); part != TileReader::kNoPart)
        excess[v * parts_ + part] = candidate.excess >> 4 * v & 15;
    next_.hash[i] = candidate.hash;
    next_.pairs[i] = candidate.pairs;
    next_.manhattan[i] = static_cast<std::uint16_t>(now_.manhattan[parent] + reader_.manhattan(tile, blank) - reader_.manhattan(tile, from));
    next_.blank[i] = static_cast<std::uint8_t>(from);
    next_.last[i] = static_cast<std::uint8_t>(candidate.move());
    origins_.back()[i] = candidate.origin;
  }

  // Calls work(worker, piece) for all pieces, unless it is interrupted.
  template <class Work>
  void each_piece(Work work) {
    std::atomic<unsigned> next_worker{0}, next_piece{0};
    on_threads(used_, [&] {
      Worker& worker = workers_[next_worker.fetch_add(1)];
      for (unsigned piece; (piece = next_piece.fetch_add(1)) < kPieces && !interruption_.requested();) work(worker, piece);
    });
  }

  Outcome solved() {
    Outcome outcome = meter_.finish({Status::solved});
    std::uint32_t origin = goal_;
    outcome.path.push_back(origin % 4);
    for (std::size_t depth = origins_.size(); depth-- > 0;) {
      origin = origins_[depth][origin / 4];
      outcome.path.push_back(origin % 4);
    }
    std::ranges::reverse(outcome.path);
    return outcome;
  }

  const SlidingTiles& puzzle_;
  const TileReader reader_;
  const TileBeamOptions& options_;
  const TileRanking& ranking_;
  const std::size_t cells_, views_, parts_;
  const Clock::time_point begin_;
  Budget budget_;
  Meter meter_;
  const Interruption interruption_;
  std::array<std::array<std::uint64_t, TilePattern::kMaxCells>, TilePattern::kMaxCells> key_{};  // by tile and cell
  std::array<std::array<std::uint16_t, SlidingTiles::kMoves>, TilePattern::kMaxCells> beside_{};
  Layer now_, next_, before_;  // of `before_` only the hashes
  std::vector<Worker> workers_;
  unsigned used_ = 1;  // workers that have candidates
  std::int32_t last_score_ = 0;
  std::array<std::size_t, kPieces> last_of_{};  // how many of this score each piece keeps
  std::vector<std::vector<std::uint32_t>> origins_;  // of the states of each layer but the first
  std::uint32_t goal_ = kNone;
};

}  // namespace

Outcome tile_beam(Bytes start, const TileHeuristic& heuristic, const TileBeamOptions& options, Control& control) {
  return within_memory(control, [&](Clock::time_point begin) {
    heuristic.puzzle().check(start, "start");
    if (!(options.limits.seconds >= 0)) throw std::invalid_argument("seconds is not a number of at least 0");
    if (options.width == 0 || options.width > kMostWidth) throw std::invalid_argument("width is not from 1 to 2^28");
    if (options.threads == 0 || options.threads > SearchOptions::kMostThreads) throw std::invalid_argument("threads is not from 1 to 64");
    const TileRanking plain = TileRanking::plain(heuristic.puzzle());
    return Beam(start, heuristic, options.ranking != nullptr ? *options.ranking : plain, options, control, begin).run();
  });
}

}  // namespace hstar
