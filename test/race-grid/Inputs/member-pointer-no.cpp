// CORRECTED TWIN OF: By a pointer to a virtual member function another one is called, which waits for
// nothing.
#include "grid.h"
static uint64_t value;
struct Step {
  link *L;
  virtual void before() { take(L->cq); }
  void behind() { take(L->cq); }
  virtual ~Step() {}
};
struct Nothing : Step {
  void before() override {}
};
static void twice(Step *step, void (Step::*first)(), void (Step::*)()) {
  value = 1;
  put(step->L, &value, 8, 0);
  (step->*first)();
  value = 2;
}
extern "C" void run(link *l) {
  Step step;
  step.L = l;
  twice(&step, &Step::before, &Step::behind);
}
