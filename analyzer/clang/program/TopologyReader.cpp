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

/// Where the keys and texts of a file stand, noted while it is parsed. A key twice in one object is an error.
class Placer {
public:
  Placer(const std::string &File, const std::string &Text) : File(File), Text(Text), In(Text) {}

  Json parse(TopologyPlaces &Into) {
    Places = &Into;
    auto note = [this](int, Json::parse_event_t Event, Json &What) {
      on(Event, What);
      return true;
    };
    return Json::parse(In, note, true, /*ignore_comments=*/true);
  }

private:
  void on(Json::parse_event_t Event, const Json &What) {
    switch (Event) {
    case Json::parse_event_t::key: {
      Around.back().Key = What.get<std::string>();
      const Place At = ofText();
      if (!Places->Keys.emplace(trail(), At).second)
        throw InputError(At, "\"" + Around.back().Key + "\" is said twice");
      Places->Words.try_emplace(Around.back().Key, At);
      return;
    }
    case Json::parse_event_t::object_start:
    case Json::parse_event_t::array_start:
      Around.push_back({Event == Json::parse_event_t::array_start, 0, ""});
      return;
    case Json::parse_event_t::object_end:
    case Json::parse_event_t::array_end:
      Around.pop_back();
      break;
    case Json::parse_event_t::value:
      if (What.is_string()) {
        const Place At = ofText();
        Places->Values.emplace(trail(), At);
        Places->Words.try_emplace(What.get<std::string>(), At);
      }
      break;
    }
    if (!Around.empty() && Around.back().List)
      ++Around.back().Next;
  }

  TopologyPlaces::Trail trail() const {
    TopologyPlaces::Trail Names;
    for (const Level &L : Around)
      Names.push_back(L.List ? std::to_string(L.Next) : L.Key);
    return Names;
  }

  /// Of the text whose closing quote was just read: it holds no quote that no backslash precedes.
  Place ofText() {
    std::size_t Open = static_cast<std::size_t>(In.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in)) - 1;
    auto escaped = [&](std::size_t At) {
      std::size_t Slash = At;
      while (Slash > 0 && Text[Slash - 1] == '\\')
        --Slash;
      return (At - Slash) % 2 == 1;
    };
    do
      Open = Text.rfind('"', Open - 1);
    while (escaped(Open));
    for (; Counted < Open; ++Counted)
      if (Text[Counted] == '\n')
        ++Line, LineBegin = Counted + 1;
    return {File, Line, static_cast<unsigned>(Open - LineBegin + 1), ""};
  }

  struct Level {
    bool List;
    std::size_t Next; ///< of a list
    std::string Key;
  };
  const std::string &File, &Text;
  std::istringstream In;
  TopologyPlaces *Places = nullptr;
  std::vector<Level> Around;
  std::size_t Counted = 0, LineBegin = 0;
  unsigned Line = 1;
};

using Trail = TopologyPlaces::Trail;

/// Beyond so many nodes of a kind, none is told apart from the others: each is analysed.
constexpr unsigned MostToldApart = 8;

Trail operator+(Trail At, const std::string &Key) {
  At.push_back(Key);
  return At;
}

class Reader {
public:
  Reader(const std::string &File, TopologyPlaces Places) { T.File = File, T.Places = std::move(Places); }

  Topology read(const Json &Root) {
    requireObject(Root, {}, "the file");
    for (const auto &[Key, Value] : Root.items()) {
      if (Key == "setup") {
        for (const std::string &Name : list(Value, Key))
          T.Setup.insert(Name);
      } else if (Key == "assumed") {
        T.Assumed = list(Value, Key);
      } else if (Key == "nodes" || Key == "queue_pairs" || Key == "regions") {
        requireObject(Value, {Key}, "\"" + Key + "\"");
      } else {
        unknownKey({Key}, "unknown key \"" + Key + "\"",
                   "; known are assumed, nodes, queue_pairs, regions, setup",
                   {"assumed", "nodes", "queue_pairs", "regions", "setup"});
      }
    }
    readNodes(Root.value("nodes", Json::object()));
    if (T.Nodes.empty())
      fail({"nodes"}, "\"nodes\" names no node");
    readQueuePairs(Root.value("queue_pairs", Json::object()));
    readRegions(Root.value("regions", Json::object()));
    return std::move(T);
  }

private:
  [[noreturn]] void fail(const Trail &At, const std::string &Message) const {
    throw InputError(T.Places.value(At).value_or(Place{T.File, 0, 0, ""}), Message);
  }
  [[noreturn]] void failAtKey(const Trail &At, const std::string &Message) const {
    throw InputError(T.Places.key(At).value_or(Place{T.File, 0, 0, ""}), Message);
  }
  /// With what was probably meant; else with what there is.
  [[noreturn]] void unknownKey(const Trail &At, const std::string &Message, const std::string &Else,
                               const std::vector<std::string> &Known) const {
    const std::string Near = suggestion(At.back(), Known);
    failAtKey(At, Message + (Near.empty() ? Else : Near));
  }
  void requireObject(const Json &Value, const Trail &At, const std::string &What) const {
    if (!Value.is_object())
      fail(At, What + " must be an object");
  }
  std::string text(const Json &Value, const Trail &At, const std::string &What) const {
    if (!Value.is_string())
      fail(At, What + " must be a string");
    return Value.get<std::string>();
  }
  void requireNode(const std::string &Name, const Trail &At, const std::string &Where) const {
    std::vector<std::string> Known;
    for (const TopologyNode &N : T.Nodes)
      Known.push_back(N.Name);
    if (std::find(Known.begin(), Known.end(), Name) == Known.end())
      fail(At, "no node '" + Name + "' (in " + Where + ")" + suggestion(Name, Known));
  }

  /// Of a node, or of one of several by its number: "server#2". Those are told apart from then on.
  void requireNodeOrCopy(const std::string &Name, const Trail &At, const std::string &Where) {
    const std::size_t Mark = Name.find('#');
    const std::string Kind = Name.substr(0, Mark);
    requireNode(Kind, At, Where);
    if (Mark == std::string::npos)
      return;
    TopologyNode &Node =
        *std::find_if(T.Nodes.begin(), T.Nodes.end(), [&](auto &N) { return N.Name == Kind; });
    if (Node.Count < 2 || Node.Count > MostToldApart)
      fail(At, "nodes of '" + Kind + "' are told apart where there are 2 to " +
                   std::to_string(MostToldApart) + " of them; write \"" + Kind + "\"");
    unsigned Number = 1;
    while (Number <= Node.Count && Name != Kind + "#" + std::to_string(Number))
      ++Number;
    if (Number > Node.Count)
      fail(At, "no node '" + Name + "' (in " + Where + "); there are '" + Kind + "#1' to '" + Kind + "#" +
                   std::to_string(Node.Count) + "'");
    Node.ToldApart = true;
  }

  unsigned count(const Json &Value, const Trail &At, const std::string &Node) const {
    if (Value.is_string() && Value == "*")
      return 0;
    if (!Value.is_number_unsigned() || Value.get<std::uint64_t>() > 1'000'000)
      fail(At, "the count of node '" + Node + "' must be a number or \"*\"");
    return Value.get<unsigned>();
  }

  void readNodes(const Json &Nodes) {
    for (const auto &[Name, Value] : Nodes.items()) {
      const Trail At{"nodes", Name};
      requireObject(Value, At, "node \"" + Name + "\"");
      TopologyNode Node;
      Node.Name = Name;
      for (const auto &[Key, Part] : Value.items()) {
        if (Key == "count")
          Node.Count = count(Part, At + Key, Name);
        else if (Key == "entries" && Part.is_array())
          Node.Entries = texts(Part, At + Key, "an entry of node '" + Name + "'");
        else if (Key == "sources" && Part.is_array())
          Node.Sources = texts(Part, At + Key, "a source of node '" + Name + "'");
        else
          unknownKey(At + Key,
                     "node '" + Name + "' has \"count\", \"entries\" and \"sources\" (lists), not this \"" +
                         Key + "\"",
                     "", {"count", "entries", "sources"});
      }
      T.Nodes.push_back(std::move(Node));
    }
  }

  std::vector<std::string> texts(const Json &List, const Trail &At, const std::string &What) const {
    std::vector<std::string> All;
    for (const Json &Text : List)
      All.push_back(text(Text, At + std::to_string(All.size()), What));
    return All;
  }

  std::vector<std::string> list(const Json &Texts, const std::string &Key) const {
    if (!Texts.is_array())
      fail({Key}, "\"" + Key + "\" must be a list of " + (Key == "setup" ? "functions" : "texts"));
    return texts(Texts, {Key}, "a member of \"" + Key + "\"");
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
      failAtKey({Key, Word}, "\"" + Key + "\" names '" + Word + "', an entry of several programs; write \"" +
                                 Meant[0] + "\" or \"" + Meant.back() + "\"");
    failAtKey({Key, Word},
              "\"" + Key + "\" names '" + Word + "', which is an entry of no node" + suggestion(Word, Known));
  }

  /// One path, in whatever spelling and by whichever name of the entry, means one thing.
  void requireOnce(const Json &Value, const std::string &Entry, const Trail &At) {
    const std::string &Path = At.back();
    auto [Before, New] = Meant.try_emplace({At[0], Entry, plainPath(Path)}, Path, Value);
    if (!New && Before->second.second != Value)
      failAtKey(At, "'" + Path + "' of '" + Entry + "' is said twice" +
                        (Before->second.first == Path ? "" : ", also as '" + Before->second.first + "'"));
    // From here on by the entry's own name.
    const Trail Own{At[0], Entry, Path};
    if (std::optional<Place> Key = T.Places.key(At))
      T.Places.Keys.try_emplace(Own, *Key);
    if (std::optional<Place> Value = T.Places.value(At))
      T.Places.Values.try_emplace(Own, *Value);
  }

  void readQueuePairs(const Json &Pairs) {
    for (const auto &[Word, Paths] : Pairs.items()) {
      const std::string Entry = entryOf(Word, "queue_pairs");
      const Trail Of{"queue_pairs", Word};
      requireObject(Paths, Of, "\"queue_pairs\" of '" + Entry + "'");
      for (const auto &[Path, Value] : Paths.items()) {
        const Trail At = Of + Path;
        requireOnce(Value, Entry, At);
        if (Value.is_object())
          readCompletions(Entry, At, Value);
        if (Value.is_object() && !Value.contains("node"))
          failAtKey(At, "the node at the other end of '" + Path + "' is not said");
        const Trail Where = Value.is_object() ? At + "node" : At;
        std::string Node =
            text(Value.is_object() ? Value["node"] : Value, Where, "the node of '" + Path + "'");
        requireNodeOrCopy(Node, Where, "queue_pairs of " + Entry);
        T.QueuePairs[Entry][Path] = Node;
      }
    }
  }

  void readCompletions(const std::string &Entry, const Trail &At, const Json &Value) {
    const std::string &Path = At.back();
    CompletionFacts Facts;
    auto queue = [&](const std::string &Key, const Json &Name) {
      if (std::optional<Place> Known = T.Places.value(At + Key))
        T.Places.Values.try_emplace({"queue_pairs", Entry, Path, Key}, *Known);
      return text(Name, At + Key, "\"" + Key + "\" of '" + Path + "'");
    };
    for (const auto &[Key, Part] : Value.items()) {
      if (Key == "send_cq")
        Facts.SendCq = queue(Key, Part);
      else if (Key == "recv_cq")
        Facts.RecvCq = queue(Key, Part);
      else if (Key == "sq_sig_all" && Part.is_boolean())
        Facts.SqSigAll = Part.get<bool>();
      else if (Key != "node")
        unknownKey(At + Key,
                   "queue pair '" + Path +
                       "' has \"node\", \"send_cq\", \"recv_cq\" and \"sq_sig_all\" (true or false), not "
                       "this \"" +
                       Key + "\"",
                   "", {"node", "send_cq", "recv_cq", "sq_sig_all"});
    }
    T.Completions[Entry][Path] = Facts;
  }

  void readRegions(const Json &Regions) {
    for (const auto &[Word, Paths] : Regions.items()) {
      const std::string Entry = entryOf(Word, "regions");
      const Trail Of{"regions", Word};
      requireObject(Paths, Of, "\"regions\" of '" + Entry + "'");
      for (const auto &[Path, Value] : Paths.items()) {
        const Trail At = Of + Path;
        requireOnce(Value, Entry, At);
        std::string Name = text(Value, At, "the region of '" + Path + "'");
        std::size_t Colon = Name.find(':');
        if (Colon == std::string::npos || Colon + 1 == Name.size())
          fail(At, "the region of '" + Path + "' must read \"node:object\"");
        requireNode(Name.substr(0, Colon), At, "regions of " + Entry);
        T.Regions[Entry][Path] = {Name.substr(0, Colon), Name.substr(Colon + 1)};
      }
    }
  }

  Topology T;
  std::map<Trail, std::pair<std::string, Json>> Meant;
};

} // namespace

Topology readTopology(const std::string &File, const std::optional<std::string> &Contents,
                      const std::optional<TopologyPlaces> &Annotated) {
  std::string Text = Contents ? *Contents : contentsOf(File);
  TopologyPlaces Places;
  Json Root;
  try {
    Root = Placer(File, Text).parse(Places);
  } catch (const Json::parse_error &Error) {
    throw InputError(placeOf(File, Text, Error.byte), "not JSON as it should be");
  }
  return Reader(File, Annotated ? *Annotated : std::move(Places)).read(Root);
}

} // namespace rdma::clang_ir
