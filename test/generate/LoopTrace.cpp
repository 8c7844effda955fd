#include "LoopTrace.h"

#include "analyzer/core/Verdict.h"
#include "analyzer/explorer/Explore.h"
#include "ir/Litmus.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>

namespace rdma::test {
namespace {

using namespace std::chrono_literals;

struct Event {
  enum class Kind : std::uint8_t { Write, Read, Put, Get, Wait } What;
  std::string Place = {};  ///< in the thread's memory
  unsigned Connection = 0; ///< Put, Get
  unsigned Request = 0;    ///< Put, Get, Wait: the number of the request
  bool Signaled = false, Inline = false;
};

/// When completions turn up, and of which connection first.
enum class Nic : std::uint8_t { AtOnce, OneByOne, Late, Any, AnyAgain };
constexpr Nic AllNics[] = {Nic::AtOnce, Nic::OneByOne, Nic::Late, Nic::Any, Nic::AnyAgain};

/// Why a run is not one that anything is said of.
struct NoRun {
  std::string Why;
};

class Run {
public:
  Run(const LoopProgram &P, const LoopForm &Form, Nic How, std::int64_t Rounds)
      : P(P), Form(Form), How(How), Random(static_cast<unsigned>(How)), Out(P.Connections) {
    for (const LoopProgram::Variable &V : P.Variables)
      Values.emplace_back(std::max(V.Elements, 1u), V.Initial);
    Values[P.Rounds][0] = Rounds;
  }

  std::vector<Event> all() {
    run(P.Body);
    for (const LoopProgram::Buffer &B : P.Buffers)
      for (unsigned S = 0; Form.BuffersEnd && S < B.Slots; ++S)
        Events.push_back({Event::Kind::Write, slot(B, S)});
    return std::move(Events);
  }

private:
  enum class Next : std::uint8_t { On, Break, Leave };
  struct Completion {
    unsigned Request;
    std::int64_t Id;
  };

  static std::string slot(const LoopProgram::Buffer &B, std::int64_t S) {
    if (S < 0 || S >= B.Slots)
      throw NoRun{"an index leaves its buffer"};
    return B.Name + "_" + std::to_string(S);
  }
  std::string slot(unsigned Buffer, const LoopExpr &S) { return slot(P.Buffers[Buffer], value(S)); }

  /// As the integers of the program have it.
  std::int64_t wrap(std::int64_t N) const {
    if (Form.Bits == 64)
      return N;
    return Form.Unsigned ? static_cast<std::uint32_t>(N) : static_cast<std::int32_t>(N);
  }

  std::int64_t &place(const LoopExpr &E) {
    std::vector<std::int64_t> &All = Values[E.Variable];
    const std::int64_t I = E.Parts.empty() ? 0 : value(E.Parts[0]);
    if (I < 0 || I >= static_cast<std::int64_t>(All.size()))
      throw NoRun{"an index leaves its array"};
    return All[I];
  }

  std::int64_t binary(const std::string &Op, std::int64_t A, std::int64_t B) const {
    auto less = [&] {
      return Form.Unsigned ? static_cast<std::uint64_t>(A) < static_cast<std::uint64_t>(B) : A < B;
    };
    if (Op == "+")
      return wrap(A + B);
    if (Op == "-")
      return wrap(A - B);
    if (Op == "*")
      return wrap(A * B);
    if (Op == "%")
      return Form.Unsigned ? static_cast<std::uint64_t>(A) % static_cast<std::uint64_t>(B) : A % B;
    if (Op == "&")
      return A & B;
    if (Op == "<")
      return less();
    if (Op == ">=")
      return !less();
    if (Op == ">")
      return A != B && !less();
    if (Op == "<=")
      return A == B || less();
    return (A == B) == (Op == "==");
  }

  std::int64_t value(const LoopExpr &E) {
    switch (E.What) {
    case LoopExpr::Kind::Number:
      return E.Number;
    case LoopExpr::Kind::Variable:
    case LoopExpr::Kind::Element:
      return place(E);
    case LoopExpr::Kind::Taken:
      return Taken;
    case LoopExpr::Kind::Id:
      return Id;
    case LoopExpr::Kind::Binary:
      if (E.Op == "&&")
        return value(E.Parts[0]) && value(E.Parts[1]);
      if (E.Op == "||")
        return value(E.Parts[0]) || value(E.Parts[1]);
      return binary(E.Op, value(E.Parts[0]), value(E.Parts[1]));
    }
    return 0;
  }

  unsigned connection(const LoopStatement &S) {
    const std::int64_t C = value(S.End);
    if (C < 0 || C >= P.Connections)
      throw NoRun{"an index leaves the connections"};
    return C;
  }

  void post(const LoopStatement &S) {
    const LoopRequest &R = S.Request;
    Event E{R.Get ? Event::Kind::Get : Event::Kind::Put, slot(R.Buffer, R.Slot)};
    E.Connection = connection(S);
    E.Request = Requests++;
    E.Signaled = value(R.Signaled);
    E.Inline = R.Inline;
    if (E.Signaled)
      Out[E.Connection].push_back({E.Request, value(R.Id)});
    Events.push_back(E);
  }

  /// The connections of the queue with something to take.
  std::vector<unsigned> ready(unsigned Queue) const {
    std::vector<unsigned> All;
    for (unsigned C = 0; C < P.Connections; ++C)
      if ((P.OneQueue || C == Queue) && !Out[C].empty())
        All.push_back(C);
    return All;
  }

  Completion take(unsigned Queue) {
    const std::vector<unsigned> Ready = ready(Queue);
    const unsigned C = How == Nic::AtOnce     ? Ready.front()
                       : How == Nic::OneByOne ? Ready.back()
                                              : Ready[Random() % Ready.size()];
    Completion First = Out[C].front();
    Out[C].pop_front();
    Events.push_back({Event::Kind::Wait, "", C, First.Request});
    return First;
  }

  /// How many a poll finds; it finds something in the end, if there is anything.
  unsigned found(unsigned Queue, unsigned Most) {
    unsigned There = 0;
    for (unsigned C : ready(Queue))
      There += Out[C].size();
    There = std::min(There, Most);
    unsigned Some = How == Nic::AtOnce     ? There
                    : How == Nic::OneByOne ? std::min(There, 1u)
                    : How == Nic::Late     ? (InVain ? There : 0)
                                           : Random() % (There + 1);
    InVain = Some ? 0 : InVain + 1;
    if (InVain == 5 && There)
      Some = 1;
    return Some;
  }

  Next poll(const LoopStatement &S) {
    const unsigned Queue = connection(S);
    const unsigned Some = found(Queue, S.Most);
    for (unsigned K = 0; K < Some; ++K) {
      Id = take(Queue).Id;
      Taken = Some;
      if (Next N = run(S.Each); N != Next::On)
        return N;
    }
    Taken = Some;
    return run(S.Then);
  }

  Next repeat(const LoopStatement &S) {
    while (value(S.Value)) {
      tick();
      Next N = run(S.Then);
      if (N != Next::On)
        return N == Next::Break ? Next::On : N;
    }
    return Next::On;
  }

  Next count(const LoopStatement &S, bool List) {
    for (std::int64_t &I = Values[S.Variable][0] = 0; binary("<", I, value(S.Value)) && (!List || I < S.Most);
         ++I) {
      tick();
      Next N = Next::On;
      if (List)
        post(S);
      else
        N = run(S.Then);
      if (N != Next::On)
        return N == Next::Break ? Next::On : N;
    }
    return Next::On;
  }

  void tick() {
    if (++Steps > 5000)
      throw NoRun{"it does not end"};
  }

  Next run(const LoopBlock &Block) {
    for (const LoopStatement &S : Block)
      if (Next N = run(S); N != Next::On)
        return N;
    return Next::On;
  }

  Next run(const LoopStatement &S) {
    using Kind = LoopStatement::Kind;
    tick();
    switch (S.What) {
    case Kind::Set:
      place(S.Place) = wrap(value(S.Value));
      return Next::On;
    case Kind::Write:
    case Kind::Read:
      Events.push_back(
          {S.What == Kind::Write ? Event::Kind::Write : Event::Kind::Read, slot(S.Variable, S.Value)});
      return Next::On;
    case Kind::Post:
      post(S);
      return Next::On;
    case Kind::List:
      if (binary(">", value(S.Value), S.Most))
        throw NoRun{"a list is longer than its array"};
      return count(S, true);
    case Kind::Poll:
      return poll(S);
    case Kind::Take:
      if (ready(connection(S)).empty())
        throw NoRun{"it waits in vain"};
      take(connection(S));
      return Next::On;
    case Kind::If:
      return run(value(S.Value) ? S.Then : S.Each);
    case Kind::While:
      return repeat(S);
    case Kind::For:
      return count(S, false);
    case Kind::Break:
      return Next::Break;
    case Kind::Leave:
      return Next::Leave;
    }
    return Next::On;
  }

  const LoopProgram &P;
  const LoopForm &Form;
  Nic How;
  std::mt19937 Random;
  std::vector<std::vector<std::int64_t>> Values;
  std::vector<std::deque<Completion>> Out;
  std::vector<Event> Events;
  std::int64_t Taken = 0, Id = 0;
  unsigned Requests = 0, Steps = 0, InVain = 0;
};

/// Some events behind each other as a program of their own: what was posted before them has completed.
std::string litmus(const LoopProgram &P, const std::vector<Event> &All, std::size_t From, std::size_t To) {
  std::string Text, Pairs, Far;
  std::set<std::string> Places;
  std::map<unsigned, std::string> Posted;
  unsigned Next = 0;
  for (std::size_t I = From; I < To; ++I) {
    const Event &E = All[I];
    if (!E.Place.empty())
      Places.insert(E.Place);
    switch (E.What) {
    case Event::Kind::Write:
      Text += "  " + E.Place + " := " + std::to_string(++Next) + ";\n";
      break;
    case Event::Kind::Read:
      Text += "  seen := " + E.Place + ";\n";
      break;
    case Event::Kind::Wait:
      if (auto Known = Posted.find(E.Request); Known != Posted.end())
        Text += "  wait(" + Known->second + ");\n";
      break;
    case Event::Kind::Put:
    case Event::Kind::Get: {
      const std::string There = "far" + std::to_string(E.Connection), Name = "d" + std::to_string(++Next);
      Text += "  " + (E.What == Event::Kind::Put ? "put " + There + " <- " + E.Place
                                                 : "get " + E.Place + " <- " + There);
      Text += " via q" + std::to_string(E.Connection);
      if (E.Signaled)
        Text += " #" + (Posted[E.Request] = Name);
      Text += std::string(E.Signaled ? "" : " unsignaled") + (E.Inline ? " inline" : "") + ";\n";
    }
    }
  }
  for (unsigned C = 0; C < P.Connections; ++C) {
    Pairs += "  pair q" + std::to_string(C) + " -> 2;\n";
    Far += " far" + std::to_string(C) + " = " + std::to_string(1000 + C) + ";";
  }
  std::string Near;
  for (const std::string &Place : Places)
    Near += " " + Place + ";";
  return "litmus \"loops\"\nnode 1 {" + Near + " seen; }\nnode 2 {" + Far + " }\nthread 1 @ 1 {\n" + Pairs +
         Text + "}\n";
}

/// Runs in pieces small enough for the explorer; each piece but the last one overlaps the next by half.
class Pieces {
public:
  explicit Pieces(const LoopProgram &P) : P(P) {}

  /// Not robust, if some piece is not.
  std::optional<std::string> wrong(const std::vector<Event> &All) {
    constexpr std::size_t Long = 36;
    for (std::size_t From = 0; From < All.size(); From += Long / 2) {
      const std::string Text = litmus(P, All, From, std::min(All.size(), From + Long));
      if (Right.count(Text))
        continue;
      explorer::Robustness R =
          explorer::checkRobust(parseLitmus(Text, "loops").Code, Model::RdmaTso, {.Timeout = 500ms});
      if (R.Robust == false)
        return Text;
      Right.insert(Text);
    }
    return std::nullopt;
  }

private:
  const LoopProgram &P;
  std::set<std::string> Right;
};

} // namespace

LoopTruth truth(const LoopProgram &P, const LoopForm &Form) {
  LoopTruth Out;
  Pieces Parts(P);
  std::set<std::string> Seen;
  bool Disagree = false;
  std::vector<std::int64_t> Rounds = Form.Constant ? std::vector<std::int64_t>{P.Constant} : P.Some;
  for (std::int64_t Count : Rounds)
    for (Nic How : AllNics) {
      std::vector<Event> All;
      try {
        All = Run(P, Form, How, Count).all();
      } catch (const NoRun &No) {
        return {std::nullopt, "", No.Why};
      }
      const std::string Text = litmus(P, All, 0, All.size());
      if (Disagree || Out.Robust || !Seen.insert(Text).second)
        continue;
      const bool Right = !hasLocalRaces(parseLitmus(Text, "loops").Code);
      if (std::optional<std::string> Wrong = Parts.wrong(All))
        Out = {false, *Wrong, ""};
      else if (!Right)
        Disagree = true;
    }
  if (!Out.Robust && Disagree)
    return {std::nullopt, "", "the explorer finds no execution of a race"};
  if (!Out.Robust)
    Out.Robust = true;
  return Out;
}

} // namespace rdma::test
