// The open list for integer f, or f that a power of two makes an integer: one bucket for each (f, h) (low_h, batch) or
// for each f (lifo, fifo).
//
// A node whose g went down is inserted again under its new f. Its old entry is then stale: it is recognised when its
// turn comes, because the node's f is not the bucket's, and dropped. (g only goes down, so no node is twice under one
// f.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "memory/arena.hpp"
#include "search/node.hpp"
#include "search/open_list.hpp"
#include "search/search.hpp"

namespace hstar {

// h and f in whole numbers: h times `h`, f times `f`; both are powers of two, so nothing is rounded.
struct BucketScale {
  using Cost = std::uint32_t;
  static constexpr std::uint32_t kMaxH = HeuristicTable::kMostWhole;
  static constexpr std::uint32_t kMaxWeightedH = 1u << 16;
  static constexpr std::uint32_t kMostScale = HeuristicTable::kMostScale;

  std::uint32_t h = 1, f = 1;
  Cost weight = 1;  // of h in f, between the two scales
  Cost most_h = 0;

  // Nothing if there is no such scale, or the numbers would be too large. `lookup`: h by raw, or empty.
  static std::optional<BucketScale> of(const Heuristic& heuristic, const HeuristicTable& lookup, double weight) {
    double most = heuristic.max_value();
    if (lookup.empty() && !(heuristic.integer() && most <= kMaxH)) return std::nullopt;
    BucketScale scale;
    if (!lookup.empty()) {
      if (lookup.scale() == 0) return std::nullopt;
      most = lookup.most();
      scale.h = lookup.scale();
    }
    double weighted = weight / scale.h;
    for (; weighted != std::floor(weighted); weighted *= 2)
      if ((scale.f *= 2) > kMostScale) return std::nullopt;
    if (!(weight >= 0) || weighted > kMaxWeightedH || weighted * most * scale.h > kMaxWeightedH) return std::nullopt;
    scale.weight = static_cast<Cost>(weighted);
    scale.most_h = static_cast<Cost>(most * scale.h);
    return scale;
  }
};

template <class State>
class BucketQueue {
 public:
  using Cost = BucketScale::Cost;
  static constexpr bool kKeepsRaw = true;
  BucketQueue(Arena& arena, Budget& budget, Node<State>* nodes, const BucketScale& scale,
              TieBreaking tie_breaking) noexcept
      : chunks_(arena.entries, budget), layers_(arena.layers, budget), directory_(arena.directory, budget),
        nodes_(nodes), scale_(scale), fifo_(tie_breaking == TieBreaking::fifo),
        by_h_(tie_breaking == TieBreaking::low_h || tie_breaking == TieBreaking::batch),
        stride_(kHeadWords + kBucketWords * (by_h_ ? scale.most_h + 1 : 1)) {}

  Cost cost(double h) const noexcept { return static_cast<Cost>(h * scale_.h); }
  static std::span<const Cost> costs(const HeuristicTable& lookup) noexcept { return lookup.whole(); }
  double value(Cost f) const noexcept { return static_cast<double>(f) / scale_.f; }
  std::uint32_t raw(std::uint32_t node) const noexcept { return nodes_[node].open_value >> kHBits; }
  Cost h(std::uint32_t node) const noexcept { return nodes_[node].open_value & BucketScale::kMaxH; }
  Cost f(std::uint32_t g, Cost h) const noexcept { return scale_.f * g + scale_.weight * h; }

  [[nodiscard]] bool insert(std::uint32_t node, std::uint32_t raw, Cost h) noexcept {
    nodes_[node].open_value = raw << kHBits | h;
    return push(node, h);
  }
  template <class H>
  [[nodiscard]] bool improve(std::uint32_t node, H&&) noexcept {
    return push(node, h(node));
  }

  // Find the first entry, stale or not; reads no node.
  bool peek() noexcept {
    while (f_ < layers_of_f_ && directory_[f_] == 0) ++f_;
    if (f_ >= layers_of_f_) return false;
    Layer layer = this->layer(directory_[f_]);
    while (layer.bucket(*layer.lowest)->tail == 0) ++*layer.lowest;
    bucket_ = layer.bucket(*layer.lowest);
    return true;
  }

  bool settle() noexcept {
    while (peek()) {
      top_ = fifo_ ? chunks_[bucket_->head].entry[bucket_->head_at] : chunks_[bucket_->tail].entry[bucket_->count - 1];
      const Node<State>& node = nodes_[top_];
      if (node.is_open() && f(node.g(), h(top_)) == f_) return true;
      pop();
    }
    return false;
  }
  std::uint32_t top() const noexcept { return top_; }
  Cost top_f() const noexcept { return f_; }
  Cost top_h() const noexcept { return h(top_); }

  void pop() noexcept {
    if (fifo_)
      pop_first(*bucket_);
    else
      pop_last(*bucket_);
    Layer layer = this->layer(directory_[f_]);
    if (--*layer.entries != 0) return;
    *layer.lowest = free_layer_;
    free_layer_ = directory_[f_];
    directory_[f_] = 0;
  }

  // Writes up to `most` entries of the first f that come next, stale ones included; returns how many.
  std::uint32_t upcoming(std::uint32_t* out, std::uint32_t most) noexcept {
    if (!peek()) return 0;
    const Layer layer = this->layer(directory_[f_]);
    const std::uint32_t end = std::min(levels(), *layer.lowest + kMostLevels);
    std::uint32_t found = 0;
    for (std::uint32_t level = *layer.lowest; level < end && found < most; ++level) {
      const Bucket& bucket = *layer.bucket(level);
      if (bucket.tail == 0) continue;
      std::uint32_t chunk = fifo_ ? bucket.head : bucket.tail;
      std::uint32_t at = fifo_ ? bucket.head_at : 0;
      while (found < most && chunk != 0) {
        const std::uint32_t size = chunk == bucket.tail ? bucket.count : kChunkEntries;
        for (; at < size && found < most; ++at) out[found++] = chunks_[chunk].entry[fifo_ ? at : size - 1 - at];
        at = 0;
        chunk = fifo_ && chunk == bucket.tail ? 0 : chunks_[chunk].link;
      }
    }
    return found;
  }

  // The invariants: counts and lowest buckets of all layers are right, and no layer in use is below f_.
  bool valid() const {
    for (Cost f = 0; f < layers_of_f_; ++f) {
      if (directory_[f] == 0) continue;
      Layer layer = this->layer(directory_[f]);
      std::uint64_t entries = 0;
      for (std::uint32_t level = 0; level < levels(); ++level) {
        const Bucket& bucket = *layer.bucket(level);
        if ((bucket.tail == 0) != (bucket.count == 0)) return false;
        if (bucket.tail != 0 && level < *layer.lowest) return false;
        entries += entries_in(bucket);
      }
      if (entries == 0 || entries != *layer.entries || f < f_) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kHBits = 12;
  static constexpr std::uint32_t kChunkEntries = 63;
  static constexpr std::uint32_t kMostLevels = 64;  // that `upcoming` looks at

  // Entries of one bucket; number 0 means none. `link` is the chunk below (stack) or the next one (queue).
  struct Chunk {
    std::uint32_t link;
    std::uint32_t entry[kChunkEntries];
  };
  struct Bucket {
    std::uint32_t head;  // queue only: first chunk, and the place of its first entry
    std::uint32_t tail;  // last chunk, and its number of entries (a queue's first chunk included if it is the last)
    std::uint16_t head_at, count;
  };
  // A layer's words: entries (two), lowest bucket in use (next free layer when free), one spare, then the buckets.
  static constexpr std::uint32_t kHeadWords = 4;
  static constexpr std::uint32_t kBucketWords = sizeof(Bucket) / sizeof(std::uint32_t);
  struct Layer {
    std::uint64_t* entries;
    std::uint32_t* lowest;
    Bucket* buckets;
    Bucket* bucket(std::uint32_t level) const noexcept { return buckets + level; }
  };

  std::uint32_t levels() const noexcept { return (stride_ - kHeadWords) / kBucketWords; }
  Layer layer(std::uint32_t number) const noexcept {  // number: index of its first word; 0 means none
    std::uint32_t* words = layers_.data() + number;
    return {reinterpret_cast<std::uint64_t*>(words), words + 2, reinterpret_cast<Bucket*>(words + kHeadWords)};
  }
  std::uint32_t stride_rounded() const noexcept { return (stride_ + 1) & ~std::uint32_t{1}; }

  [[nodiscard]] bool push(std::uint32_t node, Cost h) noexcept {
    const Cost f = this->f(nodes_[node].g(), h);
    if ((f >= layers_of_f_ || directory_[f] == 0) && !new_layer(f)) [[unlikely]]
      return false;
    const Layer layer = this->layer(directory_[f]);
    const std::uint32_t level = by_h_ ? h : 0;
    Bucket& bucket = *layer.bucket(level);
    if ((bucket.tail == 0 || bucket.count == kChunkEntries) && !add_chunk(bucket)) [[unlikely]]
      return false;
    chunks_[bucket.tail].entry[bucket.count++] = node;
    ++*layer.entries;
    if (level < *layer.lowest) *layer.lowest = level;
    if (f < f_) f_ = f;
    return true;
  }

  bool extend_directory(Cost f) noexcept {
    if (!directory_.ensure(std::size_t{f} + 1)) return false;
    const std::size_t size = std::min<std::size_t>(directory_.capacity(), std::size_t{1} << 31);
    std::memset(directory_.data() + layers_of_f_, 0, (size - layers_of_f_) * sizeof(std::uint32_t));
    layers_of_f_ = static_cast<Cost>(size);
    return true;
  }
  [[gnu::noinline]] bool new_layer(Cost f) noexcept {
    if (f >= layers_of_f_ && !extend_directory(f)) return false;
    std::uint32_t number = free_layer_;
    if (number != 0) {
      free_layer_ = *layer(number).lowest;
    } else {
      if (words_of_layers_ > kNoNode - stride_rounded() || !layers_.ensure(words_of_layers_ + stride_rounded()))
        return false;
      number = words_of_layers_;
      words_of_layers_ += stride_rounded();
    }
    Layer fresh = layer(number);
    *fresh.entries = 0;
    *fresh.lowest = levels() - 1;
    std::memset(fresh.buckets, 0, levels() * sizeof(Bucket));
    directory_[f] = number;
    return true;
  }

  std::uint32_t new_chunk() noexcept {
    const std::uint32_t number = free_chunk_;
    if (number != 0) {
      free_chunk_ = chunks_[number].link;
      return number;
    }
    if (chunk_count_ == kNoNode - 1 || !chunks_.ensure(std::size_t{chunk_count_} + 2)) return 0;
    return ++chunk_count_;  // chunk 0 is never used
  }
  void free_chunk(std::uint32_t number) noexcept {
    chunks_[number].link = free_chunk_;
    free_chunk_ = number;
  }

  [[gnu::noinline]] bool add_chunk(Bucket& bucket) noexcept {
    const std::uint32_t chunk = new_chunk();
    if (chunk == 0) return false;
    chunks_[chunk].link = fifo_ ? 0 : bucket.tail;
    if (bucket.tail == 0) {
      bucket.head = chunk;
      bucket.head_at = 0;
    } else if (fifo_) {
      chunks_[bucket.tail].link = chunk;
    }
    bucket.tail = chunk;
    bucket.count = 0;
    return true;
  }
  void pop_last(Bucket& bucket) noexcept {
    if (--bucket.count != 0) return;
    const std::uint32_t chunk = bucket.tail;
    bucket.tail = chunks_[chunk].link;
    bucket.count = bucket.tail != 0 ? kChunkEntries : 0;
    free_chunk(chunk);
  }
  void pop_first(Bucket& bucket) noexcept {
    ++bucket.head_at;
    const std::uint32_t chunk = bucket.head;
    if (chunk == bucket.tail) {
      if (bucket.head_at < bucket.count) return;
      bucket = {};
    } else {
      if (bucket.head_at < kChunkEntries) return;
      bucket.head = chunks_[chunk].link;
      bucket.head_at = 0;
    }
    free_chunk(chunk);
  }
  std::uint64_t entries_in(const Bucket& bucket) const {
    if (bucket.tail == 0) return 0;
    std::uint64_t entries = bucket.count;
    if (!fifo_) {
      for (std::uint32_t c = chunks_[bucket.tail].link; c != 0; c = chunks_[c].link) entries += kChunkEntries;
      return entries;
    }
    for (std::uint32_t c = bucket.head; c != bucket.tail; c = chunks_[c].link) entries += kChunkEntries;
    return entries - bucket.head_at;
  }

  Pool<Chunk> chunks_;
  Pool<std::uint32_t> layers_;
  Pool<std::uint32_t> directory_;  // f -> its layer, 0 if it has no entries
  Node<State>* nodes_;
  BucketScale scale_;
  bool fifo_, by_h_;
  std::uint32_t stride_;
  Cost f_ = 0;                    // no entry has a smaller f
  Cost layers_of_f_ = 0;          // size of the directory
  Bucket* bucket_ = nullptr;      // the first bucket that is not empty, from `peek` to the next change
  std::uint32_t top_ = kNoNode;   // the first entry, from `settle` to the next change
  std::uint32_t free_layer_ = 0;  // the first of the layers that are free; each holds the next in `lowest`; 0: none
  std::uint32_t words_of_layers_ = 2;              // of layers_ that are in use or free; even
  std::uint32_t free_chunk_ = 0, chunk_count_ = 0;  // the same of chunks, which hold the next in `link`
};

}  // namespace hstar
