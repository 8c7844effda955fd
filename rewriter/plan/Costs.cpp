#include "rewriter/plan/Costs.h"

#include "ir/Litmus.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace rdma {

double Costs::of(Remedy R) const {
  switch (R) {
  case Remedy::RemoteFence:
    return RemoteFence;
  case Remedy::MemoryFence:
    return MemoryFence;
  case Remedy::Poll:
    return Wait;
  case Remedy::PolledGet:
    return Flush;
  case Remedy::Impossible:
    break;
  }
  return INFINITY;
}

Costs readCosts(const std::string &File) {
  auto Fail = [&](const std::string &Why) { throw InputError({File, 0, 0, {}}, Why); };
  std::ifstream In(File);
  if (!In || std::filesystem::is_directory(File))
    Fail("cannot read the file");
  nlohmann::json Given = nlohmann::json::parse(In, nullptr, false);
  if (!Given.is_object())
    Fail("not a JSON object of costs");
  Costs Read;
  for (const auto &[Name, Value] : Given.items()) {
    double *Cost = Name == "remote-fence"   ? &Read.RemoteFence
                   : Name == "memory-fence" ? &Read.MemoryFence
                   : Name == "wait-all-but" ? &Read.WaitAllBut
                   : Name == "wait"         ? &Read.Wait
                   : Name == "flush"        ? &Read.Flush
                   : Name == "further-pair" ? &Read.Further
                                            : nullptr;
    if (!Cost)
      Fail("no remedy is called '" + Name +
           "': remote-fence, memory-fence, wait-all-but, wait, flush or further-pair");
    if (!Value.is_number() || !(Value.get<double>() > 0))
      Fail("the cost of '" + Name + "' is not a positive number");
    *Cost = Value.get<double>();
  }
  return Read;
}

} // namespace rdma
