#include "ir/LitmusParser.h"
#include "ir/ThreadBuilder.h"

#include <algorithm>
#include <set>
#include <utility>

namespace rdma::litmus {

using enum OperationKind;

void StatementParser::parseThreadBody(Thread &T, ThreadIndex Index) {
  ThreadBuilder B(T);
  Builder = &B;
  Current = Index;
  Pairs.clear();
  Unnamed.clear();
  // The parser asks for the thread's node while the thread is not yet in the program.
  Test.Code.Threads.push_back(Thread{.Name = T.Name, .Home = T.Home});
  Body = &T;
  parseBlock();
  Test.Code.Threads.pop_back();
  markCounted(T);
}

/// Whose completions are for polls all the same is said where the request stands, and holds for the waits.
void StatementParser::markCounted(Thread &T) {
  std::set<WorkId> Counted;
  for (const Statement &S : T.Statements)
    if (S.Op.Counted)
      Counted.insert(S.Op.Id);
  for (Statement &S : T.Statements) {
    if (isRequest(S.Op.Kind) && !S.Op.Counted && Counted.contains(S.Op.Id))
      throw InputError(S.Where.Chain.front(), "'" + Test.Code.WorkIds[S.Op.Id].substr(T.Name.size() + 1) +
                                                  "' marks requests that are counted and others");
    S.Op.Counted = S.Op.Counted || (S.Op.Kind == Wait && Counted.contains(S.Op.Id));
    if (S.Op.Kind == Wait && S.Op.Constant)
      checkLast(T, S);
  }
}

/// Which of its requests are the last ones is known along one queue pair, and of completions that are its
/// own.
void StatementParser::checkLast(const Thread &T, const Statement &Waiting) const {
  QueuePairId Pair = None;
  for (const Statement &S : T.Statements) {
    if (!isRequest(S.Op.Kind) || S.Op.Id != Waiting.Op.Id)
      continue;
    if (S.Op.Counted || (Pair != None && Pair != S.Op.Pair))
      throw InputError(Waiting.Where.Chain.front(),
                       "'" + Test.Code.WorkIds[S.Op.Id].substr(T.Name.size() + 1) +
                           (S.Op.Counted
                                ? "' marks requests that are counted: none of them may stay out"
                                : "' marks requests of several queue pairs: none of them may stay out"));
    Pair = S.Op.Pair;
  }
}

void StatementParser::parseBlock() {
  enter();
  expect("{");
  while (!accept("}")) {
    if (peek().What == Token::Kind::End)
      fail(peek(), "expected '}', found 'end of file'");
    parseStatement();
  }
  leave();
}

void StatementParser::parseChoice() {
  Builder->beginChoice();
  parseBlock();
  while (accept("or")) {
    Builder->otherwise();
    parseBlock();
  }
  Builder->endChoice();
}

void StatementParser::parseStatement() {
  const Token At = peek();
  if (accept("choose"))
    return parseChoice();
  if (accept("loop")) {
    Builder->beginLoop();
    parseBlock();
    return Builder->endLoop();
  }
  if (at("shown") && peek(1).Text == "(")
    return parseShown();
  parseAt();
  parseClear();
  parseOneOf();
  parseUnshown();
  if (peek(1).Text == ":=")
    parseAssignment();
  else if (accept("pair"))
    parsePair();
  else if (accept("mfence"))
    emit({.Kind = MemoryFence}, At);
  else if (accept("dereg"))
    emit({.Kind = Store, .Local = takeOwn(), .Deregisters = true}, At);
  else if (accept("assume"))
    parseAssume(false);
  else if (accept("await"))
    parseAssume(true);
  else if (accept("put"))
    parsePut();
  else if (accept("get"))
    parseGet(false);
  else if (accept("receive"))
    parseGet(true);
  else if (accept("rcas"))
    parseAtomic(RemoteCas);
  else if (accept("rfaa"))
    parseAtomic(RemoteFaa);
  else if (accept("gfence"))
    parseGlobalFence();
  else if (accept("rfence")) {
    expect("(");
    Operation Op{.Kind = RemoteFence, .Pair = takePair()};
    Op.Queue = Test.Code.QueuePairs[Op.Pair].Queue;
    emit(Op, At);
    expect(")");
  } else if (accept("poll")) {
    expect("(");
    Operation Op{.Kind = Poll};
    Op.Queue = takePolled(Op.Pair);
    emit(Op, At);
    expect(")");
  } else if (accept("wait")) {
    expect("(");
    Operation Op{.Kind = Wait, .Id = workId(takeName("a work identifier").Text)};
    if (accept(","))
      Op.Constant = takeNumber("how many may be out").Value;
    emit(Op, At);
    expect(")");
  } else if (accept("lost")) {
    expect("(");
    LostFactId Fact = takeFact();
    expect(")");
    emit({}, At);
    Body->Statements.back().Lost = Fact;
  } else
    fail(At, "expected a statement, found '" + At.Text + "'");
  expect(";");
}

/// A number for the statement behind it.
void StatementParser::parseAt() {
  if (!at("at") || peek(1).Text != "(")
    return;
  take();
  expect("(");
  Source = takeNumber("a number for the statement").Value;
  expect(")");
}

/// A request and an access, by their numbers.
void StatementParser::parseShown() {
  take();
  expect("(");
  SeenOpen Pair{Current, static_cast<unsigned>(takeNumber("a request's number").Value), None};
  expect(",");
  Pair.Access = takeNumber("an access's number").Value;
  expect(")");
  expect(";");
  auto &All = Test.Code.ShownOpen;
  All.insert(std::upper_bound(All.begin(), All.end(), Pair), Pair);
}

void StatementParser::parseLost() {
  if (accept("lost"))
    Body->Statements.back().Lost = takeFact();
}

void StatementParser::parseOutcome(Operation &Op) {
  if (accept("succeeds"))
    Op.Success = Operation::Outcome::Succeeds;
  else if (accept("fails"))
    Op.Success = Operation::Outcome::Fails;
}

/// What is known of the statement behind it.
void StatementParser::parseClear() {
  if (!at("clear") || peek(1).Text != "(")
    return;
  take();
  expect("(");
  do
    Clear.push_back(workId(takeName("a work identifier").Text));
  while (accept(","));
  expect(")");
  for (const char *Other : {"pair", "choose", "loop", "gfence", "clear", "lost"})
    if (at(Other) && peek(1).Text != ":=")
      fail(peek(), "expected one operation behind 'clear'");
}

/// By which pointer the statement chooses the memory that it uses, of those that have its number.
void StatementParser::parseOneOf() {
  if (!at("one") || peek(1).Text != "(")
    return;
  if (Source == None)
    fail(peek(), "expected 'at' before 'one'");
  take();
  expect("(");
  OneOf = takeNumber("a number for the pointer").Value;
  expect(")");
}

void StatementParser::parseUnshown() {
  Unshown = at("unshown") && peek(1).Text != ":=";
  if (!Unshown)
    return;
  take();
  if (peek(1).Text != ":=")
    fail(peek(), "expected an assignment behind 'unshown'");
}

/// A declaration: no statement comes of it.
void StatementParser::parsePair() {
  Token Name = takeName("a queue pair's name");
  if (Pairs.contains(Name.Text))
    fail(Name, "queue pair '" + Name.Text + "' is declared twice");
  expect("->");
  QueuePair &Pair = Test.Code.QueuePairs[pairNamed(Name, takeNode())];
  if (accept("queue"))
    parseQueueOf(Pair);
  if (accept("shared"))
    Pair.Shared = takeNumber("the number that this queue pair has in all threads").Value;
}

/// Where its completions arrive.
void StatementParser::parseQueueOf(QueuePair &Pair) {
  Token Queue = takeName("a completion queue's name or 'unknown'");
  auto Found = Queues.find(Queue.Text);
  if (Queue.Text != "unknown" && Found == Queues.end())
    fail(Queue, "no completion queue '" + Queue.Text + "'; declare it outside the threads: queue " +
                    Queue.Text + ";");
  Pair.Queue = Found == Queues.end() ? None : Found->second;
  if (Pair.Queue == None && accept("lost"))
    Pair.NoQueue = takeFact();
}

void StatementParser::parseAssignment() {
  const Token At = peek();
  Access Result = takeOwn();
  expect(":=");
  if (!(at("cas") && peek(1).Text == "(")) {
    emit({.Kind = Store, .Local = Result, .Value = parseValue(), .Desired = {}}, At);
    return parseLost();
  }
  take();
  expect("(");
  Operation Op{.Kind = LocalCas, .Local = takeOwn(), .Result = Result};
  expect(",");
  Op.Value = parseValue();
  expect(",");
  Op.Desired = parseValue();
  expect(")");
  parseOutcome(Op);
  emit(std::move(Op), At);
}

void StatementParser::parseAssume(bool Awaits) {
  const Token At = Tokens[Next - 1];
  expect("(");
  Operation Op{.Kind = Assume, .Local = takeOwn(), .Awaits = Awaits};
  if (!Awaits && accept("renewed"))
    return parseRenewed(Op.Local, At);
  Op.Negated = accept("!=");
  if (!Op.Negated)
    expect("==");
  Op.Constant = takeInteger();
  expect(")");
  emit(std::move(Op), At);
}

/// Goes on with another number each time, and the first time with this one.
void StatementParser::parseRenewed(const Access &Word, const Token &At) {
  Operation Op{.Kind = Load, .Local = Word};
  Op.Renewed = takeNumber("a number for what is read").Value;
  if (accept(","))
    Op.RenewedFrom = takeInteger();
  expect(")");
  emit(std::move(Op), At);
  parseLost();
}

void StatementParser::parsePut() {
  const Token At = Tokens[Next - 1];
  Operation Op{.Kind = Put, .Remote = takeLocation()};
  expect("<-");
  if (peek().What == Token::Kind::Name) {
    Op.Local = takeOwn();
  } else {
    std::int64_t Value = takeInteger();
    Op.Local = freshObject(Test.Code.Threads[Current].Home, Value, "constant");
  }
  parseSuffix(Op);
  emit(std::move(Op), At);
  parseLost();
}

void StatementParser::parseGet(bool Receives) {
  const Token At = Tokens[Next - 1];
  Access Local = takeOwn();
  expect("<-");
  Operation Op{.Kind = Get, .Local = Local, .Remote = takeLocation(), .Receives = Receives};
  parseSuffix(Op);
  emit(std::move(Op), At);
  parseLost();
}

void StatementParser::parseAtomic(OperationKind Kind) {
  const Token At = Tokens[Next - 1];
  Access Local = takeOwn();
  expect("<-");
  Operation Op{.Kind = Kind, .Local = Local, .Remote = takeLocation()};
  expect("(");
  Op.Value = parseValue();
  if (Kind == RemoteCas) {
    expect(",");
    Op.Desired = parseValue();
  }
  expect(")");
  parseSuffix(Op);
  emit(std::move(Op), At);
  parseLost();
}

void StatementParser::parseGlobalFence() {
  const Token At = Tokens[Next - 1];
  WorkId Id = workId("gfence" + std::to_string(At.Line) + "_" + std::to_string(At.Column));
  expect("(");
  do {
    Operation Op{.Kind = Get, .Pair = takePair(), .Id = Id};
    Op.Remote = freshObject(Test.Code.QueuePairs[Op.Pair].Target, 0, "fence");
    Op.Local = freshObject(Test.Code.Threads[Current].Home, 0, "fenced");
    emit(std::move(Op), At);
  } while (accept(","));
  expect(")");
  emit({.Kind = Wait, .Id = Id}, At);
}

/// Which bytes it is for is not known.
void StatementParser::parseSomewhere(Operation &Op) {
  Op.RemoteAt = takeNumber("a number for the bytes").Value;
  Op.RemoteMoves = accept("moves");
}

void StatementParser::parseSuffix(Operation &Op) {
  NodeId Target = Test.Code.Objects[Op.Remote.Target].Home;
  Op.Pair = accept("via") ? pairNamed(takeName("a queue pair's name"), Target) : pairTowards(Target);
  if (accept("#"))
    Op.Id = workId(takeName("a work identifier").Text);
  while (peek().What == Token::Kind::Name && !at("lost")) {
    if (accept("unsignaled"))
      Op.Unsignaled = true;
    else if (accept("fenced"))
      Op.Fenced = true;
    else if (accept("somewhere"))
      parseSomewhere(Op);
    else if (Op.Kind == Put && accept("inline"))
      Op.Inline = true;
    else if (Op.Kind == Put && accept("heard"))
      Op.Heard = workId(takeName("a work identifier").Text);
    else if (Op.Id != None && accept("counted"))
      Op.Counted = true;
    else if (Op.Kind == RemoteCas && (at("succeeds") || at("fails")))
      parseOutcome(Op);
    else
      fail(peek(), "expected ';' or a flag, found '" + peek().Text + "'");
  }
}

std::optional<Expression> StatementParser::parseValue() {
  if (!Locations.contains("unknown") && accept("unknown"))
    return std::nullopt;
  return parseExpression();
}

Expression StatementParser::parseExpression() {
  Expression Sum;
  int Sign = accept("-") ? -1 : 1;
  while (true) {
    Term T{.Sign = Sign};
    T.IsConstant = peek().What == Token::Kind::Number;
    if (T.IsConstant)
      T.Constant = take().Value;
    else
      T.Location = takeOwn();
    Sum.push_back(T);
    if (!at("+") && !at("-"))
      return Sum;
    Sign = take().Text == "+" ? 1 : -1;
  }
}

Access StatementParser::takeOwn() {
  const Token At = peek();
  Access Own = takeLocation();
  if (Test.Code.Objects[Own.Target].Home != Test.Code.Threads[Current].Home)
    fail(At, "'" + At.Text + "' is not on the thread's own node");
  return Own;
}

Access StatementParser::freshObject(NodeId Home, std::int64_t Initial, const std::string &Name) {
  auto &Objects = Test.Code.Objects;
  Objects.push_back(
      {.Name = Name + std::to_string(Objects.size()), .Home = Home, .Initial = Initial, .Fresh = true});
  return {static_cast<ObjectId>(Objects.size() - 1)};
}

QueuePairId StatementParser::pairTowards(NodeId Target) {
  auto &All = Test.Code.QueuePairs;
  auto [Found, New] = Unnamed.try_emplace(Target, All.size());
  if (New)
    All.push_back({Current, Target, {}, NextQueue++}); // each has a completion queue of its own
  return Found->second;
}

/// A name stands for one queue pair of the thread; its first request says where it leads.
QueuePairId StatementParser::pairNamed(const Token &Name, std::optional<NodeId> Target) {
  auto &All = Test.Code.QueuePairs;
  auto Found = Pairs.find(Name.Text);
  if (Found == Pairs.end()) {
    if (Queues.contains(Name.Text))
      fail(Name, "'" + Name.Text + "' is a completion queue");
    if (!Target)
      fail(Name, "no queue pair '" + Name.Text + "' yet; declare it: pair " + Name.Text + " -> NODE;");
    All.push_back({Current, *Target, Name.Text, NextQueue++});
    Found = Pairs.emplace(Name.Text, All.size() - 1).first;
  }
  if (NodeId Leads = All[Found->second].Target; Target && Leads != *Target)
    fail(Name, "queue pair '" + Name.Text + "' leads to node " + Test.Code.Nodes[Leads].Name);
  return Found->second;
}

QueuePairId StatementParser::takePair() {
  if (peek().What == Token::Kind::Name)
    return pairNamed(take(), std::nullopt);
  return pairTowards(takeNode());
}

/// What a poll names: a queue pair, for its completion queue, or a completion queue.
CompletionQueueId StatementParser::takePolled(QueuePairId &Pair) {
  const Token At = peek();
  if (!Pairs.contains("unknown") && accept("unknown"))
    return None;
  if (auto Found = Queues.find(At.Text); At.What == Token::Kind::Name && Found != Queues.end())
    return take(), Found->second;
  Pair = takePair();
  CompletionQueueId Queue = Test.Code.QueuePairs[Pair].Queue;
  if (Queue == None)
    fail(At, "the completion queue of '" + At.Text + "' is not known");
  return Queue;
}

WorkId StatementParser::workId(const std::string &Name) {
  // Identifiers are local to their thread.
  std::string Full = Test.Code.Threads[Current].Name + ":" + Name;
  auto [Found, New] = Ids.try_emplace(Full, Test.Code.WorkIds.size());
  if (New)
    Test.Code.WorkIds.push_back(Full);
  return Found->second;
}

void StatementParser::emit(Operation Op, const Token &At) {
  Op.Unshown = std::exchange(Unshown, false);
  Op.OneOf = std::exchange(OneOf, None);
  StatementId S = Builder->add(std::move(Op), Site{{placeOf(At)}});
  Body->Statements[S].ClearOf = std::exchange(Clear, {});
  Body->Statements[S].Source = std::exchange(Source, None);
}

} // namespace rdma::litmus
