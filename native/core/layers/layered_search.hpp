// The search of layered.hpp over one Domain and one kind of record.
//
// A layer is in buckets by the hash of its states. Its states are expanded bucket by bucket, and the successors are
// written to buckets as they come; then each bucket of successors becomes one of the next layer, in a table of its own:
// duplicates are found late, within a part that is small (delayed duplicate detection). All reading and writing is in
// sequence. A layer that is compared with no other has no more buckets than it fills with several chunks each.
//
// Of a search below a bound, a state that has been left out is left out whenever it comes again, because its g only
// grows. So a state of the next layer can only be a state of this layer or of the one before, if all moves have
// inverses.
//
// A solution is read from the layers backwards. Where the first of them have been dropped, the search up to there is
// done again, for the state that the rest of the solution begins with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "base/parallel.hpp"
#include "deepening/deepening.hpp"
#include "layers/chunks.hpp"
#include "layers/codecs.hpp"
#include "layers/layered.hpp"
#include "layers/scratch.hpp"
#include "layers/stored_bytes.hpp"
#include "search/request.hpp"

namespace hstar {

// What a search by layers is to do.
struct LayeredTask {
  const Task& task;
  const LayerOptions& where;
  bool inverses = false;          // each move is undone by another one
  bool counts = false;            // all states up to `depth`, with no goal
  unsigned depth = 0;
};

template <Domain D, class Codec>
class LayeredSearch {
 public:
  using State = typename D::State;
  using Record = typename Codec::Record;

  // `back`: a domain whose successors are the predecessors; `forward(m)`: the move that its move m undoes.
  LayeredSearch(const D& domain, const D& back, std::uint8_t (*forward)(std::uint8_t), Codec codec,
                const LayeredTask& asked)
      : domain_(domain), back_(back), forward_(forward), codec_(codec), asked_(asked), task_(asked.task),
        heuristic_(task_.heuristic), budget_(task_.options.limits.memory_bytes),
        meter_(task_.options.limits, task_.control, task_.begin, budget_), shared_(meter_),
        goal_(domain.pack(heuristic_.puzzle().goal())) {}

  Outcome run() {
    if (!begin()) return finish(meter_.lacking());
    const State start = domain_.pack(task_.start);
    if (!asked_.counts && start == goal_) return solved(false);  // a directory is left as it is
    try {
      if (!go_on()) {
        threshold_ = asked_.counts ? kNever : whole(value(start));
        meter_.count.evaluated = asked_.counts ? 0 : 1;
        restart();
      }
      for (;;) {
        meter_.count.f_bound = threshold_ == kNever ? 0 : threshold_;
        switch (advance()) {
          case Advance::ended: return finish(*shared_.ending());
          case Advance::empty:
            if (next_ == kNever || asked_.counts) return finish({Status::exhausted}, true);
            count_iteration();
            threshold_ = whole(next_);
            next_ = kNever;
            before_iteration_ = meter_.count.expanded;
            restart();
            break;
          case Advance::arrived:
            if (asked_.counts) return finish({Status::solved}, true);
            trace();
            if (target_depth_ == 0) return solved();
            restart();
        }
      }
    } catch (const DiskFull&) {
      return finish(kOutOfMemory);
    }
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr bool kMarksOfFour = Codec::kMarks && std::same_as<D, PackedTiles>;
  static constexpr std::size_t kRecords = ChunkPool::kBytes / sizeof(Record);  // of a chunk
  static constexpr std::uint64_t kWorthThreads = 8192;                         // states of a layer
  static constexpr std::size_t kBuffer = std::size_t{1} << 16;                 // bytes read from a file at a time

  struct Extent {
    std::uint64_t offset, records;
  };
  // The states of one or more buckets: in a file, then in chunks, of which only the last may be part full.
  struct Run {
    std::vector<std::uint32_t> chunks;
    std::vector<Extent> extents;
    std::uint64_t in_chunks = 0, in_file = 0;
    bool mirrored = false;  // the file has what the chunks have
    std::uint64_t records() const noexcept { return mirrored ? in_file : in_file + in_chunks; }
  };
  struct Layer {
    unsigned depth = 0;
    unsigned shift = 0;  // a run has 2^shift buckets
    std::uint64_t records = 0;
    std::vector<Run> runs;
    std::unique_ptr<ScratchFile> file;
    bool saved = false;  // all runs are in the file
  };
  // What one thread has.
  struct Worker {
    std::vector<Record*> next;  // by bucket, where its next successor goes; the end of a chunk: into a new one
    std::vector<Run> runs;
    SharedMeter::Part part;
    std::uint64_t passed_over = 0;  // successors that were not evaluated
    double next_f = kNever;
    bool found = false, lacking = false;
    std::vector<Record> buffer;
    typename D::Children children;
  };
  enum class Advance { empty, arrived, ended };

  // -- Memory ---------------------------------------------------------------------------------------------------------

  bool begin() {
    const std::uint64_t cap = task_.options.limits.memory_bytes;
    if (!budget_.charge(domain_.bytes() + back_.bytes() + cap / 128)) return false;  // the numbers of all chunks: 1/512
    threads_ = task_.options.threads;
    table_records_ = std::bit_floor(std::max<std::uint64_t>(cap / 8 / threads_ / sizeof(Record), 4096));
    const std::uint64_t tables = threads_ * table_records_ * sizeof(Record);
    bits_ = 0;
    while (bits_ < 10 && (std::uint64_t{2} << bits_) * threads_ * ChunkPool::kBytes * 16 <= cap) ++bits_;
    buckets_ = std::size_t{1} << bits_;
    const std::uint64_t lists = (threads_ + 4) * buckets_ * (sizeof(Run) + 64) + threads_ * (sizeof(Worker) + kBuffer);
    // Charged as they come.
    const std::uint64_t of_layers = std::min<std::uint64_t>(128 * buckets_ * sizeof(Run), cap / 8);
    if (!budget_.charge(lists) || tables + of_layers > budget_.left()) return false;
    pool_.emplace(task_.arena.nodes, budget_, shared_.mutex(), budget_.left() - tables - of_layers);
    for (unsigned i = 0; i < threads_; ++i) {
      workers_.push_back(std::make_unique<Worker>());
      workers_.back()->next.resize(buckets_);
      workers_.back()->runs.resize(buckets_);
      workers_.back()->buffer.resize(kBuffer / sizeof(Record));
    }
    if (!asked_.where.directory.empty()) scratch_.emplace(asked_.where.directory, asked_.where.disk_bytes);
    return true;
  }
  std::uint64_t reserve() const noexcept { return threads_ * (buckets_ + domain_.branching() + 2); }
  std::size_t bucket(std::uint64_t hash) const noexcept { return hash >> 1 >> (63 - bits_); }
  // The run of a layer that has a state, if the layer has it.
  auto& run_of(auto& layer, const Record& record) const noexcept {
    return layer.runs[bucket(Codec::hash(record)) >> layer.shift];
  }

  // The block of a run that begins with its record `at`, which begins a chunk or is in the file.
  std::span<const Record> block(const Layer& layer, const Run& run, std::uint64_t at,
                                std::vector<Record>& buffer) const {
    return block(layer.file.get(), run, at, buffer);
  }
  std::span<const Record> block(const ScratchFile* file, const Run& run, std::uint64_t at,
                                std::vector<Record>& buffer) const {
    const std::uint64_t before = run.mirrored && run.in_chunks > 0 ? 0 : run.in_file;
    if (at >= before) {
      const std::uint64_t in = at - before;
      return {records(run.chunks[in / kRecords]), std::min<std::uint64_t>(kRecords, run.in_chunks - in)};
    }
    std::uint64_t skipped = 0;
    for (const Extent& extent : run.extents) {
      if (at < skipped + extent.records) {
        const std::uint64_t in = at - skipped, count = std::min<std::uint64_t>(buffer.size(), extent.records - in);
        file->read(extent.offset + in * sizeof(Record), std::as_writable_bytes(std::span(buffer.data(), count)));
        return {buffer.data(), count};
      }
      skipped += extent.records;
    }
    return {};
  }
  Record* records(std::uint32_t chunk) const noexcept { return reinterpret_cast<Record*>((*pool_)[chunk]); }
  static bool at_end(const Record* next) noexcept {
    return (reinterpret_cast<std::uintptr_t>(next) & (ChunkPool::kBytes - 1)) == 0;
  }
  [[nodiscard]] bool push(Run& run, Record*& next, const Record& record) {
    if (at_end(next)) {
      const std::uint32_t chunk = pool_->take();
      if (chunk == ChunkPool::kNone) return false;
      run.chunks.push_back(chunk);
      next = records(chunk);
    }
    *next++ = record;
    return true;
  }
  // Sets how many records its chunks hold, from where the next one would go.
  void measure(Run& run, const Record* next) const noexcept {
    run.in_chunks = run.chunks.size() * kRecords;
    if (!run.chunks.empty() && !at_end(next))
      run.in_chunks -= kRecords - static_cast<std::size_t>(next - records(run.chunks.back()));
  }
  void free_chunks(Run& run) noexcept {
    for (const std::uint32_t chunk : run.chunks)
      if (chunk != ChunkPool::kNone) pool_->give(chunk);
    run.chunks.clear();
    run.in_chunks = 0;
  }
  void drop(Layer& layer) noexcept {
    for (Run& run : layer.runs) free_chunks(run);
    budget_.refund(layer.runs.size() * sizeof(Run));
    layer.file.reset();
  }
  void drop_first() noexcept {
    drop(layers_.front());
    layers_.pop_front();
  }
  void drop_all() noexcept {
    for (Layer& layer : layers_) drop(layer);
    layers_.clear();
  }
  void drop_successors() noexcept {
    for (auto& worker : workers_) {
      for (Run& run : worker->runs) {
        free_chunks(run);
        run = {};
      }
      std::ranges::fill(worker->next, nullptr);
    }
    spilled_.reset();
  }
  bool begin_layer(Layer& layer, unsigned depth, unsigned shift) {
    layer.depth = depth;
    layer.shift = shift;
    if (!budget_.charge((buckets_ >> shift) * sizeof(Run))) return false;
    layer.runs.resize(buckets_ >> shift);
    return true;
  }
  bool new_layer(unsigned depth, unsigned shift) {
    layers_.emplace_back();
    return begin_layer(layers_.back(), depth, shift);
  }
  // The shift of a layer that so many successors become: enough runs for the threads and their tables, else 8 to 16
  // chunks each.
  unsigned shift_of(std::uint64_t successors) const noexcept {
    if (!Codec::kMarks) return 0;  // layers that are compared have the same runs
    std::uint64_t runs = std::max(successors / (16 * kRecords), 2 * successors / table_records_) + 1;
    if (successors >= kWorthThreads) runs = std::max<std::uint64_t>(runs, 4 * threads_);
    return bits_ - std::min(bits_, static_cast<unsigned>(std::bit_width(runs - 1)));
  }
  // Measures the runs of successors, and counts them.
  std::uint64_t waiting(bool in_files) noexcept {
    std::uint64_t records = 0;
    for (auto& worker : workers_)
      for (std::size_t b = 0; b < buckets_; ++b) {
        measure(worker->runs[b], worker->next[b]);
        records += in_files ? worker->runs[b].records() : worker->runs[b].in_chunks;
      }
    return records;
  }
  // Calls visit(run) for the runs of successors of the buckets in run `number` of a layer.
  template <class Visit>
  void each_run(std::size_t number, unsigned shift, Visit visit) {
    for (std::size_t b = number << shift; b < (number + 1) << shift; ++b)
      for (auto& worker : workers_) visit(worker->runs[b]);
  }

  // Write a run's chunks to a file, at its end.
  void write(ScratchFile& file, Run& run) const {
    if (run.mirrored || run.in_chunks == 0) return;
    std::vector<std::span<const std::byte>> pieces;
    for (std::size_t i = 0; i < run.chunks.size(); ++i) {
      const std::uint64_t count = std::min<std::uint64_t>(kRecords, run.in_chunks - i * kRecords);
      pieces.push_back(std::as_bytes(std::span<const Record>(records(run.chunks[i]), count)));
    }
    const std::uint64_t offset = file.append(pieces);
    run.extents.push_back({offset, run.in_chunks});
  }
  // Have a layer on the disk as well; false if there is no room, even without the layers that may be dropped.
  bool save(Layer& layer) {
    if (layer.saved) return true;
    while (!scratch_->has_room(layer.records * sizeof(Record))) {
      if (!may_drop_first() || &layers_.front() == &layer) return false;
      drop_first();
    }
    if (!layer.file) layer.file = scratch_->make();
    for (Run& run : layer.runs) {
      const bool part = !run.extents.empty();
      write(*layer.file, run);
      run.in_file += run.mirrored ? 0 : run.in_chunks;
      if (part && !run.mirrored) free_chunks(run);
      run.mirrored = true;
    }
    return layer.saved = true;
  }
  // Layers that the next one is compared with, beside the one that is expanded.
  std::size_t compared() const noexcept {
    if (Codec::kMarks) return 0;
    return asked_.inverses ? 1 : layers_.size();
  }
  bool may_drop_first() const noexcept { return layers_.size() > compared() + 1; }

  // More chunks for the successors of the last layer. No thread is at work.
  bool make_room() {
    if (may_drop_first() && !scratch_) {
      drop_first();
      return true;
    }
    if (scratch_) {
      for (Layer& layer : layers_) {
        if (&layer == &layers_.back() || layer.records == 0 || !in_memory(layer)) continue;
        if (!save(layer)) break;
        for (Run& run : layer.runs) free_chunks(run);
        return true;
      }
      if (may_drop_first() && in_memory(layers_.front())) {
        drop_first();
        return true;
      }
    }
    const std::uint64_t records = waiting(false);
    if (records > compact_at_ + compact_at_ / 2) {
      compact_at_ = 0;
      if (!each_bucket(
              0, [&](std::size_t b, Record* table, std::vector<Record>& buffer) { return compact(b, table, buffer); }))
        return false;
      if (compact_at_ < records - records / 8) return true;
    }
    Layer& last = layers_.back();
    if (scratch_) {
      if (in_memory(last) && save(last)) {
        for (Run& run : last.runs) free_chunks(run);
        return true;
      }
      while (!scratch_->has_room(records * sizeof(Record)) && may_drop_first()) drop_first();
      if (!spilled_) spilled_ = scratch_->make();
      for (auto& worker : workers_)
        for (std::size_t b = 0; b < buckets_; ++b) {
          Run& run = worker->runs[b];
          measure(run, worker->next[b]);
          write(*spilled_, run);
          run.in_file += run.in_chunks;
          free_chunks(run);
          worker->next[b] = nullptr;
        }
      compact_at_ = 0;
      return records > 0;
    }
    if (!Codec::kMarks || consuming_) return false;
    consuming_ = true;  // what has been expanded of the layer is of no use but to read the solution
    for (std::size_t r = 0; r < last.runs.size(); ++r)
      for (std::size_t i = 0; i < last.runs[r].chunks.size() && (i + 1) * kRecords <= expanded_[r]; ++i)
        consume(last.runs[r], i);
    return true;
  }
  void consume(Run& run, std::size_t i) noexcept {
    pool_->give(run.chunks[i]);
    run.chunks[i] = ChunkPool::kNone;
  }
  static bool in_memory(const Layer& layer) noexcept {
    return std::ranges::any_of(layer.runs, [](const Run& run) { return run.in_chunks > 0; });
  }

  // -- One layer ------------------------------------------------------------------------------------------------------

  // Solutions have whole lengths, so a threshold may be the next whole number. h may be off by rounding.
  static double whole(double f) noexcept { return std::max(f, std::ceil(f - 1e-6)); }
  double value(const State& state) const noexcept {
    std::uint8_t bytes[kMostStateBytes];
    domain_.unpack(state, bytes);
    return heuristic_.value(heuristic_.raw({bytes, domain_.state_bytes()}), {bytes, domain_.state_bytes()});
  }
  [[gnu::always_inline]] double h(const State& state, std::uint32_t raw) const noexcept {
    if (const HeuristicTable& lookup = domain_.lookup(); !lookup.empty()) return lookup[raw];
    std::uint8_t bytes[kMostStateBytes];
    domain_.unpack(state, bytes);
    return heuristic_.value(raw, {bytes, domain_.state_bytes()});
  }

  // Expands states until it must stop; returns how many.
  std::size_t expand(Worker& worker, std::span<const Record> block, double g) {
    if constexpr (kMarksOfFour) {
      if (asked_.counts) return expand_four<true>(worker, block, g);
      if (domain_.lookup().scale() > 0) return expand_four<false>(worker, block, g);
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (!may_expand(worker)) return i;
      --worker.part.left;
      const State state = codec_.unpack(domain_, block[i]);
      auto& children = worker.children;
      domain_.expand(state, domain_.hash(state), domain_.raw(state), kNoArrival, children, IgnoreHash{});
      worker.part.generated += children.produced;
      for (unsigned c = 0; c < children.size; ++c) {
        const State& child = children.state[c];
        const auto move = static_cast<std::uint8_t>(children.move[c]);
        if constexpr (Codec::kMarks) {
          if (Codec::marks(block[i]) >> move & 1) {
            ++worker.passed_over;
            continue;
          }
        }
        if (!asked_.counts) {
          if (child == goal_) worker.found = true;
          const double f = g + 1 + h(child, children.raw[c]);
          if (f > threshold_) {
            worker.next_f = std::min(worker.next_f, f);
            continue;
          }
        }
        Record record = codec_.pack(domain_, child);
        if constexpr (Codec::kMarks) Codec::mark(record, move);
        put_successor(worker, record);
      }
      if (worker.lacking) return i;
    }
    return block.size();
  }
  bool may_expand(Worker& worker) {
    return worker.part.left > 0 || shared_.refill(worker.part, domain_.branching(), 0, kRecords, [] { return true; });
  }
  void put_successor(Worker& worker, const Record& record) {
    const std::size_t b = bucket(Codec::hash(record));
    if (!push(worker.runs[b], worker.next[b], record)) worker.lacking = true;
  }
  // The same with h from a table. Which successors stay is as good as random, so none of it is a branch: the processor
  // would guess wrong every other time. Those that stay are collected first.
  template <bool kCounts>
  std::size_t expand_four(Worker& worker, std::span<const Record> block, double g) {
    constexpr std::size_t kMost = 256;
    std::array<Record, 4 * kMost> successors;
    const HeuristicTable& lookup = domain_.lookup();
    const std::uint32_t* const whole = lookup.whole().data();
    // h times its scale: the most that stays, and the least that does not.
    const auto most = kCounts ? 0 : static_cast<std::int64_t>(std::floor((threshold_ - g - 1) * lookup.scale()));
    std::uint32_t next_h = ~0u;
    const State goal = goal_;
    for (std::size_t from = 0; from < block.size();) {
      if (!may_expand(worker)) return from;
      const std::size_t to = from + std::min({kMost, block.size() - from, static_cast<std::size_t>(worker.part.left)});
      worker.part.left -= to - from;
      std::size_t size = 0;
      std::uint64_t generated = 0, evaluated = 0;
      unsigned found = 0;
      for (std::size_t i = from; i < to; ++i) {
        const State state = codec_.unpack(domain_, block[i]);
        const std::uint32_t raw = kCounts ? 0 : domain_.raw(state);
        const auto visit = [&](const State& child, std::uint32_t child_raw, std::uint8_t move, unsigned is) {
          evaluated += is;
          unsigned stays = is;
          if constexpr (!kCounts) {
            const std::uint32_t h = whole[child_raw];
            found |= is & static_cast<unsigned>(child == goal);
            stays &= static_cast<unsigned>(h <= most);
            next_h = std::min(next_h, h | ((is ^ stays) - 1));
          }
          Record record = codec_.pack(domain_, child);
          Codec::mark(record, move);
          successors[size] = record;
          size += stays;
        };
        generated += domain_.each_of_four(state, raw, Codec::marks(block[i]), visit);
      }
      worker.part.generated += generated;
      worker.passed_over += generated - evaluated;
      worker.found |= found > 0;
      if (next_h != ~0u) worker.next_f = std::min(worker.next_f, g + 1 + static_cast<double>(next_h) / lookup.scale());
      for (std::size_t i = 0; i < size; ++i) put_successor(worker, successors[i]);
      if (worker.lacking) return from;
      from = to;
    }
    return block.size();
  }

  // All successors of the last layer; false if the search has to end.
  bool expand_layer() {
    Layer& layer = layers_.back();
    expanded_.assign(layer.runs.size(), 0);
    consuming_ = false;
    compact_at_ = 0;
    const unsigned threads = layer.records < kWorthThreads ? 1 : threads_;
    for (;;) {
      std::atomic<std::size_t> next_worker{0}, next_run{0};
      std::atomic<bool> full{false};
      on_threads(threads, [&] {
        Worker& worker = *workers_[next_worker.fetch_add(1)];
        const SharedMeter::Settled settled{shared_, worker.part};
        worker.part.stored = most_stored_;
        for (std::size_t r; !full && (r = next_run.fetch_add(1)) < layer.runs.size();) {
          Run& run = layer.runs[r];
          while (expanded_[r] < run.records()) {
            if (pool_->scarce(reserve())) {
              full = true;
              break;
            }
            const std::uint64_t at = expanded_[r];
            const auto states = block(layer, run, at, worker.buffer);
            const std::size_t done = expand(worker, states, layer.depth);
            expanded_[r] += done;
            if (done < states.size()) return;
            if (consuming_ && run.in_file == 0 && states.size() == kRecords) consume(run, at / kRecords);
          }
        }
      });
      for (auto& worker : workers_) {
        next_ = std::min(next_, worker->next_f);
        worker->next_f = kNever;
        meter_.count.evaluated -= asked_.counts ? 0 : worker->passed_over;
        worker->passed_over = 0;
        if (worker->lacking) shared_.end(kOutOfMemory);
      }
      if (asked_.counts) meter_.count.evaluated = 0;
      if (shared_.ending()) return false;
      if (!full) return true;
      while (pool_->scarce(2 * reserve() + buckets_))
        if (!make_room()) {
          if (!shared_.ending() && pool_->scarce(reserve() + 1)) shared_.end(kOutOfMemory);
          if (shared_.ending()) return false;
          break;
        }
    }
  }

  // Calls work(number, table, buffer) for all runs of 2^shift buckets, on all threads; false if the search has to end.
  template <class Work>
  bool each_bucket(unsigned shift, Work work) {
    if (!tables_grown(shift)) return false;
    const Interruption interruption(task_.options.limits, task_.control, task_.begin);
    std::atomic<std::size_t> next_worker{0}, next_run{0};
    std::atomic<bool> stopped{false};
    on_threads(layers_.back().records < kWorthThreads ? 1 : threads_, [&] {
      const std::size_t number = next_worker.fetch_add(1);
      Record* table = reinterpret_cast<Record*>(task_.arena.table.data()) + number * table_used_;
      for (std::size_t r; !stopped && (r = next_run.fetch_add(1)) < buckets_ >> shift;) {
        if (const auto ending = interruption.ending()) {
          shared_.end(*ending);
          stopped = true;
        } else if (!work(r, table, workers_[number]->buffer)) {
          shared_.end(kOutOfMemory);
          stopped = true;
        }
      }
    });
    return !stopped;
  }
  // Tables large enough for the largest run, or as large as they may be. The successors have been measured.
  bool tables_grown(unsigned shift) {
    std::uint64_t most = 0;
    for (std::size_t r = 0; r < buckets_ >> shift; ++r) {
      std::uint64_t records = 0;
      each_run(r, shift, [&](const Run& run) { records += run.records(); });
      most = std::max(most, records);
    }
    const std::uint64_t wanted = std::min(std::max(table_used_, std::bit_ceil(most + most / 2 + 16)), table_records_);
    if (!task_.arena.table.grow(budget_, threads_ * wanted * sizeof(Record))) {
      shared_.end(meter_.lacking());
      return false;
    }
    table_used_ = wanted;
    return true;
  }

  // The distinct successors of 2^shift buckets, handed to `take` (false: no memory). Of those in chunks only, or of all
  // but the states of earlier layers. Leaves the runs empty.
  template <class Take>
  bool distinct(std::size_t number, unsigned shift, bool whole, Record* table, std::vector<Record>& buffer, Take take) {
    std::uint64_t records = 0;
    each_run(number, shift, [&](const Run& run) { records += whole ? run.records() : run.in_chunks; });
    if (records == 0) return true;
    const std::uint64_t size = std::min(std::bit_ceil(records + records / 2 + 16), table_used_);
    const std::uint64_t passes = (records + records / 2 + size) / size;
    const unsigned before = bits_ - shift, after = 64 - static_cast<unsigned>(std::countr_zero(size));
    const auto place = [&](std::uint64_t hash) { return hash << before >> after; };
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
      std::fill_n(table, size, Codec::kEmpty);
      each_run(number, shift, [&](Run& run) {
        for (std::uint64_t at = whole ? 0 : run.in_file; at < run.records();) {
          const auto states = block(spilled_.get(), run, at, buffer);
          each_hashed(table, states, pass, passes, place, [&](const Record& state, std::uint64_t i) {
            for (; !Codec::empty(table[i]); i = (i + 1) & (size - 1)) {
              if (!Codec::same(table[i], state)) continue;
              if constexpr (Codec::kMarks) Codec::join(table[i], state);
              return;
            }
            table[i] = state;
          });
          at += states.size();
        }
        if (pass + 1 == passes) free_chunks(run);
      });
      if constexpr (!Codec::kMarks) {
        for (std::size_t back = 0; whole && back <= compared() && back < layers_.size(); ++back) {
          const Layer& layer = layers_[layers_.size() - 1 - back];
          const Run& run = layer.runs[number];  // they are not joined
          for (std::uint64_t at = 0; at < run.records();) {
            const auto states = block(layer, run, at, buffer);
            each_hashed(table, states, pass, passes, place, [&](const Record& state, std::uint64_t i) {
              for (; !Codec::empty(table[i]); i = (i + 1) & (size - 1)) {
                if (!Codec::same(table[i], state)) continue;
                table[i].back() |= Codec::kDead;
                return;
              }
            });
            at += states.size();
          }
        }
      }
      std::array<Record, 16> live;  // collected without a branch, as in expand_four; a table has 16 places and more
      for (std::uint64_t i = 0; i < size; i += live.size()) {
        std::size_t found = 0;
        for (const Record& record : std::span(table + i, live.size())) {
          live[found] = record;
          found += static_cast<std::size_t>(Codec::live(record));
        }
        for (std::size_t k = 0; k < found; ++k)
          if (!take(live[k])) return false;
      }
    }
    for (std::size_t b = number << shift; b < (number + 1) << shift; ++b)
      for (auto& worker : workers_) {
        if (whole) worker->runs[b] = {};
        worker->next[b] = nullptr;
      }
    return true;
  }
  // Calls visit(record, place) for the records of a pass; their places have been prefetched.
  template <class Place, class Visit>
  void each_hashed(Record* table, std::span<const Record> states, std::uint64_t pass, std::uint64_t passes, Place place,
                   Visit visit) const {
    constexpr std::size_t kAhead = 16;
    std::array<std::uint64_t, kAhead> places;
    std::array<bool, kAhead> now;
    for (std::size_t from = 0; from < states.size(); from += kAhead) {
      const std::size_t count = std::min(kAhead, states.size() - from);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t hash = Codec::hash(states[from + i]);
        places[i] = place(hash);
        now[i] = passes == 1 || (hash & 0xffff) % passes == pass;
        __builtin_prefetch(table + places[i], 1);
      }
      for (std::size_t i = 0; i < count; ++i)
        if (now[i]) visit(states[from + i], places[i]);
    }
  }

  bool compact(std::size_t b, Record* table, std::vector<Record>& buffer) {
    Run left;
    Record* next = nullptr;
    if (!distinct(b, 0, false, table, buffer, [&](const Record& state) { return push(left, next, state); }))
      return false;
    measure(left, next);
    Worker& worker = *workers_[0];
    worker.runs[b].chunks = std::move(left.chunks);
    worker.runs[b].in_chunks = left.in_chunks;
    worker.next[b] = next;
    std::atomic_ref(compact_at_).fetch_add(left.in_chunks);
    return true;
  }

  // Makes the next layer of the successors; false if the search has to end.
  bool merge() {
    Layer next;
    const unsigned shift = shift_of(waiting(true));
    if (!begin_layer(next, layers_.back().depth + 1, shift)) {
      shared_.end(kOutOfMemory);
      return false;
    }
    std::atomic<std::uint64_t> records{0};
    const bool last_one = asked_.counts && next.depth == asked_.depth;  // it is only counted
    const bool done = each_bucket(shift, [&](std::size_t number, Record* table, std::vector<Record>& buffer) {
      Run& run = next.runs[number];
      Record* last = nullptr;
      std::uint64_t found = 0;
      const auto take = [&](const Record& state) {
        ++found;
        if (last_one || push(run, last, state)) return true;
        if (!scratch_) return false;
        // The layer is written as it is made, where memory is short.
        measure(run, last);
        spill(next, run);
        last = nullptr;
        return push(run, last, state);
      };
      if (!distinct(number, shift, true, table, buffer, take)) return false;
      measure(run, last);
      if (scratch_ && pool_->scarce(reserve())) spill(next, run);
      records += found;
      return true;
    });
    next.records = records;
    spilled_.reset();
    if (consuming_) drop_all();  // none before a layer that is gone
    layers_.push_back(std::move(next));
    while (asked_.counts && may_drop_first()) {
      drop_first();
    }
    return done;
  }
  void spill(Layer& layer, Run& run) {
    if (run.in_chunks == 0) return;
    {
      const std::lock_guard lock(shared_.mutex());
      if (!layer.file) layer.file = scratch_->make();
    }
    write(*layer.file, run);
    run.in_file += run.in_chunks;
    free_chunks(run);
  }

  // -- The whole ------------------------------------------------------------------------------------------------------

  void restart() {
    drop_all();
    drop_successors();
    if (!new_layer(0, shift_of(1))) {
      shared_.end(kOutOfMemory);
      return;
    }
    const Record start = codec_.pack(domain_, domain_.pack(task_.start));
    Run& run = run_of(layers_.back(), start);
    Record* next = nullptr;
    if (!push(run, next, start)) {
      shared_.end(kOutOfMemory);
      return;
    }
    measure(run, next);
    layers_.back().records = 1;
    note_layer();
  }
  void note_layer() {
    const Layer& last = layers_.back();
    std::uint64_t held = 0;
    for (const Layer& layer : layers_) held += layer.records;
    most_stored_ = std::max(most_stored_, held);
    meter_.count.stored = most_stored_;
    meter_.count.max_open = std::max(meter_.count.max_open, last.records);
    if (asked_.counts && last.records > 0) {
      meter_.count.layers.emplace_back(last.depth, last.records);
      meter_.count.f_bound = last.depth;
    }
  }

  // From layer to layer, until one is empty, or the next one has the target.
  Advance advance() {
    for (;;) {
      if (shared_.ending()) return Advance::ended;
      if (layers_.back().records == 0) return Advance::empty;
      if (asked_.counts ? layers_.back().depth == asked_.depth : layers_.back().depth + 1 == target_depth_)
        return Advance::arrived;
      if (!expand_layer()) return Advance::ended;
      if (target_depth_ == kUnknown &&
          std::ranges::any_of(workers_, [](const auto& worker) { return worker->found; })) {
        target_ = goal_;
        target_depth_ = layers_.back().depth + 1;
        drop_successors();
        if (!consuming_) return Advance::arrived;
        restart();
        continue;
      }
      if (!merge()) return Advance::ended;
      note_layer();
      if (!asked_.counts || layers_.back().depth < asked_.depth) checkpoint();
    }
  }

  // Follows the solution back through the layers that are kept. The last of them is before the target.
  void trace() {
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      auto& children = workers_[0]->children;
      back_.expand(target_, back_.hash(target_), back_.raw(target_), kNoArrival, children, IgnoreHash{});
      for (unsigned i = 0; i < children.size; ++i) {
        if (!contains(*layer, codec_.pack(domain_, children.state[i]))) continue;
        suffix_.push_back(forward_(static_cast<std::uint8_t>(children.move[i])));
        const State before = children.state[i];
        target_ = before;
        target_depth_ = layer->depth;
        break;
      }
    }
  }
  bool contains(const Layer& layer, const Record& record) {
    const Run& run = run_of(layer, record);
    for (std::uint64_t at = 0; at < run.records();) {
      const auto states = block(layer, run, at, workers_[0]->buffer);
      if (std::ranges::any_of(states, [&](const Record& other) { return Codec::same(record, other); })) return true;
      at += states.size();
    }
    return false;
  }

  Outcome solved(bool done = true) {
    Outcome outcome = finish({Status::solved}, done);
    outcome.path.assign(suffix_.rbegin(), suffix_.rend());
    // A shorter one would be at most as long as the threshold, because a state below it leads to this one: so an
    // earlier layer would have had the goal.
    outcome.f_bound = static_cast<double>(suffix_.size());
    outcome.expanded_last_layer = outcome.expanded - before_iteration_;
    return outcome;
  }
  void count_iteration() {
    const std::uint64_t expanded = meter_.count.expanded - before_iteration_;
    if (!asked_.counts && expanded > 0) meter_.count.layers.emplace_back(threshold_, expanded);
  }
  Outcome finish(Ending ending, bool done = false) {
    count_iteration();
    meter_.count.stored = most_stored_;
    if (scratch_ && done) scratch_->discard();
    drop_successors();
    drop_all();
    return meter_.finish(ending);
  }

  // -- Checkpoints ----------------------------------------------------------------------------------------------------

  // "hstarly2"; 1 (0.3.0) has no shifts, and other records of boards.
  static constexpr std::uint64_t kFormat = 0x68737461726c7932;

  void checkpoint() {
    if (!scratch_ || shared_.ending()) return;
    const double now = task_.control.seconds_since(task_.begin);
    if (now - last_checkpoint_ < asked_.where.checkpoint_seconds || layers_.back().records == 0) return;
    const std::size_t needed = std::min(compared() + 1, layers_.size());
    for (std::size_t back = 0; back < needed; ++back)
      if (!save(layers_[layers_.size() - 1 - back])) return;  // no room for a checkpoint
    for (std::size_t older = layers_.size() - needed; older-- > 0;) {
      if (layers_[older].saved || (scratch_->has_room(layers_[older].records * sizeof(Record)) && save(layers_[older])))
        continue;
      for (std::size_t i = 0; i <= older; ++i) drop_first();
      break;
    }
    std::vector<std::byte> bytes;
    std::set<std::string> names;
    put(bytes, kFormat);
    put_text(bytes, asked_.where.key);
    const Outcome& count = meter_.count;
    for (const std::uint64_t number :
         {std::uint64_t{sizeof(Record)}, std::uint64_t{bits_}, count.expanded, count.generated, count.evaluated,
          most_stored_, count.max_open, before_iteration_, std::uint64_t{target_depth_}, std::uint64_t{suffix_.size()},
          std::uint64_t{count.layers.size()}, std::uint64_t{layers_.size()}})
      put(bytes, number);
    put(bytes, threshold_);
    put(bytes, next_);
    put(bytes, codec_.pack(domain_, target_));
    for (const std::uint8_t move : suffix_) put(bytes, move);
    for (const auto& [depth, states] : count.layers) {
      put(bytes, depth);
      put(bytes, states);
    }
    for (Layer& layer : layers_) {
      if (layer.file) {
        layer.file->sync();
        names.insert(layer.file->name());
      }
      put_text(bytes, layer.file ? layer.file->name() : "");
      put(bytes, layer.file ? layer.file->bytes() : 0);
      put(bytes, std::uint64_t{layer.depth});
      put(bytes, std::uint64_t{layer.shift});
      for (const Run& run : layer.runs) {
        put(bytes, std::uint64_t{run.extents.size()});
        for (const Extent& extent : run.extents) put(bytes, extent);
      }
    }
    scratch_->write_checkpoint(bytes, std::move(names));
    last_checkpoint_ = task_.control.seconds_since(task_.begin);
  }

  // Goes on from a checkpoint of the same question, if there is one. Throws std::invalid_argument if it is another's.
  bool go_on() {
    if (!scratch_) return false;
    const auto bytes = scratch_->read_checkpoint();
    if (!bytes) {
      scratch_->adopt({});
      return false;
    }
    StoredBytes from{*bytes};
    const auto format = from.get<std::uint64_t>();
    const bool ours = format == kFormat && from.text() == asked_.where.key;
    if (!ours) throw std::invalid_argument(asked_.where.directory + " has a checkpoint of another search");
    const auto number = [&] { return from.get<std::uint64_t>(); };
    if (number() != sizeof(Record))
      throw std::invalid_argument(asked_.where.directory + " has a checkpoint of another build");
    if (const auto bits = number(); bits != bits_) rebucket(static_cast<unsigned>(bits));
    Outcome& count = meter_.count;
    count.expanded = number();
    count.generated = number();
    count.evaluated = number();
    most_stored_ = count.stored = number();
    count.max_open = number();
    before_iteration_ = number();
    target_depth_ = static_cast<unsigned>(number());
    suffix_.resize(number());
    count.layers.resize(number());
    const std::uint64_t layers = number();
    threshold_ = from.get<double>();
    next_ = from.get<double>();
    target_ = codec_.unpack(domain_, from.get<Record>());
    for (std::uint8_t& move : suffix_) move = from.get<std::uint8_t>();
    for (auto& [depth, states] : count.layers) {
      depth = from.get<double>();
      states = number();
    }
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < layers; ++i) {
      const std::string name = from.text();
      const std::uint64_t size = number();
      const auto depth = static_cast<unsigned>(number());
      if (!new_layer(depth, static_cast<unsigned>(number()))) throw DiskFull{};
      Layer& layer = layers_.back();
      layer.saved = true;
      if (!name.empty()) {
        names.insert(name);
        layer.file = scratch_->open(name, size);
        if (!layer.file) throw std::invalid_argument(asked_.where.directory + "/" + name + " is missing or too short");
      }
      for (Run& run : layer.runs) {
        run.extents.resize(number());
        for (Extent& extent : run.extents) {
          extent = from.get<Extent>();
          run.in_file += extent.records;
        }
        run.mirrored = true;
        layer.records += run.in_file;
      }
    }
    if (!from.whole || layers_.empty())
      throw std::invalid_argument(asked_.where.directory + " has a damaged checkpoint");
    scratch_->adopt(std::move(names));
    return true;
  }
  void rebucket(unsigned bits) {
    bits_ = bits;
    buckets_ = std::size_t{1} << bits;
    for (auto& worker : workers_) {
      worker->next.assign(buckets_, nullptr);
      worker->runs.assign(buckets_, {});
    }
  }

  static constexpr unsigned kUnknown = ~0u;

  const D& domain_;
  const D& back_;
  std::uint8_t (*forward_)(std::uint8_t);
  const Codec codec_;
  const LayeredTask& asked_;
  const Task& task_;
  const Heuristic& heuristic_;
  Budget budget_;
  Meter meter_;
  SharedMeter shared_;
  unsigned threads_ = 1;
  unsigned bits_ = 0;  // of a hash that name the bucket
  std::size_t buckets_ = 1;
  std::uint64_t table_records_ = 0, table_used_ = 0;  // of one thread: at most, and as it is
  std::optional<Scratch> scratch_;
  std::optional<ChunkPool> pool_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<ScratchFile> spilled_;  // successors
  std::deque<Layer> layers_;              // the last ones of this iteration, one after the other
  std::vector<std::uint64_t> expanded_;   // of the last layer, by bucket
  bool consuming_ = false;                // its chunks are given back as they are expanded
  std::uint64_t compact_at_ = 0;          // successors that were left when they were last made distinct
  double threshold_ = 0, next_ = kNever;
  std::uint64_t before_iteration_ = 0;    // expansions
  std::uint64_t most_stored_ = 0;
  double last_checkpoint_ = 0;            // seconds
  const State goal_;
  State target_ = goal_;                  // the end of the solution that is looked for, and where it is
  unsigned target_depth_ = kUnknown;
  std::vector<std::uint8_t> suffix_;      // the moves from there to the goal, the last one first
};

}  // namespace hstar
