"""Compares the options of --help with the manual page and with what bash completion offers: options.py PACKAGE TOOL..."""
import os
import re
import subprocess
import sys

package, tools = sys.argv[1], sys.argv[2:]
for tool in tools:
    shown = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"^  --([a-z-]+)", shown, re.M))
    with open(os.path.join(package, "man", tool + ".1")) as page:
        text = page.read()
    missing = [option for option in options if not re.search(rf"Fl -{option}\b(?!-)", text)]
    script = os.path.join(package, "completion", "rdma-tidy.bash")
    helper = os.path.join(os.path.dirname(__file__), "complete")
    offered = subprocess.run(["bash", helper, script, tool, "--"], capture_output=True, text=True, check=True).stdout
    silent = [option for option in options if f"--{option}" not in re.findall(r"--[a-z-]+", offered)]
    print(f"{tool}: {len(options)} options,", f"missing {missing}, not offered {silent}" if missing or silent
          else "all in the manual and offered")
