package review

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"evolve/bench/gobench"
	"evolve/gates/gotest"
	"evolve/gates/measure"
	"evolve/patch/scope"
)

// Target is a repository together with the terms by which patches to it are judged.
type Target struct {
	Name string `json:"-"`
	// Repo is the absolute path of the repository's working tree.
	Repo string `json:"-"`
	// Named reports whether the settings name the target. Otherwise a person named it, for
	// one proposal.
	Named  bool         `json:"-"`
	Policy scope.Policy `json:"scope"`
	// Benchmark is the benchmark that measures every patch in addition to its tests; it may
	// be nil.
	Benchmark *Benchmark `json:"benchmark,omitempty"`
	// Agent is the agent whose program is in the target, or "". Tasks is the maximum number
	// of the agent's search tasks on which a patch is tried.
	Agent string `json:"agent,omitempty"`
	Tasks int    `json:"tasks,omitempty"`
	// Scoring configures the search for versions of the marked blocks and the judgement of
	// patches in languages other than Go; if nil, neither is done. Without a scoring
	// command, the tasks of Agent score the versions; see [Target.OwnCode].
	Scoring *Scoring `json:"scoring,omitempty"`
}

// Scoring configures the building and scoring of versions of a target's marked blocks.
type Scoring struct {
	// Blocks are the names of the blocks that may change; if empty, all marked blocks may.
	Blocks []string `json:"blocks,omitempty"`
	// Build, Test and Score are commands with their arguments; see [measure.Program].
	Build []string `json:"build,omitempty"`
	Test  []string `json:"test,omitempty"`
	Score []string `json:"score"`
	// Metric is the metric on which decisions are based; if empty, it is the first metric
	// that Score prints.
	Metric string `json:"metric,omitempty"`
	// Profile is a command with its arguments that prints a profile of the present code.
	// The language models that write versions see the profile; scores do not depend on it.
	Profile []string `json:"profile,omitempty"`
}

// OwnCode reports whether the target is the program of an agent and the versions of its
// marked blocks are scored by the agent's tasks, under configs of that agent.
func (t Target) OwnCode() bool {
	return t.Scoring != nil && len(t.Scoring.Score) == 0 && t.Agent != ""
}

// scope returns the policy that determines which files a patch to the target may change.
func (t Target) scope() scope.Policy {
	p := t.Policy
	p.Scored = t.Scoring != nil && len(t.Scoring.Score) > 0
	return p
}

// Benchmark is a measurement that no patch may make significantly worse. It consists of Go
// benchmarks or of benchmarks that a command prints.
type Benchmark struct {
	Command  []string `json:"command,omitempty"`
	Packages []string `json:"packages,omitempty"`
	Pattern  string   `json:"pattern,omitempty"`
	// Count is the number of runs of each side. Metric is the unit of the values on which
	// the verdict is based.
	Count  int    `json:"count"`
	Metric string `json:"metric"`
	// Better is "lower" or "higher" if the metric is one that the target defines; if "",
	// Metric is a standard unit, whose direction is known.
	Better string `json:"better,omitempty"`
	// Loss is the largest loss, in per cent, that the measurement may fail to detect; 0
	// means 10.
	Loss int `json:"loss,omitempty"`
	// Tune limits the number of runs in the nightly search for marked constants. It plays
	// no role in judging patches.
	Tune int `json:"-"`
}

// Rule returns the rule by which measurements of this benchmark are compared.
func (b *Benchmark) Rule() gobench.Rule {
	r := gobench.Rule{Metric: b.Metric, Loss: float64(b.Loss) / 100}
	switch b.Better {
	case "lower":
		r.Directions = map[string]gobench.Direction{b.Metric: gobench.Lower}
	case "higher":
		r.Directions = map[string]gobench.Direction{b.Metric: gobench.Higher}
	}
	return r
}

// Measured returns the prefix of a result that names the source of its figures: "" for Go
// benchmarks, otherwise the command.
func (b *Benchmark) Measured() string {
	if len(b.Command) == 0 {
		return ""
	}
	return fmt.Sprintf("according to %s: ", b)
}

// String describes the benchmarks, or the command if there is one, in words.
func (b *Benchmark) String() string {
	if len(b.Command) == 0 {
		return "its benchmarks"
	}
	return "the command " + strings.Join(quoted(b.Command), " ")
}

// quoted returns the words of a command. A word that a shell might not read as one plain
// word is quoted.
func quoted(argv []string) []string {
	out := make([]string, len(argv))
	for i, word := range argv {
		if out[i] = word; !plainWord.MatchString(word) {
			out[i] = strconv.QuoteToGraphic(word)
		}
	}
	return out
}

// plainWord matches a word that has no special meaning in any shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Runner returns the runner that measures the benchmarks of a target, with folder for its
// temporary files. The build cache is retained for later uses, except with cgo, because
// source code can control the compilers that cgo uses.
func (rev *Reviewer) Runner(t Target, tools gotest.Toolchain, folder string) *measure.Runner {
	cache := filepath.Join(folder, "cache")
	if !t.Policy.Cgo {
		cache = filepath.Join(rev.cacheFolder(), "benchmarks")
	}
	y := &measure.Runner{
		Sandbox: rev.Sandbox(), Unwalled: rev.Unsandboxed, Tools: tools, Folder: folder, Cache: cache, Cgo: t.Policy.Cgo, Start: rev.start(t),
	}
	if t.Benchmark != nil {
		b := t.Benchmark
		y.Packages, y.Pattern, y.Command, y.Metric = b.Packages, b.Pattern, b.Command, b.Metric
	}
	return y
}

// terms returns the terms by which a patch to the target is judged, in the form that is
// stored with the patch. It also returns a digest of these terms together with the
// scope's tables.
func (t Target) terms() (terms json.RawMessage, policy string, err error) {
	if terms, err = json.Marshal(t); err != nil {
		return nil, "", fmt.Errorf("encoding the settings of target %s: %w", t.Name, err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n", t.Policy.Digest(), terms))
	return terms, "sha256:" + hex.EncodeToString(sum[:]), nil
}

// targetFrom parses stored terms.
func targetFrom(terms json.RawMessage) (Target, error) {
	var t Target
	dec := json.NewDecoder(bytes.NewReader(terms))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&t); err != nil {
		return t, fmt.Errorf("reading the target settings stored with a patch: %w", err)
	}
	return t, nil
}
