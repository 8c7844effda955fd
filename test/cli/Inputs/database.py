"""A compile database of the programs one (two sources) and two: usage database.py FOLDER relative|plain|kernels."""
import json
import os
import sys

folder, kind = sys.argv[1:]
build = os.path.join(folder, "build")
entries = []
for target, sources in (("one", ["one.c", "helper.c"]), ("two", ["two.c"])):
    for source in sources:
        out = f"CMakeFiles/{target}.dir/src/{source}.o" if kind == "relative" else f"{source}.o"
        command = ["cc", "-DNEEDED=1", "-MD", "-MF", "x.d", "-o", out, "-c", os.path.join(folder, "src", source)]
        entries.append({"directory": build, "file": f"../src/{source}"})
        if source == "helper.c":
            entries[-1]["command"] = " ".join(command)
        else:
            entries[-1]["arguments"] = command
if kind == "kernels":  # of program one, which is the only one
    entries = entries[:2]
    entries.append({"directory": build, "file": "../src/kernels.cu",
                    "command": "/usr/local/cuda/bin/nvcc -o kernels.o -c ../src/kernels.cu"})
print(json.dumps(entries))
