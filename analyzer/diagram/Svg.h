// The drawings as SVG, each a picture of its own.
#pragma once

#include "analyzer/diagram/Cycle.h"
#include "analyzer/diagram/Timeline.h"
#include "analyzer/report/SourceLines.h"

#include <functional>

namespace rdma {

/// Text as it may stand in XML; bytes that are no UTF-8 become U+FFFD.
std::string xml(const std::string &Text);

/// Where a place of the source is, on the page that holds the picture; "": nowhere.
using LinkTo = std::function<std::string(const Place &)>;

std::string asSvg(const Timeline &T, const LinkTo &Link = {});
std::string asSvg(const CycleDrawing &C, SourceLines &Sources, const LinkTo &Link = {});

} // namespace rdma
