// One member function asks for the rows, another one uses them; the queue pair is the class's own.
#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

class Table {
public:
  Table(ibv_qp *qp, const ibv_mr *mr, std::uint64_t remote, std::uint32_t rkey)
      : qp_(qp), mr_(mr), remote_(remote), rkey_(rkey) {}

  void fetch(std::size_t row) {
    ibv_sge sge{reinterpret_cast<std::uintptr_t>(&rows_[row]), sizeof rows_[row], mr_->lkey};
    ibv_send_wr wr{}, *bad = nullptr;
    wr.opcode = IBV_WR_RDMA_READ;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.wr.rdma.remote_addr = remote_ + row * sizeof rows_[row];
    wr.wr.rdma.rkey = rkey_;
    if (ibv_post_send(qp_, &wr, &bad))
      throw std::runtime_error("fetch");
  }

  std::uint64_t ends() const {
    const std::uint64_t first = rows_[0];
    return first + rows_[Rows - 1];
  }

  static constexpr std::size_t Rows = 4;

private:
  ibv_qp *qp_;
  const ibv_mr *mr_;
  std::uint64_t remote_;
  std::uint32_t rkey_;
  static inline std::uint64_t rows_[Rows];
};

std::uint64_t ends_of(Table &table) {
  for (std::size_t row = 0; row < Table::Rows; ++row)
    table.fetch(row);
  return table.ends();
}
