//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// labelled is a text with its label: a task for a small language model.
type labelled struct{ Text, Label string }

// choice is a set of tasks in which a label is chosen for a text.
type choice struct {
	name, domain, question   string
	search, holdout, outside []labelled
}

const (
	// evaluations is the budget of a night with a real model.
	evaluations = 140
	// replyTokens is the maximum length of a reply, in tokens.
	replyTokens = 32
)

// modelURL returns the address of a server with a real language model.
func modelURL(t *testing.T) string {
	t.Helper()
	url := os.Getenv("EVOLVE_LLM_URL")
	if url == "" {
		t.Skip("no language model: EVOLVE_LLM_URL is not set; make e2e-llm sets it")
	}
	return url
}

// reviews returns a set of tasks with short reviews, each good or bad.
func reviews(t *testing.T) choice {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "llm", "reviews.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []labelled
	for line := range bytes.Lines(raw) {
		var l labelled
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return choice{"reviews", "", "Is this review good or bad? ", all[:24], all[24:48], all[48:]}
}

// intents returns a set of tasks with utterances of two intents from CLINC150, if the data
// is available.
func intents(t *testing.T) choice {
	t.Helper()
	dir := os.Getenv("EVOLVE_SHARED_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "..", "shared", "data")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "clinc150.json"))
	if err != nil {
		t.Skipf("set EVOLVE_SHARED_DATA to the folder of clinc150.json: %v", err)
	}
	var sets map[string][][2]string
	if err := json.Unmarshal(raw, &sets); err != nil {
		t.Fatal(err)
	}
	draw := func(names ...string) []labelled {
		var all []labelled
		for _, name := range names {
			for _, l := range sets[name] {
				if l[1] == "weather" || l[1] == "translate" {
					all = append(all, labelled{l[0], l[1]})
				}
			}
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all
	}
	inside := draw("train")
	return choice{"intents", "research", "Label, weather or translate: ", inside[:32], inside[32:64], draw("test", "val")}
}

// choices lists the sets of tasks by name.
var choices = []struct {
	name string
	set  func(*testing.T) choice
}{{"reviews", reviews}, {"intents", intents}}

// suite returns tasks in the form of a suite file, all in one split. Grading ignores case,
// as it does for the other tools.
func (c choice) suite(split string, tasks []labelled) string {
	var b strings.Builder
	for i, l := range tasks {
		task := map[string]any{
			"id": fmt.Sprintf("%s-%03d", split, i), "goal": c.question + l.Text, "answer": l.Label, "split": split,
			"graders": []map[string]any{{"type": "exact", "ignore_case": true}},
		}
		if c.domain != "" {
			task["domain"] = c.domain
		}
		line, err := json.Marshal(task)
		if err != nil {
			panic(err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// request is what a model receives.
type request struct {
	Messages []struct{ Role, Content string }
	// Temperature and seed differ between variants and repeats.
	Temperature float64
}

// exchange is a request with the model's reply.
type exchange struct {
	request request
	// body is the request as it was sent.
	body  string
	reply string
}

// listener forwards requests to a real model and keeps each exchange.
type listener struct {
	*httptest.Server
	to string
	mu sync.Mutex
	// kept contains the exchanges, keyed by the first part of the request path.
	kept map[string][]exchange
	// again maps each request to its reply, if an equal request is to get the same reply
	// as before. A server that computes several requests at once replies differently to
	// equal requests.
	again map[string][]byte
}

func listen(t *testing.T, to string) *listener {
	t.Helper()
	l := &listener{to: to, kept: map[string][]exchange{}}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

// ServeHTTP forwards /STAGE/v1/… to the model's /v1/….
func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	stage, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/v1")
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if answered := l.earlier(asked); answered != nil {
		l.keep(stage, asked, answered)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answered)
		return
	}
	out, err := http.NewRequestWithContext(r.Context(), r.Method, l.to+path, bytes.NewReader(asked))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	out.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	answered, err := io.ReadAll(resp.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if l.keep(stage, asked, answered) && resp.StatusCode == http.StatusOK {
		l.repeat(asked, answered)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(answered)
}

// earlier returns the earlier reply to an equal request, if equal requests are to get equal
// replies.
func (l *listener) earlier(asked []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.again[string(asked)]
}

func (l *listener) repeat(asked, answered []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.again != nil {
		l.again[string(asked)] = answered
	}
}

// keep stores an exchange and reports whether it has a reply.
func (l *listener) keep(stage string, asked, answered []byte) bool {
	var x exchange
	var got struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if json.Unmarshal(asked, &x.request) != nil || json.Unmarshal(answered, &got) != nil || len(got.Choices) == 0 {
		return false
	}
	x.body, x.reply = string(asked), got.Choices[0].Message.Content
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept[stage] = append(l.kept[stage], x)
	return true
}

func (l *listener) exchanges(stage string) []exchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.kept[stage])
}

// prompts returns the distinct prompts in exchanges, without the goal.
func prompts(all []exchange, question string) []string {
	seen := map[string]bool{}
	for _, x := range all {
		var b strings.Builder
		fmt.Fprintf(&b, "%.3f", x.request.Temperature)
		for _, m := range x.request.Messages {
			b.WriteString("\n" + m.Role + ": " + m.Content)
		}
		text := b.String()
		if i := strings.LastIndex(text, question); i >= 0 {
			_, rest, _ := strings.Cut(text[i:], "\n")
			text = text[:i] + rest
		}
		seen[text] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// languageAgent declares an agent whose search covers the components of the prompt.
const languageAgent = `id: clerk
adapter: {kind: builtin, model: default}
suites: [%s]
space:
  strategy: {}
  demonstrations: {}
  answer.form: {}
  answer.retries: {}
  temperature.research: {}
`

// workspace returns a workspace whose agent asks a language model. With a single step, no
// tool is offered.
func (c choice) workspace(t *testing.T, settings string) place {
	t.Helper()
	p := newPlace(t, t.TempDir())
	p.model = true
	for name, text := range map[string]string{
		"evolve.yaml":              settings,
		"agents/clerk/agent.yaml":  fmt.Sprintf(languageAgent, "inside"),
		"agents/clerk/config.yaml": "loop.max_iterations: 1\n",
		"suites/inside.jsonl":      c.suite("search", c.search) + c.suite("holdout", c.holdout),
		"suites/outside.jsonl":     c.suite("search", c.outside),
	} {
		p.write(name, text)
	}
	return p
}

// write writes a file in the workspace.
func (p place) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// served returns settings with a model at the address url.
func served(url string) string {
	return fmt.Sprintf(`providers:
  local: {kind: openai, base_url: %q}
routes:
  default: {provider: local, model: smollm2, temperature: 0, max_tokens: %d, context: 2048}
confirm: {finalists: 1}
guards: {cost: off, latency: off}
`, url, replyTokens)
}

// replace replaces text in a file in the workspace.
func (p place) replace(name, old, now string) {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.root, name))
	if err != nil {
		p.t.Fatal(err)
	}
	p.write(name, strings.ReplaceAll(string(raw), old, now))
}

// sample is a mean score with its variance.
type sample struct{ mean, variance float64 }

// share returns the mean and the variance of the sample share has/n.
func share(has, n int) sample {
	m := float64(has) / float64(n)
	return sample{m, m * (1 - m) / float64(n)}
}

// outsideScore measures a variant on the outside tasks with `evolve bench run`. Grading the
// replies that the listener stored must give the same score.
func (c choice) outsideScore(p place, l *listener, from, stage, variant string) sample {
	p.t.Helper()
	p.replace("evolve.yaml", l.URL+"/"+from+"/v1", l.URL+"/"+stage+"/v1")
	p.replace("agents/clerk/agent.yaml", "[inside]", "[outside]")
	var own struct{ Score float64 }
	shown := p.do(0, "bench", "run", "clerk", "--workspace", p.root, "--json", "--concurrency", "4", "--variant", variant)
	if err := json.Unmarshal([]byte(shown.stdout), &own); err != nil {
		p.t.Fatal(err)
	}
	p.replace("evolve.yaml", l.URL+"/"+stage+"/v1", l.URL+"/"+from+"/v1")
	p.replace("agents/clerk/agent.yaml", "[outside]", "[inside]")
	s := share(c.right(l.exchanges(stage)), len(c.outside))
	if math.Abs(s.mean-own.Score) > 1e-9 {
		p.t.Errorf("%s: bench run gives variant %s the score %.4f, the outside grader %.4f", stage, variant, own.Score, s.mean)
	}
	return s
}

// right counts the outside tasks whose last reply has the label as its answer.
func (c choice) right(all []exchange) int {
	last := map[string]string{}
	for _, x := range all {
		text := ""
		for _, m := range x.request.Messages {
			if i := strings.LastIndex(m.Content, c.question); m.Role == "user" && i >= 0 {
				text, _, _ = strings.Cut(m.Content[i+len(c.question):], "\n")
			}
		}
		last[text] = x.answer()
	}
	n := 0
	for _, l := range c.outside {
		if strings.EqualFold(last[l.Text], l.Label) {
			n++
		}
	}
	return n
}

// answer extracts the answer from a reply in the form that the request names: the value of
// "answer" in a JSON object, the text after "Answer:", or the whole reply.
func (x exchange) answer() string {
	form, reply := x.request.Messages[len(x.request.Messages)-1].Content, strings.TrimSpace(x.reply)
	if strings.Contains(form, "one JSON object") {
		var object struct{ Answer string }
		if i := strings.IndexByte(reply, '{'); i >= 0 && json.NewDecoder(strings.NewReader(reply[i:])).Decode(&object) == nil && object.Answer != "" {
			return strings.TrimSpace(object.Answer)
		}
	}
	if strings.Contains(form, "end with a line") {
		if _, stated, ok := strings.Cut(reply, "Answer:"); ok {
			stated, _, _ = strings.Cut(strings.TrimSpace(stated), "\n")
			return strings.TrimSpace(stated)
		}
	}
	return reply
}

// TestModelNight runs a night with a real language model, and measures the gain again on
// tasks that evolve was never given.
func TestModelNight(t *testing.T) {
	url := modelURL(t)
	for i, one := range choices {
		t.Run(one.name, func(t *testing.T) {
			if testing.Short() && i > 0 {
				t.Skip("long: run without -short")
			}
			c, l := one.set(t), listen(t, url)
			n := c.night(t, l, evaluations, 1)
			t.Logf("%s\n%s", n, n.report)
			n.check(t)
		})
	}
}

// night is the result of a night and of the measurement after it.
type night struct {
	outcome              outcome
	report               string
	calls, prompts, most int
	champion, candidate  sample
}

// night runs a night and measures the champion and the candidate on the outside tasks. The
// candidate is the variant that the holdout judged, or else the search's recommendation.
func (c choice) night(t *testing.T, l *listener, most, seed int) night {
	t.Helper()
	stage := fmt.Sprintf("night-%d", seed)
	p := c.workspace(t, served(l.URL+"/"+stage+"/v1"))
	p.flags = []string{"--seed", fmt.Sprint(seed), "--budget-evals", fmt.Sprint(most), "--concurrency", "4"}
	n := night{outcome: decodeOutcome(t, p.do(0, p.night()...)), most: most}
	asked := l.exchanges(stage)
	n.calls, n.prompts = len(asked), len(prompts(asked, c.question))
	n.report = p.do(0, "report", "--workspace", p.root, n.outcome.Run).stdout
	champion := p.champion()
	n.champion = c.outsideScore(p, l, stage, stage+"-champion", champion)
	n.candidate = n.champion
	v := n.outcome.Agents[0].Search.Recommended.Variant
	if h := n.outcome.Agents[0].Holdout; h != nil {
		v = h.Variant
	}
	if v != champion {
		n.candidate = c.outsideScore(p, l, stage, stage+"-candidate", v)
	}
	return n
}

// champion returns the variant that the files in the workspace hold.
func (p place) champion() string {
	p.t.Helper()
	var shown struct{ Config string }
	if err := json.Unmarshal([]byte(p.do(0, "agent", "show", "clerk", "--workspace", p.root, "--json").stdout), &shown); err != nil {
		p.t.Fatal(err)
	}
	return shown.Config
}

// gain returns the true gain on the outside tasks and its uncertainty, slack: 3.3 standard
// errors, which chance exceeds once in a thousand times.
func (n night) gain() (gain, slack float64) {
	return n.candidate.mean - n.champion.mean, 3.3 * math.Sqrt(n.candidate.variance+n.champion.variance)
}

// holds reports whether the claimed interval agrees with the true gain within the gain's
// slack.
func (n night) holds() bool {
	gain, slack := n.gain()
	i := n.outcome.Agents[0].Holdout.Interval
	return gain+slack >= i[0] && gain-slack <= i[1]
}

func (n night) String() string {
	a := n.outcome.Agents[0]
	gain, slack := n.gain()
	s := fmt.Sprintf("verdict %s, %d calls, %d prompts, outside %.3f → %.3f: gain %.3f ± %.3f",
		a.Verdict, n.calls, n.prompts, n.champion.mean, n.candidate.mean, gain, slack)
	if h := a.Holdout; h != nil {
		s += fmt.Sprintf("; claimed %.3f in %.3f", h.Difference, h.Interval)
	}
	return s
}

func (n night) check(t *testing.T) {
	t.Helper()
	a := n.outcome.Agents[0]
	if a.Search.Evaluations > n.most {
		t.Errorf("the search made %d evaluations of %d", a.Search.Evaluations, n.most)
	}
	if n.prompts < 5 {
		t.Errorf("the variants of the night sent the model only %d prompts", n.prompts)
	}
	if !strings.Contains(n.report, "clerk") {
		t.Errorf("the report does not name the agent:\n%s", n.report)
	}
	gain, slack := n.gain()
	if a.Holdout != nil && !n.holds() {
		t.Errorf("the claimed interval misses the true gain: %s", n)
	}
	if a.Verdict == "adopt" && gain+slack < 0 {
		t.Errorf("a loss was adopted: %s", n)
	}
}
