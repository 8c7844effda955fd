// Asynchronous events.
#include "runtime/device/Context.h"
#include "runtime/device/EventSources.h"

#include <unistd.h>

using namespace rdma::device;

SharedEvents rdma::device::eventsOf(ibv_context *Public, void *Object) {
  Context *C = Context::of(Public);
  return {sources::enroll(Object), C->EventsEnd, C->EventsCookie};
}

extern "C" {

int ibv_get_async_event(ibv_context *Public, ibv_async_event *Event) {
  AsyncRecord Record;
  while (read(Public->async_fd, &Record, sizeof Record) == sizeof Record) {
    if (void *Object = sources::beginEvent(Record.Source)) {
      Event->event_type = static_cast<ibv_event_type>(Record.Type);
      Event->element.qp = static_cast<ibv_qp *>(Object);
      return 0;
    }
  }
  return -1;
}

void ibv_ack_async_event(ibv_async_event *Event) { sources::endEvent(Event->element.qp); }

const char *ibv_event_type_str(ibv_event_type Type) {
  static const char *const Names[] = {"CQ error",
                                      "local work queue catastrophic error",
                                      "invalid request local work queue error",
                                      "local access violation work queue error",
                                      "communication established",
                                      "send queue drained",
                                      "path migrated",
                                      "path migration request error",
                                      "local catastrophic error",
                                      "port active",
                                      "port error",
                                      "LID change",
                                      "P_Key change",
                                      "SM change",
                                      "SRQ catastrophic error",
                                      "SRQ limit reached",
                                      "last WQE reached",
                                      "client reregistration",
                                      "GID table change",
                                      "WQ fatal"};
  return Type < sizeof Names / sizeof *Names ? Names[Type] : "unknown";
}
}
