// A list in shared memory: its links are kept as distances from where they stand.
#include "grid.h"
template <class T> class offset_ptr {
  ptrdiff_t Off = 1;
public:
  offset_ptr &operator=(T *To) {
    Off = To ? reinterpret_cast<char *>(To) - reinterpret_cast<char *>(this) : 1;
    return *this;
  }
  T *get() const { return Off == 1 ? nullptr : reinterpret_cast<T *>(uintptr_t(this) + Off); }
  T *operator->() const { return get(); }
};
struct node { offset_ptr<node> Next; char Text[56]; };
static node First, Second, Third;
extern "C" void run(struct link *l) {
  First.Next = &Second;
  Second.Next = &Third;
  put(l, Third.Text, 56, 0);
  First.Next->Next->Text[0] = 1;
  take(l->cq);
}
