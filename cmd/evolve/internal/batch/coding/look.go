package coding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/bench/metrics"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/measure"
	"evolve/gates/review"
	"evolve/gates/versions"
	"evolve/mutate/blocks"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Prospect is a target whose marked blocks a night can search. Its versions are scored by
// the target's command, or, if the target is an agent's own code, by the tasks of that
// agent.
type Prospect struct {
	Target review.Target
	// Blocks are the marked blocks that may change.
	Blocks []blocks.Block
	// Lexical holds the names of the blocks in languages for which evolve has no parser;
	// the search rewrites only the tokens of these blocks.
	Lexical []string
	// Agent describes the target as an agent, for a night. Suite has the cases of the
	// target's command; it is nil for an agent's own code.
	Agent *workspace.Agent
	Suite *bench.Suite

	reviewer  *review.Reviewer
	ground    *review.Ground
	root      string // the first commit of the repository
	files     map[string][]byte
	scale     *metrics.Scale
	operators []operator.Operator
	rewriters map[string]rewriter // by block name
	scored    versions.Scored     // the unchanged code
	noise     metrics.Noise       // of its values
	kept      Kept
	// atOnce lists the search cases if they are scored together.
	atOnce []string
	own    *owned // nil if a command scores the versions
	// uncommitted describes how the files differ from those in the commit.
	uncommitted string
	// skipped lists the marked files that are not searched although the target allows
	// them, each with the reason. absent lists the links and submodules that are missing
	// from the trees in which the commands run.
	skipped []string
	absent  string
	// profiled is the profile of the unchanged code, for language models.
	profiled profile
}

// Problem is the reason why a target that has a scoring command is not searched.
type Problem struct{ Text string }

func (p *Problem) Error() string { return p.Text }

// Kept describes where the values of previously scored code are stored, and limits the time
// for scoring other code.
type Kept struct {
	Folder string
	// ReadOnly reports whether Folder must not be written to.
	ReadOnly bool
	Bound    Bound
	// Scrub removes credentials from the output of a profile command; nil removes none.
	Scrub func(string) string
}

// Find finds the blocks of a target whose Scoring is set. It starts none of the target's
// programs. A [Problem] reports a fault of the target; any other error is a fault of the
// machine.
func Find(ctx context.Context, rev *review.Reviewer, w *workspace.Workspace, t review.Target) (*Prospect, error) {
	p := &Prospect{Target: t, reviewer: rev}
	var err error
	if p.ground, err = rev.Survey(t.Name); err != nil {
		return nil, &Problem{err.Error()}
	}
	if p.root, err = p.ground.Root(ctx); err != nil {
		return nil, err
	}
	if p.files, err = p.ground.Marked("evolve:begin"); err != nil {
		return nil, err
	}
	p.findUncommitted(ctx)
	if err := p.findAbsent(); err != nil {
		return nil, err
	}
	if err = p.find(); err == nil && t.OwnCode() {
		err = p.findOwn(w)
	}
	return p, p.explained(err)
}

// Look prepares a target whose Scoring is set. It builds and tests the unchanged code, and
// scores it with the command unless values of the same code are stored. open is used only
// for an agent's own code. A [Problem] reports a fault of the target; any other error is a
// fault of the machine.
func Look(ctx context.Context, rev *review.Reviewer, w *workspace.Workspace, t review.Target, open Opener, rules bench.GraderRules, kept Kept) (*Prospect, error) {
	p, err := Find(ctx, rev, w, t)
	if err != nil {
		return nil, err
	}
	if err := p.look(ctx, open, rules, kept); err != nil {
		return nil, p.explained(err)
	}
	return p, p.profile(ctx, w, kept)
}

func (p *Prospect) look(ctx context.Context, open Opener, rules bench.GraderRules, kept Kept) error {
	if err := p.prepare(); err != nil {
		return err
	}
	if p.own != nil {
		p.own.open = open
		return p.lookOwn(ctx, kept)
	}
	p.kept = kept
	base, err := p.base(ctx, kept)
	if err != nil {
		return err
	}
	if err := p.use(base, rules); err != nil {
		return err
	}
	if p.scored.Quick && !p.noise.Any() { // if not, each evaluation must start the command separately
		for _, task := range p.Suite.Side(bench.Search) {
			p.atOnce = append(p.atOnce, task.ID)
		}
	}
	return nil
}

// Guards returns the guards for versions that a command scores. Evaluation time has no
// guard, because the metric measures the time wherever time matters.
func Guards() workspace.Guards {
	return workspace.Guards{bench.MetricLatency: {Off: true}}
}

// use sets the scale, the noise, the suite and the agent from the values of the unchanged
// code.
func (p *Prospect) use(base versions.Scored, rules bench.GraderRules) error {
	p.scored = base
	var err error
	if p.scale, err = metrics.NewScale(base.Values, p.Target.Scoring.Metric); err != nil {
		return &Problem{"the current code: " + err.Error()}
	}
	if p.noise = p.scale.Noise(base.Again); p.noise.Any() && len(base.Apart) > 0 {
		if p.scale, err = metrics.NewScale(base.Apart, p.Target.Scoring.Metric); err != nil {
			return &Problem{"the current code, measured one case at a time: " + err.Error()}
		}
	}
	if p.Suite, err = versions.Suite(p.Target.Name, p.scale, rules); err != nil {
		return &Problem{err.Error()}
	}
	space, champion := blocks.Space(p.Blocks)
	p.Agent = &workspace.Agent{
		ID: p.Target.Name, Adapter: workspace.Adapter{Kind: workspace.KindCode}, Deterministic: !p.noise.Any(), Suites: []string{p.Target.Name},
		Space: space, Known: space, Champion: champion, Hash: p.ID(), Guards: Guards(),
	}
	return nil
}

// find finds the blocks that may change.
func (p *Prospect) find() error {
	p.leaveUnbuilt()
	for _, q := range blocks.Quoted(p.files) {
		if path.Ext(q.File) != ".go" { // where that is certain
			p.skipped = append(p.skipped, q.String())
		}
	}
	list, problems := blocks.Find(p.files)
	wanted := p.Target.Scoring.Blocks
	switch {
	case len(problems) > 0:
		return &Problem{"a mark cannot be used: " + problems[0].String()}
	case len(list) == 0:
		return p.unmarked()
	}
	in, why, err := p.ground.MarkedOutside(true)
	if err != nil {
		return err
	}
	if in != "" {
		p.skipped = append(p.skipped, text.Visible(in)+" contains a mark, but no patch may change the file: "+text.Visible(why))
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(list, func(b blocks.Block) bool { return b.Name == name }) {
			return &Problem{strings.Join(append([]string{"no block is called " + text.Quote(name)}, p.skipped...), "; ")}
		}
	}
	for _, b := range list {
		if len(wanted) == 0 || slices.Contains(wanted, b.Name) {
			p.Blocks = append(p.Blocks, b)
		}
	}
	return nil
}

// unmarked returns the reason why no block was found in the target.
func (p *Prospect) unmarked() error {
	if len(p.skipped) > 0 {
		return &Problem{p.skipped[0]}
	}
	for _, q := range blocks.Quoted(p.files) {
		return &Problem{q.String()}
	}
	for _, in := range slices.Sorted(maps.Keys(p.files)) {
		return &Problem{text.Visible(in) + " has evolve:begin, but not on a line of its own: a mark must be a whole comment line"}
	}
	in, why, err := p.ground.MarkedOutside(false)
	if err != nil {
		return err
	}
	if in != "" {
		return &Problem{text.Visible(in) + " contains a mark, but no patch may change the file: " + text.Visible(why)}
	}
	return &Problem{"no file that a patch may change has a marked block: write evolve:begin NAME and evolve:end in comments"}
}

// Shortage describes why the held-out cases are not enough to confirm a version. It returns
// "" if they are enough, or if the cases are not known.
func (p *Prospect) Shortage(c confirm.Settings) string {
	if p.own != nil || p.Suite == nil {
		return ""
	}
	held := p.Suite.Side(bench.Holdout)
	return c.Design(0, held, !p.noise.Any()).Shortage(true)
}

// ID returns an identifier of the code and its scoring; the identifier does not depend on
// the profile command.
func (p *Prospect) ID() string {
	scoring := *p.Target.Scoring
	scoring.Profile = nil
	settings, err := json.Marshal(scoring)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", p.ground.Tree, settings, p.ground.Start))
	return hex.EncodeToString(sum[:16])
}

// base returns the values of the unchanged code.
func (p *Prospect) base(ctx context.Context, kept Kept) (versions.Scored, error) {
	known, ok := p.known(kept)
	if ok && (kept.ReadOnly || !p.lacksApart(known)) {
		return known, nil
	}
	if err := p.wasSlow(kept); err != nil {
		return known, err
	}
	p.notify("scoring the code of target "+text.Visible(p.Target.Name)+" as it is", kept.Bound)
	base := known
	program, done, err := p.program(ctx, "base")
	if err != nil {
		return base, err
	}
	begun := p.reviewer.Now()
	if !ok {
		base, err = versions.Base(ctx, program, p.Target.Scoring.Metric, p.reviewer.Now, kept.Bound.Time)
	}
	if err == nil && !kept.ReadOnly && p.lacksApart(base) { // only a night uses these values in evaluations
		limit := kept.Bound.Time
		if limit > 0 {
			limit = max(limit-p.reviewer.Now().Sub(begun), time.Millisecond)
		}
		base.Apart, err = versions.Apart(ctx, program, casesOf(base.Values), p.reviewer.Now, limit)
	}
	if err := errors.Join(p.judged(err, kept), done()); err != nil {
		return base, err
	}
	if kept.ReadOnly {
		return base, nil
	}
	file := p.keptFile(kept)
	if err = keep(file, base); err == nil {
		err = p.removeOther(file)
	}
	if err != nil {
		return base, fmt.Errorf("storing the values of %s: %w", p.Target.Name, err)
	}
	return base, nil
}

// lacksApart reports whether values from separate starts for each case are needed but not
// yet known. They are needed if the values of the unchanged code differ between starts of
// the command.
func (p *Prospect) lacksApart(base versions.Scored) bool {
	scale, err := metrics.NewScale(base.Values, p.Target.Scoring.Metric)
	if err != nil || len(base.Apart) > 0 {
		return false // the fault is reported later
	}
	n := scale.Noise(base.Again)
	return n.Any()
}

// casesOf returns the names of the cases of values without repetitions, in the order of
// their first occurrence.
func casesOf(values []metrics.Value) []string {
	var out []string
	seen := map[string]bool{}
	for _, v := range values {
		if !seen[v.Case] {
			seen[v.Case] = true
			out = append(out, v.Case)
		}
	}
	return out
}

// keep writes a value to a file as JSON.
func keep(file string, value any) error {
	data, err := json.Marshal(value)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	return err
}

// removeOther removes the values that are stored for other states of the target's code,
// because only the values of the present code are read.
func (p *Prospect) removeOther(file string) error {
	all, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*.json"))
	if err != nil {
		return err
	}
	for _, other := range all {
		if name := filepath.Base(other); other != file && len(name) == len(filepath.Base(file)) && strings.HasPrefix(name, p.Target.Name+"-") {
			err = errors.Join(err, os.Remove(other))
		}
	}
	return err
}

// known returns the stored values of the present code. ok is false if there are none, or if
// an older version of evolve scored the code only once. The values from [versions.Apart]
// may be missing.
func (p *Prospect) known(kept Kept) (base versions.Scored, ok bool) {
	data, err := os.ReadFile(p.keptFile(kept))
	return base, err == nil && json.Unmarshal(data, &base) == nil && len(base.Values) > 0 && len(base.Again) > 0 && base.Run > 0
}

func (p *Prospect) keptFile(kept Kept) string {
	return filepath.Join(kept.Folder, p.Target.Name+"-"+p.ID()+".json")
}

// program exports the target's code into a temporary folder, and warms the build cache with
// it. done removes the folder.
func (p *Prospect) program(ctx context.Context, name string) (_ *measure.Program, done func() error, err error) {
	tools, err := p.ground.Toolchain(ctx)
	if err != nil {
		return nil, nil, err
	}
	folder := filepath.Join(p.reviewer.Scratch, "coding", p.Target.Name+"-"+name)
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o700)); err != nil {
		return nil, nil, fmt.Errorf("preparing the folder for versions of %s: %w", p.Target.Name, err)
	}
	done = func() error { return os.RemoveAll(folder) }
	program := &measure.Program{
		Runner: p.reviewer.Runner(p.Target, tools, folder), Tree: filepath.Join(folder, "base"),
		Build: p.Target.Scoring.Build, Test: p.Target.Scoring.Test, Score: p.Target.Scoring.Score,
	}
	if err := program.Ready(); err != nil {
		return nil, nil, errors.Join(&Problem{err.Error()}, done())
	}
	err = p.ground.Export(ctx, program.Tree)
	if err == nil {
		err = program.Warm(ctx)
	}
	if err != nil {
		return nil, nil, errors.Join(err, done())
	}
	return program, done, nil
}

// Names returns the names of the blocks, separated by commas.
func (p *Prospect) Names() string { return strings.Join(p.blockNames(), ", ") }

func (p *Prospect) blockNames() []string {
	names := make([]string, len(p.Blocks))
	for i, b := range p.Blocks {
		names[i] = b.Name
	}
	return names
}

// mostAround limits the source that a language model is shown before a block, and
// separately the source after it, in bytes.
const mostAround = 6000

// Source returns the source around each block, by block name.
func (p *Prospect) Source() map[string]string {
	out := map[string]string{}
	for _, b := range p.Blocks {
		start, end := b.Span()
		data := string(p.files[b.File])
		before, after := data[max(0, start-mostAround):start], data[end:min(len(data), end+mostAround)]
		out[b.Name] = strings.ToValidUTF8(before, "") + "…\n" + strings.ToValidUTF8(after, "")
	}
	return out
}

// changed returns the changed files of a version.
func (p *Prospect) changed(c agent.Config) (map[string][]byte, error) {
	now, err := p.written(c)
	if err != nil {
		return nil, fmt.Errorf("writing the blocks: %w", err)
	}
	out := map[string][]byte{}
	for path, data := range now {
		if string(data) != string(p.files[path]) {
			out[path] = data
		}
	}
	if p.own != nil {
		p.ownFiles(c, out)
	}
	return out, nil
}

// committed returns the content of a file in the commit, or nil if the commit does not have
// the file.
func (p *Prospect) committed(path string) []byte {
	if data, marked := p.files[path]; marked || p.own == nil {
		return data
	}
	return p.own.config[path]
}
