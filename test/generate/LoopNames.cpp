#include "LoopNames.h"

#include "PollText.h"

#include <nlohmann/json.hpp>

namespace rdma::test {

LoopNames::LoopNames(const LoopProgram &P, const Style &S) : P(P), S(S), Post(S, true) {
  for (unsigned V = 0; V < P.Variables.size(); ++V)
    Names.push_back((inState() && !isLocal(V) ? "s->" : "") + P.Variables[V].Name);
}

std::string LoopNames::item() const {
  std::string_view Way = S[Aspect::Items];
  return Way == "rows" ? structure("row") : Way == "structs" ? structure("item") : "uint64_t";
}

std::string LoopNames::bufferParameter(unsigned B) const {
  if (S[Aspect::Buffers] == "std::vector")
    return "std::vector<" + item() + "> &" + P.Buffers[B].Name;
  return item() + " *" + P.Buffers[B].Name;
}

std::string LoopNames::givenBuffer(unsigned B) const {
  const std::string Alone = P.Buffers.size() < 2 ? "" : S.cpp() ? "__restrict " : "restrict ";
  return item() + " *" + Alone + P.Buffers[B].Name;
}

std::string LoopNames::slot(unsigned B, const LoopExpr &Index) const {
  return P.Buffers[B].Name + "[" + text(Index) + "]";
}

std::string LoopNames::word(unsigned B, const LoopExpr &Index) const {
  return slot(B, Index) + (S[Aspect::Items] == "words"     ? ""
                           : S[Aspect::Items] == "structs" ? ".value"
                                                           : ".word[0]");
}

std::string LoopNames::end(const LoopExpr &Index) const {
  std::string_view Ends = S[Aspect::Ends];
  if (!many())
    return Ends == "parameters" ? "(*e)"
           : Ends == "members"  ? "ctx->e0"
           : Ends == "array"    ? "ctx->ends[0]"
                                : "e0";
  const std::string At = "[" + text(Index) + "]";
  return (Ends == "parameters" || Ends == "globals" ? "e" : "ctx->ends") + At;
}

std::string LoopNames::access(const LoopExpr &Index) const {
  return !many() && S[Aspect::Ends] == "parameters" ? "e->" : end(Index) + ".";
}

std::string LoopNames::queue(const LoopExpr &Index) const {
  if (!P.OneQueue)
    return access(Index) + "cq";
  return S[Aspect::Ends] == "members" || S[Aspect::Ends] == "array" ? "ctx->cq" : "cq";
}

std::vector<std::string> LoopNames::endParameters() const {
  if (S[Aspect::Ends] == "globals")
    return {};
  if (S[Aspect::Ends] != "parameters")
    return {"struct context *ctx"};
  std::vector<std::string> Out = {"struct end *e"};
  if (P.OneQueue)
    Out.push_back("struct ibv_cq *cq");
  return Out;
}

std::string LoopNames::text(const LoopExpr &E) const {
  switch (E.What) {
  case LoopExpr::Kind::Number:
    return std::to_string(E.Number);
  case LoopExpr::Kind::Variable:
    return Names[E.Variable];
  case LoopExpr::Kind::Element:
    return Names[E.Variable] + "[" + text(E.Parts[0]) + "]";
  case LoopExpr::Kind::Taken:
    return "n";
  case LoopExpr::Kind::Id:
    return Completion + ".wr_id";
  case LoopExpr::Kind::Binary:
    return "(" + text(E.Parts[0]) + " " + E.Op + " " + text(E.Parts[1]) + ")";
  }
  return "";
}

std::string LoopNames::types() const {
  std::string Out; // a ring first: methods of an end use it
  if (S[Aspect::Requests] == "ring")
    Out += "struct ring { struct ibv_send_wr wr[4]; struct ibv_sge sge[4]; unsigned head; };\n";
  Out += "struct end {\n  struct ibv_qp *qp;\n";
  Out += P.OneQueue ? "" : "  struct ibv_cq *cq;\n";
  Out += "  uint64_t far;\n  uint32_t rkey, lkey;\n" + Post.endMembers() + "};\n";
  if (S[Aspect::Ends] == "members" || S[Aspect::Ends] == "array")
    Out += "struct context {\n  struct end " +
           (!many() && S[Aspect::Ends] == "members" ? "e0" : "ends[" + std::to_string(P.Connections) + "]") +
           ";\n" + (P.OneQueue ? "  struct ibv_cq *cq;\n" : "") + "};\n";
  if (S[Aspect::Items] == "structs")
    Out += "struct item { uint64_t value, more[3]; };\n";
  if (S[Aspect::Items] == "rows")
    Out += "struct row { uint64_t word[8]; };\n";
  if (inState())
    Out += "struct state {\n" + variables("") + "};\n";
  return Out;
}

std::string LoopNames::variables(const std::string &Before) const {
  std::string Out;
  const bool InState = inState();
  for (unsigned V = 0; V < P.Variables.size(); ++V) {
    const LoopProgram::Variable &Of = P.Variables[V];
    if (V == P.Rounds || Of.Counts)
      continue;
    Out += "  " + Before + type() + " " + Of.Name;
    Out += Of.Elements ? "[" + std::to_string(Of.Elements) + "]" : "";
    if (!InState)
      Out += Of.Elements ? (S.cpp() ? " = {}" : " = {0}") : " = " + std::to_string(Of.Initial);
    Out += ";\n";
  }
  return Out;
}

std::string LoopNames::globals() const {
  std::string Out = "uint64_t total;\n";
  for (unsigned C = 0; C < P.Connections; ++C)
    Out += "char " + inbox(C) + "[4096];\n";
  Out += std::string(S.cpp() ? "extern \"C\" " : "") + "void serve(void) {}\n";
  if (S[Aspect::Ends] == "globals")
    Out += "struct end " + (many() ? "e[" + std::to_string(P.Connections) + "]" : std::string("e0")) + ";\n" +
           (P.OneQueue ? "struct ibv_cq *cq;\n" : "");
  if (isConstant())
    Out += "enum { count = " + std::to_string(P.Constant) + " };\n";
  if (S[Aspect::Counters] == "globals")
    Out += variables("static ");
  if (S[Aspect::Counters] == "static struct")
    Out += "static struct state state;\n";
  if (S[Aspect::Buffers] == "static")
    for (const LoopProgram::Buffer &B : P.Buffers)
      Out += "static " + item() + " " + B.Name + "[" + std::to_string(B.Slots) + "];\n";
  Out += Post.helpers(false);
  Out += pollHelper(S, false);
  if (fromCommandLine())
    Out += (S.cpp() ? "extern \"C\" " : "") + std::string("void connect_all(char **words);\n");
  return Out;
}

std::string LoopNames::bufferLocals() const {
  std::string Out, Way(S[Aspect::Buffers]);
  for (const LoopProgram::Buffer &B : P.Buffers) {
    const std::string N = std::to_string(B.Slots);
    if (Way == "stack")
      Out += item() + " " + B.Name + "[" + N + "];\n";
    if (Way == "calloc")
      Out += item() + " *" + B.Name + " = (" + item() + " *)calloc(" + N + ", sizeof *" + B.Name +
             ");\nif (!" + B.Name + ") abort();\n";
    if (Way == "std::vector")
      Out += "std::vector<" + item() + "> " + B.Name + "(" + N + ");\n";
  }
  return Out;
}

std::string LoopNames::buffersFreed() const {
  std::string Out;
  for (const LoopProgram::Buffer &B : P.Buffers)
    if (S[Aspect::Buffers] == "calloc")
      Out += "free(" + B.Name + ");\n";
  return Out;
}

std::string LoopNames::stateLocals() const {
  std::string Out;
  if (S[Aspect::Counters] == "locals")
    Out += variables("");
  if (S[Aspect::Counters] == "struct")
    Out += "struct state own, *s = &own;\nmemset(s, 0, sizeof *s);\n";
  if (S[Aspect::Counters] == "static struct")
    Out += "struct state *s = &state;\n";
  for (const LoopProgram::Variable &V : P.Variables)
    if (V.Initial && inState())
      Out += "s->" + V.Name + " = " + std::to_string(V.Initial) + ";\n";
  return Out;
}

std::string LoopNames::inbox(unsigned Connection) {
  return "inbox" + (Connection ? std::to_string(Connection) : "");
}

std::string LoopNames::topology() const {
  const std::string Entry = fromCommandLine() ? "main" : "run";
  nlohmann::json Out = {
      {"nodes", {{"client", {{"entries", {Entry}}}}, {"server", {{"entries", {"serve"}}}}}}};
  for (unsigned C = 0; C < P.Connections; ++C) {
    // Of an array that the entry is given, the first is what it points to.
    const bool Given = S[Aspect::Ends] == "parameters" && C == 0;
    const std::string End = Given ? "e->" : access(number(C));
    Out["queue_pairs"][Entry][End + "qp"] = {
        {"node", "server"}, {"send_cq", P.OneQueue ? queue(number(C)) : End + "cq"}, {"sq_sig_all", false}};
    Out["regions"][Entry][End + "far"] = "server:" + inbox(C);
  }
  if (fromCommandLine())
    Out["setup"] = {"connect_all"};
  return Out.dump(1);
}

} // namespace rdma::test
