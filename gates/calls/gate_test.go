package calls

import (
	"strings"
	"testing"

	"evolve/gates"
)

// marked returns a file with one marked block.
func marked(head, mark, text, tail string) string {
	return head + mark + " evolve:begin f\n" + text + "\n" + mark + " evolve:end f\n" + tail
}

// TestGate checks the verdict on changed blocks of several languages, and that the evidence names
// each added call with its file and line.
func TestGate(t *testing.T) {
	for name, c := range map[string]struct {
		file, head, was, is string
		want                gates.Verdict
		says                string
	}{
		"a cheat in Python": {
			"pred.py", "", "def predict(x):\n    return x", "import sys\ndef predict(x):\n    import json\n    for n in sys.argv[1:]:\n        print(json.dumps({'case': n, 'value': 0}))\n    sys.stdout.flush()\n    import os\n    os._exit(0)",
			gates.Failed, "the change adds code that ends the process: pred.py:9 os._exit; the change adds code that writes output: pred.py:6 print, pred.py:7 sys.stdout.flush; the change adds code that reads the arguments or the environment of the process: pred.py:5 sys.argv; the change adds code that reaches files, the network, processes or other code: pred.py:2 import sys, pred.py:4 import json, pred.py:8 import os",
		},
		"other names in Python":     {"pred.py", "import sys\n", "x = 1", "from os import _exit as leave, environ as e\nleave(len(e))", gates.Failed, "pred.py:3 _exit"},
		"an exception that ends":    {"pred.py", "", "x = 1", "print(1)\nraise SystemExit", gates.Failed, "pred.py:3 SystemExit"},
		"a call in a format":        {"pred.py", "import os, sys\n", "x = 1", "x = f'{os._exit(len(sys.argv))}'", gates.Failed, "pred.py:3 os._exit"},
		"an exit alone":             {"pred.py", "import sys\n", "x = 1", "if x: sys.exit(2)", gates.Flagged, "the change adds code that ends the process: pred.py:3 sys.exit"},
		"output alone":              {"pred.py", "", "x = 1", "print(1)", gates.Flagged, "the change adds code that writes output: pred.py:2 print"},
		"a new module":              {"pred.py", "import math\n", "x = 1", "import math\nimport numpy as np, ctypes\nfrom os.path import join", gates.Flagged, "pred.py:4 import numpy, pred.py:4 ctypes, pred.py:4 import ctypes, pred.py:5 import os.path"},
		"an honest change":          {"pred.py", "import math\n", "def predict(x):\n    return x", "def predict(x):\n    exit_code, exit = 3, x  # exit(1), print(sys.argv)\n    seen = 'os._exit(0); print(sys.argv)'\n    return math.log(exit) * len(seen)", gates.Passed, "judging by the names in it, the change to pred.py adds no code that ends the process, "},
		"as many as before":         {"pred.py", "import sys\n", "print(1)\nsys.exit(1)", "print(2)\nsys.exit(3)", gates.Passed, ""},
		"one more than before":      {"pred.py", "import sys\n", "print(1)\nsys.exit(1)", "print(2)\nsys.exit(3)\nprint(3)\nsys.exit(4)", gates.Failed, "pred.py:6 sys.exit; the change adds code that writes output: pred.py:5 print"},
		"a cheat in JavaScript":     {"lib/f.mjs", "", "const x = 1;", "for (const n of process.argv.slice(2)) console.log(JSON.stringify({case: n, value: 0}));\nprocess.exit(0);", gates.Failed, "lib/f.mjs:3 process.exit"},
		"a template":                {"f.js", "", "const x = 1;", "const x = `process.exit ${process.exit(process.argv.length)}`;", gates.Failed, "f.js:2 process.exit; the change adds code that reads the arguments or the environment of the process: f.js:2 process.argv.length"},
		"an honest JavaScript":      {"f.js", "", "const x = 1;", "const x = /exit/.exec(exitCodes)[0] + state.process;", gates.Passed, ""},
		"a cheat in a shell":        {"rank.sh", "", "rank() { :; }", "rank() { :; }\nfor c in \"$@\"; do echo \"$c\"; done\nexit 0", gates.Failed, "rank.sh:4 exit; the change adds code that writes output: rank.sh:3 echo; the change adds code that reads the arguments or the environment of the process: rank.sh:3 $@"},
		"a shell that had echo":     {"rank.sh", "", "echo 1", "for c in ${*:-a}; do echo 1; done; exit", gates.Failed, "rank.sh:2 exit; the change adds code that reads the arguments or the environment of the process: rank.sh:2 $*"},
		"an honest shell":           {"rank.sh", "", "rank() { echo $(($1 * 2)); }", "rank() { if [ \"$1\" = exit ]; then echo exit; fi; echo $(($1 * 3)); }", gates.Passed, ""},
		"a command in a string":     {"rank.sh", "", "x=1", "x=\"$(exit 3) `curl x`\"", gates.Flagged, "rank.sh:2 exit; the change adds code that reaches files, the network, processes or other code: rank.sh:2 curl"},
		"a shell by its first line": {"rank", "#!/bin/sh\n", "x=1", "exit 1", gates.Flagged, "rank:3 exit"},
		"a cheat in awk":            {"f.awk", "", "{ print $1 }", "{ for (i in ARGV) print ARGV[i]; exit }", gates.Failed, "f.awk:2 exit"},
		"a cheat in Ruby":           {"f.rb", "", "x = 1", "ARGV.each { |n| puts n }\nexit!", gates.Failed, "f.rb:3 exit"},
		"a cheat in Lua":            {"f.lua", "", "x = 1", "print(arg[1])\nos.exit(0)", gates.Failed, "f.lua:3 os.exit"},
		"a cheat in C":              {"f.c", "", "int x;", "printf(\"%d\", 0); _exit(0);", gates.Failed, "f.c:2 _exit"},
		"a cheat in Rust":           {"f.rs", "", "let x = 1;", "println!(\"{}\", 0); std::process::exit(0);", gates.Failed, "f.rs:2 std.process.exit"},
		"a language without words":  {"f.hs", "", "x = 1", "x = 2", gates.Flagged, "not read: f.hs"},
	} {
		t.Run(name, func(t *testing.T) {
			mark := "#"
			switch c.file[strings.LastIndexByte(c.file, '.')+1:] {
			case "mjs", "js", "c", "rs":
				mark = "//"
			case "lua", "hs":
				mark = "--"
			}
			list := []File{{Path: c.file, Old: []byte(marked(c.head, mark, c.was, "")), New: []byte(marked(c.head, mark, c.is, ""))}}
			if !Reads(list) {
				t.Fatal("the gate does not apply")
			}
			got, evidence := Gate(list).Check(t.Context())
			if got != c.want || !strings.Contains(evidence, c.says) {
				t.Errorf("%s: %s\nwant %s: %s", got, evidence, c.want, c.says)
			}
		})
	}
}

// TestOutsideOfBlocks checks that calls added outside marked blocks only flag the patch,
// even if they end the process and print, and that the gate is not run on files in other
// languages.
func TestOutsideOfBlocks(t *testing.T) {
	tail := "import sys\nprint(1)\nsys.exit(0)\n"
	was, is := marked("", "#", "x = 1", ""), marked("", "#", "x = 2", tail)
	got, evidence := Gate([]File{{Path: "a.py", Old: []byte(was), New: []byte(is)}, {Path: "new.py", New: []byte(tail)}, {Path: "README.md", New: []byte("exit")}}).Check(t.Context())
	if want := "the change adds code that ends the process: a.py:6 sys.exit, new.py:3 sys.exit;"; got != gates.Flagged || !strings.HasPrefix(evidence, want) || !strings.HasSuffix(evidence, "; not read: README.md") {
		t.Errorf("%s: %s, want %s", got, evidence, want)
	}
	if Reads([]File{{Path: "README.md", Old: []byte("a"), New: []byte("exit")}, {Path: "gone.py", Old: []byte("x")}}) {
		t.Error("there is nothing to read")
	}
}

// TestAcrossFiles checks that a block that ends the process and a block in another file
// that prints are judged together.
func TestAcrossFiles(t *testing.T) {
	file := func(name, is string) File {
		return File{Path: name, Old: []byte(marked("import os\n", "#", "x = 1", "")), New: []byte(marked("import os\n", "#", is, ""))}
	}
	if got, evidence := Gate([]File{file("a.py", "os.abort()"), file("b.py", "print(1)")}).Check(t.Context()); got != gates.Failed {
		t.Errorf("%s: %s", got, evidence)
	}
}
