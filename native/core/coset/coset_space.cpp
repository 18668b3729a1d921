#include "coset/coset_space.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include "puzzle/refuse.hpp"
#include "base/layers.hpp"
#include "base/parallel.hpp"

namespace hstar {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kBlock = 16;  // classes
constexpr std::uint64_t kValues = 4096;  // of a coordinate, from one look whether to stop to the next

// Several threads may read a word and set the same residues in it.
std::uint64_t load(const std::uint64_t& word) noexcept { return __atomic_load_n(&word, __ATOMIC_RELAXED); }
unsigned get(const std::uint64_t* row, std::uint32_t value) noexcept {
  return static_cast<unsigned>(load(row[value / Residues::kPerWord]) >> (value % Residues::kPerWord * 2) & 3);
}
// Of an entry that is unseen, or is at this distance. The first of a word has its least distance.
void set(std::uint64_t* row, std::uint32_t value, unsigned distance) noexcept {
  std::uint64_t& word = row[value / Residues::kPerWord];
  std::uint64_t cleared = std::uint64_t{Residues::kUnseen ^ distance % 3} << (value % Residues::kPerWord * 2);
  constexpr unsigned kShift = Residues::kPerWord * 2;
  if (load(word) >> kShift == Residues::kNone)
    cleared |= std::uint64_t{Residues::kNone ^ std::min(distance, Residues::kMostLeast)} << kShift;
  __atomic_fetch_and(&word, ~cleared, __ATOMIC_RELAXED);
}
// The lower bits of all entries of a row's word i that have this residue, of `size` in the row.
std::uint64_t equal(const std::uint64_t* row, std::uint64_t i, std::uint32_t size, unsigned residue) noexcept {
  constexpr std::uint64_t kLow = 0x5555'5555'5555'5555;
  const std::uint64_t other = load(row[i]) ^ kLow * residue;
  const std::uint64_t left = size - i * Residues::kPerWord;
  const std::uint64_t in_use = left < Residues::kPerWord ? (std::uint64_t{1} << left * 2) - 1 : Residues::kEntries;
  return ~(other | other >> 1) & kLow & in_use;
}

}  // namespace

// Several coordinates as one, whose values are numbered as digits.
struct CosetSpace::Product {
  Coordinates parts;
  std::uint32_t size = 1;

  explicit Product(Coordinates coordinates) : parts(std::move(coordinates)) {
    for (const auto& part : parts) {
      if (part->size() > (std::uint32_t{1} << 28) / size) refuse("cosets", "a part has too many values");
      size *= part->size();
    }
  }
  // The values after each move.
  void after(std::uint32_t value, std::vector<std::uint32_t>& next) const noexcept {
    std::ranges::fill(next, 0u);
    std::uint32_t weight = 1;
    for (std::size_t i = parts.size(); i-- > 0;) {
      const std::uint32_t* const row = parts[i]->row(value % parts[i]->size());
      for (std::size_t m = 0; m < next.size(); ++m) next[m] += row[m] * weight;
      value /= parts[i]->size();
      weight *= parts[i]->size();
    }
  }
  // What a symmetry makes of each value: it carries what a move does to what the move's image does. kNone for values
  // that moves do not lead to.
  std::vector<std::uint32_t> images(const MoveImages& symmetry, Pace& pace) const {
    std::vector<std::uint32_t> image(size, kNone), reached{0};
    std::vector<std::uint32_t> next(symmetry.size()), of_image(symmetry.size());
    image[0] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      pace.step();
      after(reached[i], next);
      after(image[reached[i]], of_image);
      for (std::size_t m = 0; m < symmetry.size(); ++m) {
        std::uint32_t& there = image[next[m]];
        if (there == kNone) {
          there = of_image[symmetry[m]];
          reached.push_back(next[m]);
        } else if (there != of_image[symmetry[m]]) {
          refuse("cosets", "a symmetry does not keep them");
        }
      }
    }
    return image;
  }
};

CosetSpace::CosetSpace(Coordinates reduced, Coordinates rest, const std::vector<MoveImages>& symmetries,
                       const Stop& stop)
    : coordinates_(reduced), reduced_(reduced.size()) {
  if (reduced.empty()) refuse("cosets", "no coordinate is reduced");
  coordinates_.insert(coordinates_.end(), rest.begin(), rest.end());
  for (const auto& coordinate : coordinates_)
    if (coordinate->moves() != moves()) refuse("cosets", "coordinates of different moves");
  multiply(symmetries);
  const Product first(std::move(reduced)), second(std::move(rest));
  weigh(first, second);
  if (std::uint64_t{rest_size_} * symmetries.size() > (1u << 28))
    refuse("cosets", "the second part has too many values");
  Pace pace(stop, kValues);
  for (const MoveImages& symmetry : symmetries) {
    auto images = second.images(symmetry, pace);
    // What moves do not lead to leads nowhere else: it stays by itself, and is never seen.
    for (std::uint32_t value = 0; value < rest_size_; ++value)
      if (images[value] == kNone) images[value] = value;
    own_image_.insert(own_image_.end(), images.begin(), images.end());
  }
  image_ = own_image_;
  std::vector<std::uint32_t> next(moves().size());
  second_after_.resize(moves().size() * rest_size_);
  for (std::uint32_t value = 0; value < rest_size_; ++value) {
    pace.step();
    second.after(value, next);
    for (std::size_t m = 0; m < next.size(); ++m) second_after_[m * rest_size_ + value] = next[m];
  }
  reduce(first, symmetries, stop);
  part();
}

CosetSpace::CosetSpace(Coordinates reduced, Coordinates rest, const std::vector<MoveImages>& symmetries,
                       StoredReader& stored, std::shared_ptr<const void> owner)
    : coordinates_(reduced), reduced_(reduced.size()), owner_(std::move(owner)) {
  coordinates_.insert(coordinates_.end(), rest.begin(), rest.end());
  multiply(symmetries);
  const Product first(std::move(reduced)), second(std::move(rest));
  weigh(first, second);
  const auto counts = stored.take<std::uint32_t>(2);
  classes_ = counts[0];
  if (counts[1] != symmetries_) refuse("cosets", "their numbers were stored with other symmetries");
  class_of_ = stored.take<Member>(first.size);
  image_ = stored.take<std::uint32_t>(symmetries_ * rest_size_);
  if (!stored.empty()) refuse("cosets", "more was stored than their numbers");
  seat_classes(first);
  part();
}

void CosetSpace::store(StoredArrays& arrays) const {
  for (const auto& coordinate : coordinates_) coordinate->store(arrays);
  const std::array counts{classes_, static_cast<std::uint32_t>(symmetries_)};
  arrays.add(std::span<const std::uint32_t>(counts));
  arrays.add(class_of_);
  arrays.add(image_);
}

void CosetSpace::weigh(const Product& first, const Product& second) {
  rest_size_ = second.size;
  row_words_ = (rest_size_ + Residues::kPerWord - 1) / Residues::kPerWord;
  for (const Product* part : {&first, &second}) {
    std::uint32_t weight = part->size;
    for (const auto& coordinate : part->parts) weights_.push_back(weight /= coordinate->size());
  }
}

void CosetSpace::multiply(const std::vector<MoveImages>& symmetries) {
  moves_ = moves().size();
  if (symmetries.empty() || symmetries.size() > 256) refuse("cosets", "expected 1 to 256 symmetries");
  for (const MoveImages& symmetry : symmetries) {
    MoveImages sorted = symmetry;
    std::ranges::sort(sorted);
    for (std::size_t m = 0; m < moves().size(); ++m)
      if (sorted.size() != moves().size() || sorted[m] != m) refuse("cosets", "a symmetry does not permute the moves");
    images_of_moves_.insert(images_of_moves_.end(), symmetry.begin(), symmetry.end());
  }
  if (!std::ranges::is_sorted(symmetries[0])) refuse("cosets", "the first symmetry is not the identity");
  symmetries_ = symmetries.size();
  shift_ = static_cast<unsigned>(std::bit_width(symmetries_ - 1));
  products_.resize(symmetries_ << shift_);
  MoveImages both(moves().size());
  for (std::size_t a = 0; a < symmetries_; ++a)
    for (std::size_t b = 0; b < symmetries_; ++b) {  // first a, then b
      for (std::size_t m = 0; m < both.size(); ++m) both[m] = symmetries[b][symmetries[a][m]];
      const auto found = std::ranges::find(symmetries, both);
      if (found == symmetries.end()) refuse("cosets", "a product of symmetries is missing");
      products_[(a << shift_) + b] = static_cast<std::uint8_t>(found - symmetries.begin());
    }
}

void CosetSpace::reduce(const Product& first, const std::vector<MoveImages>& symmetries, const Stop& stop) {
  Pace pace(stop, kValues);
  // Each symmetry as one that is known and then one of a few, whose images are kept.
  struct Step {
    std::size_t symmetry, before, then;
  };
  std::vector<Step> steps;
  std::vector<bool> known(symmetries.size(), false);
  known[0] = true;
  std::vector<std::vector<std::uint32_t>> images(symmetries.size());
  for (std::size_t s = 1; s < symmetries.size(); ++s) {
    if (known[s]) continue;
    images[s] = first.images(symmetries[s], pace);
    steps.push_back({s, 0, s});
    known[s] = true;
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t a = 0; a < symmetries.size(); ++a)
        for (std::size_t b = 0; known[a] && b < symmetries.size(); ++b) {
          if (images[b].empty() || known[products_[(a << shift_) + b]]) continue;
          steps.push_back({products_[(a << shift_) + b], a, b});
          known[steps.back().symmetry] = grows = true;
        }
    }
  }
  if (images.size() == 1) images[0] = first.images(symmetries[0], pace);  // for what moves lead to
  const auto reached = std::ranges::find_if(images, [](const auto& own) { return !own.empty(); });
  std::vector<std::uint16_t> inverse(symmetries.size());
  for (std::size_t a = 0; a < symmetries.size(); ++a)
    for (std::size_t b = 0; b < symmetries.size(); ++b)
      if (products_[(a << shift_) + b] == 0) inverse[a] = static_cast<std::uint16_t>(b);
  own_class_of_.assign(first.size, {kNone, 0});
  class_of_ = own_class_of_;
  std::vector<std::uint32_t> made(symmetries.size());
  for (std::uint32_t value = 0; value < first.size; ++value) {
    if (class_of_[value].number != kNone || (*reached)[value] == kNone) continue;
    pace.step(symmetries.size());
    made[0] = value;
    for (const Step& step : steps) made[step.symmetry] = images[step.then][made[step.before]];
    auto& fixing = fixing_.emplace_back();
    for (std::size_t s = 0; s < symmetries.size(); ++s) {
      Member& member = own_class_of_[made[s]];
      if (made[s] == value && s > 0) fixing.push_back(static_cast<std::uint16_t>(s));
      if (member.number == kNone) member = {classes_, inverse[s]};
    }
    ++classes_;
  }
  seat_classes(first);
}

void CosetSpace::seat_classes(const Product& first) {
  if (std::uint64_t{classes_} << shift_ >> 32 != 0) refuse("cosets", "too many classes");
  std::vector<std::uint32_t> next(moves().size());
  after_.reserve(classes_ * next.size());
  std::uint32_t seated = 0;
  for (std::uint32_t value = 0; value < first.size; ++value) {
    if (class_of_[value].number != seated) continue;  // a class is numbered at the value that is kept, its first
    ++seated;
    first.after(value, next);
    for (const std::uint32_t there : next)
      after_.push_back(seat_of(class_of_[there].number, class_of_[there].symmetry));
  }
  if (seated != classes_) refuse("cosets", "classes without values");
}

// A small table for each coordinate is read faster than a large one for all. If symmetries do not carry each onto
// itself, the coordinates are one part.
void CosetSpace::part() {
  const std::vector<std::uint32_t> weights(weights_.begin() + static_cast<std::ptrdiff_t>(reduced_), weights_.end());
  parts_ = {{reduced_, weights_.size(), rest_size_, image_.data()}};
  std::vector<std::vector<std::uint32_t>> tables;  // by coordinate: by symmetry and value, weighed
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::uint32_t size = coordinate(reduced_ + i).size();
    auto& table = tables.emplace_back();
    for (std::size_t symmetry = 0; symmetry < symmetries_; ++symmetry)
      for (std::uint32_t value = 0; value < size; ++value)
        table.push_back(image_[symmetry * rest_size_ + value * weights[i]]);
  }
  for (std::size_t symmetry = 0; symmetry < symmetries_; ++symmetry)
    for (std::uint32_t all = 0; all < rest_size_; ++all) {
      std::uint32_t sum = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const std::uint32_t size = coordinate(reduced_ + i).size();
        sum += tables[i][symmetry * size + all / weights[i] % size];
      }
      if (sum != image_[symmetry * rest_size_ + all]) return;
    }
  own_parts_ = std::move(tables);
  parts_.clear();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    parts_.push_back({reduced_ + i, reduced_ + i + 1, coordinate(reduced_ + i).size(), own_parts_[i].data()});
    weights_[reduced_ + i] = 1;
  }
}

BuiltTable CosetSpace::distances(unsigned threads, Control& progress) const {
  if (fixing_.empty()) refuse("cosets", "their numbers were stored, without what a build needs");
  progress.total = entries();
  const std::uint64_t width = row_words();
  BuiltTable built{{2}, Zeros(words() * sizeof(std::uint64_t)), {}};
  auto* const table = built.table.as<std::uint64_t>();
  const auto in_classes = [&](auto work) {
    in_blocks(classes_, kBlock, threads, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t number = begin; number < end && !progress.requested(); ++number)
        work(number, table + number * width);
    });
  };
  in_classes([&](std::uint64_t, std::uint64_t* row) { std::fill_n(row, width, ~std::uint64_t{0}); });
  set(table, 0, 0);
  std::array<std::uint64_t, 3> entries_with{}, cosets_with{};  // by residue
  std::uint64_t cosets = 0;                                      // of the layer that was counted last
  const auto count = [&](unsigned residue) {
    std::atomic<std::uint64_t> with{0}, members{0};
    in_classes([&](std::uint64_t number, const std::uint64_t* row) {
      std::uint64_t in_row = 0;
      for (std::uint64_t i = 0; i < width; ++i)
        in_row += static_cast<unsigned>(std::popcount(equal(row, i, rest_size_, residue)));
      with += in_row;
      members += in_row * (symmetries_ / (fixing_[number].size() + 1));
    });
    cosets = members - std::exchange(cosets_with[residue], members.load());
    return with - std::exchange(entries_with[residue], with.load());
  };
  progress.done = count(0);
  const std::size_t moves = this->moves().size();
  // What is unseen has no successors that are nearer than d, so the residue alone says which are at d. What is seen may
  // be expanded twice, to no effect.
  // However many layers there are: an entry that is not seen is one that no moves lead to.
  constexpr unsigned kEndless = std::numeric_limits<unsigned>::max();
  each_layer(entries(), kEndless, [&](unsigned d, std::uint64_t, bool pull) -> std::uint64_t {
    built.counts.push_back(cosets);
    const unsigned from = d % 3, next = (d + 1) % 3;
    in_classes([&](std::uint64_t number, std::uint64_t* row) {
      thread_local std::vector<std::uint32_t> values;
      values.clear();
      for (std::uint64_t i = 0; i < width; ++i) {
        std::uint64_t some = equal(row, i, rest_size_, pull ? Residues::kUnseen : from);
        for (; some != 0; some &= some - 1)
          values.push_back(static_cast<std::uint32_t>(i * Residues::kPerWord) + std::countr_zero(some) / 2u);
      }
      for (std::size_t m = 0; m < moves && !values.empty(); ++m) {
        const Seat seat = after_[number * moves + m];
        const std::size_t near = seat >> shift_;
        std::uint64_t* const there = table + near * width;
        const std::uint32_t* const image = image_.data() + symmetry_of(seat) * rest_size_;
        const std::uint32_t* const after = second_after_.data() + m * rest_size_;
        if (pull) {
          std::erase_if(values, [&](std::uint32_t value) {
            if (get(there, image[after[value]]) != from) return false;
            set(row, value, d + 1);
            return true;
          });
        } else {
          for (const std::uint32_t value : values) {
            const std::uint32_t to = image[after[value]];
            if (get(there, to) != Residues::kUnseen) continue;
            set(there, to, d + 1);
            // The same coset under a symmetry that keeps its class has another entry.
            for (const std::uint16_t s : fixing_[near])
              set(there, image_[std::size_t{s} * rest_size_ + to], d + 1);
          }
        }
      }
    });
    const std::uint64_t found = count(next);
    if (progress.requested()) return 0;
    progress.done += found;
    return found;
  });
  if (progress.requested()) built.table = {};
  return built;
}

}  // namespace hstar
