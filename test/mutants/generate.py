#!/usr/bin/env python3
"""Writes copies of the order tables and the NIC rules in which each mutant can be turned on at run time.

generate.py SOURCE OUT   the copies, below OUT, and OUT/nic-mutants.txt with the names of the NIC mutants
"""
import pathlib
import sys

# (name, file, an expression as it stands, the mutant's). Each text occurs exactly once in its file.
STEPS, APPLY, QUEUES = (f"runtime/nic/{F}.h" for F in ("Steps", "Apply", "Queues"))
EXPRESSIONS = [
    # What counts as standing in the way.
    ("older put does not bar a put's read", STEPS, "IsFence || K == EntryKind::Put", "IsFence"),
    ("older fence does not bar a put's read", STEPS, "IsFence || K == EntryKind::Put", "K == EntryKind::Put"),
    ("older fence of a request does not bar a put's read", STEPS, "IsFence || K == EntryKind::Put",
     "K == EntryKind::Fence || K == EntryKind::Put"),
    ("older get bars a put's read", STEPS, "IsFence || K == EntryKind::Put",
     "IsFence || IsGet || K == EntryKind::Put"),
    ("older ack bars a put's read", STEPS, "IsFence || K == EntryKind::Put",
     "IsFence || K == EntryKind::Ack || K == EntryKind::Put"),
    ("older atomic bars a put's read", STEPS, "IsFence || K == EntryKind::Put",
     "IsFence || K == EntryKind::Atomic || K == EntryKind::Put"),
    ("older get bars the remote side", STEPS, "!IsGet && K != EntryKind::Ack", "K != EntryKind::Ack"),
    ("older unread get bars the remote side", STEPS, "!IsGet && K != EntryKind::Ack",
     "K != EntryKind::LocalWrite && K != EntryKind::Ack"),
    ("older ack bars the remote side", STEPS, "!IsGet && K != EntryKind::Ack", "!IsGet"),
    ("older unread put does not bar the remote side", STEPS, "!IsGet && K != EntryKind::Ack",
     "!IsGet && K != EntryKind::Ack && K != EntryKind::Put"),
    ("older unsent put does not bar the remote side", STEPS, "!IsGet && K != EntryKind::Ack",
     "!IsGet && K != EntryKind::Ack && K != EntryKind::PutValue"),
    ("older atomic does not bar the remote side", STEPS, "!IsGet && K != EntryKind::Ack",
     "!IsGet && K != EntryKind::Ack && K != EntryKind::Atomic"),
    ("older write of an atomic does not bar the remote side", STEPS, "!IsGet && K != EntryKind::Ack",
     "!IsGet && K != EntryKind::Ack && K != EntryKind::AtomicWrite"),
    ("older fence does not bar the remote side", STEPS, "!IsGet && K != EntryKind::Ack",
     "!IsGet && K != EntryKind::Ack && !IsFence"),
    ("request fence passes gets", STEPS, "IsGet || K == EntryKind::Atomic || K == EntryKind::AtomicWrite",
     "K == EntryKind::Atomic || K == EntryKind::AtomicWrite"),
    ("request fence passes gets that have read", STEPS,
     "IsGet || K == EntryKind::Atomic || K == EntryKind::AtomicWrite",
     "K == EntryKind::Get || K == EntryKind::Atomic || K == EntryKind::AtomicWrite"),
    ("request fence passes unread atomics", STEPS,
     "IsGet || K == EntryKind::Atomic || K == EntryKind::AtomicWrite",
     "IsGet || K == EntryKind::AtomicWrite"),
    ("request fence passes writes of atomics", STEPS,
     "IsGet || K == EntryKind::Atomic || K == EntryKind::AtomicWrite", "IsGet || K == EntryKind::Atomic"),
    ("request fence waits for acks", STEPS, "IsGet || K == EntryKind::Atomic || K == EntryKind::AtomicWrite",
     "IsGet || K == EntryKind::Ack || K == EntryKind::Atomic || K == EntryKind::AtomicWrite"),
    # Premises of the rules.
    ("rule 1: a fence need not be the oldest", STEPS, "when(!Older.Any, Rule::FenceLeaves)",
     "when(true, Rule::FenceLeaves)"),
    ("a request fence waits for nothing", STEPS, "when(!Older.GetOrAtomic, Rule::FenceLeaves)",
     "when(true, Rule::FenceLeaves)"),
    ("a request fence is a remote fence", STEPS, "when(!Older.GetOrAtomic, Rule::FenceLeaves)",
     "when(!Older.Any, Rule::FenceLeaves)"),
    ("rule 2: past anything older", STEPS, "!Older.UnreadPutOrFence && !localWritePending(Q)",
     "!localWritePending(Q)"),
    ("rule 2: past pending local writes", STEPS, "!Older.UnreadPutOrFence && !localWritePending(Q)",
     "!Older.UnreadPutOrFence"),
    ("rule 2: only as the oldest", STEPS, "!Older.UnreadPutOrFence && !localWritePending(Q)",
     "!Older.Any && !localWritePending(Q)"),
    ("rule 2: not past any entry of wbL", STEPS, "!Older.UnreadPutOrFence && !localWritePending(Q)",
     "!Older.UnreadPutOrFence && Q.ToLocal.empty()"),
    ("rule 3: past anything older", STEPS, "when(!Older.OtherThanGetOrAck, Rule::PutSends)",
     "when(true, Rule::PutSends)"),
    ("rule 3: only as the oldest", STEPS, "when(!Older.OtherThanGetOrAck, Rule::PutSends)",
     "when(!Older.Any, Rule::PutSends)"),
    ("rule 3: not past wbR", STEPS, "when(!Older.OtherThanGetOrAck, Rule::PutSends)",
     "when(MayReadRemote, Rule::PutSends)"),
    ("rule 5: past anything older", STEPS, "when(!Older.Any, Rule::AckCompletes)",
     "when(true, Rule::AckCompletes)"),
    ("rule 5: only when wbR is empty", STEPS, "when(!Older.Any, Rule::AckCompletes)",
     "when(!Older.Any && Q.ToRemote.empty(), Rule::AckCompletes)"),
    ("rule 6: past anything older", STEPS, "when(MayReadRemote, Rule::GetReads)",
     "when(Q.ToRemote.empty(), Rule::GetReads)"),
    ("rule 6: past wbR", STEPS, "when(MayReadRemote, Rule::GetReads)",
     "when(!Older.OtherThanGetOrAck, Rule::GetReads)"),
    ("rule 6: only as the oldest", STEPS, "when(MayReadRemote, Rule::GetReads)",
     "when(MayReadRemote && !Older.Any, Rule::GetReads)"),
    ("rule 7: past anything older", STEPS, "when(!Older.Any, Rule::ResultReturns)",
     "when(true, Rule::ResultReturns)"),
    ("rule 7: only when wbR is empty", STEPS, "when(!Older.Any, Rule::ResultReturns)",
     "when(!Older.Any && Q.ToRemote.empty(), Rule::ResultReturns)"),
    ("rules 9 to 11: past anything older", STEPS, "when(MayReadRemote && LockFree, Rule::AtomicReads)",
     "when(Q.ToRemote.empty() && LockFree, Rule::AtomicReads)"),
    ("rules 9 to 11: past wbR", STEPS, "when(MayReadRemote && LockFree, Rule::AtomicReads)",
     "when(!Older.OtherThanGetOrAck && LockFree, Rule::AtomicReads)"),
    ("rules 9 to 11: without the lock", STEPS, "when(MayReadRemote && LockFree, Rule::AtomicReads)",
     "when(MayReadRemote, Rule::AtomicReads)"),
    ("rules 9 to 11: only as the oldest", STEPS, "when(MayReadRemote && LockFree, Rule::AtomicReads)",
     "when(MayReadRemote && LockFree && !Older.Any, Rule::AtomicReads)"),
    ("rule 12: past anything older", STEPS, "when(!Older.OtherThanGetOrAck, Rule::AtomicSends)",
     "when(true, Rule::AtomicSends)"),
    ("rule 12: only as the oldest", STEPS, "when(!Older.OtherThanGetOrAck, Rule::AtomicSends)",
     "when(!Older.Any, Rule::AtomicSends)"),
    ("rule 12: not past wbR", STEPS, "when(!Older.OtherThanGetOrAck, Rule::AtomicSends)",
     "when(MayReadRemote, Rule::AtomicSends)"),
]

# The same where the mutant is a change of statements: ON becomes the test whether it is on.
COMPLETION = "Q.ToLocal.push_back({EntryKind::Completion, true, At->Data});"
STATEMENTS = [
    ("rule 8: any pending local write arrives", STEPS, "      break;\n    }\n}", "      if (!ON)\n        break;\n    }\n}"),
    ("rule 8: only as the oldest of wbL", STEPS, "Visit(Step{Rule::LocalWriteArrives, I});",
     "if (!ON || I == 0)\n        Visit(Step{Rule::LocalWriteArrives, I});"),
    ("the lock is not taken", APPLY, "if (!Mem.tryLock(At->Data))", "if (!ON && !Mem.tryLock(At->Data))"),
    ("a remote atomic frees the lock once it has read", APPLY, "  At->Kind = EntryKind::LocalWrite;\n  if (Write)",
     "  if (ON)\n    Mem.unlock(At->Data);\n  At->Kind = EntryKind::LocalWrite;\n  if (Write)"),
    ("a failed compare-and-swap keeps the lock", APPLY, "else\n    Mem.unlock", "else if (!ON)\n    Mem.unlock"),
    ("rule 13 keeps the lock", APPLY, "if (S.Taken == Rule::AtomicArrives)", "if (!ON && S.Taken == Rule::AtomicArrives)"),
    ("rule 5 completes unsignaled puts", APPLY, "AckCompletes:\n    if (At->Signaled)",
     "AckCompletes:\n    if (ON || At->Signaled)"),
    ("rule 7 completes unsignaled gets", APPLY, "(*At);\n    if (At->Signaled)", "(*At);\n    if (ON || At->Signaled)"),
    ("rule 7 puts the completion first", APPLY, "    Q.ToLocal.push_back(*At);\n    if (",
     "    if (ON && At->Signaled)\n      " + COMPLETION + "\n    Q.ToLocal.push_back(*At);\n    if (!ON)\n      if ("),
    ("rule 3 sends ahead of wbR", APPLY, "Q.ToRemote.push_back({EntryKind::PutValue,",
     "Q.ToRemote.insert(ON ? Q.ToRemote.begin() : Q.ToRemote.end(), {EntryKind::PutValue,"),
    ("rule 12 sends ahead of wbR", APPLY, "Q.ToRemote.push_back(std::move(*At));",
     "Q.ToRemote.insert(ON ? Q.ToRemote.begin() : Q.ToRemote.end(), std::move(*At));"),
    ("poll passes pending local writes", QUEUES, "    if (ToLocal.empty() ||",
     """    if (ON)
      for (auto I = ToLocal.begin(); I != ToLocal.end(); ++I)
        if (I->Kind == EntryKind::Completion) {
          std::optional<Payload> Done = std::move(I->Data);
          ToLocal.erase(I);
          return Done;
        }
    if (ToLocal.empty() ||"""),
    ("a request fence stands behind its request", QUEUES,
     "    if (Fenced)\n      Pipe.push_back({EntryKind::RequestFence, false, {}});\n    Pipe.push_back(std::move(E));\n",
     """    if (Fenced && !ON)
      Pipe.push_back({EntryKind::RequestFence, false, {}});
    Pipe.push_back(std::move(E));
    if (Fenced && ON)
      Pipe.push_back({EntryKind::RequestFence, false, {}});
"""),
]


def once(text, old, new):
    assert text.count(old) == 1, old
    return text.replace(old, new)


def mutate_nic(source, out):
    texts = {file: (source / file).read_text() for file in (STEPS, APPLY, QUEUES)}
    variants = {}
    for number, (_, file, old, new) in enumerate(EXPRESSIONS):
        variants.setdefault((file, old), []).append((number, new))
    for (file, old), mutants in variants.items():
        chosen = f"({old})"
        for number, new in mutants:
            chosen = f"rdma::mutant::on({number}) ? ({new}) : {chosen}"
        texts[file] = once(texts[file], old, f"({chosen})")
    for number, (_, file, old, new) in enumerate(STATEMENTS, len(EXPRESSIONS)):
        texts[file] = once(texts[file], old, new.replace("ON", f"rdma::mutant::on({number})"))
    for file, text in texts.items():
        write(out / file, text)
    texts[QUEUES] += f"\nnamespace rdma::mutant {{ inline constexpr int Rules = {len(EXPRESSIONS + STATEMENTS)}; }}\n"
    write(out / QUEUES, texts[QUEUES])
    names = [m[0] for m in EXPRESSIONS + STATEMENTS]
    (out / "nic-mutants.txt").write_text("".join(f"{n} {name}\n" for n, name in enumerate(names)))


def mutate_orders(source, out):
    text = (source / "ir/Orders.cpp").read_text()
    cell = "T[static_cast<unsigned>(Earlier)][static_cast<unsigned>(Later)]"
    on = "mutant::cell()"
    write(out / "ir/Orders.cpp", once(
        text, cell,
        f"{on}.Earlier == int(Earlier) && {on}.Later == int(Later) && {on}.Issued == (&T == &Ippo) ? {on}.Value : {cell}"))


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('#include "test/mutants/Mutant.h"\n' + text if path.suffix == ".cpp"
                    else text.replace("#pragma once\n", '#pragma once\n#include "test/mutants/Mutant.h"\n', 1))


def main():
    source, out = map(pathlib.Path, sys.argv[1:3])
    mutate_nic(source, out)
    mutate_orders(source, out)


main()
