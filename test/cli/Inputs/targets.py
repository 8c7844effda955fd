"""Prints a compile database as CMake writes it: usage targets.py FOLDER TARGET:SOURCE..."""
import json
import sys

folder, entries = sys.argv[1], [word.split(":", 1) for word in sys.argv[2:]]
print(json.dumps([{"directory": folder, "file": f"{folder}/{source}", "output": f"CMakeFiles/{target}.dir/{source}.o",
                   "command": f"cc -c {folder}/{source} -o CMakeFiles/{target}.dir/{source}.o"} for target, source in entries]))
