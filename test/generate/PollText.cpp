#include "PollText.h"

namespace rdma::test {

std::string pollText(const Style &S, const std::string &Cq, unsigned Count) {
  std::string Out;
  std::string_view Way = S[Aspect::Polls];
  if (Way == "drain")
    return "drain(" + Cq + ", " + std::to_string(Count) + ");\n";
  for (unsigned I = 0; I < Count; ++I)
    Out += Way == "inline" ? "{ struct ibv_wc wc; int n; while ((n = ibv_poll_cq(" + Cq +
                                 ", 1, &wc)) == 0) ; if (n < 0 || wc.status != IBV_WC_SUCCESS) abort(); }\n"
                           : "take(" + Cq + ");\n";
  return Out;
}

std::string pollHelper(const Style &S, bool Shared) {
  std::string Static = Shared ? "" : "static ";
  std::string_view Way = S[Aspect::Polls];
  std::string Take = Static + "void take(struct ibv_cq *cq) {\n";
  if (Way == "while")
    return Take + "struct ibv_wc wc; int n;\nwhile ((n = ibv_poll_cq(cq, 1, &wc)) == 0)\n;\nif (n < 0) "
                  "abort();\n}\n";
  if (Way == "do")
    return Take + "struct ibv_wc wc; int n;\ndo n = ibv_poll_cq(cq, 1, &wc); while (n == 0);\n"
                  "if (n < 0 || wc.status != IBV_WC_SUCCESS) abort();\n}\n";
  if (Way == "for")
    return Take + "struct ibv_wc wc[1];\nfor (;;) {\nint n = ibv_poll_cq(cq, 1, wc);\nif (n < 0) abort();\n"
                  "if (n > 0) break;\n}\n}\n";
  if (Way == "try")
    return "static int try_one(struct ibv_cq *cq, struct ibv_wc *wc) {\nint n = ibv_poll_cq(cq, 1, wc);\n"
           "if (n < 0) abort();\nreturn n == 1;\n}\n" +
           Take + "struct ibv_wc wc;\nwhile (!try_one(cq, &wc))\nsched_yield();\n}\n";
  if (Way == "drain")
    return Static +
           "void drain(struct ibv_cq *cq, int left) {\nstruct ibv_wc wc[4];\nwhile (left > 0) {\n"
           "int n = ibv_poll_cq(cq, left < 4 ? left : 4, wc);\nif (n < 0) abort();\nleft -= n;\n}\n}\n";
  return "";
}

std::string pollDeclaration(const Style &S) {
  return S[Aspect::Polls] == "drain"    ? "void drain(struct ibv_cq *cq, int left);\n"
         : S[Aspect::Polls] == "inline" ? ""
                                        : "void take(struct ibv_cq *cq);\n";
}

} // namespace rdma::test
