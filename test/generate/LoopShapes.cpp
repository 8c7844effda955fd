// The loops that people write around posts and polls, right and with one mistake each.
#include "LoopStatements.h"

#include <functional>
#include <random>

namespace rdma::test {
namespace {

class Shapes {
public:
  explicit Shapes(std::uint64_t Seed) : Random(Seed) {}

  LoopProgram run() {
    P.Rounds = newVariable("count");
    P.Some = {0, 1, 3, 7, 12};
    P.Constant = 9 + below(24);
    const Shape &First = pick();
    P.Shape = First.Name;
    Wrong = chance(50);
    (this->*First.Write)();
    if (!First.Many && chance(20)) {
      const Shape &Second = pick();
      if (!Second.Many)
        (this->*Second.Write)();
    }
    return std::move(P);
  }

private:
  struct Shape {
    const char *Name;
    void (Shapes::*Write)();
    bool Many = false; ///< connections: no other may stand beside it
  };
  const Shape &pick() {
    static const Shape All[] = {
        {"window", &Shapes::window},        {"credits", &Shapes::credits},
        {"batch", &Shapes::batch},          {"every k-th", &Shapes::everyKth},
        {"groups", &Shapes::groups},        {"flags", &Shapes::flags},
        {"list", &Shapes::lists},           {"reads", &Shapes::reads},
        {"by wr_id", &Shapes::byId},        {"drained once", &Shapes::drainedOnce},
        {"one by one", &Shapes::oneByOne},  {"connections", &Shapes::connections, true},
        {"fan-out", &Shapes::fanOut, true}, {"shared queue", &Shapes::sharedQueue, true}};
    return All[below(std::size(All))];
  }

  unsigned below(unsigned N) { return std::uniform_int_distribution<unsigned>(0, N - 1)(Random); }
  bool chance(unsigned Percent) { return below(100) < Percent; }
  unsigned between(unsigned Low, unsigned High) { return Low + below(High - Low + 1); }

  /// At most one mistake in a program: true where it is this one, of those that are left.
  bool mistake(const char *What, unsigned Left) {
    if (!Wrong || !P.Mistake.empty() || below(Left) != 0)
      return false;
    P.Mistake = What;
    return true;
  }

  unsigned newVariable(const std::string &Name, unsigned Elements = 0, std::int64_t Initial = 0) {
    P.Variables.push_back({fresh(Name), Elements, Initial});
    return P.Variables.size() - 1;
  }
  unsigned counter(const std::string &Name) {
    const unsigned V = newVariable(Name);
    P.Variables[V].Counts = true;
    return V;
  }
  unsigned buffer(const std::string &Name, unsigned Slots) {
    P.Buffers.push_back({fresh(Name), Slots});
    return P.Buffers.size() - 1;
  }
  /// A shape may come twice.
  std::string fresh(const std::string &Name) {
    unsigned Same = 0;
    for (const auto &V : P.Variables)
      Same += V.Name.starts_with(Name);
    for (const auto &B : P.Buffers)
      Same += B.Name.starts_with(Name);
    return Same ? Name + std::to_string(Same + 1) : Name;
  }
  LoopExpr rounds() const { return variable(P.Rounds); }
  void append(LoopStatement S) { P.Body.push_back(std::move(S)); }
  unsigned most() { return std::vector<unsigned>{1, 1, 2, 4, 8, 16}[below(6)]; }

  LoopRequest request(unsigned Buffer, LoopExpr Slot) {
    LoopRequest R;
    R.Buffer = Buffer;
    R.Slot = std::move(Slot);
    R.Id = number(7);
    return R;
  }

  /// Takes completions and counts them: one poll and what it has taken, or one for each that it shows.
  LoopStatement counting(LoopExpr End, const std::function<LoopStatement(LoopExpr)> &Count) {
    const unsigned Most = most();
    if (mistake("a poll that finds nothing counts", 6))
      return poll(End, 1, {Count(number(1))});
    if (Most == 1 && chance(40))
      return poll(End, 1, {when(binary(taken(), ">", number(0)), {Count(number(1))})});
    if (chance(25))
      return poll(End, Most, {}, {Count(number(1))});
    return poll(End, Most, {Count(taken())});
  }

  /// Where the ring goes on: the counter itself, an index of its own, a mask.
  LoopExpr slotOf(const LoopExpr &Count, unsigned Slots) {
    if ((Slots & (Slots - 1)) == 0 && chance(30))
      return binary(Count, "&", number(Slots - 1));
    return Count % number(Slots);
  }

  /// Looks at all buffers when everything is done, or drains and then does so.
  void end(LoopStatement Drain, unsigned Buffer) {
    const bool Touches = chance(60);
    if (!mistake("nothing is drained in the end", 3))
      append(std::move(Drain));
    if (!Touches)
      return;
    const unsigned I = counter("i");
    append(times(I, number(P.Buffers[Buffer].Slots), {write(Buffer, variable(I))}));
  }

  void window() {
    const unsigned W = between(1, 5), Slots = W + (chance(30) ? below(3) : 0);
    const unsigned Ring = buffer("cells", Slots), I = counter("i");
    const bool OneCounter = chance(40);
    const LoopExpr Posted = variable(newVariable(OneCounter ? "out" : "posted"));
    const LoopExpr Done = OneCounter ? number(0) : variable(newVariable("done"));
    const LoopExpr Out = OneCounter ? Posted : Posted - Done;
    auto count = [&](LoopExpr N) { return OneCounter ? less(Posted, N) : add(Done, N); };
    const unsigned Limit = mistake("the window is larger than the ring", 4) ? Slots + 1 : W;
    LoopExpr Count = OneCounter ? variable(I) : Posted;
    LoopBlock Body;
    const bool Own = chance(25);
    const LoopExpr Head = Own ? variable(newVariable("head")) : number(0);
    const unsigned Modulus = Slots > 1 && mistake("the ring goes round too soon", 4) ? Slots - 1 : Slots;
    LoopExpr Slot = Own ? Head : slotOf(Count, Modulus);
    LoopExpr Posts =
        Slots > 1 && mistake("another slot is posted", 5) ? slotOf(Count + number(1), Slots) : Slot;
    if (chance(12))
      Body.push_back(when(binary(variable(I), ">", number(6)), {breaks()}));
    LoopStatement Reap = counting(number(0), count);
    LoopExpr Full = chance(50) ? binary(Out, ">=", number(Limit)) : binary(number(Limit), "<=", Out);
    if (chance(20))
      Full = binary(Out, "==", number(Limit));
    if (mistake("it looks once and does not wait", 5))
      Body.push_back(when(Full, {Reap}));
    else
      Body.push_back(loop(Full, {Reap}));
    Body.push_back(write(Ring, Slot));
    Body.push_back(post(number(0), request(Ring, Posts)));
    Body.push_back(add(Posted, number(1)));
    if (Own && chance(50)) {
      Body.push_back(set(Head, (Head + number(1)) % number(Modulus)));
    } else if (Own) {
      Body.push_back(add(Head, number(1)));
      Body.push_back(when(binary(Head, "==", number(Modulus)), {set(Head, number(0))}));
    }
    append(times(I, rounds(), Body));
    const LoopExpr Some = OneCounter ? binary(Posted, ">", number(0)) : binary(Done, "<", Posted);
    end(loop(Some, {counting(number(0), count)}), Ring);
  }

  void credits() {
    const unsigned Slots = between(1, 5);
    const unsigned Ring = buffer("blocks", Slots), I = counter("i");
    const unsigned Given = mistake("one credit too many", 2) ? Slots + 1 : Slots;
    const LoopExpr Credits = variable(newVariable("credits", 0, Given));
    auto count = [&](LoopExpr N) { return add(Credits, N); };
    const LoopExpr Slot = slotOf(variable(I), Slots);
    LoopBlock Body = {loop(binary(Credits, "==", number(0)), {counting(number(0), count)}),
                      write(Ring, Slot)};
    if (chance(50))
      Body.push_back(less(Credits, number(1)));
    Body.push_back(post(number(0), request(Ring, Slot)));
    if (Body.size() == 3)
      Body.push_back(less(Credits, number(1)));
    append(times(I, rounds(), Body));
    end(loop(binary(Credits, "<", number(Given)), {counting(number(0), count)}), Ring);
  }

  /// What waits for so many completions.
  LoopBlock awaiting(LoopExpr End, const LoopExpr &Count) {
    const unsigned Way = below(4);
    if (Way == 0) {
      const unsigned K = counter("k");
      return {times(K, Count, {take(End)})};
    }
    const LoopExpr Left = variable(newVariable(Way == 1 ? "left" : "got"));
    if (Way == 1)
      return {set(Left, Count),
              loop(binary(Left, ">", number(0)), {counting(End, [&](LoopExpr N) { return less(Left, N); })})};
    return {set(Left, number(0)),
            loop(binary(Left, "<", Count), {counting(End, [&](LoopExpr N) { return add(Left, N); })})};
  }

  void batch() {
    const unsigned Slots = between(2, 5);
    const unsigned Pages = buffer("pages", Slots), R = counter("round"), K = counter("k");
    LoopExpr Size = chance(60) ? number(Slots) : variable(newVariable("size", 0, between(1, Slots)));
    const LoopExpr Slot = variable(K);
    LoopRequest Req = request(Pages, Slot);
    LoopBlock Body;
    if (chance(30))
      Body = {times(K, Size, {write(Pages, Slot)}), times(counter("k"), Size, {})};
    if (Body.empty()) {
      Body = {times(K, Size, {write(Pages, Slot), post(number(0), Req)})};
    } else {
      Req.Slot = variable(Body[1].Variable);
      Body[1].Then = {post(number(0), Req)};
    }
    LoopExpr Wanted = mistake("one completion is not awaited", 2) ? Size - number(1) : Size;
    for (LoopStatement &S : awaiting(number(0), Wanted))
      Body.push_back(std::move(S));
    append(times(R, rounds(), Body));
  }

  void everyKth() {
    const unsigned K = between(2, 5);
    const unsigned Slots =
        mistake("the ring is shorter than the group", 3) ? K - 1 : K + (chance(25) ? 1 : 0);
    const unsigned Ring = buffer("cells", Slots), I = counter("i");
    const LoopExpr Last = binary(variable(I) % number(K), "==", number(K - 1));
    LoopRequest R = request(Ring, slotOf(variable(I), Slots));
    R.Signaled = Last;
    LoopExpr Waits = Last;
    if (mistake("the wait comes one too soon", 3) && K > 1)
      R.Signaled = binary(variable(I) % number(K), "==", number(0)), Waits = R.Signaled;
    append(times(I, rounds(), {write(Ring, R.Slot), post(number(0), R), when(Waits, {take(number(0))})}));
    if (chance(40)) {
      const unsigned Tail = buffer("tail", 1);
      append(write(Tail, number(0)));
      append(post(number(0), request(Tail, number(0))));
      end(take(number(0)), Tail);
    }
  }

  /// Every k-th asks for a completion, and some groups may be out.
  void groups() {
    const unsigned K = between(2, 4), G = between(1, 2);
    const unsigned Slots = K * (G + 1);
    const unsigned Ring = buffer("cells", mistake("the ring has one slot less", 3) ? Slots - 1 : Slots);
    const unsigned I = counter("i");
    const LoopExpr Posted = variable(newVariable("posted")), Done = variable(newVariable("done"));
    LoopRequest R = request(Ring, slotOf(Posted, P.Buffers[Ring].Slots));
    R.Signaled = binary(Posted % number(K), "==", number(K - 1));
    const unsigned Each = mistake("a completion counts for more than it completes", 3) ? K + 1 : K;
    const LoopStatement Reap = poll(number(0), most(), {add(Done, taken() * number(Each))});
    append(times(I, rounds(),
                 {loop(binary(Posted - Done, ">=", number(Slots)), {Reap}), write(Ring, R.Slot),
                  post(number(0), R), add(Posted, number(1))}));
  }

  void flags() {
    const unsigned Slots = between(2, 5);
    const unsigned Data = buffer("data", Slots), I = counter("i");
    const unsigned Busy = newVariable("busy", Slots);
    const LoopExpr Slot = variable(newVariable("at"));
    LoopRequest R = request(Data, Slot);
    R.Id = Slot;
    if (mistake("the request names another slot", 3))
      R.Id = (Slot + number(1)) % number(Slots);
    LoopExpr Freed = id();
    if (mistake("another slot is freed", 3))
      Freed = (id() + number(1)) % number(Slots);
    const LoopStatement Reap = poll(number(0), most(), {}, {set(element(Busy, Freed), number(0))});
    LoopBlock Body = {set(Slot, slotOf(variable(I), Slots))};
    const LoopExpr Waiting = binary(element(Busy, Slot), "!=", number(0));
    Body.push_back(mistake("it looks once and does not wait", 3) ? when(Waiting, {Reap})
                                                                 : loop(Waiting, {Reap}));
    const LoopStatement Sets = set(element(Busy, Slot), number(1));
    const bool Before = chance(50);
    Body.push_back(write(Data, Slot));
    if (Before)
      Body.push_back(Sets);
    Body.push_back(post(number(0), R));
    if (!Before)
      Body.push_back(Sets);
    append(times(I, rounds(), Body));
    const unsigned J = counter("j");
    if (chance(50))
      append(times(
          J, number(Slots),
          {loop(binary(element(Busy, variable(J)), "!=", number(0)), {Reap}), write(Data, variable(J))}));
  }

  void lists() {
    const unsigned K = between(2, 5), Pages = buffer("pages", K);
    const unsigned R = counter("round"), J = counter("j"), L = counter("l");
    LoopRequest Req = request(Pages, variable(L));
    const bool OnlyLast = chance(60);
    LoopExpr Count = number(OnlyLast ? 1 : K);
    if (OnlyLast)
      Req.Signaled =
          binary(variable(L), "==", number(mistake("the first asks for the completion", 2) ? 0 : K - 1));
    else if (mistake("one completion is not awaited", 2))
      Count = number(K - 1);
    LoopBlock Body = {times(J, number(K), {write(Pages, variable(J))}), list(L, K, number(0), Req)};
    const bool Late = mistake("the next round does not wait", 2);
    if (!Late)
      for (LoopStatement &S : awaiting(number(0), Count))
        Body.push_back(std::move(S));
    append(times(R, rounds(), Body));
  }

  /// Some READs ahead; each is looked at when it has come, and its slot is used again.
  void reads() {
    const unsigned W = between(1, 4), Page = buffer("pages", W), I = counter("i");
    const LoopExpr Posted = variable(newVariable("asked")), Seen = variable(newVariable("seen"));
    LoopRequest R = request(Page, Posted % number(W));
    R.Get = true;
    const bool Early = mistake("it looks before it waits", 2);
    const LoopExpr At = slotOf(Seen, W);
    LoopBlock Use = {read(
        Page, Early || !mistake("it looks at another slot", 2) || W == 1 ? At : slotOf(Seen + number(1), W))};
    LoopStatement Take = take(number(0));
    LoopBlock Consume = Early ? LoopBlock{Use[0], Take} : LoopBlock{Take, Use[0]};
    Consume.push_back(add(Seen, number(1)));
    LoopBlock Body = {when(binary(Posted - Seen, "==", number(W)), Consume), post(number(0), R),
                      add(Posted, number(1))};
    append(times(I, rounds(), Body));
    append(loop(binary(Seen, "<", Posted), Consume));
  }

  void byId() {
    const unsigned W = between(1, 4), Ring = buffer("cells", W), I = counter("i");
    const LoopExpr Last = variable(newVariable("last"));
    LoopRequest R = request(Ring, slotOf(variable(I), W));
    R.Id = variable(I) + number(1);
    const unsigned Behind = mistake("it waits for the one before", 2) ? W + 1 : W;
    const LoopStatement Reap = poll(number(0), most(), {}, {set(Last, id())});
    // The last that came is named; what came before it has come, too.
    LoopBlock Body = {loop(binary(Last + number(Behind), "<", variable(I) + number(1)), {Reap}),
                      write(Ring, R.Slot), post(number(0), R)};
    append(times(I, rounds(), Body));
    end(loop(binary(Last, "<", rounds()), {Reap}), Ring);
  }

  void drainedOnce() {
    const unsigned Slots = between(2, 4), Page = buffer("pages", Slots), I = counter("i");
    const LoopExpr Out = variable(newVariable("outstanding"));
    LoopBlock Body = {post(number(0), request(Page, slotOf(variable(I), Slots))), add(Out, number(1))};
    const unsigned J = counter("j");
    append(times(J, number(Slots), {write(Page, variable(J))}));
    append(times(I, rounds(), Body));
    const unsigned Left = mistake("one completion is not awaited", 2) ? 1 : 0;
    append(loop(binary(Out, ">", number(Left)),
                {counting(number(0), [&](LoopExpr N) { return less(Out, N); })}));
    append(write(Page, number(below(Slots))));
  }

  void oneByOne() {
    const unsigned Word = buffer("word", 1), I = counter("i");
    LoopRequest R = request(Word, number(0));
    LoopBlock Body = {write(Word, number(0)), post(number(0), R)};
    const unsigned Way = below(3);
    if (mistake("it looks once and does not wait", 3)) {
      Body.push_back(poll(number(0), 1, {}));
    } else if (Way == 0) {
      Body.push_back(take(number(0)));
    } else {
      const LoopExpr Got = variable(newVariable("got"));
      Body.push_back(set(Got, number(0)));
      Body.push_back(
          loop(binary(Got, "==", number(0)),
               {poll(number(0), 1, {when(binary(taken(), ">", number(0)), {set(Got, number(1))})})}));
    }
    if (chance(20))
      Body.push_back(when(binary(variable(I), "==", number(5)), {leaves()}));
    if (mistake("it stops before the last has completed", 3))
      Body.insert(Body.begin() + 2, when(binary(variable(I), ">=", number(4)), {breaks()}));
    append(times(I, rounds(), Body));
    append(write(Word, number(0)));
  }

  /// A window for each of several connections.
  void connections() {
    P.Connections = between(2, 3);
    const unsigned W = between(1, 3), Ring = buffer("rings", P.Connections * W);
    const unsigned I = counter("i"), C = counter("c");
    const unsigned Sent = newVariable("sent", P.Connections), Done = newVariable("done", P.Connections);
    const LoopExpr End = variable(C);
    const LoopExpr Out = element(Sent, End) - element(Done, End);
    const unsigned Limit = mistake("the window is larger than the ring", 3) ? W + 1 : W;
    const LoopExpr From = mistake("another connection is polled", 3) ? number(0) : End;
    const LoopExpr Slot = End * number(W) + element(Sent, End) % number(W);
    auto count = [&](LoopExpr N) { return add(element(Done, End), N); };
    append(times(I, rounds(),
                 {times(C, number(P.Connections),
                        {loop(binary(Out, ">=", number(Limit)), {counting(From, count)}), write(Ring, Slot),
                         post(End, request(Ring, Slot)), add(element(Sent, End), number(1))})}));
    if (!mistake("nothing is drained in the end", 2))
      append(times(C, number(P.Connections),
                   {loop(binary(element(Done, End), "<", element(Sent, End)), {counting(End, count)})}));
    const unsigned J = counter("j");
    append(times(J, number(P.Buffers[Ring].Slots), {write(Ring, variable(J))}));
  }

  /// The same page to all, and one completion from each.
  void fanOut() {
    P.Connections = between(2, 4);
    const unsigned Page = buffer("page", 1), I = counter("i"), C = counter("c"), D = counter("d");
    const LoopExpr Last =
        number(mistake("one connection is left out", 2) ? P.Connections - 1 : P.Connections);
    append(times(I, rounds(),
                 {write(Page, number(0)),
                  times(C, number(P.Connections), {post(variable(C), request(Page, number(0)))}),
                  times(D, Last, {take(variable(D))})}));
  }

  /// All report to one queue; what came is told by the wr_id, or is only counted.
  void sharedQueue() {
    P.Connections = between(2, 3);
    P.OneQueue = true;
    const unsigned Pages = buffer("pages", P.Connections), I = counter("i"), C = counter("c");
    if (chance(50)) {
      const unsigned Busy = newVariable("busy", P.Connections);
      const LoopExpr End = variable(C);
      LoopRequest R = request(Pages, End);
      R.Id = mistake("the request names another slot", 2) ? (End + number(1)) % number(P.Connections) : End;
      append(times(I, rounds(),
                   {times(C, number(P.Connections),
                          {loop(binary(element(Busy, End), "!=", number(0)),
                                {poll(number(0), most(), {}, {set(element(Busy, id()), number(0))})}),
                           write(Pages, End), set(element(Busy, End), number(1)), post(End, R)})}));
      return;
    }
    const LoopExpr Out = variable(newVariable("outstanding"));
    const unsigned Left = mistake("one completion is not awaited", 2) ? 1 : 0;
    append(times(I, rounds(),
                 {times(C, number(P.Connections),
                        {write(Pages, variable(C)), post(variable(C), request(Pages, variable(C))),
                         add(Out, number(1))}),
                  loop(binary(Out, ">", number(Left)),
                       {counting(number(0), [&](LoopExpr N) { return less(Out, N); })})}));
  }

  std::mt19937_64 Random;
  LoopProgram P;
  bool Wrong = false;
};

} // namespace

LoopProgram randomLoops(std::uint64_t Seed) { return Shapes(Seed).run(); }

} // namespace rdma::test
