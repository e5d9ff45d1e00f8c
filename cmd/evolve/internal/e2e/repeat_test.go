//go:build unix

package e2e

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/reports/model"
	"evolve/reports/render"
)

// TestRepeats checks that runs are repeatable: the same seed and lookahead give the same
// run, whatever the concurrency and the folder.
func TestRepeats(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			var page pages
			want := outcome{}
			report := ""
			for _, concurrency := range []string{"1", "4", "32"} {
				p := kind.make(t)
				o := decodeOutcome(t, p.do(0, p.night("--lookahead", "32", "--concurrency", concurrency)...))
				now, rendered := p.report(o.Run), p.render(o.Run, page.volatile)
				if page.volatile == nil {
					want, report, page = o, now, rendered
					continue
				}
				if diff := cmp.Diff(want, o); diff != "" {
					t.Errorf("another outcome at concurrency %s:\n%s", concurrency, diff)
				}
				if diff := cmp.Diff(report, now); diff != "" {
					t.Errorf("another report at concurrency %s:\n%s", concurrency, diff)
				}
				if diff := cmp.Diff(page.markdown, rendered.markdown); diff != "" {
					t.Errorf("another page at concurrency %s:\n%s", concurrency, diff)
				}
				if page.html != rendered.html {
					t.Errorf("another HTML page at concurrency %s", concurrency)
				}
			}
		})
	}
}

// pages are the rendered forms of a report.
type pages struct {
	volatile       *model.Volatile
	html, markdown string
}

// render renders a run's report, with the given volatile part if it is not nil.
func (p place) render(run string, volatile *model.Volatile) pages {
	p.t.Helper()
	a, err := archive.OpenRead(filepath.Join(p.root, ".evolve", "archive"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			p.t.Error(err)
		}
	}()
	r, err := model.Build(p.t.Context(), a, run)
	if err != nil {
		p.t.Fatal(err)
	}
	if volatile != nil {
		r.Volatile = *volatile
	}
	var html, markdown bytes.Buffer
	if err := render.HTML(&html, r); err != nil {
		p.t.Fatal(err)
	}
	if err := render.Markdown(&markdown, r); err != nil {
		p.t.Fatal(err)
	}
	return pages{&r.Volatile, html.String(), markdown.String()}
}
