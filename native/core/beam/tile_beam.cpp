#include "beam/tile_beam.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "base/parallel.hpp"
#include "beam/tile_successors.hpp"
#include "search/meter.hpp"

namespace hstar {

namespace {

constexpr std::size_t kPolled = 512;          // parents from one look whether to stop to the next
constexpr std::size_t kWorthThreads = 2'000;  // parents

class Beam {
 public:
  Beam(Bytes start, const TileHeuristic& heuristic, const TileRanking& ranking, const TileBeamOptions& options,
       Control& control, Clock::time_point begin)
      : successors_(heuristic, ranking, options.longest),
        cells_(start.size()),
        options_(options),
        control_(control),
        begin_(begin),
        budget_(options.limits.memory_bytes),
        meter_(options.limits, control, begin, budget_),
        interruption_(options.limits, control, begin),
        now_(successors_.layer()),
        next_(successors_.layer()),
        before_(0, 0),
        workers_(options.threads) {
    meter_.count.f_bound = successors_.begin(start, now_);
    meter_.count.stored = 1;
  }

  Outcome run() {
    if (const auto ending = meter_.poll()) return meter_.finish(*ending);
    if (now_.manhattan[0] == 0) return meter_.finish({Status::solved});
    if (!charge(options_.width * (2 * successors_.state_bytes() + sizeof(std::uint64_t) +
                                  TileSuccessors::kMost * sizeof(TileCandidate))))
      return meter_.finish(kOutOfMemory);
    now_.reserve(options_.width);
    next_.reserve(options_.width);
    while (now_.size() > 0) {
      if (const auto ending = expand()) return meter_.finish(*ending);
      if (goal_ != TileCandidates::kNone) return solved();
      if (!choose()) return meter_.finish(*interruption_.ending());
      if (!charge(held() + (keeps_ways() ? now_.size() * sizeof(TileWay) : 0))) return meter_.finish(kOutOfMemory);
      if (!make()) return meter_.finish(*interruption_.ending());
    }
    return meter_.finish({Status::exhausted});
  }

 private:
  static constexpr double kForever = 1e9;           // seconds
  static constexpr std::uint64_t kPaced = 100'000;  // expansions after which it is known how long one takes
  // Layers are made so many times as wide as the time suffices for: the last ones have fewer states, because of
  // `longest`.
  static constexpr double kWider = 1.4;
  static constexpr std::size_t kNarrowest = 1'000;
  static constexpr std::size_t kStride = 7'919;  // of samples, from one layer to the next

  // What is allocated.
  std::uint64_t held() const noexcept {
    std::uint64_t bytes = now_.bytes() + next_.bytes() + before_.bytes() + way_bytes_;
    for (const TileCandidates& worker : workers_) bytes += worker.bytes();
    if (options_.samples != nullptr) bytes += options_.samples->bytes();
    return bytes;
  }
  // Charges so many bytes in all, if they are more than were charged before.
  bool charge(std::uint64_t bytes) noexcept {
    if (bytes <= budget_.used()) return true;
    return budget_.charge(bytes - budget_.used());
  }

  unsigned threads_for(std::size_t parents) const noexcept { return parents < kWorthThreads ? 1 : options_.threads; }

  // Whether the ways to this layer are kept before it is left.
  bool keeps_ways() const noexcept { return depth_ > 0 && depth_ % TileWay::kMoves == 0; }

  // The candidates of all parents.
  std::optional<Ending> expand() {
    const std::size_t parents = now_.size();
    Outcome& count = meter_.count;
    const Limits& limits = options_.limits;
    if (count.expanded >= limits.expanded) return Ending{Status::limit_reached, Limit::expanded};
    if (count.generated >= limits.generated) return Ending{Status::limit_reached, Limit::generated};
    const bool tight = limits.expanded - count.expanded < parents ||
                       limits.generated - count.generated < TileSuccessors::kMost * parents;
    used_ = tight ? 1 : threads_for(parents);
    std::optional<Ending> ending;
    std::atomic<unsigned> next{0};
    on_threads(used_, [&] {
      for (unsigned t; (t = next.fetch_add(1)) < used_;) {
        TileCandidates& worker = workers_[t];
        worker.clear();
        const std::size_t begin = parents * t / used_, end = parents * (t + 1) / used_;
        for (std::size_t i = begin; i < end; i += TileSuccessors::kBatch) {
          if ((i - begin) % kPolled == 0 && interruption_.requested()) return;
          if (tight) {
            if (count.expanded + worker.expanded + TileSuccessors::kBatch > limits.expanded ||
                count.generated + worker.generated + TileSuccessors::kBatch * TileSuccessors::kMost >
                    limits.generated) {
              for (std::size_t one = i; one < std::min(i + TileSuccessors::kBatch, end); ++one) {
                if (count.expanded + worker.expanded >= limits.expanded)
                  ending = Ending{Status::limit_reached, Limit::expanded};
                else if (count.generated + worker.generated >= limits.generated)
                  ending = Ending{Status::limit_reached, Limit::generated};
                if (ending) return;
                successors_.look(now_, one, one + 1, depth_, worker);
              }
              continue;
            }
          }
          successors_.look(now_, i, std::min(i + TileSuccessors::kBatch, end), depth_, worker);
        }
      }
    });
    for (unsigned t = 0; t < used_; ++t) {
      count.expanded += workers_[t].expanded;
      count.generated += workers_[t].generated;
      count.evaluated += workers_[t].generated;
      if (goal_ == TileCandidates::kNone) goal_ = workers_[t].goal;
    }
    if (goal_ != TileCandidates::kNone) return std::nullopt;
    return ending ? ending : meter_.poll();
  }

  // How many states the next layer keeps: fewer than asked for if there is not the time for as many in each of the
  // layers that may follow.
  std::size_t width() const noexcept {
    const std::uint64_t expanded = meter_.count.expanded;
    const double spent = control_.seconds_since(begin_);
    const double seconds = options_.limits.seconds;
    if (expanded < kPaced || seconds > kForever || options_.longest <= depth_) return options_.width;
    const double left =
        std::min(seconds - spent, std::chrono::duration<double>(control_.deadline() - control_.now()).count());
    const double fits = kWider * std::max(0.0, left) / static_cast<double>(options_.longest - depth_) *
                        static_cast<double>(expanded) / spent;
    return fits >= static_cast<double>(options_.width) ? options_.width
                                                       : std::max(static_cast<std::size_t>(fits), kNarrowest);
  }

  // Leaves those candidates that are new and good enough. False: interrupted.
  bool choose() {
    const std::size_t width = this->width();
    std::int32_t least = TileCandidates::kNoScore;
    for (unsigned t = 0; t < used_; ++t) least = std::min(least, workers_[t].least);
    std::array<std::vector<std::size_t>, kPieces> counts;  // by piece and score, from the least on
    each_piece([&](TileCandidates& worker, unsigned piece) {
      std::size_t most = before_.piece[piece + 1] - before_.piece[piece];
      for (unsigned t = 0; t < used_; ++t) most += workers_[t].pieces[piece].size();
      worker.seen.clear(most);
      for (std::size_t i = before_.piece[piece]; i < before_.piece[piece + 1]; ++i) worker.seen.insert(before_.hash[i]);
      for (unsigned t = 0; t < used_; ++t)
        std::erase_if(workers_[t].pieces[piece], [&](const TileCandidate& candidate) {
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
    const auto of_score = [&](std::size_t piece, std::size_t one) {
      return one < counts[piece].size() ? counts[piece][one] : 0;
    };
    for (; score < scores; ++score) {
      std::size_t more = 0;
      for (unsigned piece = 0; piece < kPieces; ++piece) more += of_score(piece, score);
      if (kept + more > width) break;
      kept += more;
    }
    // Of those that have the worst score, as many as there is room for, in the order of pieces.
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
    if (keeps_ways()) {
      ways_.push_back(now_.way);
      way_bytes_ += ways_.back().capacity() * sizeof(TileWay);
      for (std::size_t i = 0; i < now_.size(); ++i) now_.way[i] = TileWay(i);
    }
    each_piece([&](TileCandidates&, unsigned piece) {
      std::size_t i = next_.piece[piece], worst = last_of_[piece];
      for (unsigned t = 0; t < used_; ++t)
        for (const TileCandidate& candidate : workers_[t].pieces[piece]) {
          if (candidate.score > last_score_) continue;
          if (candidate.score == last_score_ && worst-- == 0) {
            worst = 0;
            continue;
          }
          successors_.make(now_, candidate, next_, i++);
        }
    });
    if (interruption_.requested()) return false;
    before_.piece = now_.piece;
    std::swap(before_.hash, now_.hash);
    std::swap(now_, next_);
    ++depth_;
    if (options_.samples != nullptr) sample(*options_.samples);
    meter_.count.stored = std::max<std::uint64_t>(meter_.count.stored, now_.size());
    meter_.count.max_open = meter_.count.stored;
    return true;
  }

  // Each in its own part of the layer, at another place of it in each layer.
  void sample(TileSamples& samples) const {
    const std::size_t states = now_.size(), count = std::min(samples.of_layer, states), depth = depth_;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint8_t* const board = now_.board((k * states + depth * kStride % states) / count);
      samples.depths.push_back(static_cast<std::uint32_t>(depth));
      samples.boards.insert(samples.boards.end(), board, board + cells_);
    }
  }

  // Calls work(worker, piece) for all pieces, unless it is interrupted.
  template <class Work>
  void each_piece(Work work) {
    std::atomic<unsigned> next_worker{0}, next_piece{0};
    on_threads(used_, [&] {
      TileCandidates& worker = workers_[next_worker.fetch_add(1)];
      for (unsigned piece; (piece = next_piece.fetch_add(1)) < kPieces && !interruption_.requested();)
        work(worker, piece);
    });
  }

  Outcome solved() {
    Outcome outcome = meter_.finish({Status::solved});
    outcome.path.push_back(goal_ % 4);
    TileWay way = now_.way[goal_ / 4];
    for (unsigned depth = depth_; depth > 0;) {
      const unsigned moves = (depth - 1) % TileWay::kMoves + 1;
      for (unsigned before = 0; before < moves; ++before) outcome.path.push_back(way.move(before));
      depth -= moves;
      if (depth > 0) way = ways_[depth / TileWay::kMoves - 1][way.from()];
    }
    std::ranges::reverse(outcome.path);
    return outcome;
  }

  const TileSuccessors successors_;
  const std::size_t cells_;
  const TileBeamOptions& options_;
  const Control& control_;
  const Clock::time_point begin_;
  Budget budget_;
  Meter meter_;
  const Interruption interruption_;
  TileLayer now_, next_, before_;  // of `before_` only the hashes
  std::vector<TileCandidates> workers_;
  unsigned used_ = 1;  // workers that have candidates
  std::int32_t last_score_ = 0;
  std::array<std::size_t, kPieces> last_of_{};  // how many of this score each piece keeps
  unsigned depth_ = 0;
  std::vector<std::vector<TileWay>> ways_;  // of the layers kMoves, 2 * kMoves, ... from the start
  std::uint64_t way_bytes_ = 0;
  std::uint32_t goal_ = TileCandidates::kNone;
};

}  // namespace

Outcome tile_beam(Bytes start, const TileHeuristic& heuristic, const TileBeamOptions& options, Control& control) {
  return within_memory(control, [&](Clock::time_point begin) {
    heuristic.puzzle().check(start, "start");
    if (!(options.limits.seconds >= 0)) throw std::invalid_argument("seconds is not a number of at least 0");
    if (options.width == 0 || options.width > kMostWidth) throw std::invalid_argument("width is not from 1 to 2^24");
    if (options.threads == 0 || options.threads > SearchOptions::kMostThreads)
      throw std::invalid_argument("threads is not from 1 to 64");
    const TileRanking plain = TileRanking::plain(heuristic.puzzle());
    return Beam(start, heuristic, options.ranking != nullptr ? *options.ranking : plain, options, control, begin).run();
  });
}

}  // namespace hstar
