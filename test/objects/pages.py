"""pages.py OUT PAGE...: makes a scenario of the code on each page of the objects; a page without code is an error."""
import os
import re
import sys

HEAD = """// Made by pages.py.
#include "rdma/objects/accounts.h"
#include "rdma/objects/barrier.h"
#include "rdma/objects/fence.h"
#include "rdma/objects/fifo.h"
#include "rdma/objects/kvstore.h"
#include "rdma/objects/power.h"
#include "rdma/objects/sc.h"
#include "test/objects/Group.h"

namespace page {

using namespace rdma::objects;
using namespace std::chrono_literals;

static void require(status s) { rdma::objects::test::expect(s, "page"); }
static void check_line(bool good, int line) {
  if (!good)
    rdma::objects::test::fail("check on line " + std::to_string(line));
}
#define check(Condition) check_line((Condition), __LINE__)

static rdma::objects::test::add scenario(const char *name, void (*body)(manager &)) {
  return {name, [=](rdma::objects::test::member &m) {
            manager here(m.Hosts, m.Me);
            body(here);
          }};
}
"""


def main(out, pages):
    text = HEAD
    for page in sorted(pages):
        if os.path.basename(page) == "README.md":
            continue
        source = open(page).read()
        name = os.path.basename(page)[:-3]
        blocks = re.findall(r"^```cpp\n(.*?)^```", source, re.M | re.S)
        functions = re.findall(r"^void (\w+)\(manager &here\)", "".join(blocks), re.M)
        if not functions:
            sys.exit(f"{page}: no code")
        for function, block in zip(functions, blocks, strict=True):
            line = source[: source.index(block)].count("\n") + 1
            text += f'\n#line {line} "{page}"\nstatic {block}'
            text += f'static rdma::objects::test::add the_{function} = scenario("page-{name}", {function});\n'
    text += "\n} // namespace page\n"
    with open(out, "w") as file:
        file.write(text)


main(sys.argv[1], sys.argv[2:])
