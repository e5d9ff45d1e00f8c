//go:build unix

package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

// callsVar names the file in which the agent program records each request as its task,
// config and seed; see [call].
const callsVar = "TRIAL_CALLS"

// program is an agent in POSIX shell. Its effort and its manner decide which tasks it can
// answer. The test inserts the lines for further manners.
const program = `while IFS= read -r line; do
	id=${line#*'"id":"'} id=${id%%'"'*}
	task=${line#*'"goal":"is '} task=${task%%' '*}
	effort=${line#*'"effort":'} effort=${effort%%[!0-9]*}
	manner=${line#*'"manner":"'} manner=${manner%%'"'*}
	seed=${line#*'"seed":'} seed=${seed%%[!0-9]*}
	if [ -n "$TRIAL_CALLS" ]; then echo "t$task/$effort/$manner/$seed" >>"$TRIAL_CALLS"; fi
	FIRST
	reach=$((effort * 10 + seed % 21)) answer=no
	case $manner in
	careful) reach=$((reach + 15)) ;;
	MANNERS
	esac
	if [ $((task * 37 % 100)) -lt $reach ]; then answer=yes; fi
	echo "{\"id\":\"$id\",\"answer\":\"$answer\"}"
done
`

// agentFile declares the agent that runs program. The program keeps no state, so its runs
// are repeatable.
const agentFile = `id: solver
adapter: {kind: command, argv: [sh, agent.sh], protocol: jsonl, pool: 2, timeout: %s, env: [TRIAL_CALLS, TRIAL_MARK], sandbox: %s}
deterministic: %t
uses_seed: %t
suites: [tasks]
space:
  effort: {type: int, min: 1, max: 8, default: 3}
  manner: {type: choice, values: [%s], default: plain}
`

// manner is a further value of the parameter manner, with the shell code for it.
type manner struct{ name, does string }

// script configures the program and its agent file.
type script struct {
	sandbox string
	timeout string
	// first is shell code that runs before each answer, whatever the manner.
	first   string
	manners []manner
	// seeded makes the answers depend on the seed, and does not declare a deterministic
	// order.
	seeded bool
	// repeats makes the answers depend only on the request and the seed.
	repeats bool
}

// written returns a workspace with the program as its agent.
func written(t *testing.T, s script) place {
	t.Helper()
	p := newPlace(t, t.TempDir())
	names, cases := []string{"plain", "careful"}, []string{}
	for _, m := range s.manners {
		names = append(names, m.name)
		cases = append(cases, m.name+") "+m.does+" ;;")
	}
	var suite strings.Builder
	for i := range 80 {
		side := []string{"search", "holdout"}[i%2]
		fmt.Fprintf(&suite, `{"id":"t%d","cluster":"t%[1]d","domain":"d","goal":"is %[1]d within reach?","answer":"yes","graders":[{"type":"exact"}],"split":%[2]q}`+"\n", i, side)
	}
	for name, text := range map[string]string{
		"evolve.yaml":              "search: {concurrency: 4, lookahead: 16}\nconfirm: {finalists: 2}\n",
		"suites/tasks.jsonl":       suite.String(),
		"agents/solver/agent.yaml": fmt.Sprintf(agentFile, s.timeout, s.sandbox, !s.seeded, s.seeded || s.repeats, strings.Join(names, ", ")),
		"agents/solver/agent.sh":   strings.NewReplacer("FIRST", s.first, "MANNERS", strings.Join(cases, "\n\t")).Replace(program),
	} {
		path := filepath.Join(p.root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.flags = []string{"--seed", "7", "--budget-evals", "500"}
	return p
}

// counted returns a workspace that runs the program without a sandbox, so that its calls
// can be counted.
func counted(t *testing.T) place {
	t.Helper()
	return countedAfter(t, ":")
}

// countedAfter is like counted, with shell code that runs before each answer.
func countedAfter(t *testing.T, first string) place {
	t.Helper()
	return writtenAndCounted(t, script{sandbox: "none", timeout: "1h", first: first})
}

// repeating returns a workspace that runs the program with answers that depend only on the
// request and the seed: repeats are evidence, and runs are repeatable.
func repeating(t *testing.T) place {
	t.Helper()
	return writtenAndCounted(t, script{sandbox: "none", timeout: "1h", first: ":", repeats: true})
}

func writtenAndCounted(t *testing.T, s script) place {
	t.Helper()
	p := written(t, s)
	p.log = filepath.Join(t.TempDir(), "calls")
	p.env = append(p.env, callsVar+"="+p.log)
	return p
}

// call returns an evaluation in the program's notation.
func call(task string, config agent.Config, seed int64) string {
	return fmt.Sprintf("%s/%d/%s/%d", task, config.Int("effort", 0), config.String("manner"), seed)
}

// calls lists all requests that the agent has read, oldest first, or nil if they are not
// counted.
func (p place) calls() []string {
	p.t.Helper()
	if p.log == "" {
		return nil
	}
	raw, err := os.ReadFile(p.log)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.t.Fatal(err)
	}
	return strings.Fields(string(raw))
}
