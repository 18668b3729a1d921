// Learns how many moves bring the first pieces of a puzzle home, from solutions that it makes shorter meanwhile.
//
// Reads from standard input: the number of moves, of places and of pieces; for each move where the content of each place
// goes; the home of each piece; the number of solutions, and for each the place of each piece at the start, its length and
// its moves. Argument: rounds. Writes numbers (float): the weights by piece, place and unit; what the sum of a unit
// begins with; what it counts where it is positive; a constant.
//
// A round solves states near the end of some solutions again, by beams that compare states by what was learned. Shorter
// ends replace those of the solutions. Then it learns from states of solutions, from walks from home, and from states
// of the beams: these are at least as far as the best known solution says, however near they look. Once most states are
// solved, the round after it begins farther from home.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <unordered_set>
#include <vector>

namespace {

constexpr std::size_t kUnits = 64, kBatch = 512, kWidth = 300, kStarts = 150, kOfLayer = 48;
constexpr std::size_t kFirstSamples = 1'800'000, kSamples = 500'000, kMostFar = 500'000;
constexpr int kWalk = 10, kFirstLeft = 20, kMostLeft = 90;
constexpr double kFirstRange = 16, kFarther = 1.06;
constexpr float kFastest = 1.5e-3f, kSlow = 4e-4f, kDecay = 0.99998f;

using State = std::vector<std::uint8_t>;  // the place of each piece
using Units = std::array<float, kUnits>;

class Random {
 public:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(((next() >> 32) * n) >> 32); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_ = 12345;
};

struct Puzzle {
  std::size_t moves, places, pieces;
  std::vector<State> images;
  State home;
  std::vector<std::size_t> inverse;
  std::vector<std::uint64_t> keys;

  void turn(State& state, std::size_t move) const {
    for (auto& place : state) place = images[move][place];
  }
  std::uint64_t key(std::size_t piece, std::size_t place) const { return keys[piece * places + place]; }
};

struct Net {
  std::vector<float> weights;  // by piece, place and unit
  Units first{}, counts{};
  float constant = 20;
  std::size_t places;

  Net(const Puzzle& puzzle, Random& random) : weights(puzzle.pieces * puzzle.places * kUnits), places(puzzle.places) {
    const double range = 0.9 / std::sqrt(static_cast<double>(puzzle.pieces));
    for (float& weight : weights) weight = static_cast<float>((random.unit() - 0.5) * range);
    for (float& one : first) one = static_cast<float>((random.unit() - 0.5) * 0.5);
    for (float& one : counts) one = static_cast<float>((random.unit() - 0.3) * 2);
  }
  std::size_t row(std::size_t piece, std::size_t place) const { return (piece * places + place) * kUnits; }
  Units sums(const State& state) const {
    Units sums = first;
    for (std::size_t k = 0; k < state.size(); ++k)
      for (std::size_t u = 0; u < kUnits; ++u) sums[u] += weights[row(k, state[k]) + u];
    return sums;
  }
  float estimate(const Units& sums) const {
    float sum = constant;
    for (std::size_t u = 0; u < kUnits; ++u) sum += std::max(0.0f, sums[u]) * counts[u];
    return sum;
  }
};

struct Sample {
  State state;
  float left;
  bool at_least = false;
};

// Adam (Kingma and Ba 2014).
class Learner {
 public:
  explicit Learner(Net& net) : net_(net), slope_(size()), mean_(size()), square_(size()) {}

  void learn(const std::vector<Sample>& samples, float rate) {
    std::fill(slope_.begin(), slope_.end(), 0.0f);
    float* const of_first = slope_.data() + net_.weights.size();
    float* const of_counts = of_first + kUnits;
    for (const Sample& sample : samples) {
      const Units sums = net_.sums(sample.state);
      const float error = net_.estimate(sums) - sample.left;
      if (sample.at_least && error > 0) continue;
      const float slope = error / static_cast<float>(samples.size());
      Units back;
      for (std::size_t u = 0; u < kUnits; ++u) {
        of_counts[u] += slope * std::max(0.0f, sums[u]);
        back[u] = sums[u] > 0 ? slope * net_.counts[u] : 0.0f;
        of_first[u] += back[u];
      }
      of_counts[kUnits] += slope;
      for (std::size_t k = 0; k < sample.state.size(); ++k)
        for (std::size_t u = 0; u < kUnits; ++u) slope_[net_.row(k, sample.state[k]) + u] += back[u];
    }
    ++steps_;
    const float step = rate * std::sqrt(1 - std::pow(0.999f, steps_)) / (1 - std::pow(0.9f, steps_));
    std::size_t i = 0;
    const auto change = [&](float& value) {
      mean_[i] = 0.9f * mean_[i] + 0.1f * slope_[i];
      square_[i] = 0.999f * square_[i] + 0.001f * slope_[i] * slope_[i];
      value -= step * mean_[i] / (std::sqrt(square_[i]) + 1e-8f);
      ++i;
    };
    for (float& weight : net_.weights) {
      change(weight);
      weight *= kDecay;
    }
    for (float& one : net_.first) change(one);
    for (float& one : net_.counts) change(one);
    change(net_.constant);
  }

 private:
  std::size_t size() const { return net_.weights.size() + 2 * kUnits + 1; }

  Net& net_;
  std::vector<float> slope_, mean_, square_;
  float steps_ = 0;
};

struct Way {
  std::vector<State> states;
  std::vector<std::size_t> moves;
};

// A beam; the states of its layers are appended to `seen`, some of each. No moves if there is no way that short.
std::vector<std::size_t> solved(const Puzzle& puzzle, const Net& net, const State& start, std::size_t longest, Random& random,
                                std::vector<std::vector<State>>& seen) {
  struct Link {
    std::size_t before, move;
  };
  struct Candidate {
    float estimate;
    std::uint64_t key;
    std::size_t from, move;
    auto order() const { return std::pair(estimate, key); }
  };
  std::vector<Link> links{{0, puzzle.moves}};
  std::vector<State> layer{start}, next;
  std::vector<std::size_t> at{0}, next_at;
  std::vector<std::uint64_t> before;
  for (std::size_t depth = 1; depth <= longest; ++depth) {
    std::vector<Candidate> found;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const Units sums = net.sums(layer[i]);
      std::uint64_t key = 0;
      for (std::size_t k = 0; k < puzzle.pieces; ++k) key ^= puzzle.key(k, layer[i][k]);
      for (std::size_t m = 0; m < puzzle.moves; ++m) {
        if (links[at[i]].move < puzzle.moves && puzzle.inverse[m] == links[at[i]].move) continue;
        Units moved = sums;
        std::uint64_t its = key;
        for (std::size_t k = 0; k < puzzle.pieces; ++k) {
          const std::size_t from = layer[i][k], to = puzzle.images[m][from];
          if (from == to) continue;
          its ^= puzzle.key(k, from) ^ puzzle.key(k, to);
          for (std::size_t u = 0; u < kUnits; ++u)
            moved[u] += net.weights[net.row(k, to) + u] - net.weights[net.row(k, from) + u];
        }
        found.push_back({net.estimate(moved), its, i, m});
      }
    }
    const auto nearer = [](const Candidate& a, const Candidate& b) { return a.order() < b.order(); };
    const std::size_t taken = std::min(found.size(), 2 * kWidth);
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(taken), found.end(), nearer);
    std::unordered_set<std::uint64_t> had(before.begin(), before.end());
    before.clear();
    next.clear();
    next_at.clear();
    for (std::size_t i = 0; i < taken && next.size() < kWidth; ++i) {
      if (!had.insert(found[i].key).second) continue;
      State state = layer[found[i].from];
      puzzle.turn(state, found[i].move);
      links.push_back({at[found[i].from], found[i].move});
      if (state == puzzle.home) {
        std::vector<std::size_t> moves;
        for (std::size_t link = links.size() - 1; link > 0; link = links[link].before) moves.push_back(links[link].move);
        std::reverse(moves.begin(), moves.end());
        return moves;
      }
      before.push_back(found[i].key);
      next.push_back(std::move(state));
      next_at.push_back(links.size() - 1);
    }
    if (next.empty()) break;
    layer.swap(next);
    at.swap(next_at);
    seen.emplace_back();
    for (std::size_t i = 0; i < kOfLayer; ++i) seen.back().push_back(layer[random.below(layer.size())]);
  }
  return {};
}

class Teacher {
 public:
  Teacher(const Puzzle& puzzle, std::vector<Way> ways, Random& random)
      : puzzle_(puzzle), ways_(std::move(ways)), random_(random), net_(puzzle, random), learner_(net_) {}

  const Net& taught(int rounds) {
    learn(kFirstSamples, 2 * kFastest, kFirstLeft, 0, 0.3);
    double range = kFirstRange;
    for (int round = 1; round <= rounds; ++round) {
      std::size_t solved_again = 0;
      for (std::size_t i = 0; i < kStarts; ++i) solved_again += again(ways_[random_.below(ways_.size())], range);
      if (far_.size() > kMostFar) far_.erase(far_.begin(), far_.end() - static_cast<std::ptrdiff_t>(kMostFar));
      learn(kSamples, 10 * round < 6 * rounds ? kFastest : kSlow, std::min<int>(kMostLeft, static_cast<int>(1.25 * range) + 5), 0.3, 0.15);
      double mean = 0;
      for (const Way& way : ways_) mean += static_cast<double>(way.moves.size()) / static_cast<double>(ways_.size());
      std::fprintf(stderr, "round %d: up to %.0f moves, %zu of %zu solved, solutions now %.2f\n", round, range, solved_again,
                   kStarts, mean);
      if (10 * solved_again > 6 * kStarts) range = std::min<double>(kMostLeft, kFarther * range + 1);
      if (10 * solved_again < 3 * kStarts) range = std::max(8.0, range / kFarther);
    }
    return net_;
  }

 private:
  // Whether the end of a way is found again.
  bool again(Way& way, double range) {
    const std::size_t left = std::min<std::size_t>(way.moves.size(), static_cast<std::size_t>(range * (0.5 + 0.5 * random_.unit())));
    if (left < 3) return false;
    const std::size_t from = way.moves.size() - left;
    std::vector<std::vector<State>> seen;
    const auto moves = solved(puzzle_, net_, way.states[from], left + 2, random_, seen);
    const double known = static_cast<double>(moves.empty() ? left : std::min(left, moves.size())) - (moves.empty() ? 0 : 2);
    for (std::size_t depth = 0; depth < seen.size(); ++depth)
      for (int i = 0; i < 4; ++i)
        far_.push_back({seen[depth][random_.below(seen[depth].size())],
                        static_cast<float>(std::max(1.0, known - static_cast<double>(depth + 1))), true});
    if (moves.empty()) return false;
    if (moves.size() <= left) {
      way.states.resize(from + 1);
      way.moves.resize(from);
      for (const std::size_t move : moves) {
        State state = way.states.back();
        puzzle_.turn(state, move);
        way.moves.push_back(move);
        way.states.push_back(std::move(state));
      }
    }
    return true;
  }

  // A state of a way with at most so many moves left, or one beside it.
  Sample on_the_way(int most) {
    const Way& way = ways_[random_.below(ways_.size())];
    const std::size_t length = way.moves.size(), left = random_.below(std::min<std::size_t>(length, static_cast<std::size_t>(most)) + 1);
    const std::size_t at = length - left;
    Sample sample{way.states[at], static_cast<float>(left)};
    if (random_.below(2) == 0) return sample;
    const std::size_t move = random_.below(puzzle_.moves);
    puzzle_.turn(sample.state, move);
    sample.left += at < length && move == way.moves[at] ? -1.0f : at == 0 || puzzle_.inverse[way.moves[at - 1]] != move ? 0.8f : 1.0f;
    return sample;
  }

  Sample walked() {
    const std::size_t length = 1 + random_.below(kWalk);
    Sample sample{puzzle_.home, static_cast<float>(length)};
    std::size_t last = puzzle_.moves;
    for (std::size_t i = 0; i < length; ++i) {
      std::size_t move = random_.below(puzzle_.moves);
      while (last < puzzle_.moves && puzzle_.inverse[move] == last) move = random_.below(puzzle_.moves);
      puzzle_.turn(sample.state, last = move);
    }
    return sample;
  }

  void learn(std::size_t count, float rate, int most, double far, double walks) {
    std::vector<Sample> samples(kBatch);
    const std::size_t batches = count / kBatch;
    for (std::size_t b = 0; b < batches; ++b) {
      for (Sample& sample : samples) {
        const double kind = random_.unit();
        if (kind < far && !far_.empty())
          sample = far_[random_.below(far_.size())];
        else
          sample = kind < far + walks ? walked() : on_the_way(most);
      }
      learner_.learn(samples, 10 * b < 7 * batches ? rate : rate / 5);
    }
  }

  const Puzzle& puzzle_;
  std::vector<Way> ways_;
  Random& random_;
  Net net_;
  Learner learner_;
  std::vector<Sample> far_;
};

template <typename T>
T number() {
  T value{};
  if (!(std::cin >> value)) throw std::runtime_error("a number is missing");
  return value;
}

State state(std::size_t size) {
  State state(size);
  for (auto& place : state) place = static_cast<std::uint8_t>(number<unsigned>());
  return state;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) throw std::runtime_error("the argument is the number of rounds");
  Random random;
  Puzzle puzzle;
  puzzle.moves = number<std::size_t>();
  puzzle.places = number<std::size_t>();
  puzzle.pieces = number<std::size_t>();
  for (std::size_t m = 0; m < puzzle.moves; ++m) puzzle.images.push_back(state(puzzle.places));
  puzzle.home = state(puzzle.pieces);
  for (const State& image : puzzle.images)
    for (std::size_t m = 0; m < puzzle.moves; ++m) {
      bool undone = true;
      for (std::size_t x = 0; x < puzzle.places; ++x) undone = undone && puzzle.images[m][image[x]] == x;
      if (undone) puzzle.inverse.push_back(m);
    }
  if (puzzle.inverse.size() != puzzle.moves) throw std::runtime_error("a move has no inverse");
  for (std::size_t i = 0; i < puzzle.pieces * puzzle.places; ++i) puzzle.keys.push_back(random.next());
  std::vector<Way> ways(number<std::size_t>());
  for (Way& way : ways) {
    way.states.push_back(state(puzzle.pieces));
    for (std::size_t left = number<std::size_t>(); left > 0; --left) {
      way.moves.push_back(number<std::size_t>());
      way.states.push_back(way.states.back());
      puzzle.turn(way.states.back(), way.moves.back());
    }
  }
  Teacher teacher(puzzle, std::move(ways), random);
  const Net& net = teacher.taught(std::stoi(arguments[1]));
  for (const auto* const part : {net.weights.data(), net.first.data(), net.counts.data()})
    for (std::size_t i = 0; i < (part == net.weights.data() ? net.weights.size() : kUnits); ++i) std::printf("%.7g\n", part[i]);
  std::printf("%.7g\n", net.constant);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
