# What a user sees: each test runs the built tools; FileCheck holds their words against what the test says.
import os
import lit.formats

config.name = "rdma-tidy"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".cpp", ".c"]
config.excludes = ["unit", "bench", "Inputs", "litmus", "mutants"]
config.test_source_root = os.path.join(config.source_dir, "test")
config.test_exec_root = lit_config.params.get("exec", os.path.join(config.build_dir, "test", "lit"))
tools = [os.path.join(config.build_dir, "bin")]
if record := lit_config.params.get("record"):  # what the tools are asked and say is kept there
    config.environment.update({"RDMA_TIDY_RECORD": record, "RDMA_TIDY_BIN": tools[0]})
    tools.insert(0, os.path.join(config.test_source_root, "cli", "Inputs", "recorded"))
if forget := lit_config.params.get("forget"):  # a folder with the copy that forgets (mutants/README.md)
    tools.insert(0, forget)
    config.environment.update({k: v for k, v in os.environ.items() if k.startswith("RDMA_FORGET")})
config.environment["PATH"] = os.pathsep.join(tools + ["/usr/lib/llvm-19/bin", os.environ["PATH"]])
config.substitutions += [
    ("%litmus", os.path.join(config.source_dir, "test", "litmus")),
    ("%examples", os.path.join(config.source_dir, "examples")),
    ("%source", config.source_dir),
    ("%build", config.build_dir),
    ("%pair", "python3 " + os.path.join(config.source_dir, "test", "programs", "pair.py")),
]

# Tests that start several processes which wait for each other run one at a time.
lit_config.parallelism_groups["processes"] = 1
