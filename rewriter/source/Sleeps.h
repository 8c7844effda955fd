// Whether a thread that sleeps until a completion comes may be woken for nothing.
#pragma once

namespace clang {
class ASTContext;
class CallExpr;
} // namespace clang

namespace rdma::source {

class Bodies;

/// When this call of ibv_get_cq_event returns and there is nothing to poll, does its function go back to
/// sleep on every way, having asked for the next event and polled again before, itself or in functions that
/// it calls? Then an event for a completion of ours changes nothing: what comes before the function asks is
/// found by that poll, and what comes behind it wakes the function up.
bool goesBackToSleep(clang::ASTContext &Context, const clang::CallExpr &Sleep, Bodies &Given);

} // namespace rdma::source
