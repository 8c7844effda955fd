#include "analyzer/diagram/Xml.h"

namespace rdma {
namespace {

/// The length of the UTF-8 sequence at Text[At]; 0 when there is none.
std::size_t sequence(const std::string &Text, std::size_t At) {
  unsigned char Lead = Text[At];
  std::size_t Length = Lead < 0x80 ? 1 : Lead >= 0xF0 ? 4 : Lead >= 0xE0 ? 3 : Lead >= 0xC2 ? 2 : 0;
  if (Lead > 0xF4 || At + Length > Text.size())
    return 0;
  for (std::size_t I = 1; I < Length; ++I)
    if ((Text[At + I] & 0xC0) != 0x80)
      return 0;
  return Length;
}

constexpr const char *Style = R"(
  text { font: 12px sans-serif; fill: #222 }
  .node { font-weight: bold; font-size: 14px }
  .lane, .place { fill: #666; font-size: 11px }
  .value { font: 11px monospace }
  .column { fill: #f4f6f8; stroke: #c8d0d8 }
  .rule { stroke: #d5dce2 }
  .reads { stroke: #2563a8; stroke-width: 1.5; marker-end: url(#head) }
  .writes { stroke: #2e7d32; stroke-width: 1.5; marker-end: url(#head) }
  .flight { stroke: #999; stroke-dasharray: 3 3; fill: none }
  .dot { fill: #555 }
  .shows .dot { fill: #c62828 }
  .shows .words { fill: #c62828; font-weight: bold }
  .box { fill: #fff; stroke: #8795a1 }
  .source { font: 12px monospace }
  .edge { stroke: #2563a8; stroke-width: 1.5; marker-end: url(#head); fill: none }
  .broken { stroke: #c62828; stroke-width: 2.5; stroke-dasharray: 6 4 }
  .label { fill: #2563a8; font-size: 11px }
  .label.late { fill: #c62828; font-weight: bold }
)";

} // namespace

std::string xml(const std::string &Text) {
  std::string Out;
  for (std::size_t I = 0; I < Text.size();) {
    std::size_t Length = sequence(Text, I);
    unsigned char C = Text[I];
    if (Length == 0 || (Length == 1 && C < 0x20 && C != '\t' && C != '\n'))
      Out += "\xEF\xBF\xBD";
    else if (C == '&')
      Out += "&amp;";
    else if (C == '<')
      Out += "&lt;";
    else if (C == '>')
      Out += "&gt;";
    else if (C == '"')
      Out += "&quot;";
    else
      Out += Text.substr(I, Length);
    I += std::max<std::size_t>(Length, 1);
  }
  return Out;
}

std::string shortened(const std::string &Text, std::size_t Characters) {
  std::size_t Cut = 0, Seen = 0;
  for (std::size_t I = 0; I < Text.size(); ++Seen) {
    if (Seen + 1 == Characters)
      Cut = I;
    I += std::max<std::size_t>(sequence(Text, I), 1);
  }
  return Seen > Characters ? Text.substr(0, Cut) + "…" : Text;
}

std::string svgHead(int Width, int Height, const std::string &Kind, const std::string &Title) {
  std::string Size = "width=\"" + number(Width) + "\" height=\"" + number(Height) + "\" viewBox=\"0 0 " +
                     number(Width) + " " + number(Height) + "\"";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" class=\"" + Kind + "\" " + Size +
         ">\n<title>" + xml(Title) + "</title>\n<style>" + Style +
         "</style>\n<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
         "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n";
}

} // namespace rdma
