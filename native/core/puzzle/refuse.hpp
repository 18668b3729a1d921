// How an argument is refused: with std::invalid_argument, whose message names the place of the fault.
#pragma once

#include <stdexcept>
#include <string>

namespace hstar {

[[noreturn]] inline void refuse(const std::string& what) { throw std::invalid_argument(what); }
[[noreturn]] inline void refuse(const char* of_what, const std::string& what) {
  throw std::invalid_argument(std::string(of_what) + ": " + what);
}

}  // namespace hstar
