// A count of whole layers over states with numbers, in two bits a state.
#pragma once

#include "layers/layered.hpp"
#include "layers/ranked_space.hpp"

namespace hstar {

// As count_layers, to the end. Nothing, if the table does not fit into the memory, or twice into the directory, or the
// directory has a checkpoint that is no such count's.
std::optional<Outcome> count_ranked(const RankedSpace& space, const SearchOptions& options, const LayerOptions& where,
                                    Control& control, Clock::time_point begin);

}  // namespace hstar
