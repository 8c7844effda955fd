#include "analyzer/tools/Configure.h"

namespace rdma {

Config configuration(const Options &O) {
  if (O.ConfigText && O.ConfigFile)
    throw UsageError("--config-file and --config are mutually exclusive");
  if (O.ConfigText && !O.ConfigText->empty())
    return parseConfig(*O.ConfigText, "--config", "");
  if (O.ConfigFile)
    return readConfig(*O.ConfigFile);
  return nearestConfig(O.Files.empty() ? "source" : O.Files.front());
}

void configure(Options &O, const Config &C) {
  if (C.Checks && !C.Checks->empty())
    O.Checks = O.Checks.empty() ? *C.Checks : *C.Checks + "," + O.Checks;
  // Around those of the command line.
  O.ExtraArgs.insert(O.ExtraArgs.end(), C.ExtraArgs.begin(), C.ExtraArgs.end());
  O.ExtraArgsBefore.insert(O.ExtraArgsBefore.begin(), C.ExtraArgsBefore.begin(), C.ExtraArgsBefore.end());
  if (O.Topology.empty())
    O.Topology = C.Topology.value_or("");
  if (O.Cache.empty())
    O.Cache = C.Cache.value_or("");
  O.OpenWorld |= C.OpenWorld.value_or(false);
  if (O.GivenModel)
    O.CpuModel = *O.GivenModel;
  else if (C.CpuModel && !C.CpuModel->empty())
    O.CpuModel = modelOption(*C.CpuModel);
}

} // namespace rdma
