#include "LoopCheck.h"

#include "Apart.h"
#include "Extracted.h"

#include "analyzer/clang/Extract.h"
#include "analyzer/core/Reasons.h"
#include "analyzer/report/Explain.h"
#include "ir/Litmus.h"

#include <algorithm>

namespace rdma::test {
namespace {

Judged judged(const Summary &S) {
  if (S.PairsNotOrdered)
    return Judged::Warned;
  return S.Robust ? Judged::Accepted : Judged::NotProved;
}

LoopVerdict judgeHere(const LoopCase &C) {
  LoopVerdict Out;
  try {
    Extraction E = extract(optionsFor(writeLoops(C.Code, C.Written, C.Seed)));
    for (Model M : {Model::RdmaTso, Model::RdmaSc}) {
      Verdict V = judge(E.Code, M);
      const Judged Here = judged(summarize(E.Code, V, M));
      Program Emitted = parseLitmus(writeLitmus(E.Code), "emitted").Code;
      Verdict Again = judge(Emitted, M);
      if (standing(summarize(Emitted, Again, M)) != standing(summarize(E.Code, V, M)))
        return {Judged::Emitted, "what --emit-ir prints has another verdict"};
      Out.What = std::max(Out.What, Here);
      if (M == Model::RdmaTso && Here != Judged::Accepted)
        for (const Finding &F : explain(E.Code, V))
          Out.Why += "\n  " + F.Main.Text;
    }
  } catch (const InputError &Error) {
    Out = {Judged::Refused, Error.what()};
  }
  return Out;
}

/// Of a program that asks nothing of a NIC no verdict is given.
bool posts(const LoopBlock &Block) {
  return std::any_of(Block.begin(), Block.end(), [](const LoopStatement &S) {
    return S.What == LoopStatement::Kind::Post || S.What == LoopStatement::Kind::List || posts(S.Then) ||
           posts(S.Each);
  });
}

/// May making a request throw?
bool mayThrow(const Style &S) {
  const std::string_view Way = S[Aspect::Requests];
  return S.cpp() && (Way == "heap" || Way == "unique_ptr" || Way == "vector" || Way == "unordered_map");
}

/// The ways of styles that go together, for this program.
Style fitting(Style S, const LoopProgram &P) {
  // Nobody connects several queue pairs in sight of main.
  if (P.Connections > 1 && S[Aspect::Bounds] == "command line")
    S.set(Aspect::Bounds, "parameter");
  if (S[Aspect::Bounds] == "command line" && S[Aspect::Buffers] == "given")
    S.set(Aspect::Buffers, "static");
  if (S[Aspect::Bounds] == "command line")
    S.set(Aspect::Ends, "globals");
  // Where a post fails and the thread ends, so do its buffers, whatever is under way.
  if (formOf(S).BuffersEnd && S[Aspect::Control] == "return")
    S.set(Aspect::Control, "straight");
  // So they do where memory for a request is short.
  if (formOf(S).BuffersEnd && mayThrow(S))
    S.set(Aspect::Requests, "fields");
  return S;
}

} // namespace

std::string_view name(Judged J) {
  constexpr std::string_view Names[] = {"accepted", "not proved", "warned", "refused", "emitted", "crashed"};
  return Names[static_cast<unsigned>(J)];
}

LoopCase makeLoops(std::uint64_t Seed, bool Plain) {
  std::mt19937_64 Random(Seed);
  LoopCase C;
  C.Seed = Seed;
  const Style Drawn = randomLoopStyle(Random), Any = Plain ? Style() : Drawn;
  do {
    C.Code = randomLoops(Random());
    C.Written = fitting(Any, C.Code);
    C.Truth = truth(C.Code, formOf(C.Written));
  } while (!C.Truth.Robust);
  return C;
}

LoopVerdict judge(const LoopCase &C) {
  compileHeaders(writeLoops(C.Code, C.Written, C.Seed));
  auto Told = apart(
      [&] {
        LoopVerdict Here = judgeHere(C);
        return std::string(1, static_cast<char>(Here.What)) + Here.Why;
      },
      60);
  if (!Told)
    return {Judged::Crashed, "a crash, or no end"};
  return {static_cast<Judged>((*Told)[0]), Told->substr(1)};
}

bool isWrong(const LoopCase &C, const LoopVerdict &V) {
  return V.What > Judged::Warned || (V.What == Judged::Accepted && !*C.Truth.Robust);
}

LoopCase shrink(const LoopCase &C, const LoopVerdict &V) {
  LoopCase Small = C;
  auto same = [&](LoopCase &Try) {
    if (!posts(Try.Code.Body))
      return false;
    Try.Written = fitting(Try.Written, Try.Code);
    Try.Truth = truth(Try.Code, formOf(Try.Written));
    return Try.Truth.Robust == C.Truth.Robust && judge(Try).What == V.What;
  };
  for (Aspect A : loopAspects()) {
    LoopCase Try = Small;
    Try.Written.set(A, ways(A).front().Name);
    if (Try.Written.Chosen != Small.Written.Chosen && same(Try))
      Small = Try;
  }
  for (bool Again = true; Again;) {
    Again = false;
    for (const LoopProgram &Less : smaller(Small.Code)) {
      LoopCase Try = Small;
      Try.Code = Less;
      if ((Again = same(Try))) {
        Small = Try;
        break;
      }
    }
  }
  return Small;
}

std::string print(const LoopCase &C) {
  Sources S = writeLoops(C.Code, C.Written, C.Seed);
  std::string Out = "// " + C.Code.Shape + (C.Code.Mistake.empty() ? "" : ": " + C.Code.Mistake) + "\n// " +
                    C.Written.describe(loopAspects()) + "\n" + C.Truth.Litmus;
  for (const auto &[File, Text] : S.Texts)
    Out += "--- " + File + "\n" + Text;
  return Out + "--- topology.json\n" + S.Topology + "\n";
}

} // namespace rdma::test
