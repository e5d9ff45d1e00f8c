package tokens

import (
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestChains checks the guarantees for results in chains of up to 20 generations, and that
// all operators occur.
func TestChains(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, file := range slices.Sorted(maps.Keys(fixtures)) {
		base := fixtures[file]
		r := open(t, file, base)
		start := r.read(base)
		total, refused := 0, 0
		for seed := range uint64(12) {
			rng, text, before := random(seed), base, base
			for g := range 20 {
				c, ok := r.Mutate(text, rng)
				if g%5 == 4 {
					c, ok = r.Cross(text, before, rng)
				}
				if total++; !ok {
					refused++
					continue
				}
				now := r.read(c.Text)
				for s := range now.strings {
					if start.strings[s] == 0 {
						t.Fatalf("%s: %s: the string or comment %q is new:\n%s", file, c.Describes, s, c.Text)
					}
				}
				if now.open != start.open || !slices.Equal(now.heads(), start.heads()) {
					t.Fatalf("%s: %s: brackets or heads changed:\n%s", file, c.Describes, c.Text)
				}
				if now.size > 3*start.size+100 || r.Normal(c.Text) == r.Normal(text) {
					t.Fatalf("%s: %s: too large, or the same:\n%s", file, c.Describes, c.Text)
				}
				if strings.Contains(c.Describes, "\n") || !strings.HasPrefix(c.Describes, "line ") {
					t.Fatalf("description %q", c.Describes)
				}
				count[c.Operator]++
				before, text = text, c.Text
			}
		}
		if refused > total/20 {
			t.Errorf("%s: %d of %d attempts had no result", file, refused, total)
		}
	}
	for _, o := range slices.Concat(operators, crossings) {
		t.Logf("%-10s %4d", o.name, count[o.name])
		if count[o.name] == 0 {
			t.Errorf("%s does not occur", o.name)
		}
	}
}

// TestSameSeedSameText checks that results depend only on the text and the generator.
func TestSameSeedSameText(t *testing.T) {
	t.Parallel()
	for file, text := range fixtures {
		a, _ := open(t, file, text).Mutate(text, random(5))
		b, _ := open(t, file, text).Mutate(text, random(5))
		if a != b {
			t.Errorf("%s: %+v and %+v", file, a, b)
		}
	}
}

// TestPythonParses counts the results that Python can parse, after one change and after
// chains of changes.
func TestPythonParses(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	var texts, operators []string
	for _, file := range []string{"pack.py", "cache.py"} {
		base := fixtures[file]
		r := open(t, file, base)
		for seed := range uint64(400) {
			rng := random(seed)
			c, ok := r.Mutate(base, rng)
			if d, crossed := r.Cross(base, c.Text, rng); crossed && seed%4 == 0 {
				c, ok = d, true
			}
			if ok {
				text := c.Text
				if strings.HasPrefix(text, " ") {
					text = "def f():\n" + text
				}
				texts, operators = append(texts, text), append(operators, c.Operator+"|"+c.Describes)
			}
		}
	}
	data, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	const program = `
import ast, json, sys, warnings
warnings.simplefilter("ignore")
def ok(s):
    try:
        ast.parse(s)
        return True
    except SyntaxError:
        return False
json.dump([ok(s) for s in json.load(sys.stdin)], sys.stdout)`
	cmd := exec.Command("python3", "-c", program)
	cmd.Stdin = strings.NewReader(string(data))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var parses []bool
	if err := json.Unmarshal(out, &parses); err != nil {
		t.Fatal(err)
	}
	good := 0
	for i, ok := range parses {
		if ok {
			good++
		} else {
			t.Log(operators[i])
		}
	}
	t.Logf("%d of %d results parse", good, len(parses))
	if good*100 < 95*len(parses) || len(parses) < 700 {
		t.Errorf("%d of %d results parse", good, len(parses))
	}
}

// TestDescriptions checks the description of one change by each operator.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ operator, file, text, want string }{
		{"comparison", "a.py", "x = 1\nif a < b:\n    x = 2\n", "line 2: a < b → a > b"},
		{"arithmetic", "a.js", "let x = a.b(1) * c;\n", "line 1: a.b(1) * c → a.b(1) / c"},
		{"name", "a.py", "def f(a, b):\n    return a\n", "line 2: a → b"},
		{"delete", "a.py", "x = 1\ny = 2\n", "line 2: delete y = 2"},
		{"swap", "a.py", "x = 1\ny = 2\n", "line 1: x = 1; y = 2 → y = 2; x = 1"},
		{"negate", "a.rs", "if a < b && c {\n}\n", ""},
	} {
		r := open(t, c.file, c.text)
		found := ""
		for seed := range uint64(300) {
			if x, ok := r.Mutate(c.text, random(seed)); ok && x.Operator == c.operator && (found == "" || x.Describes == c.want) {
				found = x.Describes
			}
		}
		if found == "" || c.want != "" && found != c.want {
			t.Errorf("%s: %q, want %q", c.operator, found, c.want)
		}
	}
}

// TestShellCalculatesInBrackets checks that text outside (( )) is not treated as a
// calculation.
func TestShellCalculatesInBrackets(t *testing.T) {
	t.Parallel()
	text := fixtures["rank.sh"]
	r := open(t, "rank.sh", text)
	for seed := range uint64(300) {
		c, ok := r.Mutate(text, random(seed))
		if !ok {
			t.Fatalf("seed %d: nothing", seed)
		}
		if line := strings.SplitN(c.Text, "then", 2)[0]; strings.Contains(line[strings.LastIndex(line, "if"):], "(") {
			t.Errorf("%s: %s", c.Describes, line)
		}
	}
}

// TestNewRefuses checks that blocks that exceed the limits are refused.
func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		strings.Repeat("x", mostText+1):        "it has 65537 bytes; the limit for rewriting is 65536",
		strings.Repeat("x ", mostTokens) + "y": "it has 4097 names, numbers and symbols; the limit for rewriting is 4096",
	} {
		if _, err := New("a.py", text); err == nil || err.Error() != want {
			t.Errorf("New = %v, want %q", err, want)
		}
	}
}

// FuzzRewriter checks that the tokens reproduce their text, that no text makes a rewriter
// panic, and that brackets are preserved.
func FuzzRewriter(f *testing.F) {
	for file, text := range fixtures {
		f.Add(file, text, uint64(1))
	}
	f.Add("a.sh", "<<A\n<<B", uint64(1))
	f.Add("a.js", "`${`${\"", uint64(2))
	f.Add("a.py", "a = ((b\n]\\\n'''", uint64(3))
	f.Fuzz(func(t *testing.T, file, text string, seed uint64) {
		r, err := New(file, text)
		if err != nil {
			return
		}
		at := 0
		for _, x := range lex(r.language, r.vocabulary, text) {
			if x.from != at || x.to <= x.from {
				t.Fatalf("a token from %d to %d follows offset %d", x.from, x.to, at)
			}
			at = x.to
		}
		if at != len(text) {
			t.Fatalf("the tokens end at %d of %d", at, len(text))
		}
		rng := random(seed)
		c, ok := r.Mutate(text, rng)
		if d, crossed := r.Cross(text, c.Text, rng); crossed {
			c, ok = d, true
		}
		if ok && r.read(c.Text).open != r.read(text).open {
			t.Fatalf("brackets changed by %s", c.Describes)
		}
	})
}
