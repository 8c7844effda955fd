// Work ids for what is posted at a place, made when something is first known of it.
#pragma once

#include "analyzer/clang/counts/Sites.h"
#include "analyzer/clang/program/Inventory.h"

namespace rdma::clang_ir {

class PostNames {
public:
  /// Tag tells the ids of one reason from those of another.
  PostNames(Inventory &Stock, const CountedThread &T, std::string Tag)
      : Stock(Stock), T(T), Tag(std::move(Tag)) {}

  /// That of its requests, whose completions stay what polls take.
  WorkId of(const PostSite &Post) {
    auto [Found, New] = Ids.try_emplace(&Post, None);
    if (!New)
      return Found->second;
    std::vector<Statement> &All = Stock.P.Threads[T.Index].Statements;
    for (StatementId S = 0; S < T.Sources.size(); ++S)
      if (T.Sources[S] == Post.Call && All[S].Op.Counted) // named for another reason
        return Found->second = All[S].Op.Id;
    Found->second = Stock.workId(T.Entry + Tag + std::to_string(T.Index) + "_" + std::to_string(Ids.size()));
    for (StatementId S = 0; S < T.Sources.size(); ++S)
      if (T.Sources[S] == Post.Call && isRequest(All[S].Op.Kind))
        All[S].Op.Id = Found->second, All[S].Op.Counted = true;
    return Found->second;
  }

private:
  Inventory &Stock;
  const CountedThread &T;
  const std::string Tag;
  std::map<const PostSite *, WorkId> Ids;
};

} // namespace rdma::clang_ir
