"""Runs modules of rdma-core's own tests, as its package ships them, and prints what was skipped, by reason, and what failed.

usage: conformance.py MODULE...

The tests ask sysfs which network interface belongs to the device, to have an address for the connection manager. This
device has none there, but every address of the machine is its own: so they are told the loopback's.
"""
import collections
import gzip
import importlib
import os
import re
import sys
import tempfile
import unittest

SHIPPED = "/usr/share/doc/rdma-core/tests"


def unpack(folder):
    os.mkdir(os.path.join(folder, "tests"))
    for name in os.listdir(SHIPPED):
        path = os.path.join(SHIPPED, name)
        if name.endswith((".py", ".py.gz")):
            text = (gzip.open if name.endswith(".gz") else open)(path, "rb").read()
            open(os.path.join(folder, "tests", name.removesuffix(".gz")), "wb").write(text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        unpack(folder)
        sys.path[:0] = [folder, os.path.join(folder, "tests")]
        modules, sys.argv[1:] = sys.argv[1:], []
        importlib.import_module("args_parser").parser.parse_args()
        base = importlib.import_module("tests.base").RDMATestCase
        base._get_ip_mac = lambda self, *where: self.args.append([*where, "127.0.0.1", "00:00:00:00:00:00"])
        suite = unittest.defaultTestLoader.loadTestsFromNames(f"tests.{name}" for name in modules)
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(suite)
    reasons = collections.Counter(re.sub(r"\d+|/dev/\S+", "N", reason) for _, reason in result.skipped)
    for reason, count in sorted(reasons.items()):
        print(f"skipped {count}: {reason}")
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - len(result.skipped) - failed} passed, {failed} failed, {len(result.skipped)} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
