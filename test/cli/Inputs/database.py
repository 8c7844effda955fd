"""A compile database of the programs one (two sources) and two: usage database.py FOLDER relative|plain|kernels|apart."""
import json
import os
import sys

folder, kind = sys.argv[1:]
build = os.path.join(folder, "build")
entries = []
for target, sources in (("one", ["one.c", "helper.c"]), ("two", ["two.c"])):
    for source in sources:
        out = f"CMakeFiles/{target}.dir/src/{source}.o" if kind in ("relative", "apart") else f"{source}.o"
        command = ["cc", "-DNEEDED=1", "-MD", "-MF", "x.d", "-o", out, "-c", os.path.join(folder, "src", source)]
        entries.append({"directory": build, "file": f"../src/{source}"})
        if source == "helper.c":
            entries[-1]["command"] = " ".join(command)
        else:
            entries[-1]["arguments"] = command
if kind in ("kernels", "apart"):  # of program one, which is the only one; or of a library
    entries = entries[:2]
    out = "CMakeFiles/kernels.dir/src/kernels.cu.o" if kind == "apart" else "kernels.o"
    entries.append({"directory": build, "file": "../src/kernels.cu",
                    "command": f"/usr/local/cuda/bin/nvcc -o {out} -c ../src/kernels.cu"})
print(json.dumps(entries))
