// What a program of loops calls its integers, slots and connections, and how they are declared.
#pragma once

#include "LoopProgram.h"
#include "PostText.h"

namespace rdma::test {

class LoopNames {
protected:
  LoopNames(const LoopProgram &P, const Style &S);

  bool isObject() const { return S[Aspect::Counters] == "object"; }
  bool inState() const { return S[Aspect::Counters] == "struct" || S[Aspect::Counters] == "static struct"; }
  bool fromCommandLine() const { return S[Aspect::Bounds] == "command line"; }
  bool isConstant() const { return S[Aspect::Bounds] == "constant"; }
  bool many() const { return P.Connections > 1; }
  bool isLocal(unsigned V) const {
    return V == P.Rounds || P.Variables[V].Counts || S[Aspect::Counters] == "locals";
  }
  std::string type() const { return std::string(S[Aspect::Integers]); }
  std::string structure(const std::string &Name) const { return (S.cpp() ? "" : "struct ") + Name; }

  std::string text(const LoopExpr &E) const;
  std::string slot(unsigned B, const LoopExpr &Index) const;
  std::string word(unsigned B, const LoopExpr &Index) const; ///< the first of the slot
  std::string end(const LoopExpr &Index) const;
  std::string access(const LoopExpr &Index) const; ///< the end with what comes before a member
  std::string queue(const LoopExpr &Index) const;

  /// The buffers have to be handed on.
  bool localBuffers() const { return S[Aspect::Buffers] != "static"; }
  std::string bufferParameter(unsigned B) const;
  std::string givenBuffer(unsigned B) const; ///< as a parameter of the entry: no other leads there
  /// What hands the connections on: type and name, each.
  std::vector<std::string> endParameters() const;

  std::string types() const;
  std::string variables(const std::string &Before) const; ///< all but those of the loops and the rounds
  std::string globals() const;
  std::string stateLocals() const;
  std::string bufferLocals() const;
  std::string buffersFreed() const;
  static std::string inbox(unsigned Connection); ///< where it leads
  std::string topology() const;

  const LoopProgram &P;
  const Style &S;
  PostText Post;
  std::vector<std::string> Names; ///< of the variables, where text is written just now
  std::string Completion;         ///< the one at hand; empty: none

private:
  std::string item() const;
};

} // namespace rdma::test
