"""Fails for an entry of the registry of texts that no test expects: usage every-text.py TEXTS.def TEST-FOLDER..."""
import pathlib
import re
import sys

ENTRY = re.compile(r'^TEXT\((\w+),\s*"(.*)"\)$', re.M)


def main(registry, folders):
    expected = "\n".join(path.read_text() for folder in folders for path in pathlib.Path(folder).rglob("*")
                         if path.suffix in (".test", ".cpp", ".c") and path.is_file())
    entries = ENTRY.findall(pathlib.Path(registry).read_text())
    missing = [name for name, words in entries
               if not re.search(".*".join(re.escape(part) for part in re.split(r"%\d", words)), expected)]
    print(f"{len(entries)} texts, {len(missing)} that no test expects: {' '.join(missing)}")
    return bool(missing) or not entries


sys.exit(main(sys.argv[1], sys.argv[2:]))
