//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"evolve/archive"
)

// verdictID is the id that a verdict must repeat.
var verdictID = regexp.MustCompile(`\\"id\\": \\"([0-9a-f]{8})\\"`)

// judging is a model that answers tasks with one of two words and grades answers. It counts
// the questions to the judge.
type judging struct {
	*httptest.Server
	mu     sync.Mutex
	judged map[string]int // keyed by the id of the verdict
	all    int
}

func newJudging(t *testing.T) *judging {
	t.Helper()
	j := &judging{judged: map[string]int{}}
	j.Server = httptest.NewServer(j)
	t.Cleanup(j.Close)
	return j
}

func (j *judging) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	time.Sleep(5 * time.Millisecond) // so that the run lasts long enough to be killed
	reply := "good"
	if len(body)%3 == 0 {
		reply = "bad"
	}
	if id := verdictID.FindSubmatch(body); id != nil {
		reply = fmt.Sprintf(`{"id": %q, "reason": "so it is", "grade": %t}`, id[1], len(body)%2 == 0)
		j.mu.Lock()
		j.judged[string(id[1])]++
		j.all++
		j.mu.Unlock()
	}
	raw, _ := json.Marshal(map[string]any{
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": reply}}},
		"usage":   map[string]int{"prompt_tokens": 10, "completion_tokens": 2},
	})
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(raw)
}

func (j *judging) count() (all, twice int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, n := range j.judged {
		twice += n - 1
	}
	return j.all, twice
}

// judgedReviews returns a workspace whose tasks a judge grades.
func judgedReviews(t *testing.T, url string) place {
	t.Helper()
	c := reviews(t)
	p := c.workspace(t, served(url))
	p.write("suites/inside.jsonl", judgedSuite(c.suite("search", c.search)+c.suite("holdout", c.holdout)))
	return p
}

// judgedSuite returns a suite with a judge as the only grader of each task.
func judgedSuite(suite string) string {
	var b strings.Builder
	for line := range strings.Lines(suite) {
		var task map[string]any
		if err := json.Unmarshal([]byte(line), &task); err != nil {
			panic(err)
		}
		task["graders"] = []any{map[string]string{"type": "judge", "route": "default", "rubric": "The answer says the same as the reference."}}
		raw, err := json.Marshal(task)
		if err != nil {
			panic(err)
		}
		b.Write(append(raw, '\n'))
	}
	return b.String()
}

// TestResumedJudgesAreNotAskedAgain kills a night midway. After the night is resumed, the
// judge is asked again only about the answers that were under way.
func TestResumedJudgesAreNotAskedAgain(t *testing.T) {
	const concurrency = 4
	j := newJudging(t)
	p := judgedReviews(t, j.URL+"/v1")
	p.flags = []string{"--seed", "1", "--stages", "search", "--budget-evals", "300", "--concurrency", fmt.Sprint(concurrency)}
	running := p.start(p.night()...)
	if !running.until(func() bool { all, _ := j.count(); return all >= 25 }) {
		t.Fatalf("the run ended early: %s", &running.err)
	}
	running.kill()
	before, _ := j.count()
	p.do(0, "run", "--workspace", p.root, "--json", "--resume")
	all, twice := j.count()
	t.Logf("%d questions to the judge before, %d in all, %d twice", before, all, twice)
	if all == before || twice > 2*concurrency {
		t.Errorf("%d questions before, %d in all, %d of them twice", before, all, twice)
	}
}

// TestModelJudges calibrates a real language model as a judge of reviews against labels,
// and runs a night whose tasks the model grades. Both right and wrong answers are labelled.
func TestModelJudges(t *testing.T) {
	l := listen(t, modelURL(t))
	p := judgedReviews(t, l.URL+"/night/v1")
	p.replace("evolve.yaml", "routes:\n", fmt.Sprintf("routes:\n  judge: {provider: judge, model: smollm2, temperature: 0, max_tokens: %d, context: 2048}\n", 100))
	p.replace("evolve.yaml", "providers:\n", fmt.Sprintf("providers:\n  judge: {kind: openai, base_url: %q}\n", l.URL+"/judge/v1"))
	p.replace("suites/inside.jsonl", `"route":"default"`, `"route":"judge"`)
	var labels strings.Builder
	for i, r := range reviews(t).search {
		answer, label := r.Label, 1
		if i%2 == 1 {
			answer, label = map[string]string{"good": "bad", "bad": "good"}[r.Label], 0
		}
		fmt.Fprintf(&labels, "{\"task\":\"search-%03d\",\"answer\":%q,\"label\":%d}\n", i, answer, label)
	}
	p.write("labels.jsonl", labels.String())
	var c archive.Calibration
	r := p.do(0, "bench", "calibrate", "--workspace", p.root, "--json", "--labels", p.root+"/labels.jsonl")
	if err := json.Unmarshal([]byte(r.stdout), &c); err != nil {
		t.Fatal(err)
	}
	calibration := l.exchanges("judge")
	for _, x := range calibration[:min(3, len(calibration))] {
		t.Logf("%.300q", x.reply)
	}
	t.Logf("%d calls, %d without a verdict, %+v", len(calibration), c.Missing, c.Agreement)
	if c.Agreement.Labels+c.Missing != len(reviews(t).search) || c.Usage.Iterations != len(calibration) {
		t.Errorf("%d verdicts and %d without, of %d labels; %d calls on record, %d at the server",
			c.Agreement.Labels, c.Missing, len(reviews(t).search), c.Usage.Iterations, len(calibration))
	}
	if c.Agreement.Kappa == nil || !(c.Agreement.Kappa.Lo < c.Agreement.Kappa.Hi) {
		t.Fatalf("kappa %v", c.Agreement.Kappa)
	}
	p.do(0, "run", "--workspace", p.root, "--json", "--seed", "1", "--stages", "search", "--budget-evals", "30", "--concurrency", "2")
	if n := len(l.exchanges("judge")); n == len(calibration) {
		t.Error("the night asked the judge nothing")
	}
	report := p.do(0, "report", "--workspace", p.root).stdout
	words := strings.Join(strings.Fields(report), " ")
	if warned := strings.Contains(words, "agrees too little with people"); warned != (c.Agreement.Kappa.Value < .41) {
		t.Errorf("kappa %.2f, a warning: %t\n%s", c.Agreement.Kappa.Value, warned, report)
	}
}
