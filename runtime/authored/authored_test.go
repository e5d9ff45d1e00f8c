package authored

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	Init()
	goleak.VerifyTestMain(m)
}

const objects = `{"type":"object"}`

// sum is a small correct tool.
const sum = `"""Adds up the numbers of a list."""

def run(args):
    total = 0
    for n in args["numbers"]:
        if type(n) not in ("int", "float"):
            fail("not a number: %s" % n)
        total += n
    return {"sum": total}
`

func definition(source string) Definition {
	return Definition{
		Name: "add_up", Description: "Adds up numbers.", Schema: json.RawMessage(objects), Domains: []string{"research"},
		Tests: []Test{
			{Name: "three", Args: json.RawMessage(`{"numbers":[1,2,3]}`), Want: json.RawMessage(`{"sum":6}`)},
			{Name: "a word", Args: json.RawMessage(`{"numbers":["x"]}`), WantError: "not a number"},
		},
		Source: source,
	}
}

var detected = sync.OnceValue(func() sandbox.Sandbox { return sandbox.Detect(context.Background()) })

// each is a helper that runs a test without isolation and, if this machine offers
// isolation, also with it.
func each(t *testing.T, test func(t *testing.T, p *Pool)) {
	t.Helper()
	for name, walls := range map[string]func() sandbox.Sandbox{
		"plain": func() sandbox.Sandbox { return sandbox.None("a test") }, "walls": detected,
	} {
		t.Run(name, func(t *testing.T) {
			w := walls()
			if name == "walls" && w.Err() != nil {
				t.Skipf("not to be had here: %v", w.Err())
			}
			p := NewPool(w, 2)
			defer p.Close()
			test(t, p)
		})
	}
}

// call runs a source with arguments and fails the test on an infrastructure failure.
func call(t testing.TB, p *Pool, source, args string) result {
	t.Helper()
	r := p.run(t.Context(), definition(source), []byte(args))
	if r.outcome == agent.Infrastructure {
		t.Fatal(r.Text)
	}
	return r
}

// read returns a file from a child's folder in /proc.
func read(t *testing.T, pid int, name string) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
