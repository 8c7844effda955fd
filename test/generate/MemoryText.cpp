#include "MemoryText.h"

namespace rdma::test {

unsigned MemoryText::indexOf(ObjectId O) const {
  unsigned Index = 0;
  for (ObjectId Before = 0; Before < O; ++Before)
    Index += located(Before);
  return Index;
}

std::string MemoryText::type() const {
  std::string_view Access = S[Aspect::Access];
  if (Access == "volatile")
    return "volatile uint64_t";
  if (Access == "atomic")
    return S.cpp() ? "std::atomic<uint64_t>" : "_Atomic uint64_t";
  return "uint64_t";
}

std::string MemoryText::pointer() const {
  bool InContext = S[Aspect::Ends] == "members" || S[Aspect::Ends] == "array";
  return InContext ? "ctx->mem" : "mem";
}

std::string MemoryText::place(ObjectId O) const {
  const std::string &Name = P.Objects[O].Name;
  std::string_view Memory = S[Aspect::Memory];
  if (Memory == "globals")
    return Name;
  if (Memory == "struct")
    return "memory." + Name;
  if (Memory == "pointer")
    return pointer() + "->" + Name;
  return "cells[" + std::to_string(indexOf(O)) + "]";
}

std::string MemoryText::read(ObjectId O) const {
  std::string_view Access = S[Aspect::Access];
  std::string Place = place(O);
  if (Access == "builtin")
    return "__atomic_load_n(&" + Place + ", __ATOMIC_RELAXED)";
  if (Access == "atomic")
    return S.cpp() ? Place + ".load(std::memory_order_relaxed)"
                   : "atomic_load_explicit(&" + Place + ", memory_order_acquire)";
  return Access == "helper" ? "cpu_read(&" + Place + ")" : Place;
}

std::string MemoryText::write(ObjectId O, const std::string &Value) const {
  std::string_view Access = S[Aspect::Access];
  std::string Place = place(O);
  if (Access == "builtin")
    return "__atomic_store_n(&" + Place + ", " + Value + ", __ATOMIC_RELEASE);";
  if (Access == "atomic")
    return S.cpp() ? Place + ".store(" + Value + ", std::memory_order_release);"
                   : "atomic_store_explicit(&" + Place + ", " + Value + ", memory_order_relaxed);";
  return Access == "helper" ? "cpu_write(&" + Place + ", " + Value + ");" : Place + " = " + Value + ";";
}

std::string MemoryText::swap(ObjectId Word, const std::string &Expected, const std::string &Desired,
                             ObjectId Result) const {
  std::string_view Access = S[Aspect::Access];
  std::string Seen = "{ uint64_t seen = " + Expected + "; ";
  if (Access == "atomic" && S.cpp())
    Seen += place(Word) + ".compare_exchange_strong(seen, " + Desired + "); ";
  else if (Access == "atomic")
    Seen += "atomic_compare_exchange_strong(&" + place(Word) + ", &seen, " + Desired + "); ";
  else if (Access == "builtin" || Access == "helper")
    Seen += "__atomic_compare_exchange_n(&" + place(Word) + ", &seen, " + Desired +
            ", 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); ";
  else
    Seen += "seen = __sync_val_compare_and_swap(&" + place(Word) + ", seen, " + Desired + "); ";
  return Seen + write(Result, "seen") + " }";
}

std::string MemoryText::remote(const std::string &End, ObjectId O) const {
  std::string_view Memory = S[Aspect::Memory];
  if (Memory == "globals")
    return End + "at_" + P.Objects[O].Name;
  if (Memory == "struct" || Memory == "pointer")
    return End + "base + offsetof(struct memory, " + P.Objects[O].Name + ")";
  return End + "base + " + std::to_string(8 * indexOf(O));
}

std::string MemoryText::addressMembers() const {
  if (S[Aspect::Memory] != "globals")
    return "  uint64_t base;\n";
  std::string Out;
  for (ObjectId O = 0; O < P.Objects.size(); ++O)
    if (located(O))
      Out += "  uint64_t at_" + P.Objects[O].Name + ";\n";
  return Out;
}

std::vector<std::pair<std::string, std::string>> MemoryText::regions(NodeId Target) const {
  std::string Node = "n" + P.Nodes[Target].Name + ":";
  std::string_view Memory = S[Aspect::Memory];
  if (Memory == "globals") {
    std::vector<std::pair<std::string, std::string>> All;
    for (ObjectId O = 0; O < P.Objects.size(); ++O)
      if (located(O) && P.Objects[O].Home == Target)
        All.push_back({"at_" + P.Objects[O].Name, Node + P.Objects[O].Name});
    return All;
  }
  return {{"base", Node + (Memory == "struct" ? "memory" : Memory == "pointer" ? pointer() : "cells")}};
}

std::string MemoryText::types() const {
  std::string Out;
  if (S[Aspect::Access] == "helper")
    Out +=
        "static inline uint64_t cpu_read(const uint64_t *from) { return *(const volatile uint64_t *)from; }\n"
        "static inline void cpu_write(uint64_t *to, uint64_t value) { *(volatile uint64_t *)to = value; }\n";
  std::string_view Memory = S[Aspect::Memory];
  if (Memory != "struct" && Memory != "pointer")
    return Out;
  Out += "struct memory {\n";
  for (ObjectId O = 0; O < P.Objects.size(); ++O)
    if (located(O))
      Out += "  " + type() + " " + P.Objects[O].Name + ";\n";
  return Out + "};\n";
}

std::string MemoryText::definitions(bool OtherFile) const {
  std::string_view Memory = S[Aspect::Memory];
  std::string Extern = OtherFile ? "extern " : "", Out;
  if (Memory == "struct")
    return Extern + "struct memory memory;\n";
  std::string Count = std::to_string(indexOf(P.Objects.size()));
  if (Memory == "array")
    return Extern + type() + " cells[" + Count + "];\n";
  if (Memory == "std::array")
    return Extern + "std::array<" + type() + ", " + Count + "> cells;\n";
  for (ObjectId O = 0; Memory == "globals" && O < P.Objects.size(); ++O)
    if (located(O))
      Out += Extern + type() + " " + P.Objects[O].Name + ";\n";
  return Out;
}

} // namespace rdma::test
