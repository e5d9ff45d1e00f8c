package tokens

import (
	"fmt"
	"strings"
	"testing"
)

// TestNames checks which names are found in a text, and on which lines. Names joined by
// points count as one, names in comments and strings are skipped, and names in code inside
// strings are found.
func TestNames(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a.py", "import os.path as p # exit\nx = 'exit' + f'{os.exit:3} {{no}}' + r'{no}'\ny().exit(1)", "import:1 os.path:1 as:1 p:1 x:2 os.exit:2 y:3 .exit:3"},
		{"a.js", "a?.b(`t ${process\n.exit(x)} no`)\nc // no", "a.b:1 process.exit:1 x:2 c:3"},
		{"a.rs", "std::process::exit(0); /* no */ \"no\"", "std.process.exit:1"},
		{"a.rb", "puts \"no #{exit}\"", "puts:1 exit:1"},
		{"a.sh", "echo 'no $@' \"no $@ ${*:-a} $n $(exit 1) `cat x` \\$no\"\n$0 ${0}", "echo:1 $@:1 $*:1 a:1 $n:1 exit:1 cat:1 x:1 $0:2 $0:2"},
	} {
		list, ok := Names(c.file, c.text)
		var got []string
		for _, n := range list {
			got = append(got, fmt.Sprintf("%s:%d", n.Text, n.Line))
		}
		if s := strings.Join(got, " "); s != c.want || !ok {
			t.Errorf("%s\n%s, want\n%s", c.text, s, c.want)
		}
	}
	if _, ok := Names("a.py", strings.Repeat("x\n", mostRead)); ok {
		t.Error("a text without a bound is read")
	}
}

// TestNamesOfAnything checks that the search for names terminates on broken strings and
// brackets.
func TestNamesOfAnything(t *testing.T) {
	for _, text := range []string{"", "`", "\"$", "\"${", "\"$(", "\"$(\"", "\"`", "f'{", "f'{{", "${", "$", "x.", "\"\\", "'", "`${`${`${`${`${x}`}`}`}`}`", "\"#{"} {
		for _, file := range []string{"a.py", "a.js", "a.sh", "a.rb", "a"} {
			for cut := range text + " " {
				if _, ok := Names(file, text[:cut]); !ok {
					t.Errorf("%s is not read", text[:cut])
				}
			}
		}
	}
}
