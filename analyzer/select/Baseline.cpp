#include "analyzer/select/Baseline.h"
#include "analyzer/select/Filters.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace rdma {

static void add(const nlohmann::json &Result, Baseline &Known) {
  Accepted &A = Known[Result.at("partialFingerprints").at(FingerprintKey).get<std::string>()];
  ++A.Findings;
  if (Result.contains("properties"))
    A.Pairs += Result["properties"].value("pairsNotProved", std::uint64_t{0});
}

Baseline readBaseline(const std::string &File) {
  std::ifstream In(File, std::ios::binary);
  if (!In || std::filesystem::is_directory(File))
    throw SelectionError(File + ": cannot read the baseline");
  Baseline Known;
  try {
    const nlohmann::json Root = nlohmann::json::parse(In);
    for (const nlohmann::json &Run : Root.at("runs"))
      for (const nlohmann::json &Result : Run.at("results")) {
        add(Result, Known);
        if (Result.contains("properties") && Result["properties"].contains("also"))
          for (const nlohmann::json &Folded : Result["properties"]["also"])
            add(Folded, Known);
      }
  } catch (const nlohmann::json::exception &) {
    throw SelectionError(File + ": not a baseline as --write-baseline writes it");
  }
  return Known;
}

} // namespace rdma
