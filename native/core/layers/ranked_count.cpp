// Two bits say of a state that it has not been seen, is of the layer that is expanded, of the one before or the one
// after, or is older. Each layer goes through the blocks of states: what is new in a block is collected from the blocks
// that moves lead from, so that one thread alone writes it.

#include "layers/ranked_count.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/parallel.hpp"
#include "layers/scratch.hpp"
#include "layers/stored_bytes.hpp"
#include "memory/zeros.hpp"
#include "search/meter.hpp"

namespace hstar {

namespace {

class RankedCount {
 public:
  RankedCount(const RankedSpace& space, const SearchOptions& options, const LayerOptions& where, Control& control,
              Clock::time_point begin)
      : space_(space),
        words_((space.states() + 63) / 64),
        table_bytes_(space.blocks() * words_ * sizeof(Cells)),
        file_bytes_(table_bytes_ + space.blocks() * (sizeof(std::uint16_t) + 1)),
        options_(options),
        where_(where),
        control_(control),
        begin_(begin),
        interruption_(options.limits, control, begin),
        budget_(options.limits.memory_bytes),
        meter_(options.limits, control, begin, budget_) {}

  std::optional<Outcome> run() {
    if (!budget_.charge(file_bytes_ + space_.blocks() + space_.bytes())) return std::nullopt;
    if (!where_.directory.empty()) {
      if (where_.disk_bytes / 2 < file_bytes_ + kSmall) return std::nullopt;
      scratch_.emplace(where_.directory, where_.disk_bytes);
    }
    const Zeros table(table_bytes_);
    cells_ = table.as<Cells>();
    seen_.resize(space_.blocks());
    for (auto& newest : newest_) newest.resize(space_.blocks());
    Outcome& count = meter_.count;
    if (const Start start = go_on(); start == Start::not_ours) {
      return std::nullopt;
    } else if (start == Start::afresh) {
      const std::uint64_t first = space_.start_block();
      cells_[first * words_].of[0] = 1;
      seen_[first] = newest_[0][first] = 1;
      add_layer({1, space_.degree(space_.block(first).split)});
    }
    next_checkpoint_ = after_checkpoint(static_cast<double>(file_bytes_) / (1 << 30));  // as if a second wrote a GiB
    for (;;) {
      if (const auto ending = meter_.poll()) return meter_.finish(*ending);
      const Found next = advance();
      if (interruption_.requested()) return meter_.finish(*interruption_.ending());
      count.expanded += newest_layer_.states;
      count.generated += newest_layer_.successors;
      if (next.states == 0) break;
      add_layer(next);
      checkpoint();
    }
    if (scratch_) scratch_->discard();
    return meter_.finish({Status::exhausted});
  }

 private:
  // Of each of 64 states a bit for even layers and a bit for odd ones; older states have both.
  struct Cells {
    std::uint64_t of[2];
  };
  struct Found {
    std::uint64_t states = 0, successors = 0;
  };
  enum class Start { afresh, here, not_ours };
  static constexpr std::size_t kMostWords = 79;  // 7! states
  static constexpr std::uint64_t kUnit = 64;     // blocks that a thread takes at a time
  static constexpr std::uint64_t kSmall = 1 << 16;  // of a checkpoint without its table
  using Words = std::array<std::uint64_t, kMostWords>;

  static std::uint64_t load(std::uint64_t& word) noexcept {
    return std::atomic_ref(word).load(std::memory_order_relaxed);
  }
  static void store(std::uint64_t& word, std::uint64_t value) noexcept {
    std::atomic_ref(word).store(value, std::memory_order_relaxed);
  }
  unsigned depth() const noexcept { return static_cast<unsigned>(meter_.count.layers.size() - 1); }

  void add_layer(Found layer) {
    newest_layer_ = layer;
    Outcome& count = meter_.count;
    count.f_bound = static_cast<double>(count.layers.size());
    count.layers.emplace_back(count.f_bound, layer.states);
    count.stored += layer.states;
    count.max_open = std::max(count.max_open, layer.states);
  }

  // Marks the next layer.
  Found advance() {
    const unsigned now = depth() % 2, next = 1 - now;
    std::atomic<std::uint64_t> states{0}, successors{0};
    in_blocks(space_.blocks(), kUnit, options_.threads, [&](std::uint64_t begin, std::uint64_t end) {
      if (interruption_.requested()) return;
      Found found;
      for (std::uint64_t number = begin; number < end; ++number) {
        newest_[next][number] = 0;
        if (seen_[number] == space_.states()) continue;
        const RankedSpace::Block block = space_.block(number);
        const unsigned fresh = fill(number, block, now);
        if (fresh == 0) continue;
        newest_[next][number] = 1;
        seen_[number] = static_cast<std::uint16_t>(seen_[number] + fresh);
        found.states += fresh;
        found.successors += std::uint64_t{fresh} * space_.degree(block.split);
      }
      control_.stored.fetch_add(found.states, std::memory_order_relaxed);
      states += found.states;
      successors += found.successors;
    });
    return {states, successors};
  }

  // Marks the states of a block that the layer leads to, and returns how many are new. Of a block that gets new ones,
  // those with the same mark become older; so the marks of one that was new in the last layer are of that layer alone.
  unsigned fill(std::uint64_t number, const RankedSpace::Block& block, unsigned now) const {
    Words found;
    bool any = false;
    for (const RankedSpace::Way& way : space_.ways(block.split)) {
      if (way.from == RankedSpace::kNone) continue;
      const std::uint64_t source = space_.from(way, block.head);
      if (!newest_[now][source]) continue;
      if (!any) std::fill_n(found.begin(), words_, 0);
      any = true;
      // Its other bits may be set meanwhile, by the thread that has it: of states that are not of this layer.
      Cells* const cells = cells_ + source * words_;
      const auto layer = [&](std::size_t i) { return load(cells[i].of[now]) & ~load(cells[i].of[1 - now]); };
      if (way.tail == RankedSpace::kStill) {
        for (std::size_t i = 0; i < words_; ++i) found[i] |= layer(i);
        continue;
      }
      const std::uint16_t* const row = space_.tail_row(way, space_.block(source).odd);
      for (std::size_t i = 0; i < words_; ++i)
        for (std::uint64_t bits = layer(i); bits != 0; bits &= bits - 1) {
          const std::uint16_t state = row[i * 64 + static_cast<unsigned>(std::countr_zero(bits))];
          found[state / 64] |= std::uint64_t{1} << state % 64;
        }
    }
    if (!any) return 0;
    unsigned states = 0;
    Cells* const own = cells_ + number * words_;
    for (std::size_t i = 0; i < words_; ++i)
      states += static_cast<unsigned>(std::popcount(found[i] &= ~(own[i].of[0] | own[i].of[1])));
    if (states == 0) return 0;
    for (std::size_t i = 0; i < words_; ++i) {
      store(own[i].of[now], own[i].of[now] | own[i].of[1 - now]);
      store(own[i].of[1 - now], own[i].of[1 - now] | found[i]);
    }
    return states;
  }

  // -- Checkpoints: numbers and layers, and a file with what the bits and the blocks have.

  static constexpr std::uint64_t kFormat = 0x6873746172726b31;  // "hstarrk1"

  template <class Use>
  bool each_piece(Use use) {
    for (const auto whole :
         {std::as_writable_bytes(std::span(cells_, table_bytes_ / sizeof(Cells))),
          std::as_writable_bytes(std::span(seen_)), std::as_writable_bytes(std::span(newest_[depth() % 2]))})
      for (std::size_t at = 0; at < whole.size(); at += kPiece) {
        if (interruption_.requested()) return false;
        use(whole.subspan(at, std::min(kPiece, whole.size() - at)));
      }
    return true;
  }

  // A large table takes long to write: then as seldom as that this is a tenth of the time, within reason.
  double after_checkpoint(double seconds) const {
    return control_.seconds_since(begin_) +
           std::clamp(9 * seconds, where_.checkpoint_seconds, 100 * where_.checkpoint_seconds);
  }

  void checkpoint() {
    const double now = control_.seconds_since(begin_);
    if (!scratch_ || now < next_checkpoint_ || !scratch_->has_room(file_bytes_ + kSmall)) return;
    try {
      auto file = scratch_->make();
      if (!each_piece([&](std::span<std::byte> piece) { file->append({{std::span<const std::byte>(piece)}}); })) return;
      file->sync();
      std::vector<std::byte> bytes;
      const Outcome& count = meter_.count;
      put(bytes, kFormat);
      put_text(bytes, where_.key);
      put_text(bytes, file->name());
      for (const std::uint64_t number : {file_bytes_, count.expanded, count.generated, newest_layer_.successors})
        put(bytes, number);
      for (const auto& [depth, states] : count.layers) put(bytes, states);
      scratch_->write_checkpoint(bytes, {file->name()});
      file_ = std::move(file);
    } catch (const DiskFull&) {
      next_checkpoint_ = std::numeric_limits<double>::infinity();  // the last one stays
      return;
    }
    next_checkpoint_ = after_checkpoint(control_.seconds_since(begin_) - now);
  }

  // Throws std::invalid_argument if the checkpoint is another search's, or damaged.
  Start go_on() {
    const auto bytes = scratch_ ? scratch_->read_checkpoint() : std::nullopt;
    if (!bytes) {
      if (scratch_) scratch_->adopt({});
      return Start::afresh;
    }
    StoredBytes from{*bytes};
    if (from.get<std::uint64_t>() != kFormat) return Start::not_ours;
    if (from.text() != where_.key)
      throw std::invalid_argument(where_.directory + " has a checkpoint of another search");
    const std::string name = from.text();
    if (from.get<std::uint64_t>() != file_bytes_)
      throw std::invalid_argument(where_.directory + " has a checkpoint of another build");
    file_ = scratch_->open(name, file_bytes_);
    if (!file_) throw std::invalid_argument(where_.directory + "/" + name + " is missing or too short");
    Outcome& count = meter_.count;
    count.expanded = from.get<std::uint64_t>();
    count.generated = from.get<std::uint64_t>();
    const auto successors = from.get<std::uint64_t>();
    while (from.whole && !from.left.empty()) add_layer({from.get<std::uint64_t>(), successors});
    if (!from.whole || count.layers.empty())
      throw std::invalid_argument(where_.directory + " has a damaged checkpoint");
    std::uint64_t at = 0;
    try {
      each_piece([&](std::span<std::byte> piece) {
        file_->read(at, piece);
        at += piece.size();
      });
    } catch (const DiskFull&) {
      throw std::invalid_argument(where_.directory + "/" + name + " cannot be read");
    }
    scratch_->adopt({name});
    return Start::here;
  }

  static constexpr std::size_t kPiece = std::size_t{16} << 20;

  const RankedSpace& space_;
  const std::size_t words_;  // of Cells, of a block
  const std::uint64_t table_bytes_, file_bytes_;
  const SearchOptions& options_;
  const LayerOptions& where_;
  Control& control_;
  const Clock::time_point begin_;
  const Interruption interruption_;
  Budget budget_;
  Meter meter_;
  Found newest_layer_;
  Cells* cells_ = nullptr;                           // by block
  std::vector<std::uint16_t> seen_;                  // by block: its states that have been found
  // By block: whether the last even layer, the last odd one has any of them.
  std::array<std::vector<std::uint8_t>, 2> newest_;
  std::optional<Scratch> scratch_;
  std::unique_ptr<ScratchFile> file_;  // of the last checkpoint
  double next_checkpoint_ = 0;
};

}  // namespace

std::optional<Outcome> count_ranked(const RankedSpace& space, const SearchOptions& options, const LayerOptions& where,
                                    Control& control, Clock::time_point begin) {
  return RankedCount(space, options, where, control, begin).run();
}

}  // namespace hstar
