// A key-value store on three nodes with a command line. Each node reads commands from its standard input;
// with --all one process starts the three and hands each line to the node that it names.
#include "rdma/objects/barrier.h"
#include "rdma/objects/kvstore.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace rdma::objects;
using namespace std::chrono_literals;

/// Up to 31 characters.
struct text {
  char chars[32] = {};
  text() = default;
  explicit text(const std::string &from) { from.copy(chars, sizeof chars - 1); }
  bool operator==(const text &) const = default;
};

struct text_hash {
  std::size_t operator()(const text &t) const { return std::hash<std::string>()(t.chars); }
};

using table = kvstore<text, text, text_hash>;
constexpr unsigned nodes = 3, commander = 0, watcher = 1, threads = 2;

static void say(node_id node, const std::string &line) {
  std::string whole = "node " + std::to_string(node) + ": " + line + "\n";
  if (write(STDOUT_FILENO, whole.data(), whole.size()) < 0) // in one piece: the nodes share the terminal
    exit(1);
}

/// What is wrong with a command, empty when nothing is.
static std::string complaint(const std::string &verb, const std::string &key, const std::string &value) {
  if (verb != "put" && verb != "get" && verb != "delete" && verb != "watch" && verb != "unwatch")
    return "put KEY VALUE, get KEY, delete KEY, watch KEY, or unwatch";
  if (verb != "unwatch" && key.empty())
    return verb + " needs a key";
  if (verb == "put" && value.empty())
    return "put needs a value";
  if (std::max(key.size(), value.size()) >= sizeof(text::chars))
    return "keys and values have up to 31 characters";
  return {};
}

static std::string run_command(table &values, const std::string &verb, const text &key, const text &value) {
  if (verb == "put") {
    // Another node may insert or delete the key in between.
    for (;;) {
      if (values.update(key, value))
        return std::string(key.chars) + " is now " + value.chars;
      if (values.insert(key, value))
        return std::string(key.chars) + " is new, " + value.chars;
    }
  }
  if (verb == "get") {
    std::optional<text> found = values.lookup(key);
    return std::string(key.chars) + (found ? " is " + std::string(found->chars) : " is not there");
  }
  return std::string(key.chars) + (values.erase(key) ? " is deleted" : " is not there");
}

/// Says each change of one key, until the key's name is empty again.
class watch {
public:
  watch(manager &here, table &values) : thread([&here, &values, this] { follow(here, values); }) {}
  ~watch() {
    end = true;
    thread.join();
  }
  void set(const text &wanted) {
    std::lock_guard guard(lock);
    key = wanted;
    changed = true;
  }

private:
  void follow(manager &here, table &values) try {
    here.attach_thread(watcher);
    std::optional<text> last;
    while (!end && here.health() == status::ok) {
      text now;
      bool fresh;
      {
        std::lock_guard guard(lock);
        now = key;
        fresh = std::exchange(changed, false);
      }
      if (now.chars[0]) {
        std::optional<text> seen = values.lookup(now);
        if (fresh || seen != last)
          say(here.me(), std::string("watch: ") + now.chars +
                             (seen ? " is " + std::string(seen->chars) : " is not there"));
        last = seen;
      }
      std::this_thread::sleep_for(1ms);
    }
  } catch (const error &e) {
    say(here.me(), e.what());
  }

  std::mutex lock;
  text key;
  bool changed = false;
  std::atomic<bool> end{false};
  std::thread thread;
};

static int run_node(node_id me, const std::map<node_id, std::string> &hosts, int acknowledge) try {
  options settings;
  settings.threads = threads;
  manager here(hosts, me, settings);
  table values("values", here);
  here.wait_for_ready(10s);
  here.attach_thread(commander);
  watch watching(here, values);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb, key, value;
    words >> verb >> key >> value;
    if (std::string wrong = complaint(verb, key, value); !wrong.empty())
      say(me, wrong);
    else if (verb == "watch" || verb == "unwatch")
      watching.set(text(verb == "watch" ? key : ""));
    else
      say(me, run_command(values, verb, text(key), text(value)));
    if (acknowledge >= 0 && write(acknowledge, "!", 1) < 0)
      return 1;
  }
  return 0; // the store's destructor waits for the other nodes
} catch (const error &e) {
  say(me, e.what());
  return 1;
}

/// "NODE COMMAND" lines, one at a time: the next when the node has carried out the last. "wait" lets 50 ms
/// pass.
static void hand_out(const int (&to)[nodes], int done) {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    if (line == "wait") {
      std::this_thread::sleep_for(50ms);
      continue;
    }
    unsigned node = static_cast<unsigned>(line[0] - '0');
    if (node >= nodes || line[1] != ' ') {
      std::cerr << "kv: '" << line << "' does not begin with a node\n";
      continue;
    }
    std::string command = line.substr(2) + "\n";
    char byte;
    if (write(to[node], command.data(), command.size()) < 0 || read(done, &byte, 1) != 1)
      return;
  }
}

static int run_all() {
  std::map<node_id, std::string> hosts;
  for (node_id n = 0; n < nodes; ++n)
    hosts[n] = "127.0.0.1:" + std::to_string(7600 + n);
  setenv("RDMA_FABRIC", ("kv-" + std::to_string(getpid())).c_str(), 0);
  int to[nodes], done[2];
  if (pipe(done))
    return 1;
  for (node_id n = 0; n < nodes; ++n) {
    int ends[2];
    if (pipe(ends))
      return 1;
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(ends[0], STDIN_FILENO);
      for (node_id other = 0; other < n; ++other)
        close(to[other]);
      close(ends[0]);
      close(ends[1]);
      close(done[0]);
      exit(run_node(n, hosts, done[1]));
    }
    close(ends[0]);
    to[n] = ends[1];
  }
  close(done[1]);
  hand_out(to, done[0]);
  for (int end : to)
    close(end);
  int result = 0;
  for (int state; wait(&state) > 0;)
    result |= !WIFEXITED(state) || WEXITSTATUS(state);
  puts(result ? "failed: a node did not finish" : "ok: all nodes finished");
  return result;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--all"))
    return run_all();
  std::map<node_id, std::string> hosts;
  for (int i = 2; i < argc; ++i)
    hosts[static_cast<node_id>(i - 2)] = argv[i];
  if (hosts.empty() || argv[1][0] < '0' || argv[1][0] > '9') {
    fprintf(stderr, "usage: %s --all | %s NODE ADDRESS:PORT ADDRESS:PORT ...\n", argv[0], argv[0]);
    return 2;
  }
  return run_node(static_cast<node_id>(atoi(argv[1])), hosts, -1);
}
