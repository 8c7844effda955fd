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

std::string ParserBase::takeString(std::string_view What) {
  if (peek().What != Token::Kind::String)
    fail(peek(), "expected " + std::string(What) + " in quotes, found '" + peek().Text + "'");
  return take().Text;
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

LostFactId ParserBase::takeFact() {
  Token T = takeName("what is lost");
  auto Found = Facts.find(T.Text);
  if (Found == Facts.end())
    fail(T, "nothing lost is called '" + T.Text + "'; declare it outside the threads: lost " + T.Text +
                " \"WHAT\" tell \"HOW\";");
  return Found->second;
}

Access ParserBase::takeLocation() {
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
  Test.Code.Name = takeString("the test's name");
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
    else if (accept("lost"))
      parseFact();
    else if (accept("others")) {
      expect("unknown");
      expect(";");
      Test.Code.Closed = false;
    } else
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
  while (!accept("}"))
    parseLocation(Home);
}

void Parser::parseLocation(NodeId Home) {
  Token Name = takeName("a location or '}'");
  if (Locations.contains(Name.Text))
    fail(Name, "location '" + Name.Text + "' is declared twice");
  bool Valued = accept("=");
  if (Valued && peek().What == Token::Kind::Name)
    return parsePart(Name, Home);
  Object O{.Name = Name.Text, .Home = Home};
  O.Word = true;
  if (Valued)
    O.Initial = takeInteger();
  O.Zeros = O.Initial == 0;
  while (!accept(";"))
    if (accept("unknown"))
      O.Anything = true;
    else if (accept("several"))
      O.Several = true;
    else if (accept("bytes"))
      O.Word = false;
    else if (accept("unset"))
      O.Zeros = false;
    else if (accept("kin"))
      O.Kins.push_back(takeKin());
    else if (accept("holds"))
      O.Kins.push_back(takeHeld());
    else if (accept("apart"))
      O.Unaliased = true;
    else
      expect(";");
  Locations[Name.Text] = {static_cast<ObjectId>(Test.Code.Objects.size())};
  Test.Code.Objects.push_back(O);
}

KinRange Parser::takeKin() {
  KinRange Kin;
  Kin.Number = takePositive("a kin's number").Value;
  takeStep(Kin);
  return Kin;
}

void Parser::takeStep(KinRange &Kin) {
  if (accept("every"))
    Kin.Step = takePositive("the size of an element").Value;
}

/// [Begin, End] or [Begin, end].
void Parser::takeBytes(std::int64_t &Begin, std::int64_t &End) {
  expect("[");
  Begin = takeInteger();
  expect(",");
  const Token Last = peek();
  if (!accept("end"))
    End = takeInteger();
  if (Begin >= End)
    fail(Last, "a part ends behind its beginning");
  expect("]");
}

/// Bytes of a location that another one of its node may be.
KinRange Parser::takeHeld() {
  expect("kin");
  KinRange Held{.Part = true};
  Held.Number = takePositive("a kin's number").Value;
  takeBytes(Held.Begin, Held.End);
  takeStep(Held);
  return Held;
}

/// Bytes of a location before it.
void Parser::parsePart(const Token &Name, NodeId Home) {
  const Token Whole = peek();
  Access Part = takeLocation();
  if (!Part.whole() || Part.Somewhere || Test.Code.Objects[Part.Target].Home != Home)
    fail(Whole, "'" + Whole.Text + "' is no whole location of this node");
  takeBytes(Part.Begin, Part.End);
  Part.Somewhere = accept("somewhere");
  expect(";");
  Test.Code.Objects[Part.Target].Fields.push_back({Part.Begin, Part.End, Name.Text});
  Locations[Name.Text] = Part;
}

/// What was lost, and how to tell it.
void Parser::parseFact() {
  const Token Name = takeName("a name for what is lost");
  LostFact F;
  F.Where = Site{{placeOf(Name)}};
  F.Text = Said::asRead(takeString("what is lost"));
  if (accept("tell"))
    F.Tell = Said::asRead(takeString("how to tell it"));
  if (accept("queue")) {
    const Token Queue = takeName("a completion queue's name");
    auto Found = Queues.find(Queue.Text);
    if (Found == Queues.end())
      fail(Queue, "no completion queue '" + Queue.Text + "'");
    F.Queue = Found->second;
  }
  F.Everything = accept("anything");
  F.Beside = accept("beside");
  F.Joins = accept("joins");
  F.Throws = accept("throws");
  F.Last = accept("last");
  F.Looks = accept("looks");
  if (!Facts.emplace(Name.Text, Test.Code.LostFacts.size()).second)
    fail(Name, "'" + Name.Text + "' is declared twice");
  Test.Code.LostFacts.push_back(std::move(F));
  expect(";");
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
    Test.Code.Objects[takeLocation().Target].RemoteAccess = true;
    if (!at(";"))
      expect(",");
  }
}

void Parser::parseRemark() {
  const Site Where{{placeOf(peek())}};
  Test.Code.Remarks.push_back({Where, Said::asRead(takeString("what is not known")), false});
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
  Assertion A;
  A.What = Found->second;
  A.Where = placeOf(First);
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
  const Token At = peek();
  Access Location = takeLocation();
  if (!Location.whole() || Location.Somewhere)
    fail(At, "'" + At.Text + "' is a part of a location, and has no value of its own");
  Condition C{.Location = Location.Target};
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
