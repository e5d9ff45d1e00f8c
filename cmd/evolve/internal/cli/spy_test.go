package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// spyRequest is the part of a request that the spy reads in order to answer.
type spyRequest struct {
	ID      string
	Task    struct{ Goal string }
	Config  struct{ Level float64 }
	Seed    int64
	Workdir string
}

// answer gives the correct answer more often at higher levels. Level 2 is the attack: the
// spy has all answers and gives them if the request reveals that it belongs to the
// confirmation.
func (q spyRequest) answer() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", q.Seed, q.Task.Goal))
	chance := float64(binary.BigEndian.Uint32(sum[:])) / math.MaxUint32
	if late(q.ID) || late(q.Workdir) || chance < .3+.3*q.Config.Level {
		return "yes"
	}
	return "no"
}

// late reports whether the last part of a name is a high number, such as the number of a
// working directory. On one occasion, the sequence number of a confirmation was that
// high.
func late(name string) bool {
	n, err := strconv.ParseInt(name[strings.LastIndex(name, "/")+1:], 10, 64)
	return err == nil && n > 100
}

// spyAgent is a program of either protocol that reports everything it sees to $SPY_ADDR.
func spyAgent() {
	start, nonce := time.Now(), fmt.Sprint(time.Now().UnixNano())
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 4<<20)
	for n := 0; in.Scan(); n++ {
		line := slices.Clone(in.Bytes())
		var q spyRequest
		if json.Unmarshal(line, &q) != nil {
			os.Exit(1)
		}
		dir, _ := os.Getwd()
		saw := map[string]any{
			"request": json.RawMessage(line), "argv": os.Args, "dir": dir, "pid": os.Getpid(), "parent": os.Getppid(), "uid": os.Getuid(),
			"env": os.Environ(), "process": nonce, "nth": n, "since": time.Since(start).String(),
			"work": look(q.Workdir), "own": look(dir), "around": look(filepath.Dir(q.Workdir)), "home": look(os.Getenv("HOME")), "temp": look(os.Getenv("TMPDIR")),
		}
		raw, err := json.Marshal(saw)
		if err != nil {
			os.Exit(1)
		}
		r, err := http.Post(os.Getenv("SPY_ADDR"), "application/json", bytes.NewReader(raw))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_ = r.Body.Close()
		if json.NewEncoder(os.Stdout).Encode(map[string]any{"id": q.ID, "answer": q.answer()}) != nil {
			os.Exit(1)
		}
	}
}

// look describes a folder and the files in it: names, sizes, modes, and ages in minutes.
func look(dir string) []string {
	var out []string
	tell := func(name string, info os.FileInfo, err error) {
		if err == nil {
			out = append(out, fmt.Sprintf("%s %d %s %.0f", name, info.Size(), info.Mode(), time.Since(info.ModTime()).Seconds()/60))
		}
	}
	info, err := os.Stat(dir)
	tell(".", info, err)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type().IsRegular() { // folders next to it are other tasks in progress
			info, err := e.Info()
			tell(e.Name(), info, err)
		}
	}
	return out
}

// sights are the observations of the search and of the holdout, with each field under its
// path.
type sights struct {
	mu      sync.Mutex
	search  []map[string]string
	holdout []map[string]string
}

// add stores an observation under the split of its task, which only the test knows.
func (s *sights) add(saw map[string]any) error {
	fields := map[string]string{}
	flatten("", saw, fields)
	goal := fields["request.task.goal"]
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case strings.HasSuffix(goal, " s"):
		s.search = append(s.search, fields)
	case strings.HasSuffix(goal, " h"):
		s.holdout = append(s.holdout, fields)
	default:
		return fmt.Errorf("no task has the goal %q", goal)
	}
	return nil
}

func flatten(path string, v any, out map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			flatten(strings.TrimPrefix(path+"."+k, "."), x, out)
		}
	case []any:
		out[path+" length"] = fmt.Sprint(len(v))
		for i, x := range v {
			flatten(fmt.Sprintf("%s[%d]", path, i), x, out)
		}
	default:
		out[path] = fmt.Sprint(v)
	}
}

// tells compares a field in the search with the same field in the holdout: its presence,
// its frequent values, its shape, and its order. It returns how the two can be told apart,
// or "".
func tells(search, holdout []string) string {
	n, m := float64(len(search)), float64(len(holdout))
	count := func(form func(string) string) map[string][2]float64 {
		out := map[string][2]float64{}
		for side, list := range [][]string{search, holdout} {
			for _, v := range list {
				c := out[form(v)]
				c[side]++
				out[form(v)] = c
			}
		}
		return out
	}
	values := count(func(v string) string { return v })
	for name, form := range map[string]map[string][2]float64{"value": values, "shape": count(spyShape)} {
		for v, c := range form {
			p := (c[0] + c[1]) / (n + m)
			sd := math.Sqrt(p * (1 - p) * (1/n + 1/m))
			if sd > 0 && math.Abs(c[0]/n-c[1]/m) > spySigma*sd {
				return fmt.Sprintf("the %s %q", name, v)
			}
		}
	}
	number := func(v string) float64 { x, _ := strconv.ParseFloat(v, 64); return x }
	less := func(a, b string) int { return cmp.Compare(number(a), number(b)) }
	if slices.ContainsFunc(slices.Collect(maps.Keys(values)), func(v string) bool { _, err := strconv.ParseFloat(v, 64); return err != nil }) {
		less = strings.Compare
	}
	// Wilcoxon's rank sum, with ties counting half.
	u, before := 0., 0.
	for _, v := range slices.SortedFunc(maps.Keys(values), less) {
		c := values[v]
		u += c[0] * (before + c[1]/2)
		before += c[1]
	}
	if math.Abs(u-n*m/2) > spySigma*math.Sqrt(n*m*(n+m+1)/12) {
		return "its order"
	}
	return ""
}

// spySigma is the number of standard deviations above which two sides count as different.
// Some 5,000 comparisons of sides that do not differ find none.
const spySigma = 5

// spyShape returns a text with all its letters made the same and all its digits made the
// same.
func spyShape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			r = 'x'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// judge requires that no field except the task and the config distinguishes the two splits.
// A seed belongs to the task, and each seed is compared once.
func (s *sights) judge(t *testing.T, ignored ...string) {
	t.Helper()
	if len(s.search) < 50 || len(s.holdout) < 50 {
		t.Fatalf("%d sights of the search and %d of the holdout are too few", len(s.search), len(s.holdout))
	}
	names := map[string]bool{}
	for _, fields := range slices.Concat(s.search, s.holdout) {
		for name := range fields {
			names[name] = true
		}
	}
	column := func(list []map[string]string, name string) []string {
		out := make([]string, len(list))
		for i, fields := range list {
			value, ok := fields[name]
			out[i] = value
			if !ok {
				out[i] = "absent"
			}
		}
		return out
	}
	compared := 0
	for name := range names {
		if strings.HasPrefix(name, "request.config.") || name == "request.task.goal" || slices.Contains(ignored, name) {
			continue
		}
		compared++
		search, holdout := column(s.search, name), column(s.holdout, name)
		if name == "request.seed" || name == "body.seed" {
			search, holdout = distinct(search), distinct(holdout)
		}
		if name == "request.task.id" { // identifies the task, as its words do
			search, holdout = distinct(search), distinct(holdout)
			if slices.ContainsFunc(search, func(v string) bool { return len(v) != 32 }) {
				t.Errorf("ids of tasks: %v", search)
			}
			if strings.Contains(strings.Join(slices.Concat(search, holdout), " "), "holdout") {
				t.Errorf("ids of tasks: %v", holdout)
			}
			continue
		}
		if why := tells(search, holdout); why != "" {
			t.Errorf("%s tells the search from the confirmation by %s", name, why)
		}
	}
	t.Logf("%d fields of %d and %d requests", compared, len(s.search), len(s.holdout))
}

func distinct(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// TestTells checks that the comparison finds differences that an agent could use.
func TestTells(t *testing.T) {
	number := func(n int, format string, from int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf(format, from+i)
		}
		return out
	}
	for name, c := range map[string]struct{ search, holdout []string }{
		"sequence numbers": {number(100, "spy/%d", 1<<32), number(60, "spy/%d", 2<<32)},
		"one sequence":     {number(100, "%d", 0), number(60, "%d", 100)},
		"another shape":    {number(100, "s-%d", 100), number(60, "h%d", 100)},
		"a flag":           {slices.Repeat([]string{"0"}, 100), slices.Repeat([]string{"1"}, 60)},
		"a flag, at times": {slices.Repeat([]string{"0"}, 100), slices.Concat(slices.Repeat([]string{"1"}, 30), slices.Repeat([]string{"0"}, 30))},
	} {
		if tells(c.search, c.holdout) == "" {
			t.Errorf("%s tell nothing", name)
		}
	}
	if why := tells(number(100, "n%d", 100), number(100, "n%d", 100)); why != "" {
		t.Errorf("the same are told apart by %s", why)
	}
}

// spyWorkspace returns the folder of a workspace whose agent is the spy, with the given
// adapter line.
func spyWorkspace(t *testing.T, adapter string) string {
	t.Helper()
	var suite strings.Builder
	for i := range 60 {
		side := []string{"search", "holdout"}[i%2]
		fmt.Fprintf(&suite, `{"id":"%s-%d","cluster":"c%[2]d","domain":"operations","goal":"is %[2]d so? %s","answer":"yes","split":%[4]q,"fixtures":{"files":{"notes.txt":"%[2]d"}}}`+"\n",
			side, i, side[:1], side)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"evolve.yaml":        "search: {concurrency: 2}\nconfirm: {finalists: 1}\n",
		"suites/tasks.jsonl": suite.String(),
		"agents/spy/agent.yaml": "id: spy\nadapter: " + adapter + "\ndeterministic: false\nuses_seed: true\nsuites: [tasks]\n" +
			"space:\n  level: {type: choice, values: [0, 1, 2], default: 0}\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSpyProgram runs a night with a program that reports everything it sees. Nothing in a
// request, nor in what surrounds it, may distinguish the search from the confirmation.
func TestSpyProgram(t *testing.T) {
	for _, protocol := range []string{"jsonl", "once"} {
		t.Run(protocol, func(t *testing.T) {
			if protocol == "once" && testing.Short() {
				t.Skip("a process for each request takes its time")
			}
			var s sights
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var saw map[string]any
				dec := json.NewDecoder(r.Body)
				dec.UseNumber()
				err := dec.Decode(&saw)
				if err == nil {
					err = s.add(saw)
				}
				if err != nil {
					t.Error(err)
				}
			}))
			defer server.Close()
			t.Setenv("SPY_ADDR", server.URL)
			dir := spyWorkspace(t, "{kind: command, argv: [spy], protocol: "+protocol+", pool: 2, timeout: 60s, env: [SPY_ADDR], network: host}")
			evolve(t, dir, "run", "--budget-evals", "360", "--seed", "3", "--quiet")
			// With the protocol jsonl, a few processes keep running, each with one pid.
			// The protocol "once", which starts many processes, shows that pids do not
			// differ between the splits. The age of the agent's own folder is the time of
			// night, which any clock shows.
			ignored := []string{"process", "nth", "since"}
			for i := range 3 {
				ignored = append(ignored, fmt.Sprintf("own[%d]", i))
			}
			if protocol == "jsonl" {
				ignored = append(ignored, "pid", "parent")
			}
			s.judge(t, ignored...)
			for _, fields := range s.holdout {
				if late(fields["request.id"]) || late(fields["request.workdir"]) {
					t.Fatalf("the attack by numbers finds the confirmation: %s in %s", fields["request.id"], fields["request.workdir"])
				}
			}
			processes := map[string]bool{}
			for _, fields := range s.search {
				processes[fields["process"]] = true
			}
			for _, fields := range s.holdout {
				if processes[fields["process"]] {
					t.Fatal("a process that searched also confirms")
				}
			}
			s.mixed(t)
		})
	}
}

// mixed requires that the two requests for a task in a block do not follow each other more
// often than in a random order.
func (s *sights) mixed(t *testing.T) {
	t.Helper()
	pairs := 0
	for i := 1; i < len(s.holdout); i++ {
		if s.holdout[i]["request.task.goal"] == s.holdout[i-1]["request.task.goal"] {
			pairs++
		}
	}
	// A block of n tasks has 2n requests, two for each task. By chance, a request is
	// followed by its task's other request in 1 of 2n − 1 cases.
	if pairs > len(s.holdout)/10 {
		t.Errorf("%d of %d requests follow the other one for the same task", pairs, len(s.holdout))
	}
}

// TestSpyService does the same as TestSpyProgram, with an agent that is a service and
// sees headers.
func TestSpyService(t *testing.T) {
	var s sights
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request map[string]any
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.UseNumber()
		if err == nil {
			err = dec.Decode(&request)
		}
		var q spyRequest
		if err == nil {
			err = json.Unmarshal(body, &q)
		}
		headers := map[string]any{}
		for name, values := range r.Header {
			if name != "Content-Length" { // depends on the task and the config
				headers[name] = strings.Join(values, ",")
			}
		}
		if err == nil {
			err = s.add(map[string]any{
				"request": request, "headers": headers, "proto": r.Proto, "host": r.Host, "uri": r.RequestURI, "trailers": fmt.Sprint(r.Trailer), "close": r.Close,
				"encoding": fmt.Sprint(r.TransferEncoding), "work": fmt.Sprint(look(q.Workdir)),
			})
		}
		if err != nil {
			t.Error(err)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"id": q.ID, "answer": q.answer()})
	}))
	defer server.Close()
	evolve(t, spyWorkspace(t, "{kind: http, url: \""+server.URL+"\", pool: 2}"), "run", "--budget-evals", "500", "--seed", "3", "--quiet")
	s.judge(t)
	s.mixed(t)
}
