#include "ir/Json.h"

#include "ir/Litmus.h"

#include <algorithm>
#include <array>

namespace rdma {

using nlohmann::json;

namespace {

constexpr std::array<std::string_view, 14> OperationNames = {"nop",    "load",   "store", "cas", "rmw",
                                                             "mfence", "assume", "put",   "get", "rcas",
                                                             "rfaa",   "rfence", "poll",  "wait"};
constexpr std::array<std::string_view, 3> OutcomeNames = {"either", "succeeds", "fails"};

template <typename Enum, std::size_t N>
Enum named(const std::array<std::string_view, N> &Names, const json &J, const char *What) {
  auto Text = J.get<std::string>();
  for (std::size_t I = 0; I < N; ++I)
    if (Names[I] == Text)
      return static_cast<Enum>(I);
  throw std::invalid_argument("no " + std::string(What) + " '" + Text + "'");
}

json index(unsigned Id) { return Id == None ? json() : json(Id); }
unsigned index(const json &J, const char *Key, std::size_t Size) {
  if (!J.contains(Key) || J[Key].is_null())
    return None;
  auto Id = J[Key].get<unsigned>();
  if (Id >= Size)
    throw std::invalid_argument(std::string(Key) + " " + std::to_string(Id) + " is out of range");
  return Id;
}

json site(const Site &S) {
  json Chain = json::array();
  for (const Place &P : S.Chain)
    Chain.push_back({{"file", P.File}, {"line", P.Line}, {"column", P.Column}, {"function", P.Function}});
  return Chain;
}

Site site(const json &J) {
  Site S;
  for (const json &P : J)
    S.Chain.push_back({P.at("file"), P.at("line"), P.at("column"), P.at("function")});
  return S;
}

json access(const Access &A) {
  if (!A.valid())
    return json();
  json J = {{"object", A.Target}};
  if (!A.whole())
    J.update({{"begin", A.Begin}, {"end", A.End}});
  if (A.Somewhere)
    J["somewhere"] = true;
  return J;
}

/// Reads what `operation` and its helpers write, checking every index against the program read so far.
class Reader {
public:
  explicit Reader(const Program &P) : P(P) {}

  Operation operation(const json &J) const {
    Operation Op;
    Op.Kind = named<OperationKind>(OperationNames, J.at("kind"), "kind of operation");
    Op.Local = access(J, "local");
    Op.Remote = access(J, "remote");
    Op.Result = access(J, "result");
    Op.Pair = index(J, "queue_pair", P.QueuePairs.size());
    Op.Queue = index(J, "completion_queue", None);
    Op.Count = J.value("count", 1u);
    Op.Id = index(J, "work_id", P.WorkIds.size());
    Op.Unsignaled = J.value("unsignaled", false);
    Op.Inline = J.value("inline", false);
    Op.Fenced = J.value("fenced", false);
    Op.Counted = J.value("counted", false);
    Op.Deregisters = J.value("deregisters", false);
    Op.Receives = J.value("receives", false);
    Op.Heard = index(J, "heard", P.WorkIds.size());
    Op.Value = expression(J, "value");
    Op.Desired = expression(J, "desired");
    Op.Constant = J.value("constant", std::int64_t(0));
    Op.Negated = J.value("negated", false);
    Op.Awaits = J.value("awaits", false);
    Op.Unshown = J.value("unshown", false);
    Op.OneOf = index(J, "one_of", None);
    Op.RemoteAt = index(J, "remote_at", None);
    Op.RemoteMoves = J.value("remote_moves", false);
    Op.Renewed = index(J, "renewed", None);
    if (J.contains("renewed_from"))
      Op.RenewedFrom = J["renewed_from"].get<std::int64_t>();
    if (J.contains("outcome"))
      Op.Success = named<Operation::Outcome>(OutcomeNames, J["outcome"], "outcome");
    return Op;
  }

private:
  Access access(const json &J, const char *Key) const {
    if (!J.contains(Key) || J[Key].is_null())
      return {};
    const json &A = J[Key];
    return {index(A, "object", P.Objects.size()), A.value("begin", Access{}.Begin),
            A.value("end", Access{}.End), A.value("somewhere", false)};
  }

  std::optional<Expression> expression(const json &J, const char *Key) const {
    if (!J.contains(Key))
      return std::nullopt;
    Expression Sum;
    for (const json &T : J[Key]) {
      Term Part{.Sign = T.value("sign", 1), .IsConstant = T.contains("constant")};
      if (Part.IsConstant)
        Part.Constant = T["constant"];
      else
        Part.Location = access(T, "location");
      Sum.push_back(Part);
    }
    return Sum;
  }

  const Program &P;
};

json expression(const Expression &Sum) {
  json J = json::array();
  for (const Term &T : Sum) {
    json Part = T.IsConstant ? json{{"constant", T.Constant}} : json{{"location", access(T.Location)}};
    if (T.Sign < 0)
      Part["sign"] = T.Sign;
    J.push_back(Part);
  }
  return J;
}

json operation(const Operation &Op) {
  json J = {{"kind", OperationNames[static_cast<unsigned>(Op.Kind)]}};
  for (auto [Key, Where] : {std::pair{"local", &Op.Local}, {"remote", &Op.Remote}, {"result", &Op.Result}})
    if (Where->valid())
      J[Key] = access(*Where);
  for (auto [Key, Id] : {std::pair{"queue_pair", Op.Pair},
                         {"completion_queue", Op.Queue},
                         {"work_id", Op.Id},
                         {"heard", Op.Heard},
                         {"one_of", Op.OneOf},
                         {"renewed", Op.Renewed},
                         {"remote_at", Op.RemoteAt}})
    if (Id != None)
      J[Key] = Id;
  for (auto [Key, Flag] : {std::pair{"unsignaled", Op.Unsignaled},
                           {"inline", Op.Inline},
                           {"fenced", Op.Fenced},
                           {"counted", Op.Counted},
                           {"deregisters", Op.Deregisters},
                           {"receives", Op.Receives},
                           {"unshown", Op.Unshown},
                           {"remote_moves", Op.RemoteMoves},
                           {"negated", Op.Negated},
                           {"awaits", Op.Awaits}})
    if (Flag)
      J[Key] = true;
  if (Op.RenewedFrom)
    J["renewed_from"] = *Op.RenewedFrom;
  if (Op.Count != 1)
    J["count"] = Op.Count;
  if (Op.Kind == OperationKind::Assume || (Op.Kind == OperationKind::Wait && Op.Constant))
    J["constant"] = Op.Constant;
  if (Op.Value)
    J["value"] = expression(*Op.Value);
  if (Op.Desired)
    J["desired"] = expression(*Op.Desired);
  if (Op.Success != Operation::Outcome::Either)
    J["outcome"] = OutcomeNames[static_cast<unsigned>(Op.Success)];
  return J;
}

json fields(const std::vector<Field> &Fields) {
  json J = json::array();
  for (const Field &F : Fields)
    J.push_back({{"begin", F.Begin}, {"end", F.End}, {"name", F.Name}});
  return J;
}

std::vector<Field> fields(const json &J) {
  std::vector<Field> Fields;
  for (const json &F : J)
    Fields.push_back({F.at("begin"), F.at("end"), F.at("name")});
  return Fields;
}

json kins(const std::vector<KinRange> &Kins) {
  json J = json::array();
  for (const KinRange &K : Kins)
    J.push_back(
        {{"number", K.Number}, {"begin", K.Begin}, {"end", K.End}, {"part", K.Part}, {"step", K.Step}});
  return J;
}

std::vector<KinRange> kins(const json &J) {
  std::vector<KinRange> Kins;
  for (const json &K : J)
    Kins.push_back({K.at("number"), K.at("begin"), K.at("end"), K.at("part"), K.at("step")});
  return Kins;
}

json thread(const Thread &T) {
  json Statements = json::array();
  for (const Statement &S : T.Statements) {
    json J = operation(S.Op);
    J.update({{"site", site(S.Where)}, {"successors", S.Successors}, {"loop_depth", S.LoopDepth}});
    if (!S.ClearOf.empty())
      J["clear_of"] = S.ClearOf;
    Statements.push_back(std::move(J));
  }
  return {
      {"name", T.Name}, {"node", T.Home}, {"many", T.Many}, {"entry", T.Entry}, {"statements", Statements}};
}

Thread thread(const json &J, const Program &P) {
  Thread T{.Name = J.at("name"), .Home = index(J, "node", P.Nodes.size()), .Many = J.at("many")};
  const json &Statements = J.at("statements");
  for (const json &S : Statements) {
    Statement Read{Reader(P).operation(S), site(S.at("site")), S.at("successors"), S.at("loop_depth")};
    for (StatementId Next : Read.Successors)
      if (Next >= Statements.size())
        throw std::invalid_argument("successor " + std::to_string(Next) + " is out of range");
    if (S.contains("clear_of"))
      for (const json &Id : S["clear_of"])
        Read.ClearOf.push_back(index(json{{"clear_of", Id}}, "clear_of", P.WorkIds.size()));
    T.Statements.push_back(std::move(Read));
  }
  T.Entry = index(J, "entry", T.Statements.size());
  return T;
}

} // namespace

json toJson(const Program &P) {
  json J = {{"name", P.Name}, {"work_ids", P.WorkIds}, {"open_world", P.OpenWorld}, {"closed", P.Closed}};
  for (const char *Key : {"nodes", "objects", "queue_pairs", "threads", "remarks"})
    J[Key] = json::array();
  for (const Node &N : P.Nodes)
    J["nodes"].push_back({{"name", N.Name}, {"count", N.Count}});
  for (const Object &O : P.Objects)
    J["objects"].push_back({{"name", O.Name},
                            {"node", O.Home},
                            {"initial", O.Initial},
                            {"fresh", O.Fresh},
                            {"unaliased", O.Unaliased},
                            {"anything", O.Anything},
                            {"remote_access", O.RemoteAccess},
                            {"several", O.Several},
                            {"kins", kins(O.Kins)},
                            {"fields", fields(O.Fields)},
                            {"word", O.Word},
                            {"zeros", O.Zeros}});
  for (const QueuePair &Q : P.QueuePairs)
    J["queue_pairs"].push_back({{"owner", index(Q.Owner)},
                                {"target", Q.Target},
                                {"name", Q.Name},
                                {"completion_queue", index(Q.Queue)},
                                {"shared", index(Q.Shared)}});
  for (const Thread &T : P.Threads)
    J["threads"].push_back(thread(T));
  for (const Remark &R : P.Remarks)
    J["remarks"].push_back({{"site", site(R.Where)}, {"text", R.Text.text()}, {"covered", R.Covered}});
  return J;
}

Program programFromJson(const json &J, const std::string &File) {
  try {
    Program P;
    P.Name = J.at("name");
    P.WorkIds = J.at("work_ids").get<std::vector<std::string>>();
    P.OpenWorld = J.at("open_world");
    P.Closed = J.at("closed");
    for (const json &N : J.at("nodes"))
      P.Nodes.push_back({N.at("name"), N.at("count")});
    for (const json &O : J.at("objects"))
      P.Objects.push_back({O.at("name"), index(O, "node", P.Nodes.size()), O.at("initial"), O.at("fresh"),
                           O.at("unaliased"), O.at("anything"), O.value("several", false),
                           kins(O.value("kins", json::array())), O.at("remote_access"),
                           fields(O.at("fields")), O.value("word", false), O.value("zeros", false)});
    for (const json &Q : J.at("queue_pairs"))
      P.QueuePairs.push_back({index(Q, "owner", J.at("threads").size()), index(Q, "target", P.Nodes.size()),
                              Q.at("name"), index(Q, "completion_queue", None), None,
                              index(Q, "shared", None)});
    for (const json &T : J.at("threads"))
      P.Threads.push_back(thread(T, P));
    for (const json &R : J.at("remarks"))
      P.Remarks.push_back({site(R.at("site")), Said::asRead(R.at("text")), R.at("covered")});
    return P;
  } catch (const std::exception
               &E) { // nlohmann's and ours: a key that is missing, of another type or out of range
    throw InputError({File, 0, 0, {}}, std::string("not an RDMA program: ") + E.what());
  }
}

Program parseProgramJson(std::string_view Text, const std::string &File) {
  try {
    return programFromJson(json::parse(Text), File);
  } catch (const json::parse_error &E) {
    auto Before = Text.substr(0, std::min<std::size_t>(E.byte ? E.byte - 1 : 0, Text.size()));
    unsigned Line = 1 + std::count(Before.begin(), Before.end(), '\n');
    unsigned Column = 1 + Before.size() - (Before.rfind('\n') + 1);
    throw InputError({File, Line, Column, {}}, "broken JSON");
  }
}

} // namespace rdma
