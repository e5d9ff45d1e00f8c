package blocks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

func TestFindReadsTheMarksOfManyLanguages(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"go":      "package p\n\n// evolve:begin b\nvar x = 1\n// evolve:end\n",
		"go2":     "package p\n\n//evolve:begin b\nvar x = 1\n//evolve:end b\n",
		"rust":    "/// evolve:begin b\nvar x = 1\n/// evolve:end\n",
		"python":  "def f():\n    # evolve:begin b\nvar x = 1\n    # evolve:end b\n",
		"lua":     "-- evolve:begin b\nvar x = 1\n-- evolve:end\n",
		"lisp":    ";; evolve:begin b\nvar x = 1\n;; evolve:end\n",
		"tex":     "% evolve:begin b\nvar x = 1\n% evolve:end\n",
		"c":       "/* evolve:begin b */\nvar x = 1\n/* evolve:end b */\n",
		"ocaml":   "(* evolve:begin b *)\nvar x = 1\n(* evolve:end *)\n",
		"haskell": "{- evolve:begin b -}\nvar x = 1\n{- evolve:end -}\n",
		"html":    "<!-- evolve:begin b -->\nvar x = 1\n<!-- evolve:end -->\n",
		"vim":     "\" evolve:begin b\nvar x = 1\n\" evolve:end\n",
		"basic":   "REM evolve:begin b\nvar x = 1\nREM evolve:end\n",
		"dos":     "# evolve:begin b\r\nvar x = 1\r\n# evolve:end\r\n",
		"cut":     "# evolve:begin b\nvar x = 1\n# evolve:end", // no final line end
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, problems := Find(map[string][]byte{"f": []byte(source)})
			if len(problems) > 0 || len(list) != 1 || list[0].Name != "b" || list[0].Text != "var x = 1\n" {
				t.Errorf("Find = %+v, %v", list, problems)
			}
		})
	}
}

func TestFindSkipsWhatIsNoMark(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`x = "evolve:begin b"`,
		"x = 1 // evolve:begin b",
		"// evolve:beginning b",
		"// the mark evolve:begin b",
		"/* evolve:begin b",
		"evolve:begin b",
	} {
		list, problems := Find(map[string][]byte{"f": []byte(line + "\n")})
		if len(list)+len(problems) > 0 {
			t.Errorf("Find(%q) = %v, %v; want nothing", line, list, problems)
		}
	}
}

// A mark in a string or in a longer comment begins and ends no block, whatever its name.
func TestFindSkipsMarksInStrings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, mark, after string }{
		"a.go":   {"package p\n\nconst doc = `\n", "//", "`\n\n"},
		"b.go":   {"package p\n\n/*\n", "//", "*/\n\n"},
		"a.py":   {"\"\"\"It's how:\n\n", "#", "\"\"\"\n\n"},
		"a.js":   {"const doc = `\n", "//", "`;\n"},
		"a.java": {"String doc = \"\"\"\n", "//", "\"\"\";\n"},
		"a.sh":   {"cat <<END\n", "#", "END\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			example := c.before + "  " + c.mark + " evolve:begin b\n  y = 1\n  " + c.mark + " evolve:end b\n" + c.after
			files := map[string][]byte{name: []byte(example + c.mark + " evolve:begin b\nx = 1\n" + c.mark + " evolve:end b\n" + example)}
			list, problems := Find(files)
			if len(problems) > 0 || len(list) != 1 || list[0].Text != "x = 1\n" {
				t.Errorf("Find = %+v, %v; want the one block outside of the strings", list, problems)
			}
			if quoted := Quoted(files); len(quoted) != 2 {
				t.Errorf("Quoted = %v; want two marks", quoted)
			}
			if Marked(name, []byte(example)) || !Marked(name, files[name]) {
				t.Error("Marked is wrong")
			}
		})
	}
}

func TestFindRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"no end":        {"// evolve:begin a\nx\n", "f:1: block \"a\" has no end"},
		"no begin":      {"x\n// evolve:end\n", "f:2: evolve:end has no evolve:begin"},
		"nested":        {"// evolve:begin a\nx\n// evolve:begin b\ny\n// evolve:end\n", "f:3: block \"b\" begins inside of block \"a\""},
		"other name":    {"// evolve:begin a\nx\n// evolve:end b\n", "f:3: evolve:end names \"b\", and block \"a\" is open"},
		"no name":       {"// evolve:begin\nx\n// evolve:end\n", "f:1: the name \"\" cannot be used"},
		"bad name":      {"// evolve:begin a b\nx\n// evolve:end\n", "f:1: the name \"a b\" cannot be used"},
		"empty":         {"// evolve:begin a\n \n// evolve:end\n", "f:1: block \"a\" is empty"},
		"twice":         {"// evolve:begin a\nx\n// evolve:end\n// evolve:begin a\ny\n// evolve:end\n", "f:1: the name \"a\" is used twice"},
		"mixed ends":    {"// evolve:begin a\r\nx\n// evolve:end\n", "f:1: some lines end in"},
		"no text":       {"// evolve:begin a\nx\x00\n// evolve:end\n", "f:1: the file is not UTF-8 text"},
		"long block":    {"// evolve:begin a\n" + strings.Repeat("x", mostText+1) + "\n// evolve:end\n", "bytes, at most 65536 can be searched"},
		"too much file": {"// evolve:begin a\n" + strings.Repeat("x\n", mostBytes), "bytes, at most 1048576 are read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, problems := Find(map[string][]byte{"f": []byte(c.source)})
			if len(list) > 0 || len(problems) == 0 || !strings.Contains(problems[0].String(), c.want) {
				t.Errorf("Find = %v, %v; want the problem %q", list, problems, c.want)
			}
		})
	}
}

func TestSetChangesTheTextsAlone(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{
		"a.py":  []byte("before\n# evolve:begin one\n1\n# evolve:end\nbetween\n# evolve:begin two\n2\n# evolve:end two\nafter"),
		"b.txt": []byte("; evolve:begin three\r\n3\r\n; evolve:end\r\n"),
		"c":     []byte("untouched"),
	}
	got, err := Set(files, agent.Config{"one": "I\nI", "three": "III\n\tiii\n"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{
		"a.py":  []byte("before\n# evolve:begin one\nI\nI\n# evolve:end\nbetween\n# evolve:begin two\n2\n# evolve:end two\nafter"),
		"b.txt": []byte("; evolve:begin three\r\nIII\r\n\tiii\r\n; evolve:end\r\n"),
		"c":     []byte("untouched"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Set (-want +got):\n%s", diff)
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{"f": []byte("// evolve:begin a\nx\n// evolve:end\n")}
	for name, c := range map[string]struct {
		config agent.Config
		want   string
	}{
		"an unknown block": {agent.Config{"b": "x"}, `parameter "b" is no marked block`},
		"no text":          {agent.Config{"a": 1.0}, "block a: the text is empty"},
		"an end":           {agent.Config{"a": "x\n // evolve:end\ny"}, "block a: line 2 is a marker"},
		"a beginning":      {agent.Config{"a": "# evolve:begin c"}, "block a: line 1 is a marker"},
		"a bell":           {agent.Config{"a": "x\ay"}, `line 1 has the control character '\a'`},
		"a return":         {agent.Config{"a": "x\r\ny"}, `line 1 has the control character '\r'`},
		"no UTF-8":         {agent.Config{"a": "\xff"}, "not UTF-8"},
		"too much":         {agent.Config{"a": strings.Repeat("x", mostText+1)}, "at most 65536"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, err := Set(files, c.config); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Set = %q, %v; want the error %q", out, err, c.want)
			}
		})
	}
}

// A text that was set is found again, and setting the old one restores every byte.
func TestSetIsUndone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		line := rapid.StringMatching(`[a-z #/;*-]{0,12}`)
		body := func(label string) string {
			return "x" + strings.Join(rapid.SliceOfN(line, 1, 4).Draw(t, label), "\n") + "\n"
		}
		before, old, text := body("before"), body("old"), body("text")
		source := strings.ReplaceAll(before+"# evolve:begin a\n"+old+"# evolve:end\n"+before, "\n", end)
		files := map[string][]byte{"f": []byte(source)}
		now, err := Set(files, agent.Config{"a": text})
		if err != nil {
			t.Fatal(err)
		}
		list, problems := Find(now)
		if len(problems) > 0 || len(list) != 1 || list[0].Text != text {
			t.Fatalf("Find = %+v, %v; want the text %q", list, problems, text)
		}
		back, err := Set(now, agent.Config{"a": old})
		if err != nil || string(back["f"]) != source {
			t.Fatalf("restored: %q, %v; want %q", back["f"], err, source)
		}
	})
}

func FuzzFind(f *testing.F) {
	f.Add("// evolve:begin a\nx\n// evolve:end\n", "y")
	f.Add("/* evolve:begin a */\r\nx\r\n/* evolve:end a */", "")
	f.Fuzz(func(t *testing.T, source, text string) {
		files := map[string][]byte{"f": []byte(source)}
		list, problems := Find(files)
		if len(problems) > 0 {
			return
		}
		for _, b := range list {
			now, err := Set(files, agent.Config{b.Name: text})
			if (err == nil) != (Check(text) == nil) {
				t.Fatalf("Set = %v, Check = %v", err, Check(text))
			}
			if err != nil {
				continue
			}
			again, problems := Find(now)
			if len(problems) > 0 || len(again) != len(list) {
				t.Fatalf("after Set: %v, %v", again, problems)
			}
		}
	})
}
