#include "ir/Litmus.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace rdma {

static std::string located(const Place &Where, const std::string &Message) {
  std::string Text = Where.File.empty() ? "rdma-tidy" : Where.File;
  if (Where.Line)
    Text += ":" + std::to_string(Where.Line);
  if (Where.Line && Where.Column)
    Text += ":" + std::to_string(Where.Column);
  return Text + ": error: " + Message;
}

InputError::InputError(const Place &Where, const std::string &Message)
    : std::runtime_error(located(Where, Message)) {}

bool Condition::holds(const std::vector<std::int64_t> &Values) const {
  auto Holds = [&](const Condition &Part) { return Part.holds(Values); };
  switch (What) {
  case Kind::Equal:
    return Values[Location] == Number;
  case Kind::NotEqual:
    return Values[Location] != Number;
  case Kind::And:
    return std::all_of(Parts.begin(), Parts.end(), Holds);
  case Kind::Or:
    return std::any_of(Parts.begin(), Parts.end(), Holds);
  }
  return false;
}

LitmusTest readLitmus(const std::string &File) {
  std::ifstream In(File, std::ios::binary);
  std::ostringstream Text;
  // To `<<` a file without a character is one that cannot be read.
  bool Empty = In && In.peek() == std::ifstream::traits_type::eof() && !In.bad();
  if (!Empty && (!In || !(Text << In.rdbuf())))
    throw InputError({File, 0, 0, {}}, "cannot read the file");
  return parseLitmus(Text.str(), File);
}

} // namespace rdma
