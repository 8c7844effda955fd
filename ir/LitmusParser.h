// Reader of the litmus text: declarations and assertions. Statements have their own class in StatementParser.
// Private to the library; the entry point is parseLitmus in ir/Litmus.h.
#pragma once

#include "ir/LitmusLexer.h"

#include <map>
#include <optional>
#include <unordered_map>

namespace rdma {
class ThreadBuilder;
}

namespace rdma::litmus {

/// What both parsers share: the token stream, the program under construction, the names declared so far.
class ParserBase {
public:
  ParserBase(std::vector<Token> Tokens, const std::string &File, LitmusTest &Test)
      : Tokens(std::move(Tokens)), File(File), Test(Test) {}

protected:
  const Token &peek(unsigned Ahead = 0) const { return Tokens[std::min(Next + Ahead, Tokens.size() - 1)]; }
  bool at(std::string_view Text) const {
    return peek().Text == Text && (peek().What == Token::Kind::Name || peek().What == Token::Kind::Symbol);
  }
  bool accept(std::string_view Text);
  void expect(std::string_view Text);
  Token take() { return Tokens[Next + 1 < Tokens.size() ? Next++ : Next]; }
  Token takeName(std::string_view What);
  Token takeNumber(std::string_view What);
  std::string takeString(std::string_view What);
  Token takePositive(std::string_view What);
  std::int64_t takeInteger();
  [[noreturn]] void fail(const Token &At, const std::string &Message) const;
  Place placeOf(const Token &T) const { return {File, T.Line, T.Column, {}}; }
  NodeId takeNode();
  Access takeLocation();
  LostFactId takeFact();
  // Between these the parser calls itself, and so may readers of what it made: not deeper than a stack is
  // sure to hold.
  void enter();
  void leave() { --Depth; }

  std::vector<Token> Tokens;
  std::size_t Next = 0;
  const std::string &File;
  LitmusTest &Test;
  unsigned Depth = 0;
  std::unordered_map<std::string, NodeId> Nodes; ///< by number
  std::unordered_map<std::string, Access> Locations;
  std::unordered_map<std::string, LostFactId> Facts;
  std::unordered_map<std::string, CompletionQueueId> Queues; ///< those with a name
  CompletionQueueId NextQueue = 0;
};

/// One statement at a time of one thread.
class StatementParser : public ParserBase {
public:
  using ParserBase::ParserBase;

protected:
  void parseThreadBody(Thread &T, ThreadIndex Index);

private:
  void parseBlock();
  void parseStatement();
  void parseClear();
  void parseOneOf();
  void parseUnshown();
  void parseSomewhere(Operation &Op);
  void parseRenewed(const Access &Word, const Token &At);
  void parseAt();
  void parseShown();
  void parseOutcome(Operation &Op);
  std::optional<Expression> parseValue();
  void markCounted(Thread &T);
  void checkLast(const Thread &T, const Statement &Waiting) const;
  void parseChoice();
  void parseAssignment();
  void parsePair();
  void parseQueueOf(QueuePair &Pair);
  // What follows a keyword; the statement's place is the keyword's.
  void parseAssume(bool Awaits);
  void parsePut();
  void parseGet(bool Receives);
  void parseAtomic(OperationKind Kind);
  void parseGlobalFence();
  void parseSuffix(Operation &Op);
  Expression parseExpression();
  Access takeOwn();
  Access freshObject(NodeId Home, std::int64_t Initial, const std::string &Name);
  QueuePairId pairTowards(NodeId Target);
  QueuePairId pairNamed(const Token &Name, std::optional<NodeId> Target);
  QueuePairId takePair();
  CompletionQueueId takePolled(QueuePairId &Pair);
  WorkId workId(const std::string &Name);
  void emit(Operation Op, const Token &At);
  /// What of the statement that was emitted last is not known.
  void parseLost();

  ThreadBuilder *Builder = nullptr;
  Thread *Body = nullptr;
  std::vector<WorkId> Clear; ///< of the statement that comes next
  unsigned Source = None;    ///< of it, too
  unsigned OneOf = None;     ///< and these
  bool Unshown = false;
  ThreadIndex Current = None;
  std::map<std::string, QueuePairId> Pairs;    ///< of the thread, by name
  std::map<NodeId, QueuePairId> Unnamed;       ///< of the thread, by target
  std::unordered_map<std::string, WorkId> Ids; ///< by thread and name
};

class Parser : public StatementParser {
public:
  using StatementParser::StatementParser;
  void run();

private:
  void parseNode();
  void parseLocation(NodeId Home);
  void parsePart(const Token &Name, NodeId Home);
  KinRange takeKin();
  void takeStep(KinRange &Kin);
  KinRange takeHeld();
  void takeBytes(std::int64_t &Begin, std::int64_t &End);
  void parseFact();
  void parseQueues();
  void parseThread();
  void parseOpen();
  void parseRemark();
  void parseAssertion();
  std::string textOf(std::size_t Begin, std::size_t End) const;
  std::vector<Model> parseModels(Assertion::Kind Kind);
  Condition parseOr();
  Condition parseAnd();
  Condition parseComparison();
};

} // namespace rdma::litmus
