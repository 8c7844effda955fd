#include "ir/LitmusParser.h"

#include <algorithm>

namespace rdma::litmus {

void ParserBase::fail(const Token &At, const std::string &Message) const {
  throw InputError(placeOf(At), Message);
}

bool ParserBase::accept(std::string_view Text) {
  if (!at(Text))
    return false;
  take();
  return true;
}

void ParserBase::expect(std::string_view Text) {
  if (!accept(Text))
    fail(peek(), "expected '" + std::string(Text) + "', found '" + peek().Text + "'");
}

Token ParserBase::takeName(std::string_view What) {
  if (peek().What != Token::Kind::Name)
    fail(peek(), "expected " + std::string(What) + ", found '" + peek().Text + "'");
  return take();
}

Token ParserBase::takeNumber(std::string_view What) {
  if (peek().What != Token::Kind::Number)
    fail(peek(), "expected " + std::string(What) + ", found '" + peek().Text + "'");
  return take();
}

Token ParserBase::takePositive(std::string_view What) {
  Token T = takeNumber(What);
  if (T.Value == 0)
    fail(T, std::string(What) + " is positive");
  return T;
}

std::int64_t ParserBase::takeInteger() {
  bool Negative = accept("-");
  std::int64_t Value = takeNumber("an integer").Value;
  return Negative ? -Value : Value;
}

NodeId ParserBase::takeNode() {
  Token T = takeNumber("a node's number");
  auto Found = Nodes.find(T.Text);
  if (Found == Nodes.end())
    fail(T, "no node " + T.Text);
  return Found->second;
}

ObjectId ParserBase::takeLocation() {
  Token T = takeName("a location");
  auto Found = Locations.find(T.Text);
  if (Found == Locations.end())
    fail(T, "no location '" + T.Text + "'");
  return Found->second;
}

void ParserBase::enter() {
  if (++Depth > 1000)
    fail(peek(), "nested too deeply");
}

void Parser::run() {
  expect("litmus");
  if (peek().What != Token::Kind::String)
    fail(peek(), "expected the test's name in quotes, found '" + peek().Text + "'");
  Test.Code.Name = take().Text;
  while (peek().What != Token::Kind::End) {
    if (at("node"))
      parseNode();
    else if (at("queue"))
      parseQueues();
    else if (at("thread"))
      parseThread();
    else if (accept("open"))
      parseOpen();
    else if (accept("remark"))
      parseRemark();
    else
      parseAssertion();
  }
}

void Parser::parseNode() {
  expect("node");
  Token Number = takePositive("a node's number");
  NodeId Home = Test.Code.Nodes.size();
  if (!Nodes.emplace(Number.Text, Home).second)
    fail(Number, "node " + Number.Text + " is declared twice");
  Test.Code.Nodes.push_back({Number.Text, 1});
  expect("{");
  while (!accept("}")) {
    Token Name = takeName("a location or '}'");
    Object O{.Name = Name.Text, .Home = Home};
    if (accept("="))
      O.Initial = takeInteger();
    if (!Locations.emplace(Name.Text, Test.Code.Objects.size()).second)
      fail(Name, "location '" + Name.Text + "' is declared twice");
    Test.Code.Objects.push_back(O);
    expect(";");
  }
}

void Parser::parseQueues() {
  expect("queue");
  do {
    Token Name = takeName("a completion queue's name");
    if (Name.Text == "unknown" || !Queues.emplace(Name.Text, NextQueue++).second)
      fail(Name, Name.Text == "unknown" ? "'unknown' is no name for a completion queue"
                                        : "completion queue '" + Name.Text + "' is declared twice");
  } while (accept(","));
  expect(";");
}

void Parser::parseThread() {
  expect("thread");
  Token Number = takePositive("a thread's number");
  for (const Thread &T : Test.Code.Threads)
    if (T.Name == Number.Text)
      fail(Number, "thread " + Number.Text + " is declared twice");
  expect("@");
  Thread T{.Name = Number.Text, .Home = takeNode()};
  T.Many = accept("many");
  parseThreadBody(T, Test.Code.Threads.size());
  Test.Code.Threads.push_back(std::move(T));
}

/// Any node may access these at any time.
void Parser::parseOpen() {
  Test.Code.OpenWorld = true;
  while (!accept(";")) {
    Test.Code.Objects[takeLocation()].RemoteAccess = true;
    if (!at(";"))
      expect(",");
  }
}

void Parser::parseRemark() {
  const Token Text = take();
  if (Text.What != Token::Kind::String)
    fail(Text, "expected what is not known, in quotes, found '" + Text.Text + "'");
  Test.Code.Remarks.push_back({Site{{placeOf(Text)}}, Text.Text, false});
  expect(";");
}

std::vector<Model> Parser::parseModels(Assertion::Kind Kind) {
  if (!accept("[")) {
    bool Outcome = Kind == Assertion::Kind::Allowed || Kind == Assertion::Kind::Forbidden;
    return Outcome ? std::vector{Model::RdmaSc, Model::RdmaTso} : std::vector{Model::RdmaTso};
  }
  Token First = takeName("a memory model");
  std::string Name = First.Text;
  if (accept("-"))
    Name += "-" + takeName("a memory model").Text;
  std::optional<Model> M = modelNamed(Name);
  if (!M)
    fail(First, "no memory model '" + Name + "'; there are sc, rdma-sc and rdma-tso");
  expect("]");
  return {*M};
}

void Parser::parseAssertion() {
  using Kind = Assertion::Kind;
  std::size_t Begin = Next;
  Token First = takeName("a declaration or an assertion");
  std::string Word = First.Text;
  if (Word == "tree" && accept("-"))
    Word += "-" + takeName("'fenced'").Text;
  const std::pair<std::string_view, Kind> Known[] = {
      {"allowed", Kind::Allowed}, {"forbidden", Kind::Forbidden}, {"robust", Kind::Robust},
      {"ldrf", Kind::Ldrf},       {"fenced", Kind::Fenced},       {"tree-fenced", Kind::TreeFenced}};
  auto Found = std::find_if(std::begin(Known), std::end(Known), [&](auto &K) { return K.first == Word; });
  if (Found == std::end(Known))
    fail(First, "expected a declaration or an assertion, found '" + Word + "'");
  Assertion A{.What = Found->second, .Where = placeOf(First)};
  A.Models = parseModels(A.What);
  if (A.What == Kind::Allowed || A.What == Kind::Forbidden) {
    A.When = parseOr();
  } else {
    Token Answer = takeName("'yes' or 'no'");
    if (Answer.Text != "yes" && Answer.Text != "no")
      fail(Answer, "expected 'yes' or 'no', found '" + Answer.Text + "'");
    A.Expected = Answer.Text == "yes";
  }
  A.Text = textOf(Begin, Next);
  expect(";");
  Test.Assertions.push_back(std::move(A));
}

/// As written, but for line breaks, comments and wide gaps.
std::string Parser::textOf(std::size_t Begin, std::size_t End) const {
  std::string Text;
  for (std::size_t I = Begin; I < End; ++I) {
    const Token &T = Tokens[I], &Before = Tokens[I ? I - 1 : 0];
    bool Apart = T.Line != Before.Line || T.Column != Before.Column + Before.Text.size();
    Text += (I > Begin && Apart ? " " : "") + T.Text;
  }
  return Text;
}

static Condition joined(Condition::Kind Kind, std::vector<Condition> Parts) {
  if (Parts.size() == 1)
    return Parts.front();
  return {.What = Kind, .Parts = std::move(Parts)};
}

Condition Parser::parseOr() {
  std::vector<Condition> Parts = {parseAnd()};
  while (accept("||"))
    Parts.push_back(parseAnd());
  return joined(Condition::Kind::Or, std::move(Parts));
}

Condition Parser::parseAnd() {
  std::vector<Condition> Parts = {parseComparison()};
  while (accept("&&"))
    Parts.push_back(parseComparison());
  return joined(Condition::Kind::And, std::move(Parts));
}

Condition Parser::parseComparison() {
  if (at("(")) {
    enter();
    take();
    Condition Inner = parseOr();
    expect(")");
    leave();
    return Inner;
  }
  Condition C{.Location = takeLocation()};
  if (accept("!="))
    C.What = Condition::Kind::NotEqual;
  else
    expect("==");
  C.Number = takeInteger();
  return C;
}

} // namespace rdma::litmus

namespace rdma {

LitmusTest parseLitmus(std::string_view Text, const std::string &File) {
  LitmusTest Test;
  litmus::Parser(litmus::tokenize(Text, File), File, Test).run();
  return Test;
}

} // namespace rdma
