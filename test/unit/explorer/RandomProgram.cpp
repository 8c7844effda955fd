#include "RandomProgram.h"

#include <algorithm>
#include <random>
#include <utility>

namespace rdma::test {
namespace {

class Generator {
public:
  Generator(std::uint64_t Seed, const Shape &S) : Random(Seed), S(S) {}

  RandomProgram run() {
    P.Nodes = 2 + below(2);
    unsigned Count = P.Nodes + below(3);
    for (unsigned I = 0; I < Count; ++I)
      P.Locations.push_back({I < P.Nodes ? I + 1 : 1 + below(P.Nodes), std::string(1, 'u' + I)});
    unsigned Threads = S.MinThreads + below(S.MaxThreads - S.MinThreads + 1);
    for (unsigned T = 0; T < Threads; ++T) {
      Home = S.Sections && chance(60) ? 1 : 1 + below(P.Nodes);
      Register = "r" + std::to_string(T + 1);
      P.Locations.push_back({Home, Register});
      Waits = chance(S.Mixed ? 75 : 25);
      Pairs = "";
      Queue = "";
      Lasting = 0;
      if (S.Pairs)
        declarePairs(T + 1);
      Unpolled.assign(2 * P.Nodes + 1, 0);
      bool Locking = S.Locks && !Waits && chance(80);
      P.Threads.push_back({Home, Pairs, Locking ? critical() : block(1 + below(S.MaxStatements), 0)});
    }
    if (S.Handshakes)
      addHandshakes();
    if (S.Mailboxes)
      addMailboxes();
    if (S.Turns)
      addTurns();
    if (S.Sections)
      addSections();
    return std::move(P);
  }

private:
  unsigned below(unsigned N) { return std::uniform_int_distribution<unsigned>(0, N - 1)(Random); }
  bool chance(unsigned Percent) { return below(100) < Percent; }
  std::string number() { return std::to_string(1 + below(2)); }

  std::string own() {
    std::vector<std::string> Names;
    for (const auto &L : P.Locations)
      if (L.Node == Home && L.Name[0] != 'r')
        Names.push_back(L.Name);
    // The thread's own register as often as any other location.
    unsigned I = below(Names.size() + 1);
    return I == Names.size() ? Register : Names[I];
  }

  /// A shared location of another node; of any node now and then.
  const RandomProgram::Location &remote() {
    while (true) {
      const auto &L = P.Locations[below(P.Locations.size())];
      if (L.Name[0] != 'r' && (L.Node != Home || chance(10)))
        return L;
    }
  }

  /// Queue pairs p1, p2 ... lead to the same nodes as those without a name, and are numbered behind them.
  void declarePairs(unsigned Thread) {
    if (chance(40)) {
      Queue = "c" + std::to_string(Thread);
      P.Queues += "queue " + Queue + ";\n";
    }
    for (unsigned N = 1; N <= P.Nodes; ++N) {
      std::string Number = std::to_string(N);
      Pairs += "  pair p" + Number + " -> " + Number + (Queue.empty() ? ";\n" : " queue " + Queue + ";\n");
    }
  }
  bool isNamed(unsigned Pair) const { return Pair > P.Nodes; }
  std::string nameOf(unsigned Pair) const {
    return isNamed(Pair) ? "p" + std::to_string(Pair - P.Nodes) : std::to_string(Pair);
  }

  std::string flags(bool IsPut) {
    std::string Text = isNamed(LastTarget) ? " via " + nameOf(LastTarget) : "";
    if (Waits && chance(S.Mixed ? 40 : 70)) {
      // Of one queue pair some may stay out.
      if (Lasting == 0 && chance(25))
        Lasting = LastTarget;
      Text += LastTarget == Lasting ? " #e" : " #d";
      --Unpolled[LastTarget];
    }
    if (chance(S.FlagPercent))
      Text += " unsignaled";
    if (IsPut && chance(S.FlagPercent))
      Text += " inline";
    if (chance(S.FlagPercent))
      Text += " fenced";
    return Text + ";";
  }

  std::string remoteStatement() {
    const auto &R = remote();
    LastTarget = R.Node + (!Pairs.empty() && chance(60) ? P.Nodes : 0);
    ++Unpolled[LastTarget];
    unsigned Kind = below(S.Atomics ? 10 : 7);
    if (Kind < 4)
      return "put " + R.Name + " <- " + (chance(50) ? number() : own()) + flags(true);
    if (Kind < 7)
      return "get " + own() + " <- " + R.Name + flags(false);
    if (Kind == 7 && !InLoop) // counting up in a loop has no end
      return "rfaa " + own() + " <- " + R.Name + " (" + number() + ")" + flags(false);
    std::string Operands = " (" + std::to_string(below(2)) + ", " + number() + ")";
    return "rcas " + own() + " <- " + R.Name + Operands + flags(false);
  }

  std::string orderStatement() {
    if (chance(25))
      return "rfence(" + nameOf(LastTarget ? LastTarget : 1 + below(P.Nodes)) + ");";
    if (Waits && (!S.Mixed || chance(40)))
      return Lasting == 0 || chance(50) ? "wait(d);" : chance(70) ? "wait(e, 1);" : "wait(e);";
    std::vector<unsigned> Open;
    for (unsigned N = 1; N < Unpolled.size(); ++N)
      if (Unpolled[N] > 0)
        Open.push_back(N);
    if (Open.empty())
      return remoteStatement();
    unsigned N = Open[below(Open.size())];
    --Unpolled[N];
    return "poll(" + (isNamed(N) && !Queue.empty() ? Queue : nameOf(N)) + ");";
  }

  std::string cpuStatement() {
    switch (below(10)) {
    case 0:
      return "mfence;";
    case 1:
      return Register + " := cas(" + own() + ", " + std::to_string(below(2)) + ", " + number() + ");";
    case 2:
      return "assume(" + own() + (chance(50) ? " == " : " != ") + std::to_string(below(2)) + ");";
    case 3:
    case 4:
    case 5:
      return own() + " := " + number() + ";";
    case 6:
      return own() + " := " + own() + (InLoop ? ";" : " + 1;");
    default:
      return Register + " := " + own() + ";";
    }
  }

  /// Take a lock, do something, give it back; each part may be missing or different.
  std::vector<RandomStatement> critical() {
    const RandomProgram::Location Word = P.Locations[0];
    std::vector<RandomStatement> Body = block(below(2), 0);
    auto add = [&](unsigned Percent, const std::string &Text) {
      if (chance(Percent))
        Body.push_back({Text, {}});
    };
    std::string Poll = "poll(" + std::to_string(Word.Node) + ");";
    std::string Free = chance(90) ? "0" : number(), Result = chance(85) ? Register : own();
    add(95, "rcas " + Result + " <- " + Word.Name + " (" + Free + ", " + number() + ");");
    while (Unpolled[Word.Node]-- > 0)
      add(90, Poll);
    add(90, Poll);
    add(90, "assume(" + Result + (chance(95) ? " == " : " != ") + Free + ");");
    for (RandomStatement &Inside : block(below(S.MaxStatements), 0))
      Body.push_back(std::move(Inside));
    add(10, "rfence(" + std::to_string(Word.Node) + ");");
    bool Plain = Word.Node == Home && chance(60);
    add(95, Plain ? Word.Name + " := 0;" : "put " + Word.Name + " <- 0" + (chance(10) ? " fenced;" : ";"));
    if (chance(30))
      for (RandomStatement &After : block(1, 0))
        Body.push_back(std::move(After));
    return Body;
  }

  /// One thread stores to a flag that another of its node waits for, and that may answer. Sometimes the flag
  /// says less: the NIC writes it, a third thread writes it too, or it lets the other pass from the
  /// beginning.
  void addHandshakes() {
    for (unsigned From = 0; From < P.Threads.size(); ++From)
      for (unsigned To = 0; To < P.Threads.size(); ++To)
        if (From != To && P.Threads[From].Node == P.Threads[To].Node && chance(50)) {
          unsigned Stored = below(P.Threads[From].Body.size() + 1);
          handshake(From, Stored, To, chance(65) ? 0 : below(3));
          if (chance(50)) // the other has ended
            handshake(To, P.Threads[To].Body.size(), From, Stored + 1 + below(2));
          return;
        }
  }

  void handshake(unsigned From, std::size_t Stored, unsigned To, std::size_t Awaited) {
    std::string Flag = "flag" + std::to_string(++Flags);
    P.Locations.push_back({P.Threads[From].Node, Flag});
    insert(To, Awaited, "assume(" + Flag + (chance(90) ? " == 1);" : " == 0);"));
    insert(From, Stored, chance(90) ? Flag + " := 1;" : "put " + Flag + " <- 1;");
    for (unsigned Third = 0; Third < P.Threads.size(); ++Third)
      if (Third != From && Third != To && chance(16))
        insert(Third, below(3), "put " + Flag + " <- 1;");
  }

  /// A word of the thread's node is set, and soon waited for: until others have written another value there,
  /// or perhaps only until the thread's own is seen.
  void addMailboxes() {
    for (unsigned T = 0; T < P.Threads.size(); ++T) {
      std::vector<std::string> Words;
      for (const auto &L : P.Locations)
        if (L.Node == P.Threads[T].Node && L.Name[0] != 'r')
          Words.push_back(L.Name);
      if (Words.empty() || chance(40))
        continue;
      const std::string Word = Words[below(Words.size())];
      const std::size_t Stored = below(P.Threads[T].Body.size() + 1);
      insert(T, Stored + below(2), "assume(" + Word + (chance(70) ? " != " : " == ") + number() + ");");
      insert(T, Stored, Word + " := " + number() + ";");
    }
  }

  /// Two threads tell each other, and wait for that, in rounds: each in a word of the other's node, which is
  /// set back, or by other numbers; or in one word for both. Sometimes something is missing or another
  /// number, or somebody else writes there.
  void addTurns() {
    if (P.Threads.size() < 2)
      return;
    const bool One = P.Threads[0].Node == P.Threads[1].Node && chance(40), Numbered = !One && chance(50);
    P.Locations.push_back({P.Threads[1].Node, "tell1"});
    if (!One)
      P.Locations.push_back({P.Threads[0].Node, "tell2"});
    std::vector<std::size_t> Next(2);
    auto add = [&](unsigned T, const std::string &Statement) {
      Next[T] += below(2);
      if (chance(97))
        insert(T, Next[T]++, Statement);
    };
    auto await = [&](unsigned T, const std::string &Word, unsigned Number) {
      const std::string Test = Word + (chance(90) ? " == " : " != ") + std::to_string(Number) + ");";
      if (chance(25))
        add(T, "choose { assume(" + Word + " != " + std::to_string(Number) + "); } or { }");
      add(T, "assume(" + Test);
      if (!Numbered && !One)
        add(T, Word + " := 0;");
    };
    const unsigned Rounds = 1 + below(2);
    for (unsigned Round = 1; Round <= Rounds; ++Round)
      for (unsigned T : {0, 1}) {
        for (const auto &L : P.Locations) // what is told
          if (L.Node == P.Threads[1 - T].Node && L.Name.size() == 1 && chance(30)) {
            add(T,
                L.Node == P.Threads[T].Node ? L.Name + " := " + number() + ";" : "put " + L.Name + " <- 1;");
            break;
          }
        const std::string Word = One || T == 0 ? "tell1" : "tell2";
        const unsigned Number = One ? 1 - T : Numbered && chance(95) ? Round : 1;
        const bool Stores = P.Threads[T].Node == P.Threads[1 - T].Node && chance(70);
        add(T, Stores ? Word + " := " + std::to_string(Number) + ";"
                      : "put " + Word + " <- " + std::to_string(Number) + (chance(10) ? " fenced;" : ";"));
        await(1 - T, Word, Number);
        for (const auto &L : P.Locations)
          if (L.Node == P.Threads[1 - T].Node && L.Name.size() == 1 && chance(30)) {
            add(1 - T, chance(70) ? "r" + std::to_string(2 - T) + " := " + L.Name + ";" : L.Name + " := 2;");
            break;
          }
      }
    if (P.Threads.size() > 2 && chance(15))
      insert(2, below(3), "put tell1 <- 1;");
  }

  /// A lock of the first node that has two threads. Sometimes one of them does not take it, or not for
  /// certain, takes or gives it back with another value, or somebody else writes it.
  void addSections() {
    for (unsigned N = 1; N <= P.Nodes; ++N) {
      std::vector<unsigned> Here;
      for (unsigned T = 0; T < P.Threads.size(); ++T)
        if (P.Threads[T].Node == N)
          Here.push_back(T);
      if (Here.size() < 2)
        continue;
      P.Locations.push_back({N, "lock"});
      for (unsigned T : Here)
        section(T);
      for (unsigned T = 0; T < P.Threads.size(); ++T)
        if (chance(10))
          insert(T, below(4),
                 P.Threads[T].Node != N || chance(20) ? "put lock <- 0;"
                 : chance(70)                         ? "r" + std::to_string(T + 1) + " := cas(lock, 1, 0);"
                                                      : "lock := 0;");
      return;
    }
  }

  void section(unsigned T) {
    const std::size_t Size = P.Threads[T].Body.size();
    const std::size_t First = below(1 + Size / 2), Last = First + below(1 + Size - First);
    auto swap = [&](const char *Values, const char *Others, unsigned Certain) {
      std::string Text =
          "r" + std::to_string(T + 1) + " := cas(lock, " + (chance(96) ? Values : Others) + ")";
      return Text + (chance(Certain) ? " succeeds;" : chance(10) ? " fails;" : ";");
    };
    if (chance(95))
      insert(T, Last, chance(25) ? "lock := 0;" : swap("1, 0", "2, 0", 30));
    if (chance(95))
      insert(T, First, swap("0, 1", "0, 2", 95));
  }

  void insert(unsigned Thread, std::size_t At, const std::string &Text) {
    auto &Body = P.Threads[Thread].Body;
    Body.insert(Body.begin() + std::min(At, Body.size()), {Text, {}});
  }

  RandomStatement statement(unsigned Depth) {
    if (Depth < 2 && S.Choices && chance(12)) {
      std::vector<int> Before = Unpolled;
      std::vector<RandomStatement> Left = block(1 + below(2), Depth + 1);
      Unpolled = Before;
      return {"choose", {std::move(Left), block(below(2), Depth + 1)}};
    }
    if (!InLoop && S.Loops && chance(20)) {
      InLoop = true;
      RandomStatement Loop{"loop", {block(1 + below(2), Depth + 1)}};
      InLoop = false;
      return Loop;
    }
    unsigned Kind = below(100);
    if (Kind < 45)
      return {remoteStatement(), {}};
    if (Kind < 70 || !S.Cpu)
      return {orderStatement(), {}};
    return {cpuStatement(), {}};
  }

  std::vector<RandomStatement> block(unsigned Count, unsigned Depth) {
    std::vector<RandomStatement> Block;
    for (unsigned I = 0; I < Count; ++I)
      Block.push_back(statement(Depth));
    return Block;
  }

  std::mt19937_64 Random;
  const Shape &S;
  RandomProgram P;
  unsigned Home = 1, LastTarget = 0, Flags = 0; ///< LastTarget: a queue pair
  std::string Register, Pairs, Queue; ///< of the thread; Queue: the completion queue its pairs share
  bool Waits = false, InLoop = false;
  unsigned Lasting = 0;      ///< the queue pair of requests that a wait may leave out; 0: none
  std::vector<int> Unpolled; ///< by queue pair: completions for polls
};

std::vector<RandomStatement> unrolledBlock(const std::vector<RandomStatement> &Block, unsigned Times) {
  std::vector<RandomStatement> Out;
  for (const RandomStatement &S : Block) {
    RandomStatement Inner{S.Text, {}};
    for (const auto &B : S.Blocks)
      Inner.Blocks.push_back(unrolledBlock(B, Times));
    if (S.Text != "loop") {
      Out.push_back(std::move(Inner));
      continue;
    }
    // From the last round outwards: none, or one and then the rest.
    std::vector<RandomStatement> Rest;
    for (unsigned Round = 0; Round < Times; ++Round) {
      std::vector<RandomStatement> Again = Inner.Blocks[0];
      Again.insert(Again.end(), Rest.begin(), Rest.end());
      Rest = {{"choose", {{}, std::move(Again)}}};
    }
    Out.insert(Out.end(), Rest.begin(), Rest.end());
  }
  return Out;
}

void print(const std::vector<RandomStatement> &Block, unsigned Indent, std::string &Out) {
  const std::string Space(Indent, ' ');
  for (const RandomStatement &S : Block) {
    Out += Space + S.Text;
    for (std::size_t I = 0; I < S.Blocks.size(); ++I) {
      Out += I ? Space + "} or {\n" : " {\n";
      print(S.Blocks[I], Indent + 2, Out);
    }
    Out += S.Blocks.empty() ? "\n" : Space + "}\n";
  }
}

/// Calls Try with each program that has one statement less, or one block in place of its choice or loop.
bool shrinkBlock(std::vector<RandomStatement> &Block, const std::function<bool()> &Try) {
  for (std::size_t I = 0; I < Block.size(); ++I) {
    std::vector<RandomStatement> Saved = Block;
    Block.erase(Block.begin() + I);
    if (Try())
      return true;
    for (std::size_t B = 0; B < Saved[I].Blocks.size(); ++B) {
      Block = Saved;
      std::vector<RandomStatement> Inner = Saved[I].Blocks[B];
      Block.erase(Block.begin() + I);
      Block.insert(Block.begin() + I, Inner.begin(), Inner.end());
      if (Try())
        return true;
    }
    Block = Saved;
    for (auto &Inner : Block[I].Blocks)
      if (shrinkBlock(Inner, Try))
        return true;
  }
  return false;
}

bool shrinkOnce(RandomProgram &P, const std::function<bool(const RandomProgram &)> &StillFails) {
  for (std::size_t T = 0; P.Threads.size() > 1 && T < P.Threads.size(); ++T) {
    RandomProgram Less = P;
    Less.Threads.erase(Less.Threads.begin() + T);
    if (StillFails(Less)) {
      P = Less;
      return true;
    }
  }
  for (RandomProgram::Thread &T : P.Threads)
    if (shrinkBlock(T.Body, [&] { return StillFails(P); }))
      return true;
  return false;
}

} // namespace

RandomProgram RandomProgram::unrolled(unsigned Times) const {
  RandomProgram Out = *this;
  for (Thread &T : Out.Threads)
    T.Body = unrolledBlock(T.Body, Times);
  return Out;
}

std::string RandomProgram::text(const std::string &Name) const {
  std::string Out = "litmus \"" + Name + "\"\n\n";
  for (unsigned N = 1; N <= Nodes; ++N) {
    Out += "node " + std::to_string(N) + " {";
    for (const Location &L : Locations)
      if (L.Node == N)
        Out += " " + L.Name + ";";
    Out += " }\n";
  }
  Out += Queues;
  for (std::size_t T = 0; T < Threads.size(); ++T) {
    Out += "\nthread " + std::to_string(T + 1) + " @ " + std::to_string(Threads[T].Node) + " {\n" +
           Threads[T].Pairs;
    print(Threads[T].Body, 2, Out);
    Out += "}\n";
  }
  return Out;
}

Program RandomProgram::parse() const { return parseLitmus(text("random"), "random.litmus").Code; }

RandomProgram randomProgram(std::uint64_t Seed, const Shape &S) { return Generator(Seed, S).run(); }

RandomProgram shrink(RandomProgram P, const std::function<bool(const RandomProgram &)> &StillFails) {
  while (shrinkOnce(P, StillFails)) {
  }
  return P;
}

} // namespace rdma::test
