#include "ir/LitmusParser.h"
#include "ir/ThreadBuilder.h"

#include <algorithm>

namespace rdma::litmus {

using enum OperationKind;

void StatementParser::parseThreadBody(Thread &T, ThreadIndex Index) {
  ThreadBuilder B(T);
  Builder = &B;
  Current = Index;
  // The parser asks for the thread's node while the thread is not yet in the program.
  Test.Code.Threads.push_back(Thread{.Name = T.Name, .Home = T.Home});
  parseBlock();
  Test.Code.Threads.pop_back();
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
  if (peek(1).Text == ":=")
    parseAssignment();
  else if (accept("mfence"))
    emit({.Kind = MemoryFence}, At);
  else if (accept("assume"))
    parseAssume();
  else if (accept("put"))
    parsePut();
  else if (accept("get"))
    parseGet();
  else if (accept("rcas"))
    parseAtomic(RemoteCas);
  else if (accept("rfaa"))
    parseAtomic(RemoteFaa);
  else if (accept("gfence"))
    parseGlobalFence();
  else if (accept("rfence") || accept("poll")) {
    expect("(");
    QueuePairId Pair = pairTowards(takeNode());
    Operation Op{.Kind = At.Text == "poll" ? Poll : RemoteFence, .Pair = Pair};
    Op.Queue = Test.Code.QueuePairs[Pair].Queue;
    emit(Op, At);
    expect(")");
  } else if (accept("wait")) {
    expect("(");
    emit({.Kind = Wait, .Id = workId(takeName("a work identifier").Text)}, At);
    expect(")");
  } else
    fail(At, "expected a statement, found '" + At.Text + "'");
  expect(";");
}

void StatementParser::parseAssignment() {
  const Token At = peek();
  Access Result = takeOwn();
  expect(":=");
  if (!(at("cas") && peek(1).Text == "(")) {
    Expression Value = parseExpression();
    return emit({.Kind = Store, .Local = Result, .Value = std::move(Value), .Desired = {}}, At);
  }
  take();
  expect("(");
  Operation Op{.Kind = LocalCas, .Local = takeOwn(), .Result = Result};
  expect(",");
  Op.Value = parseExpression();
  expect(",");
  Op.Desired = parseExpression();
  expect(")");
  emit(std::move(Op), At);
}

void StatementParser::parseAssume() {
  const Token At = Tokens[Next - 1];
  expect("(");
  Operation Op{.Kind = Assume, .Local = takeOwn()};
  Op.Negated = accept("!=");
  if (!Op.Negated)
    expect("==");
  Op.Constant = takeInteger();
  expect(")");
  emit(std::move(Op), At);
}

void StatementParser::parsePut() {
  const Token At = Tokens[Next - 1];
  Operation Op = remote(Put, takeLocation());
  expect("<-");
  if (peek().What == Token::Kind::Name) {
    Op.Local = takeOwn();
  } else {
    std::int64_t Value = takeInteger();
    Op.Local = freshObject(Test.Code.Threads[Current].Home, Value, "constant");
  }
  parseSuffix(Op);
  emit(std::move(Op), At);
}

void StatementParser::parseGet() {
  const Token At = Tokens[Next - 1];
  Access Local = takeOwn();
  expect("<-");
  Operation Op = remote(Get, takeLocation());
  Op.Local = Local;
  parseSuffix(Op);
  emit(std::move(Op), At);
}

void StatementParser::parseAtomic(OperationKind Kind) {
  const Token At = Tokens[Next - 1];
  Access Local = takeOwn();
  expect("<-");
  Operation Op = remote(Kind, takeLocation());
  Op.Local = Local;
  expect("(");
  Op.Value = parseExpression();
  if (Kind == RemoteCas) {
    expect(",");
    Op.Desired = parseExpression();
  }
  expect(")");
  parseSuffix(Op);
  emit(std::move(Op), At);
}

void StatementParser::parseGlobalFence() {
  const Token At = Tokens[Next - 1];
  WorkId Id = workId("gfence" + std::to_string(At.Line) + "_" + std::to_string(At.Column));
  expect("(");
  do {
    NodeId Target = takeNode();
    Access There = freshObject(Target, 0, "fence");
    Operation Op = remote(Get, There.Target);
    Op.Local = freshObject(Test.Code.Threads[Current].Home, 0, "fenced");
    Op.Id = Id;
    emit(std::move(Op), At);
  } while (accept(","));
  expect(")");
  emit({.Kind = Wait, .Id = Id}, At);
}

Operation StatementParser::remote(OperationKind Kind, ObjectId Target) {
  return {.Kind = Kind, .Remote = {Target}, .Pair = pairTowards(Test.Code.Objects[Target].Home)};
}

void StatementParser::parseSuffix(Operation &Op) {
  if (accept("#"))
    Op.Id = workId(takeName("a work identifier").Text);
  while (peek().What == Token::Kind::Name) {
    if (accept("unsignaled"))
      Op.Unsignaled = true;
    else if (accept("fenced"))
      Op.Fenced = true;
    else if (Op.Kind == Put && accept("inline"))
      Op.Inline = true;
    else
      fail(peek(), "expected ';' or a flag, found '" + peek().Text + "'");
  }
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
  ObjectId O = takeLocation();
  if (Test.Code.Objects[O].Home != Test.Code.Threads[Current].Home)
    fail(At, "'" + At.Text + "' is not on the thread's own node");
  return {O};
}

Access StatementParser::freshObject(NodeId Home, std::int64_t Initial, const std::string &Name) {
  auto &Objects = Test.Code.Objects;
  Objects.push_back(
      {.Name = Name + std::to_string(Objects.size()), .Home = Home, .Initial = Initial, .Fresh = true});
  return {static_cast<ObjectId>(Objects.size() - 1)};
}

QueuePairId StatementParser::pairTowards(NodeId Target) {
  auto &Pairs = Test.Code.QueuePairs;
  auto Found = std::find_if(Pairs.begin(), Pairs.end(),
                            [&](const QueuePair &Q) { return Q.Owner == Current && Q.Target == Target; });
  if (Found != Pairs.end())
    return Found - Pairs.begin();
  QueuePairId Id = Pairs.size();
  Pairs.push_back({Current, Target, {}, Id}); // each queue pair has a completion queue of its own
  return Id;
}

WorkId StatementParser::workId(const std::string &Name) {
  // Identifiers are local to their thread.
  std::string Full = Test.Code.Threads[Current].Name + ":" + Name;
  auto &Ids = Test.Code.WorkIds;
  auto Found = std::find(Ids.begin(), Ids.end(), Full);
  if (Found == Ids.end())
    Found = Ids.insert(Ids.end(), Full);
  return Found - Ids.begin();
}

void StatementParser::emit(Operation Op, const Token &At) {
  Builder->add(std::move(Op), Site{{placeOf(At)}});
}

} // namespace rdma::litmus
