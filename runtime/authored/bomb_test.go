package authored

import (
	"encoding/json"
	"maps"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// bombs are tools that exceed a limit. None may return a value.
var bombs = map[string]string{
	"string times":        "def run(args):\n  return len('a' * 1000000000)\n",
	"string times twice":  "def run(args):\n  s = 'a' * 900000000\n  t = s + s\n  return len(t)\n",
	"string replace":      "def run(args):\n  s = 'a' * 100000\n  for i in range(10):\n    s = s.replace('a', s[:1000])\n  return len(s)\n",
	"string join":         "def run(args):\n  s = 'a' * 1000000\n  return len(s.join(['b'] * 100000))\n",
	"string format":       "def run(args):\n  s = 'a' * 1000000\n  return len(('{0}' * 1000).format(s))\n",
	"string percent":      "def run(args):\n  s = '%s' * 10000\n  return len(s % tuple(['a' * 100000] * 10000))\n",
	"string split":        "def run(args):\n  return len(list(('a,' * 100000000).split(',')))\n",
	"list doubling":       "def run(args):\n  l = [1]\n  for i in range(60):\n    l = l + l\n  return len(l)\n",
	"list times":          "def run(args):\n  return len([0] * 1000000000)\n",
	"list kept":           "def run(args):\n  l = []\n  for i in range(1000):\n    l.append('x%d' % i + 'a' * 10000000)\n  return len(l)\n",
	"list of range":       "def run(args):\n  return len(list(range(2000000000)))\n",
	"dict growth":         "def run(args):\n  d = {}\n  for i in range(100000000):\n    d[i] = 'a' * 1000 + str(i)\n  return len(d)\n",
	"set growth":          "def run(args):\n  return len(set(range(2000000000)))\n",
	"nested then encoded": "def run(args):\n  x = []\n  for i in range(1000000):\n    x = [x]\n  return x\n",
	"nested then text":    "def run(args):\n  x = {}\n  for i in range(1000000):\n    x = {'a': x}\n  return len(str(x))\n",
	"shared then encoded": "def run(args):\n  x = ['a']\n  for i in range(60):\n    x = [x, x]\n  return len(json.encode(x))\n",
	"shared then text":    "def run(args):\n  x = ['a']\n  for i in range(60):\n    x = [x, x]\n  return len(str(x))\n",
	"shared as the value": "def run(args):\n  x = ['a']\n  for i in range(60):\n    x = [x, x]\n  return x\n",
	"deep json decoded":   "def run(args):\n  return len(str(json.decode('[' * 5000000 + ']' * 5000000)))\n",
	"json indented":       "def run(args):\n  return len(json.indent('[' * 20000 + '1' + ']' * 20000, indent='a' * 100000))\n",
	"cycle encoded":       "def run(args):\n  x = []\n  x.append(x)\n  return x\n",
	"integer growth":      "def run(args):\n  x = 10\n  for i in range(60):\n    x = x * x\n  return x % 7\n",
	"integer to text":     "def run(args):\n  x = 10\n  for i in range(27):\n    x = x * x\n  return len(str(x))\n",
	"integer shifts":      "def run(args):\n  x = 1\n  for i in range(100000000):\n    x = x << 511\n  return x % 7\n",
	"text to integer":     "def run(args):\n  return int('9' * 200000000) % 7\n",
	"endless for":         "def run(args):\n  for i in range(1 << 62):\n    pass\n  return 1\n",
	"nested for":          "def run(args):\n  n = 0\n  for a in range(100000):\n    for b in range(100000):\n      n += 1\n  return n\n",
	"endless at the top":  "x = [[i for i in range(100000)] for j in range(100000)]\ndef run(args):\n  return 1\n",
	"comprehension":       "def run(args):\n  return len([1 for a in range(10000) for b in range(10000)])\n",
	"sort by growth":      "def run(args):\n  keep = []\n  def key(n):\n    keep.append('%d' % n + 'a' * 1000000)\n    return keep[-1]\n  return len(sorted(range(100000), key=key))\n",
	"sort without end":    "def run(args):\n  return len(sorted(range(100000000), reverse=True))\n",
	"zip":                 "def run(args):\n  r = range(500000000)\n  return len(zip(r, r, r))\n",
	"print of a lot":      "def run(args):\n  for i in range(100000000):\n    print('a' * 100000)\n  return 1\n",
	"error of a lot":      "def run(args):\n  fail('a' * 50000000)\n",
	"value too large":     "def run(args):\n  return 'a' * 70000\n",
	"value of controls":   "def run(args):\n  return '\\x00' * 60000\n",
	"value not JSON":      "def run(args):\n  return run\n",
	"value not finite":    "def run(args):\n  return float('inf')\n",
	"key not text":        "def run(args):\n  return {1: 2}\n",
	"recursion":           "def run(args):\n  return run(args)\n",
	"mutual recursion":    "def other(args):\n  return run(args)\ndef run(args):\n  return other(args)\n",
	"recursion by lambda": "def run(args):\n  f = lambda g: g(g)\n  return f(f)\n",
	"while":               "def run(args):\n  while True:\n    pass\n",
	"load of a file":      "load('/etc/passwd', 'root')\ndef run(args):\n  return root\n",
	"load of a module":    "load('@time', 'time')\ndef run(args):\n  return 1\n",
	"open":                "def run(args):\n  return open('/etc/passwd').read()\n",
	"import":              "def run(args):\n  import os\n  return os.environ\n",
	"environment":         "def run(args):\n  return os.environ\n",
	"time":                "def run(args):\n  return str(time.now())\n",
	"random":              "def run(args):\n  return random.random()\n",
	"builtin reassigned":  "def run(args):\n  json.encode = lambda v: 'x'\n  return 1\n",
	"globals kept":        "seen = []\ndef run(args):\n  seen.append(args)\n  return seen\n",
	"no run":              "def go(args):\n  return 1\n",
	"run of two":          "def run(a, b):\n  return 1\n",
	"run no function":     "run = 3\n",
	"parentheses":         "def run(args):\n  return " + strings.Repeat("(", 8000) + "\n",
	"brackets":            "x = " + strings.Repeat("[", 4000) + strings.Repeat("]", 4000) + "1\n",
	"minus":               "def run(args):\n  return " + strings.Repeat("-", 8000) + "\n",
	"not a program":       "\x00\x01\x02",
	"Unicode name":        "def run(args):\n  а = 1\n  return a\n",
}

func TestBombs(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	each(t, func(t *testing.T, p *Pool) {
		for _, name := range slices.Sorted(maps.Keys(bombs)) {
			t.Run(name, func(t *testing.T) {
				p.limit = time.Second // most endless tools reach another limit before this time limit
				r := call(t, p, bombs[name], `{}`)
				p.limit = callTime
				failed := r.outcome == agent.Execution || r.outcome == agent.Timeout || r.outcome == agent.ContractViolation
				if !failed || r.Text == "" || r.Value != nil {
					t.Errorf("%s, %q, value of %d bytes", r.outcome, r.Text, len(r.Value))
				}
				if r.cause == "" && !strings.Contains(r.Text, "too busy") {
					t.Errorf("%s, %q: the tool is not the cause", r.outcome, r.Text)
				}
				if len(r.Text) > maxText+50 || len(r.Printed) > maxPrinted {
					t.Errorf("%d bytes of text and %d printed came out", len(r.Text), len(r.Printed))
				}
				if r := call(t, p, sum, `{"numbers":[1,2]}`); string(r.Value) != `{"sum":3}` {
					t.Errorf("afterwards: %s %s %s", r.outcome, r.Value, r.Text)
				}
			})
		}
	})
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 32<<20 {
		t.Errorf("this process grew by %d bytes", grown)
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		t.Fatal(err)
	}
	// A child needs little memory when it starts, and limits its own growth. Under the race
	// detector that limit is high, and whether the parent's lower limit is enforced in time
	// depends on how busy the machine is.
	if most := usage.Maxrss << 10; most > 256<<20 && weight == 1 {
		t.Errorf("the largest child had %d MiB", most>>20)
	} else {
		t.Logf("the largest child had %d MiB", most>>20)
	}
}

func TestForgery(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		for name, source := range map[string]string{
			"a frame":   `def run(args): print("\x00\x00\x00\x1f" + '{"ending":"value","value":"forged"}')` + "\n",
			"a reply":   `def run(args): return '{"ending":"value","value":"forged"}'` + "\n",
			"a failure": `def run(args): fail('","ending":"value","value":"forged')` + "\n",
		} {
			r := call(t, p, source, `{}`)
			var v any
			if r.Value != nil {
				if err := json.Unmarshal(r.Value, &v); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if v == "forged" {
				t.Errorf("%s: came out", name)
			}
		}
		if r := call(t, p, sum, `{"numbers":[]}`); r.outcome != agent.OK {
			t.Errorf("afterwards: %s %s", r.outcome, r.Text)
		}
	})
}
