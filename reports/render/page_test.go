package render

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/runtime/agent"
)

var pages = flag.String("pages", "", "write the pages of the fixtures into this folder, for .ci/browser/check")

// TestPages writes the pages for the browser check.
func TestPages(t *testing.T) {
	if *pages == "" {
		t.Skip("run with -pages DIR to write the pages")
	}
	if err := os.MkdirAll(*pages, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(*pages, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, make := range worlds {
		write(name+".html", rendered(t, HTML, make(t, 0).report()))
	}
	for i, s := range []string{strings.Join(hostile, " "), strings.Repeat("wide", 400)} {
		write(fmt.Sprintf("hostile-%d.html", i), rendered(t, HTML, poisoned(t, small(adoptWorld(t, 0).report()), s)))
	}
	write("large.html", rendered(t, HTML, largeReport(t)))
	w := seasons(t)
	runs, err := model.Summaries(w.ctx, w.a)
	w.must(err)
	write("index.html", rendered(t, func(out io.Writer, _ model.Report) error { return Index(out, runs) }, model.Report{}))
	write("nights.html", index(t, manyNights(60)))
}

// largeReport has 500 holdout tasks in 30 domains and a long search.
func largeReport(t testing.TB) model.Report {
	w := newWorld(t, 0)
	w.open(6, "helpdesk")
	champion := w.variant("helpdesk", "default", config(.62, []string{"recall"}, strategy))
	better := w.variant("helpdesk", "numeric", config(.3, []string{"recall"}, strategy))
	var domains []string
	for i := range 30 {
		domains = append(domains, fmt.Sprintf("%02d of thirty subject areas", i))
	}
	plan := w.plan("helpdesk", champion, archive.AgentPlan{Search: 300, Confirm: 3000, Finalists: 1, Repeats: 3, SearchTasks: 40, HoldoutTasks: 500, Detectable: .03})
	res := w.confirm(contest{
		plan: plan, champion: champion, finalists: []agent.ConfigID{better}, claimed: []float64{.11}, holdout: tasks("h", 500, domains...), blocks: 3,
		chance: func(arm int, task task, i int) float64 { return .3 + .1*float64(i%5) + .12*float64(arm) },
	})
	res.Search = w.search("helpdesk", champion, []agent.ConfigID{better}, nil, tasks("s", 300, domains...), func(i int) float64 { return .6 })
	w.must(w.a.PutResult(w.ctx, res))
	w.end()
	return w.report()
}

// seasons returns an archive with several runs.
func seasons(t testing.TB) *world {
	w := keepWorld(t, 0)
	for n := range 12 {
		id := fmt.Sprintf("%d-%08x", 10+n, 77*n)
		w.must(w.a.PutRun(w.ctx, archive.Run{ID: id, Number: 10 + n, State: archive.RunInterrupted, Started: night, Agents: []string{"helpdesk", "solver"}}))
	}
	fallen := archive.AgentResult{Run: fmt.Sprintf("12-%08x", 77*2), Agent: "helpdesk", Verdict: archive.Keep, Watch: &archive.Watch{Nights: 3, Fall: &archive.Fall{Shift: stats.Shift{Difference: -.123}}}}
	w.must(w.a.PutResult(w.ctx, fallen))
	return w
}

func TestIndex(t *testing.T) {
	w := seasons(t)
	runs, err := model.Summaries(w.ctx, w.a)
	w.must(err)
	if len(runs) != 13 || runs[12].Agents[0].Verdict != archive.Keep || runs[12].Agents[0].Effect == nil {
		t.Fatalf("%d runs, the first %+v", len(runs), runs[len(runs)-1])
	}
	draw := func(out io.Writer, _ model.Report) error { return Index(out, runs) }
	page := rendered(t, draw, model.Report{})
	for _, want := range []string{`href="4-5f3a9c1e.html"`, ">KEEP<", ">INTERRUPTED<", "1.5 ~", `<span aria-hidden="true">▼</span> champion fell by 12.3 points</span>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the index lacks %s", want)
		}
	}
	if n := strings.Count(page, "▼"); n != 1 {
		t.Errorf("%d nights have the mark of a fall", n)
	}
	if again := rendered(t, draw, model.Report{}); again != page {
		t.Error("the index differs between two renderings")
	}
	plain := htmlShape(t, page)
	for _, s := range hostile {
		for i := range runs {
			for j := range runs[i].Agents {
				runs[i].Agents[j].Agent = s
			}
		}
		got := rendered(t, draw, model.Report{})
		visibleOnly(t, s, "index", got)
		if diff := cmp.Diff(plain, htmlShape(t, got)); diff != "" {
			t.Fatalf("%q changes the structure of the index\n%s", s, diff)
		}
		rendered(t, func(out io.Writer, _ model.Report) error { return IndexJSON(out, runs) }, model.Report{})
	}
}

func TestIndexLinksOnlyPlainNames(t *testing.T) {
	for run, want := range map[string]string{"4-5f3a9c1e": "4-5f3a9c1e.html", "../../etc/passwd": "", "javascript:alert(1)": "", "": "", "a/b": "", "a b": ""} {
		if got := FileName(run); got != want {
			t.Errorf("the page of run %q is %q, want %q", run, got, want)
		}
	}
}

// TestPageNeedsNothing checks that the page contains nothing that makes a browser load
// anything else.
func TestPageNeedsNothing(t *testing.T) {
	page := rendered(t, HTML, adoptWorld(t, 0).report())
	for _, tag := range htmlShape(t, page) {
		for _, forbidden := range []string{"<script", "<iframe", "<img", "<object", "<form", " on", " src=", "javascript:", " style="} {
			if strings.Contains(tag, forbidden) {
				t.Errorf("the page holds %s", tag)
			}
		}
		if strings.Contains(tag, "href=") && !strings.Contains(tag, `href="#`) && !strings.Contains(tag, `href="data:,"`) {
			t.Errorf("the page points elsewhere: %s", tag)
		}
	}
	if !strings.Contains(page, "default-src &#39;none&#39;; style-src &#39;sha256-") {
		t.Error("the page has no content-security policy")
	}
}

// TestRegionsHaveNames checks that every scrolling region of the page has a name, because
// such a region is a landmark and a screen reader lists landmarks by their names.
func TestRegionsHaveNames(t *testing.T) {
	folds := []block{
		fold{Summary: say("how finalists were made small"), Blocks: []block{table{}}},
		fold{Summary: say("calls to tools"), Blocks: []block{table{}, table{Caption: say("slow calls")}}},
	}
	blocks, err := pageBlocks("agent-1-run", "clerk", "Run", append(folds, table{}))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{blocks[0].Blocks[0].Label, blocks[1].Blocks[0].Label, blocks[1].Blocks[1].Label, blocks[2].Label}
	want := []string{"how finalists were made small, clerk", "calls to tools, clerk", "slow calls, clerk", "Run, clerk"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
}
