// The insides of the editor, for its files: SourceEditor.cpp and Waits.cpp.
#pragma once

#include "rewriter/source/Batches.h"
#include "rewriter/source/Bodies.h"
#include "rewriter/source/GoAhead.h"
#include "rewriter/source/Hazards.h"
#include "rewriter/source/Lifetime.h"
#include "rewriter/source/Named.h"
#include "rewriter/source/SourceEditor.h"
#include "rewriter/source/SourceFiles.h"
#include "rewriter/source/Syntax.h"

namespace rdma {

struct SourceEditor::Implementation {
  explicit Implementation(const ExtractionOptions &Options)
      : Files(Options), Given(Files), Building(Files, Given), Telling(Files, Given) {}

  using File = source::EditedFile;

  source::SourceFiles Files;
  source::Bodies Given;
  std::optional<Hazards> Found;       ///< of all sources
  std::optional<std::uint64_t> Limit; ///< of what a request may take along
  bool CallsHeader = false, Dry = false;
  const Program *Of = nullptr; ///< whose lifetimes are known
  std::optional<Lifetimes> Alive;
  std::map<std::string, std::vector<unsigned>> Rounds; ///< by the places of a pair
  source::Batches Building;
  source::GoAheads Telling;
  std::vector<std::vector<Place>> Posts;               ///< through which calls what is being added posts
  bool ForMessages = false;                            ///< what is being added waits for messages
  source::GoAheads::Posting Posting;                   ///< of the program that it is added to
  std::string InTheWay;                                ///< why it must not stand where it was tried
  std::pair<const clang::Stmt *, std::string> MovedUp; ///< the own polls, and before what

  bool put(File &F, const source::Slot &At, const std::string &Text, bool Behind);
  bool addBefore(const Place &Where, const source::Named &What, const std::string &Text);
  bool addBeforeLoop(const Place &In, const Place &NotIn, const source::Named &What, const std::string &Text);
  bool addBeforeInner(const Program &P, const PlannedEdit &Edit, const Place &In, const source::Named &What,
                      const std::string &Text);
  bool addAfter(const Place &Where, const source::Named &What, const std::string &Text);
  void addOnFailure(const Place &Post, const source::Named &What, const std::string &Text);
  std::optional<source::Slot> slotFor(const Place &Where, const source::Named &What,
                                      const Place *BeforeLoopFrom = nullptr);
  bool addFlag(const Thread &T, StatementId Request, unsigned Level, const std::string &Flag,
               std::string &Why);
  const clang::Expr *handedFlags(const std::vector<Place> &Chain, unsigned Level);
  bool addBuilderFlag(const Place &Post, const clang::CallExpr &Begin, const std::string &Flag);
  bool addFences(const Thread &T, const PlannedEdit &Edit, std::string &Why);
  bool addInline(const Program &P, const Thread &T, StatementId Request, std::string &Why);
  std::vector<const source::Syntax *> trees();
  bool addMemoryFence(const Program &P, const PlannedEdit &Edit, std::string &Why);
  bool addWait(const Program &P, const PlannedEdit &Edit, std::string &Why);
  bool awaitsMessages(const Program &P, const PlannedEdit &Edit);
  bool movePolls(const Program &P, const PlannedEdit &Edit, std::string &Why);
  const Hazards &hazards();
  bool mayEndPairs(const Statement &S);
  bool isFromOutside(const clang::VarDecl *V, const std::vector<Place> &Chain);
  bool isAlive(const Program &P, const PlannedEdit &Edit, const source::Named &Pair);
  bool endsBehind(const Program &P, const PlannedEdit &Edit, const Place &Call, const source::Named &Pair);
  const clang::VarDecl *knownAs(const clang::VarDecl *Known, const std::vector<Place> &Chain,
                                std::size_t Level);
  std::optional<source::Named> nameInTopology(const Program &P, const PlannedEdit &Edit, const Place &Earlier,
                                              const Place &Later);
  bool inOneStatement(const Program &P, const PlannedEdit &Edit, const Place &Earlier, const Place &Later);
  bool addWaitFor(const Program &P, const PlannedEdit &Edit, std::optional<source::Named> Pair,
                  std::string &Why);
  bool addWaitInMember(const Program &P, const PlannedEdit &Edit, std::string &Why);
  std::optional<std::string> keptPair(const std::vector<Place> &Chain, const Place &Where,
                                      const source::Named &Pair);
  std::string waitFor(const PlannedEdit &Edit, const std::string &Pair);
};

} // namespace rdma
