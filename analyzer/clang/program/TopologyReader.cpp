// The reader of topology files.
#include "analyzer/clang/program/Topology.h"
#include "analyzer/config/Nearest.h"
#include "ir/Litmus.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace rdma::clang_ir {
namespace {

using Json = nlohmann::ordered_json;

std::string contentsOf(const std::string &File) {
  std::ifstream In(File, std::ios::binary);
  if (!In)
    throw InputError({File, 0, 0, ""}, "no such file");
  std::stringstream Text;
  Text << In.rdbuf();
  return Text.str();
}

Place placeOf(const std::string &File, const std::string &Text, std::size_t Byte) {
  Place Where{File, 1, 1, ""};
  for (std::size_t I = 0; I + 1 < Byte && I < Text.size(); ++I) {
    ++Where.Column;
    if (Text[I] == '\n')
      ++Where.Line, Where.Column = 1;
  }
  return Where;
}

class Reader {
public:
  Reader(const std::string &File, const std::string &Text, const std::map<std::string, Place> &Places) {
    T.File = File, T.Text = Text, T.Places = Places;
  }

  Topology read(const Json &Root) {
    requireObject(Root, "the file");
    for (const auto &[Key, Value] : Root.items()) {
      if (Key == "setup") {
        readSetup(Value);
        continue;
      }
      if (Key == "assumed") {
        for (const std::string &What : list(Value, Key))
          T.Assumed.push_back(What);
        continue;
      }
      requireObject(Value, "\"" + Key + "\"");
      if (Key == "nodes")
        readNodes(Value);
      else if (Key != "queue_pairs" && Key != "regions")
        failAt(Key, "unknown key \"" + Key + "\"; known are assumed, nodes, queue_pairs, regions, setup");
    }
    if (T.Nodes.empty())
      fail("\"nodes\" names no node");
    readQueuePairs(Root.value("queue_pairs", Json::object()));
    readRegions(Root.value("regions", Json::object()));
    return std::move(T);
  }

private:
  [[noreturn]] void fail(const std::string &Message) const { throw InputError({T.File, 0, 0, ""}, Message); }
  [[noreturn]] void failAt(const std::string &Word, const std::string &Message) const {
    throw InputError(T.placeOf(Word), Message);
  }
  void requireObject(const Json &Value, const std::string &What) const {
    if (!Value.is_object())
      fail(What + " must be an object");
  }
  std::string text(const Json &Value, const std::string &What) const {
    if (!Value.is_string())
      fail(What + " must be a string");
    return Value.get<std::string>();
  }
  void requireNode(const std::string &Name, const std::string &Where) const {
    std::vector<std::string> Known;
    for (const TopologyNode &N : T.Nodes)
      Known.push_back(N.Name);
    if (std::find(Known.begin(), Known.end(), Name) == Known.end())
      failAt(Name, "no node '" + Name + "' (in " + Where + ")" + suggestion(Name, Known));
  }

  unsigned count(const Json &Value, const std::string &Node) const {
    if (Value.is_string() && Value == "*")
      return 0;
    if (!Value.is_number_unsigned() || Value.get<std::uint64_t>() > 1'000'000)
      fail("the count of node '" + Node + "' must be a number or \"*\"");
    return Value.get<unsigned>();
  }

  void readNodes(const Json &Nodes) {
    for (const auto &[Name, Value] : Nodes.items()) {
      requireObject(Value, "node \"" + Name + "\"");
      TopologyNode Node;
      Node.Name = Name;
      for (const auto &[Key, Part] : Value.items()) {
        if (Key == "count")
          Node.Count = count(Part, Name);
        else if (Key == "entries" && Part.is_array())
          for (const Json &Entry : Part)
            Node.Entries.push_back(text(Entry, "an entry of node '" + Name + "'"));
        else if (Key == "sources" && Part.is_array())
          for (const Json &Source : Part)
            Node.Sources.push_back(text(Source, "a source of node '" + Name + "'"));
        else
          fail("node '" + Name + "' has \"count\", \"entries\" and \"sources\" (lists), not this \"" + Key +
               "\"");
      }
      T.Nodes.push_back(std::move(Node));
    }
  }

  std::vector<std::string> list(const Json &Texts, const std::string &Key) const {
    if (!Texts.is_array())
      fail("\"" + Key + "\" must be a list of " + (Key == "setup" ? "functions" : "texts"));
    std::vector<std::string> All;
    for (const Json &Text : Texts)
      All.push_back(text(Text, "a member of \"" + Key + "\""));
    return All;
  }

  void readSetup(const Json &Names) {
    for (const std::string &Name : list(Names, "setup"))
      T.Setup.insert(Name);
  }

  /// The entry that a key of queue_pairs or regions means, as Topology::keyOf has it.
  std::string entryOf(const std::string &Word, const std::string &Key) const {
    std::vector<std::string> Known, Meant;
    for (const TopologyNode &N : T.Nodes)
      for (const std::string &Entry : N.Entries) {
        Known.push_back(T.keyOf(N, Entry));
        if (Word == Known.back() || Word == N.Name + ":" + Entry)
          return Known.back();
        if (Word == Entry)
          Meant.push_back(Known.back());
      }
    if (!Meant.empty())
      failAt(Word, "\"" + Key + "\" names '" + Word + "', an entry of several programs; write \"" + Meant[0] +
                       "\" or \"" + Meant.back() + "\"");
    failAt(Word,
           "\"" + Key + "\" names '" + Word + "', which is an entry of no node" + suggestion(Word, Known));
  }

  void readQueuePairs(const Json &Pairs) {
    for (const auto &[Word, Paths] : Pairs.items()) {
      const std::string Entry = entryOf(Word, "queue_pairs");
      requireObject(Paths, "\"queue_pairs\" of '" + Entry + "'");
      for (const auto &[Path, Value] : Paths.items()) {
        if (Value.is_object())
          readCompletions(Entry, Path, Value);
        std::string Node =
            text(Value.is_object() ? Value.value("node", Json()) : Value, "the node of '" + Path + "'");
        requireNode(Node, "queue_pairs of " + Entry);
        T.QueuePairs[Entry][Path] = Node;
      }
    }
  }

  void readCompletions(const std::string &Entry, const std::string &Path, const Json &Value) {
    CompletionFacts Facts;
    for (const auto &[Key, Part] : Value.items()) {
      if (Key == "send_cq")
        Facts.SendCq = text(Part, "\"send_cq\" of '" + Path + "'");
      else if (Key == "recv_cq")
        Facts.RecvCq = text(Part, "\"recv_cq\" of '" + Path + "'");
      else if (Key == "sq_sig_all" && Part.is_boolean())
        Facts.SqSigAll = Part.get<bool>();
      else if (Key != "node")
        fail("queue pair '" + Path +
             "' has \"node\", \"send_cq\", \"recv_cq\" and \"sq_sig_all\" (true or false), not this \"" +
             Key + "\"");
    }
    T.Completions[Entry][Path] = Facts;
  }

  void readRegions(const Json &Regions) {
    for (const auto &[Word, Paths] : Regions.items()) {
      const std::string Entry = entryOf(Word, "regions");
      requireObject(Paths, "\"regions\" of '" + Entry + "'");
      for (const auto &[Path, Value] : Paths.items()) {
        std::string Name = text(Value, "the region of '" + Path + "'");
        std::size_t Colon = Name.find(':');
        if (Colon == std::string::npos || Colon + 1 == Name.size())
          fail("the region of '" + Path + "' must read \"node:object\"");
        requireNode(Name.substr(0, Colon), "regions of " + Entry);
        T.Regions[Entry][Path] = {Name.substr(0, Colon), Name.substr(Colon + 1)};
      }
    }
  }

  Topology T;
};

} // namespace

Topology readTopology(const std::string &File, const std::optional<std::string> &Contents,
                      const std::map<std::string, Place> &Places) {
  std::string Text = Contents ? *Contents : contentsOf(File);
  Json Root;
  try {
    Root = Json::parse(Text, nullptr, true, /*ignore_comments=*/true);
  } catch (const Json::parse_error &Error) {
    throw InputError(placeOf(File, Text, Error.byte), "not JSON as it should be");
  }
  return Reader(File, Text, Places).read(Root);
}

} // namespace rdma::clang_ir
