// Addresses and ports of the connection manager.
#include "Connections.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <netdb.h>

using namespace rdma::test;

namespace {

void runHere(const std::function<void()> &Body) { EXPECT_EQ(runRole({}, Body), 0); }

/// 0, or the errno value.
int tryToBind(rdma_event_channel *Events, const char *Text, uint16_t Port, bool OneFamily = false) {
  rdma_cm_id *I = newId(Events);
  int Only = 1;
  if (OneFamily)
    CHECK(rdma_set_option(I, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &Only, sizeof Only) == 0);
  int Error = rdma_bind_addr(I, Host(Text, Port)) ? errno : 0;
  if (Error)
    CHECK(rdma_destroy_id(I) == 0);
  return Error;
}

/// Whether a request to this address arrives at the listener.
bool arrives(const char *Text, rdma_cm_id *Listener) {
  rdma_event_channel *Events = newChannel();
  rdma_cm_id *I = newId(Events);
  CHECK(rdma_resolve_addr(I, nullptr, Host(Text, ntohs(rdma_get_src_port(Listener))), 1000) == 0);
  expectEvent(Events, RDMA_CM_EVENT_ADDR_RESOLVED);
  CHECK(rdma_resolve_route(I, 1000) == 0);
  expectEvent(Events, RDMA_CM_EVENT_ROUTE_RESOLVED);
  rdma_conn_param P = parameters();
  CHECK(rdma_connect(I, &P) == 0);
  bool Arrived = isReady(Listener->channel, 0);
  if (Arrived) {
    rdma_cm_id *Passive = expectEvent(Listener->channel, RDMA_CM_EVENT_CONNECT_REQUEST).Event.id;
    CHECK(rdma_get_peer_addr(Passive)->sa_family == rdma_get_peer_addr(I)->sa_family);
    CHECK(rdma_reject(Passive, nullptr, 0) == 0 && rdma_destroy_id(Passive) == 0);
  }
  expectEvent(Events, RDMA_CM_EVENT_REJECTED, Arrived ? 28 : 8);
  CHECK(rdma_destroy_id(I) == 0);
  rdma_destroy_event_channel(Events);
  return Arrived;
}

TEST(Ports, AreHeldByOne) {
  runHere([] {
    rdma_event_channel *E = newChannel();
    CHECK(tryToBind(E, "127.0.0.1", 7000) == 0);
    CHECK(tryToBind(E, "127.0.0.1", 7000) == EADDRINUSE);
    CHECK(tryToBind(E, "127.0.0.2", 7000) == 0);
    CHECK(tryToBind(E, "::1", 7000) == 0);
    CHECK(tryToBind(E, "127.0.0.1", 7001) == 0);
    // Wildcards overlap.
    CHECK(tryToBind(E, "0.0.0.0", 7000) == EADDRINUSE && tryToBind(E, "::", 7000) == EADDRINUSE);
    CHECK(tryToBind(E, "::", 7000, true) == EADDRINUSE);
    CHECK(tryToBind(E, "0.0.0.0", 7002) == 0);
    CHECK(tryToBind(E, "127.0.0.1", 7002) == EADDRINUSE && tryToBind(E, "::", 7002) == EADDRINUSE);
    CHECK(tryToBind(E, "::", 7002, true) == 0 && tryToBind(E, "::1", 7002) == EADDRINUSE);
    CHECK(tryToBind(E, "::", 7003) == 0);
    CHECK(tryToBind(E, "127.0.0.1", 7003) == EADDRINUSE && tryToBind(E, "::1", 7003) == EADDRINUSE);
    CHECK(tryToBind(E, "0.0.0.0", 7003) == EADDRINUSE);
    // As an address that is written in another way.
    CHECK(tryToBind(E, "::ffff:127.0.0.1", 7000) == EADDRINUSE);
  });
}

TEST(Ports, AreGivenBack) {
  runHere([] {
    rdma_event_channel *E = newChannel();
    rdma_cm_id *First = listenOn(E, 7000);
    CHECK(tryToBind(E, "127.0.0.1", 7000) == EADDRINUSE);
    CHECK(rdma_destroy_id(First) == 0);
    CHECK(tryToBind(E, "127.0.0.1", 7000) == 0);
    // While connections that were accepted there go on.
    Connected C;
    uint16_t Port = ntohs(rdma_get_src_port(C.Listener));
    CHECK(rdma_destroy_id(C.Listener) == 0);
    CHECK(tryToBind(E, "0.0.0.0", Port) == 0);
  });
}

TEST(Ports, AreChosenWhenZero) {
  runHere([] {
    rdma_event_channel *E = newChannel();
    rdma_cm_id *One = listenOn(E), *Two = listenOn(E), *Unbound = newId(E);
    CHECK(rdma_get_src_port(One) && rdma_get_src_port(Two) &&
          rdma_get_src_port(One) != rdma_get_src_port(Two));
    CHECK(One->verbs); // an address tells the device
    CHECK(rdma_listen(Unbound, 1) == 0 && rdma_get_src_port(Unbound) && !Unbound->verbs);
    CHECK(arrives("127.0.0.1", Unbound));
  });
}

TEST(Ports, BelongToAFabric) {
  auto One = [](Line L) {
    setenv("RDMA_FABRIC", ("one-" + std::to_string(getppid())).c_str(), 1);
    rdma_event_channel *E = newChannel();
    listenOn(E, 7000);
    L.meet();
    L.meet();
    CHECK(!isReady(E, 0));
  };
  auto Other = [](Line L) {
    setenv("RDMA_FABRIC", ("other-" + std::to_string(getppid())).c_str(), 1);
    rdma_event_channel *E = newChannel();
    L.meet();
    rdma_cm_id *I = resolved(E, htons(7000));
    rdma_conn_param P = parameters();
    CHECK(rdma_connect(I, &P) == 0);
    expectEvent(E, RDMA_CM_EVENT_REJECTED, 8);
    listenOn(E, 7000);
    L.meet();
  };
  EXPECT_EQ(runRoles({}, One, Other), std::make_pair(0, 0));
}

TEST(Addresses, OfThisMachineAreServed) {
  runHere([] {
    rdma_event_channel *E = newChannel();
    auto listener = [&](const char *Text, bool OneFamily) {
      rdma_cm_id *I = newId(E);
      int Only = OneFamily;
      CHECK(rdma_set_option(I, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &Only, sizeof Only) == 0);
      CHECK(rdma_bind_addr(I, Host(Text)) == 0 && rdma_listen(I, 4) == 0);
      return I;
    };
    rdma_cm_id *All = listener("::", false), *OnlyV6 = listener("::", true), *V4 = listener("0.0.0.0", false);
    rdma_cm_id *Single = listener("127.0.0.1", false);
    CHECK(arrives("127.0.0.1", All) && arrives("127.9.9.9", All) && arrives("::1", All));
    CHECK(!arrives("127.0.0.1", OnlyV6) && arrives("::1", OnlyV6));
    CHECK(arrives("127.0.0.1", V4) && !arrives("::1", V4));
    CHECK(arrives("127.0.0.1", Single) && !arrives("127.0.0.2", Single));
    CHECK(arrives("0.0.0.0", Single)); // this machine
  });
}

TEST(Addresses, OfOthersAreNot) {
  runHere([] {
    rdma_event_channel *E = newChannel();
    CHECK(tryToBind(E, "192.0.2.1", 7000) == EADDRNOTAVAIL); // reserved for documentation
    rdma_cm_id *I = newId(E);
    CHECK(rdma_resolve_addr(I, nullptr, Host("192.0.2.1", 7000), 1000) == 0);
    expectEvent(E, RDMA_CM_EVENT_ADDR_ERROR, -ENETUNREACH);
    CHECK(rdma_resolve_addr(I, Host("192.0.2.1"), Host("127.0.0.1", 7000), 1000) == -1 &&
          errno == EADDRNOTAVAIL);
    CHECK(rdma_resolve_addr(I, Host("::1"), Host("127.0.0.1", 7000), 1000) == -1 && errno == EINVAL);
    // Without a channel the call itself says so.
    CHECK(rdma_create_id(nullptr, &I, nullptr, RDMA_PS_TCP) == 0);
    CHECK(rdma_resolve_addr(I, nullptr, Host("192.0.2.1", 7000), 1000) == -1 && errno == ENETUNREACH);
    sockaddr Unknown = {AF_UNIX, {}};
    CHECK(rdma_bind_addr(I, &Unknown) == -1 && errno == EINVAL);
  });
}

TEST(Addresses, OfTheSourceAreThoseAskedFor) {
  runHere([] {
    rdma_event_channel *E = newChannel();
    auto sourceOf = [](rdma_cm_id *I) {
      char Text[INET_ADDRSTRLEN];
      const auto *At = reinterpret_cast<sockaddr_in *>(rdma_get_local_addr(I));
      return std::string(inet_ntop(AF_INET, &At->sin_addr, Text, sizeof Text));
    };
    rdma_cm_id *I = newId(E);
    CHECK(rdma_resolve_addr(I, Host("127.0.0.3", 7005), Host("127.0.0.1", 7000), 1000) == 0);
    CHECK(sourceOf(I) == "127.0.0.3" && rdma_get_src_port(I) == htons(7005));
    I = newId(E);
    CHECK(rdma_bind_addr(I, Host("0.0.0.0", 7006)) == 0 && sourceOf(I) == "0.0.0.0");
    CHECK(rdma_resolve_addr(I, nullptr, Host("127.0.0.1", 7000), 1000) == 0);
    CHECK(sourceOf(I) == "127.0.0.1" && rdma_get_src_port(I) == htons(7006) && I->verbs);
    I = newId(E);
    CHECK(rdma_resolve_addr(I, nullptr, Host("127.0.0.1", 7000), 1000) == 0 && rdma_get_src_port(I));
  });
}

TEST(Addresses, HaveNames) {
  rdma_addrinfo Wanted = {}, *Found = nullptr;
  EXPECT_EQ(rdma_getaddrinfo(nullptr, nullptr, nullptr, &Found), -1);
  EXPECT_EQ(errno, EINVAL);
  Wanted.ai_flags = RAI_NUMERICHOST;
  EXPECT_EQ(rdma_getaddrinfo("no.such.host", "7", &Wanted, &Found), EAI_NONAME);
  Wanted.ai_port_space = RDMA_PS_UDP;
  ASSERT_EQ(rdma_getaddrinfo("127.0.0.1", "7", &Wanted, &Found), 0);
  EXPECT_EQ(Found->ai_qp_type, IBV_QPT_UD);
  rdma_cm_id *I = nullptr;
  Found->ai_qp_type = IBV_QPT_RC; // not of that port space
  EXPECT_EQ(rdma_create_ep(&I, Found, nullptr, nullptr), -1);
  EXPECT_EQ(errno, EOPNOTSUPP);
  rdma_freeaddrinfo(Found);
  ASSERT_EQ(rdma_getaddrinfo("::1", "7471", nullptr, &Found), 0);
  EXPECT_EQ(Found->ai_family, AF_INET6);
  EXPECT_EQ(Found->ai_port_space, RDMA_PS_TCP);
  EXPECT_EQ(Found->ai_next, nullptr);
  rdma_freeaddrinfo(Found);
}

TEST(Options, AreCheckedAndKept) {
  runHere([] {
    rdma_event_channel *E = newChannel();
    rdma_cm_id *I = newId(E);
    uint8_t Byte = 5;
    int Word = 1;
    auto set = [&](int Name, auto &Value) {
      return rdma_set_option(I, RDMA_OPTION_ID, Name, &Value, sizeof Value) ? errno : 0;
    };
    CHECK(set(RDMA_OPTION_ID_TOS, Byte) == 0 && set(RDMA_OPTION_ID_TOS, Word) == EINVAL);
    CHECK(set(RDMA_OPTION_ID_REUSEADDR, Word) == 0 && set(RDMA_OPTION_ID_AFONLY, Byte) == EINVAL);
    CHECK(set(RDMA_OPTION_ID_ACK_TIMEOUT, Byte) == 0 && set(99, Word) == ENOSYS);
    rdma_cm_id *Listener = listenOn(E);
    CHECK(rdma_resolve_addr(I, nullptr, rdma_get_local_addr(Listener), 1000) == 0);
    CHECK(set(RDMA_OPTION_ID_AFONLY, Word) == EINVAL); // too late
    expectEvent(E, RDMA_CM_EVENT_ADDR_RESOLVED);
    CHECK(rdma_resolve_route(I, 1000) == 0);
    expectEvent(E, RDMA_CM_EVENT_ROUTE_RESOLVED);
    giveQueuePair(I);
    CHECK(rdma_connect(I, nullptr) == 0);
    rdma_cm_id *Passive = expectEvent(E, RDMA_CM_EVENT_CONNECT_REQUEST).Event.id;
    giveQueuePair(Passive);
    CHECK(rdma_accept(Passive, nullptr) == 0);
    expectEvent(E, RDMA_CM_EVENT_ESTABLISHED);
    ibv_qp_attr A = {};
    ibv_qp_init_attr Init = {};
    CHECK(ibv_query_qp(I->qp, &A, IBV_QP_TIMEOUT, &Init) == 0 && A.timeout == 5);
  });
}

TEST(Devices, AreOpen) {
  runHere([] {
    setenv("RDMA_NODES", "2", 1);
    int Count = 0;
    ibv_context **List = rdma_get_devices(&Count);
    CHECK(Count == 2 && List[0] && List[1] && List[0] != List[1] && !List[2]);
    rdma_event_channel *E = newChannel();
    CHECK(listenOn(E)->verbs == List[0]);
    rdma_free_devices(List);
  });
}

} // namespace
