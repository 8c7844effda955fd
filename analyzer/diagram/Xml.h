// Writing SVG elements.
#pragma once

#include "analyzer/diagram/Svg.h"

#include <filesystem>
#include <string>

namespace rdma {

inline std::string number(int N) { return std::to_string(N); }

/// At most so many characters of it, the last one an ellipsis where something is left out.
std::string shortened(const std::string &Text, std::size_t Characters);

/// Whole: what is told where one points at it.
inline std::string textAt(int X, int Y, const char *Class, const std::string &Text,
                          const std::string &Whole = "") {
  return "<text x=\"" + number(X) + "\" y=\"" + number(Y) + "\" class=\"" + Class + "\">" + xml(Text) +
         (Whole.empty() || Whole == Text ? "" : "<title>" + xml(Whole) + "</title>") + "</text>";
}

inline std::string line(int X1, int Y1, int X2, int Y2, const std::string &Class) {
  return "<line x1=\"" + number(X1) + "\" y1=\"" + number(Y1) + "\" x2=\"" + number(X2) + "\" y2=\"" +
         number(Y2) + "\" class=\"" + Class + "\"/>";
}

inline std::string shortPlace(const Place &At) {
  return At.Line ? std::filesystem::path(At.File).filename().string() + ":" + std::to_string(At.Line) : "";
}

/// A place as a link, where there is something to lead to.
inline std::string linked(const Place &At, const LinkTo &Link, const std::string &Inside) {
  std::string Target = At.Line && Link ? Link(At) : "";
  return Target.empty() ? Inside : "<a href=\"" + xml(Target) + "\">" + Inside + "</a>";
}

/// The beginning of a picture, with its style and arrow heads.
std::string svgHead(int Width, int Height, const std::string &Kind, const std::string &Title);

} // namespace rdma
