// The directory in which a search by layers keeps what does not fit into memory, and from which it goes on after a
// crash.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace hstar {

// There is no room on the disk, or it fails. Ends a search as lack of memory does.
struct DiskFull {};

class Scratch;

// A file that grows at its end, and is deleted with this object, or with the next checkpoint if the last one names it.
class ScratchFile {
 public:
  ScratchFile(Scratch& scratch, std::string name, int file, std::uint64_t bytes) noexcept
      : scratch_(scratch), name_(std::move(name)), file_(file), bytes_(bytes) {}
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Returns the offset. May be called by several threads. Throws DiskFull.
  std::uint64_t append(std::span<const std::span<const std::byte>> pieces);
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  void sync() const;
  const std::string& name() const noexcept { return name_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  Scratch& scratch_;
  const std::string name_;
  const int file_;
  std::atomic<std::uint64_t> bytes_;
};

class Scratch {
 public:
  // Makes the directory. Throws std::invalid_argument if it cannot, or another search is using it.
  Scratch(std::string directory, std::uint64_t most_bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Throws DiskFull.
  std::unique_ptr<ScratchFile> make();
  // A file that a checkpoint names; nullptr if it is missing or shorter than that.
  std::unique_ptr<ScratchFile> open(const std::string& name, std::uint64_t bytes);
  // Replaces the checkpoint, which names these files, all or nothing, and deletes the files that it no longer names.
  // Throws DiskFull.
  void write_checkpoint(std::span<const std::byte> bytes, std::set<std::string> names);
  // None if there is none, or it is damaged.
  std::optional<std::vector<std::byte>> read_checkpoint() const;
  // The checkpoint just read names these: all other files of earlier runs are deleted.
  void adopt(std::set<std::string> names);
  // The search is done: no checkpoint is kept.
  void discard() { adopt({}); }
  bool has_room(std::uint64_t bytes) const noexcept { return used_ + bytes <= most_; }

 private:
  friend class ScratchFile;
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  void forget(const ScratchFile& file) noexcept;

  const std::string directory_;
  const std::uint64_t most_;
  std::atomic<std::uint64_t> used_{0};
  std::uint64_t made_ = 0;
  std::set<std::string> named_;  // by the last checkpoint
  std::set<std::string> open_;
  int lock_ = -1;
};

}  // namespace hstar
