#include "PostText.h"

namespace rdma::test {
namespace {

constexpr std::string_view Parameters = "enum ibv_wr_opcode opcode, void *local, uint64_t remote, unsigned "
                                        "flags, uint64_t compare, uint64_t swap";

Request formal(const std::string &End, bool Named) {
  Request R{End, "", "opcode", "local", "remote", "flags", "compare", "swap"};
  R.Id = Named ? "id" : "";
  return R;
}

/// Both kinds of remote operands, where the opcode is a parameter.
std::string operands(const std::string &Wr, const Request &R) {
  std::string Atomic = Wr + "wr.atomic.remote_addr = " + R.Remote + "; " + Wr + "wr.atomic.rkey = " + R.End +
                       "rkey; " + Wr + "wr.atomic.compare_add = " + R.Compare + "; " + Wr +
                       "wr.atomic.swap = " + R.Swap + ";";
  std::string Plain =
      Wr + "wr.rdma.remote_addr = " + R.Remote + "; " + Wr + "wr.rdma.rkey = " + R.End + "rkey;";
  if (R.Opcode == "opcode")
    return "if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) { " + Atomic +
           " } else { " + Plain + " }\n";
  return (R.Atomic ? Atomic : Plain) + "\n";
}

} // namespace

std::string PostText::parameters() const { return std::string(Parameters) + (Named ? ", uint64_t id" : ""); }

/// What helpers are given behind the opcode.
std::string PostText::operandsOf(const Request &R) const {
  return R.Local + ", " + R.Remote + ", " + R.Flags + ", " + R.Compare + ", " + R.Swap +
         (Named ? ", " + R.Id : "");
}

std::string PostText::fail(const std::string &Leave) const {
  if (S[Aspect::Control] == "exceptions")
    return "throw 1;";
  return returns() ? Leave : "abort();";
}

std::string PostText::submit(const std::string &Wr, const Request &R, const std::string &Leave) const {
  return structure("ibv_send_wr") + " *bad;\nif (ibv_post_send(" + R.End + "qp, " + Wr + ", &bad)) " +
         fail(Leave) + "\n";
}

/// Wr and Sge with '.' or '->' behind them; both hold zeroes.
std::string PostText::fill(const std::string &Wr, const std::string &Sge, const Request &R) const {
  return Sge + "addr = (uintptr_t)" + R.Local + "; " + Sge + "length = 8; " + Sge + "lkey = " + R.End +
         "lkey;\n" + Wr + "opcode = " + R.Opcode + "; " + Wr + "send_flags = " + R.Flags + "; " + Wr +
         "num_sge = 1;\n" + (R.Id.empty() ? "" : Wr + "wr_id = " + R.Id + ";\n") + operands(Wr, R);
}

std::string PostText::build(const Request &R, const std::string &Leave) const {
  std::string_view Way = S[Aspect::Requests];
  std::string Sge = structure("ibv_sge") + " ", Wr = structure("ibv_send_wr") + " ";
  std::string Zero = "memset(&sge, 0, sizeof sge); memset(&wr, 0, sizeof wr);\n";
  if (Way == "initialiser") {
    std::string Init = S.cpp()
                           ? Sge + "sge = {(uintptr_t)" + R.Local + ", 8, " + R.End + "lkey};\n" + Wr +
                                 "wr = {.wr_id = " + (R.Id.empty() ? "7" : R.Id) +
                                 ", .sg_list = &sge, .num_sge = 1, .opcode = " + R.Opcode +
                                 ", .send_flags = (unsigned)(" + R.Flags + ")};\n"
                           : Sge + "sge = {.addr = (uintptr_t)" + R.Local +
                                 ", .length = 8, .lkey = " + R.End + "lkey};\n" + Wr + "wr = {" +
                                 (R.Id.empty() ? "" : ".wr_id = " + R.Id + ", ") + ".opcode = " + R.Opcode +
                                 ", .sg_list = &sge, " + ".num_sge = 1, .send_flags = " + R.Flags + "};\n";
    return Init + operands("wr.", R) + submit("&wr", R, Leave);
  }
  if (Way == "copied" || Way == "memcpy")
    return Sge + "sge; " + Wr + "first, wr; memset(&sge, 0, sizeof sge); memset(&first, 0, sizeof first);\n" +
           fill("first.", "sge.", R) + "first.sg_list = &sge;\n" +
           (Way == "copied" ? "wr = first;\n" : "memcpy(&wr, &first, sizeof wr);\n") +
           submit("&wr", R, Leave);
  if (Way == "array")
    return Sge + "sge[3]; " + Wr + "wr[3]; memset(sge, 0, sizeof sge); memset(wr, 0, sizeof wr);\n" +
           fill("wr[1].", "sge[2].", R) + "wr[1].sg_list = &sge[2];\n" + submit("&wr[1]", R, Leave);
  if (Way == "ring")
    return "unsigned slot = ring->head++ % 4; " + Sge + "*sge = &ring->sge[slot]; " + Wr +
           "*wr = &ring->wr[slot];\nmemset(sge, 0, sizeof *sge); memset(wr, 0, sizeof *wr);\n" +
           fill("wr->", "sge->", R) + "wr->sg_list = sge;\n" + submit("wr", R, Leave);
  if (Way == "heap" || Way == "unique_ptr") {
    std::string Make =
        Way == "unique_ptr"
            ? "auto wr = std::make_unique<ibv_send_wr>(); auto sge = std::make_unique<ibv_sge>();\n"
        : S.cpp() ? "ibv_send_wr *wr = new ibv_send_wr(); ibv_sge *sge = new ibv_sge();\n"
                  : "struct ibv_send_wr *wr = calloc(1, sizeof *wr); struct ibv_sge *sge = calloc(1, sizeof "
                    "*sge);\n";
    std::string Get = Way == "unique_ptr" ? ".get()" : "";
    std::string Free = Way == "unique_ptr" ? ""
                       : S.cpp()           ? "delete wr; delete sge;\n"
                                           : "free(wr); free(sge);\n";
    return Make + fill("wr->", "sge->", R) + "wr->sg_list = sge" + Get + ";\n" +
           submit("wr" + Get, R, Leave) + Free;
  }
  std::string Text = Sge + "sge; " + Wr + "wr; " + Zero + fill("wr.", "sge.", R) + "wr.sg_list = &sge;\n";
  if (Way == "vector")
    return Text + "std::vector<ibv_send_wr> list; list.push_back(wr);\n" + submit("list.data()", R, Leave);
  if (Way == "unordered_map")
    return Text + "std::unordered_map<int, ibv_send_wr> open; open[3] = wr;\n" + submit("&open[3]", R, Leave);
  return Text + submit("&wr", R, Leave);
}

std::string PostText::list(const std::vector<Request> &All, const std::string &Leave) const {
  std::string N = std::to_string(All.size());
  std::string Out = "{\n" + structure("ibv_sge") + " sge[" + N + "]; " + structure("ibv_send_wr") + " wr[" +
                    N + "];\nmemset(sge, 0, sizeof sge); memset(wr, 0, sizeof wr);\n";
  for (std::size_t I = 0; I < All.size(); ++I) {
    std::string At = "[" + std::to_string(I) + "]";
    const Request &R = All[I];
    if (S[Aspect::Helper] == "prepare")
      Out += "prepare(&wr" + At + ", &sge" + At + ", &" + R.Object + ", " + R.Opcode + ", " + operandsOf(R) +
             ");\n";
    else
      Out += fill("wr" + At + ".", "sge" + At + ".", R) + "wr" + At + ".sg_list = &sge" + At + ";\n";
    if (I + 1 < All.size())
      Out += "wr" + At + ".next = &wr[" + std::to_string(I + 1) + "];\n";
  }
  return Out + submit("wr", All.front(), Leave) + "}\n";
}

std::string PostText::listInLoop(const Request &R, const std::string &Index, const std::string &Length,
                                 const std::string &Most, const std::string &Leave) const {
  const std::string At = "[" + Index + "]";
  return structure("ibv_sge") + " sge[" + Most + "]; " + structure("ibv_send_wr") + " wr[" + Most +
         "];\nmemset(sge, 0, sizeof sge); memset(wr, 0, sizeof wr);\nfor (; " + Index + " < " + Length +
         "; ++" + Index + ") {\n" + fill("wr" + At + ".", "sge" + At + ".", R) + "wr" + At +
         ".sg_list = &sge" + At + ";\nwr" + At + ".next = " + Index + " + 1 < " + Length + " ? &wr[" + Index +
         " + 1] : NULL;\n}\n" + submit("wr", R, Leave);
}

std::string PostText::post(const Request &R, const std::string &Leave) const {
  std::string_view Helper = S[Aspect::Helper];
  if (Helper == "none")
    return "{\n" + build(R, Leave) + "}\n";
  std::string Rest = operandsOf(R) + (S[Aspect::Requests] == "ring" ? ", &ring" : "") + ")";
  if (Helper == "prepare") {
    std::string Make = structure("ibv_sge") + " sge; " + structure("ibv_send_wr") + " wr;\n";
    return "{\n" + Make + "prepare(&wr, &sge, &" + R.Object + ", " + R.Opcode + ", " + operandsOf(R) +
           ");\n" + submit("&wr", R, Leave) + "}\n";
  }
  std::string Call = Helper == "method"     ? R.Object + ".post(" + R.Opcode + ", " + Rest
                     : Helper == "template" ? "post<" + R.Opcode + ">(" + R.Object + ", " + Rest
                     : Helper == "table"    ? "transport.post(&" + R.Object + ", " + R.Opcode + ", " + Rest
                     : Helper == "pointer"  ? "post(&" + R.Object + ", " + R.Opcode + ", " + Rest
                                            : "post(" + R.Object + ", " + R.Opcode + ", " + Rest;
  return returns() ? "if (" + Call + ") " + Leave + "\n" : Call + ";\n";
}

std::string PostText::signature(std::string_view Helper) const {
  std::string Rest = parameters() + (S[Aspect::Requests] == "ring" ? ", struct ring *ring)" : ")");
  std::string Result = returns() ? "int " : "void ";
  if (Helper == "template")
    Rest.erase(0, Rest.find("void *"));
  return Result + "post(" +
         (Helper == "method"                                                    ? ""
          : Helper == "value"                                                   ? "struct end e, "
          : Helper == "reference" || Helper == "template" || Helper == "lambda" ? "const struct end &e, "
                                                                                : "const struct end *e, ") +
         Rest;
}

std::string PostText::body(std::string_view Helper) const {
  bool Pointer = Helper == "pointer" || Helper == "table";
  std::string End = Helper == "method" ? "" : Pointer ? "e->" : "e.";
  return " {\n" + build(formal(End, Named), "return 1;") + (returns() ? "return 0;\n" : "") + "}\n";
}

bool PostText::inHeader() const {
  std::string_view Helper = S[Aspect::Helper];
  return Helper == "template" || Helper == "table";
}

std::string PostText::helpers(bool Shared) const {
  std::string_view Helper = S[Aspect::Helper];
  std::string Static = Shared ? "" : "static ";
  if (Helper == "prepare")
    return Static + "void prepare(struct ibv_send_wr *wr, struct ibv_sge *sge, const struct end *e, " +
           parameters() + ") {\nmemset(sge, 0, sizeof *sge); memset(wr, 0, sizeof *wr);\n" +
           fill("wr->", "sge->", formal("e->", Named)) + "wr->sg_list = sge;\n}\n";
  if (Helper == "table") {
    std::string Signature = signature(Helper);
    std::string Pointer = Signature;
    Pointer.replace(Pointer.find("post("), 5, "(*post)(");
    return "static " + Signature + body(Helper) + "static const struct { " + Pointer +
           "; } transport = { post };\n";
  }
  if (Helper == "template")
    return "template <ibv_wr_opcode opcode> static " + signature(Helper) + body(Helper);
  if (Helper == "value" || Helper == "pointer" || Helper == "reference")
    return Static + signature(Helper) + body(Helper);
  return "";
}

std::string PostText::declarations() const {
  std::string_view Helper = S[Aspect::Helper];
  if (Helper == "prepare")
    return "void prepare(struct ibv_send_wr *wr, struct ibv_sge *sge, const struct end *e, " + parameters() +
           ");\n";
  if (Helper == "value" || Helper == "pointer" || Helper == "reference")
    return signature(Helper) + ";\n";
  return "";
}

std::string PostText::endMembers() const {
  return S[Aspect::Helper] == "method" ? signature("method") + " const" + body("method") : "";
}

std::string PostText::locals() const {
  std::string Out;
  if (S[Aspect::Requests] == "ring")
    Out += S[Aspect::Helper] == "none" ? "struct ring rounds = {0}, *ring = &rounds; (void)ring;\n"
                                       : "struct ring ring = {0}; (void)ring;\n";
  if (S[Aspect::Helper] == "lambda") {
    std::string Signature = signature("lambda");
    bool Int = returns();
    Out += "auto post = [&]" + Signature.substr(Signature.find('(')) + (Int ? " -> int" : " -> void");
    std::string Body = body("lambda");
    Body.pop_back();
    Out += Body + ";\n";
  }
  return Out;
}

} // namespace rdma::test
