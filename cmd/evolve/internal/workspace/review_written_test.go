package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/gates/review"
	"evolve/runtime/agent"
	"evolve/runtime/authored"
	"evolve/runtime/sandbox"
	"evolve/runtime/skill"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	authored.Init()
	os.Exit(m.Run())
}

// doubled returns a valid tool to which change was applied.
func doubled(t *testing.T, change func(map[string]any)) authored.Definition {
	t.Helper()
	draft := map[string]any{
		"name": "doubled", "description": "Doubles a number.", "schema": map[string]any{"type": "object"},
		"source": "def run(args):\n    return args[\"n\"] * 2\n",
		"tests": []map[string]any{
			{"name": "two", "args": map[string]any{"n": 1}, "want": 2},
			{"name": "a hundred", "args": map[string]any{"n": 50}, "want": 100},
		},
	}
	if change != nil {
		change(draft)
	}
	raw, err := json.Marshal(draft)
	if err != nil {
		t.Fatal(err)
	}
	d, err := authored.ParseDraft(raw)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// study is an office whose agent is built in.
func study(t *testing.T, repository bool) *office {
	t.Helper()
	o := newOffice(t, repository)
	o.write("agents/solver/agent.yaml", "id: solver\nadapter: {kind: builtin, model: heuristic}\ndeterministic: true\nuses_seed: false\nsuites: [tasks]\n")
	if repository {
		o.git("commit", "--quiet", "--all", "--message=built in")
	}
	return o
}

func (o *office) write(path, text string) {
	o.t.Helper()
	full := filepath.Join(o.root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		o.t.Fatal(err)
	}
}

// checking returns a desk that runs tests in a real child process.
func (o *office) checking() *deciding {
	d := o.desk()
	d.Check = func(ctx context.Context, def authored.Definition) authored.Report {
		pool := authored.NewPool(sandbox.None("a test"), 1)
		defer pool.Close()
		return pool.Check(ctx, def)
	}
	return d
}

func (o *office) proposeTool(def authored.Definition) archive.ProposalRecord {
	o.t.Helper()
	d := o.checking()
	p, err := d.ProposeTool(o.t.Context(), d.Workspace.Agents[0].ID, def, "the agent\nwrote a tool")
	if err != nil {
		o.t.Fatal(err)
	}
	return p
}

func verdictOf(p archive.ProposalRecord, gate string) string {
	for _, g := range p.Gates {
		if g.Gate == gate {
			return g.Verdict + ": " + g.Evidence
		}
	}
	return ""
}

func TestToolIsProposedAdoptedAndTakenBack(t *testing.T) {
	for _, repository := range []bool{true, false} {
		t.Run(map[bool]string{true: "in a repository", false: "in none"}[repository], func(t *testing.T) {
			o := study(t, repository)
			p := o.proposeTool(doubled(t, nil))
			if p.State != archive.Awaiting || p.Kind != archive.KindTool || (p.Commit != "") != repository || len(p.Files) != 2 {
				t.Fatalf("%s with commit %q and gates %+v", p.State, p.Commit, p.Gates)
			}
			if kind, name := review.Written(p); kind != "tool" || name != "doubled" || p.Title != "tool doubled for solver" || p.Rationale != "the agent wrote a tool" {
				t.Errorf("%s %s, %q, %q", kind, name, p.Title, p.Rationale)
			}
			if got := verdictOf(p, "tests"); !strings.Contains(got, "two (") || !strings.Contains(got, "a hundred (") {
				t.Errorf("tests: %s", got)
			}
			if len(o.agent().ToolFiles) != 0 {
				t.Error("the tool is there before it was approved")
			}
			again := o.proposeTool(doubled(t, nil))
			if again.ID != p.ID {
				t.Errorf("the same tool was proposed twice: %s, %s", p.ID, again.ID)
			}
			p, err := o.checking().Approve(t.Context(), p.ID, o.sure())
			if err != nil {
				t.Fatal(err)
			}
			a := o.agent()
			def, err := authored.Parse(a.ToolFiles["doubled.star"], a.ToolFiles["doubled.json"])
			if err != nil || def.Name != "doubled" || p.State != archive.Adopted || o.git("status", "--porcelain") != o.programs(repository) {
				t.Errorf("%s, %+v, %v, %q", p.State, def, err, o.git("status", "--porcelain"))
			}
			if trailers := o.git("log", "-1", "--format=%(trailers:only,unfold)"); !strings.Contains(trailers, "Evolve-Approved-By: Alice") ||
				!strings.Contains(trailers, "Evolve-Evidence: sha256:") || strings.Contains(trailers, "Evolve-Variant") {
				t.Errorf("trailers\n%s", trailers)
			}
			d := o.checking()
			_, err = d.ProposeTool(t.Context(), d.Workspace.Agents[0].ID, doubled(t, nil), "")
			refused(t, err, "already in use")

			// A rollback after which the agent would not load is refused first.
			yaml, err := os.ReadFile(filepath.Join(o.root, "agents/solver/agent.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			o.append("agents/solver/agent.yaml", "tools: [doubled]\n")
			_, err = o.checking().Rollback(t.Context(), p.ID, o.sure())
			refused(t, err, "agents/solver/agent.yaml names the tool doubled")
			o.write("agents/solver/agent.yaml", string(yaml))

			p, err = o.checking().Rollback(t.Context(), p.ID, o.sure())
			if err != nil || p.State != archive.RolledBack || len(o.agent().ToolFiles) != 0 {
				t.Errorf("%s with %d files left, %v", p.State, len(o.agent().ToolFiles), err)
			}
			if o.git("rev-parse", "HEAD^{tree}") != o.git("rev-parse", "HEAD~2^{tree}") {
				t.Error("the tree is not what it was before the adoption")
			}
			if _, _, err := o.archive.VerifyLedger(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestToolsThatDoNotPass(t *testing.T) {
	wrong := func(draft map[string]any) { draft["source"] = "def run(args):\n    return 3\n" }
	o := study(t, true)
	p := o.proposeTool(doubled(t, wrong))
	if p.State != archive.GateFailed || !strings.Contains(verdictOf(p, "tests"), "two FAILED: it returned 3") || p.Commit != "" {
		t.Errorf("%s, %s", p.State, verdictOf(p, "tests"))
	}
	_, err := o.checking().Approve(t.Context(), p.ID, alice)
	refused(t, err, "has not passed its gates")

	// A tool may not have a server tool's name, or quote an answer from the benchmark.
	copied := doubled(t, func(draft map[string]any) {
		draft["name"], draft["description"] = "copied", "Says that the answer is a secret of five words."
	})
	o.append("suites/tasks.jsonl", `{"id":"new","goal":"x","answer":"the answer is a secret of five words"}`+"\n")
	if p := o.proposeTool(copied); p.State != archive.GateFailed || !strings.Contains(verdictOf(p, "overlap"), "task new") {
		t.Errorf("%s, %s", p.State, verdictOf(p, "overlap"))
	}

	// Without a Check no proposal passes.
	d := o.desk()
	p, err = d.ProposeTool(t.Context(), d.Workspace.Agents[0].ID, doubled(t, func(draft map[string]any) { draft["name"] = "other" }), "")
	if err != nil || p.State != archive.GateFailed || !strings.HasPrefix(verdictOf(p, "tests"), "not_run") {
		t.Errorf("%s, %s, %v", p.State, verdictOf(p, "tests"), err)
	}
	// With a Check, the same proposal passes.
	if again := o.proposeTool(doubled(t, func(draft map[string]any) { draft["name"] = "other" })); again.ID != p.ID || again.State != archive.Awaiting {
		t.Errorf("%s is %s", again.ID, again.State)
	}
}

func TestToolsTakeTheirPlaces(t *testing.T) {
	o := study(t, true)
	first := o.proposeTool(doubled(t, nil))
	other := o.proposeTool(doubled(t, func(draft map[string]any) { draft["name"] = "other" }))
	better := o.proposeTool(doubled(t, func(draft map[string]any) { draft["description"] = "Doubles any number." }))
	for p, want := range map[string]archive.ProposalState{first.ID: archive.Superseded, other.ID: archive.Awaiting, better.ID: archive.Awaiting} {
		if got, err := o.archive.Proposal(t.Context(), p); err != nil || got.State != want {
			t.Errorf("%s is %s, want %s; %v", p, got.State, want, err)
		}
	}
	// Two proposals can be approved one after the other.
	for _, id := range []string{other.ID, better.ID} {
		if _, err := o.checking().Approve(t.Context(), id, alice); err != nil {
			t.Error(err)
		}
	}
	// A file at the path that the proposal would write makes the proposal stale.
	third := o.proposeTool(doubled(t, func(draft map[string]any) { draft["description"] = "Doubles." }))
	o.append("agents/solver/tools/doubled.star", "# mine\n")
	_, err := o.checking().Approve(t.Context(), third.ID, alice)
	refused(t, err, "is stale: agents/solver/tools/doubled.star changed")

	// A rejected tool is not proposed again.
	fourth := o.proposeTool(doubled(t, func(draft map[string]any) { draft["name"] = "fourth" }))
	if _, err := o.checking().Reject(t.Context(), fourth.ID, alice); err != nil {
		t.Fatal(err)
	}
	if again := o.proposeTool(doubled(t, func(draft map[string]any) { draft["name"] = "fourth" })); again.ID != fourth.ID || again.State != archive.Rejected {
		t.Errorf("%s is %s", again.ID, again.State)
	}
}

func TestToolsAwaitingAreBounded(t *testing.T) {
	o := study(t, false)
	d := o.desk()
	for i := range 20 {
		if _, err := d.ProposeTool(t.Context(), d.Workspace.Agents[0].ID, doubled(t, func(draft map[string]any) { draft["name"] = fmt.Sprint("t", i) }), ""); err != nil {
			t.Fatal(err)
		}
	}
	_, err := d.ProposeTool(t.Context(), d.Workspace.Agents[0].ID, doubled(t, nil), "")
	refused(t, err, "are already waiting for a decision")
	// An operator's own program reads no tools from its folder.
	foreign := newOffice(t, false).desk()
	_, err = foreign.ProposeTool(t.Context(), foreign.Workspace.Agents[0].ID, doubled(t, nil), "")
	refused(t, err, "not built in")
}

// night stores a run in which the champion solved tasks by looking a word up: for each
// word, one task in the search split and one in the holdout.
func (o *office) night(words ...string) {
	o.t.Helper()
	var suite strings.Builder
	ctx := o.t.Context()
	champion := o.agent().Champion.ID()
	seq := int64(0)
	record := func(task, split string, word string, path string) {
		seq++
		fmt.Fprintf(&suite, `{"id":%q,"domain":"research","goal":"In the handbook, who maintains the component %s?","answer":"Name%s","split":%q,"cluster":%q}`+"\n", task, word, word, split, task)
		tr := &agent.Transcript{Events: []agent.Event{
			{Kind: agent.EventTool, Name: "grep", Outcome: agent.OK, Text: path + ":1: here", Data: json.RawMessage(fmt.Sprintf(`{"pattern":%q,"path":"."}`, word))},
			{Kind: agent.EventTool, Name: "read_file", Outcome: agent.OK, Text: "# Notes\nName" + word, Data: json.RawMessage(fmt.Sprintf(`{"path":%q}`, path))},
		}}
		err := o.archive.Record(ctx, bench.Evaluation{
			Run: "1-a", Agent: "solver", Seq: seq, Key: bench.Key(fmt.Sprintf("%064x", seq)), Variant: champion, Task: task, Domain: "research",
			Split: bench.Split(split), Stage: bench.StageSearch, Outcome: agent.OK, Scored: true, Score: 1, Pass: true, Answer: "Name" + word, Transcript: tr,
		}, nil)
		if err != nil {
			o.t.Fatal(err)
		}
	}
	for i, word := range words {
		record(fmt.Sprint("s", i), "search", word, "notes_"+word+".md")
	}
	for i, word := range []string{"condor", "merlin", "kestrel"} {
		record(fmt.Sprint("h", i), "holdout", word, "secret_"+word+".md")
	}
	fmt.Fprintln(&suite, `{"id":"o1","domain":"research","goal":"What is 2 times 3?","answer":"6","split":"search"}`)
	o.write("suites/tasks.jsonl", suite.String())
	if err := o.archive.Flush(ctx); err != nil {
		o.t.Fatal(err)
	}
	if err := o.archive.PutPlan(ctx, archive.AgentPlan{Run: "1-a", Agent: "solver", Champion: champion}); err != nil {
		o.t.Fatal(err)
	}
	if err := o.archive.PutResult(ctx, archive.AgentResult{Run: "1-a", Agent: "solver"}); err != nil {
		o.t.Fatal(err)
	}
}

func (o *office) draft(d *deciding) *archive.ProposalRecord {
	o.t.Helper()
	p, err := d.DraftSkill(o.t.Context(), d.Workspace.Agents[0].ID, "1-a")
	if err != nil {
		o.t.Fatal(err)
	}
	return p
}

func TestSkillIsDraftedProposedAndAdopted(t *testing.T) {
	o := study(t, false)
	o.night("falcon", "heron", "osprey")
	p := o.draft(o.desk())
	if p == nil || p.State != archive.Awaiting || p.Run != "1-a" || len(p.Files) != 1 {
		t.Fatalf("%+v", p)
	}
	def, err := skill.Parse(p.Files[0].New)
	if err != nil || len(def.Evidence) != 3 || strings.Contains(string(p.Files[0].New), "h0") || len(o.agent().SkillFiles) != 0 {
		t.Errorf("%+v, %v", def, err)
	}
	if got := verdictOf(*p, "vetoes"); !strings.Contains(got, "its steps solved 3 tasks in 3 clusters") {
		t.Errorf("vetoes: %s", got)
	}
	// At most one draft is made an hour, and a draft that already awaits a decision is
	// not made again.
	if p := o.draft(o.desk()); p != nil {
		t.Errorf("another draft within the hour: %+v", p)
	}
	later := o.desk()
	later.Now = func() time.Time { return p.Created.Add(2 * time.Hour) }
	if p := o.draft(later); p != nil {
		t.Errorf("drafted again while it awaits: %+v", p)
	}
	adopted, err := o.desk().Approve(t.Context(), p.ID, o.sure())
	if err != nil || adopted.State != archive.Adopted || len(o.agent().SkillFiles) != 1 {
		t.Fatalf("%s, %v, %d files", adopted.State, err, len(o.agent().SkillFiles))
	}
	back, err := o.desk().Rollback(t.Context(), p.ID, o.sure())
	if err != nil || back.State != archive.RolledBack || len(o.agent().SkillFiles) != 0 {
		t.Errorf("%s, %v", back.State, err)
	}
}

func TestSkillsThatDoNotPass(t *testing.T) {
	t.Run("solved in two clusters", func(t *testing.T) {
		o := study(t, false)
		o.night("falcon", "heron") // the three holdout tasks do not count
		if p := o.draft(o.desk()); p != nil {
			t.Errorf("%+v", p)
		}
	})
	t.Run("the tasks moved", func(t *testing.T) {
		o := study(t, false)
		o.night("falcon", "heron", "osprey")
		p := o.draft(o.desk())
		o.append("suites/tasks.jsonl", `{"id":"new","goal":"x","answer":"x"}`+"\n")
		_, err := o.desk().Approve(t.Context(), p.ID, alice)
		refused(t, err, "suites/tasks changed")
	})
	t.Run("a word that no transcript gives", func(t *testing.T) {
		o := study(t, false)
		o.night("falcon", "heron", "osprey")
		d := o.desk()
		def := skill.Definition{Name: "research-obey", Domain: "research", Shape: "grep(path)", Text: "Obey.", Evidence: []string{"s0"}}
		p, err := d.ProposeSkill(t.Context(), d.Workspace.Agents[0].ID, "1-a", skill.Candidate{Definition: def})
		if err != nil || p.State != archive.GateFailed || !strings.HasPrefix(verdictOf(p, "vetoes"), "failed") {
			t.Errorf("%s, %s, %v", p.State, verdictOf(p, "vetoes"), err)
		}
	})
}
