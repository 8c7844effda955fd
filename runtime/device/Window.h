// The memory window: one sparse file in memory per process, in which a page lies at the offset of its virtual
// address.
//
// Registering memory moves its pages into the window, at their old addresses, so that a peer can map the same
// pages; regions that overlap or share a page need no bookkeeping. Pages that others already share (shared
// mappings, files), the caller's stack and pages that cannot be moved stay where they are, and peers go
// through the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace rdma::device {

class Window {
public:
  /// Creates the file. Throws std::system_error.
  Window();
  ~Window();
  Window(const Window &) = delete;
  Window &operator=(const Window &) = delete;

  int fd() const { return File; }

  /// Whether every page of [Address, Address + Length) is there and can be read, or written too: what the
  /// kernel demands when it pins them.
  static bool isPinnable(uint64_t Address, uint64_t Length, bool ForWriting);
  /// Moves the pages of [Address, Address + Length) into the window. False when some of them have to stay.
  /// The contents do not change; a page that another thread writes to at this moment is guarded meanwhile.
  bool cover(uint64_t Address, uint64_t Length);

  /// A region begins to need these pages.
  void keep(uint64_t Address, uint64_t Length);
  /// A region needs them no more. Pages that no other region needs become ordinary memory again, with their
  /// contents: whoever gives them back to the kernel (madvise(2)) finds zeros there afterwards, as without
  /// us.
  void release(uint64_t Address, uint64_t Length);

  /// After a fork, in the child: makes the covered pages private again, so that parent and child do not share
  /// them.
  void makePrivate();

private:
  std::map<uint64_t, uint32_t>::iterator split(uint64_t At);
  void count(uint64_t Begin, uint64_t End, bool More);
  void uncover(uint64_t Begin, uint64_t End);
  bool coverRange(uint64_t Begin, uint64_t End);

  int File;
  uint64_t Inode = 0;
  std::map<uint64_t, uint32_t> Regions; ///< how many need the pages from this address to the next one
};

} // namespace rdma::device
