package cli

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"evolve/mutate/night"
	"evolve/reports/model"
	"evolve/reports/number"
)

// progress shows a run under way on standard error. On a terminal it shows a bar for each
// stage under way and a line for each stage that is over; elsewhere it shows one line a
// minute for each agent. Messages that are printed meanwhile appear above the bars.
type progress struct {
	sh    *shell
	quiet bool
	bars  *mpb.Progress

	mu     sync.Mutex
	agents map[string]*agentProgress
}

// agentProgress is what the progress shows about one agent.
type agentProgress struct {
	stage string
	bar   *mpb.Bar
	best  string
	state atomic.Pointer[barState] // what the bar shows; mpb reads it from its own goroutine
	lines time.Time                // when a line was last written
	owed  string                   // the latest line that was not written
}

func newProgress(sh *shell) *progress {
	p := &progress{sh: sh, quiet: sh.quiet, agents: map[string]*agentProgress{}}
	if out, ok := sh.stderr.(*foldWriter); ok && drawable(sh.stderr) && !sh.quiet {
		p.bars = mpb.New(mpb.WithOutput(unfolded(out)), mpb.WithAutoRefresh())
		out.drawAbove(p.bars)
	}
	return p
}

// drawable reports whether a stream is a terminal on which bars can be drawn: it must have
// a width and accept cursor commands, which a terminal with TERM=dumb does not.
func drawable(stream any) bool {
	f, ok := stream.(*foldWriter)
	return ok && f.draws
}

// show displays one state of the run; it is called from many goroutines.
func (p *progress) show(now night.Progress) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.agents[now.Agent]
	if a == nil {
		a = &agentProgress{}
		p.agents[now.Agent] = a
	}
	if now.Known {
		a.best = "best " + number.Score(now.Best) + " [" + number.Score(now.Lo) + ", " + number.Score(now.Hi) + "]"
	}
	fresh := now.Stage != a.stage
	a.stage = now.Stage
	at := p.sh.Now()
	if p.bars == nil {
		p.line(a, now, fresh, at)
		return
	}
	if fresh {
		p.over(a)
		a.state.Store(&barState{began: at, already: now.Done})
		a.bar = p.bars.New(int64(now.Planned), mpb.NopStyle(), mpb.BarRemoveOnComplete(), mpb.PrependDecorators(
			decor.Any(func(s decor.Statistics) string {
				return a.state.Load().line(min(s.AvailableWidth, p.columns())-1, p.sh.Now())
			})))
	}
	state := *a.state.Load()
	state.now, state.best = now, a.best
	a.state.Store(&state)
	a.owed = sentence(a, now, at)
	a.bar.SetCurrent(int64(now.Done))
	if now.Done >= now.Planned {
		p.flush(a)
	}
}

// columns returns the width of lines on the terminal.
func (p *progress) columns() int {
	_, width := terminal(p.sh.stderr)
	return width
}

// over is called when a stage has ended. It removes the stage's bar and prints the
// stage's last line, if that line was not printed yet.
func (p *progress) over(a *agentProgress) {
	if a.bar != nil {
		a.bar.Abort(true)
	}
	p.flush(a)
}

// sentence returns a line about the state of a stage.
func sentence(a *agentProgress, now night.Progress, at time.Time) string {
	s := fmt.Sprintf("%s %s  %s  %s of %s", at.Format("15:04:05"), now.Agent, model.StageName(now.Stage), number.Count(now.Done), count(now.Planned, "evaluation"))
	if now.Known {
		s += "  " + a.best
	}
	if now.SpentUSD > 0 {
		s += "  " + number.Dollars(now.SpentUSD) + " spent"
	}
	return s
}

// line writes a line when the stage changes, when it ends, and once a minute in between.
// The latest unwritten line is held back, so that a stage that ends early still gets its
// last line.
func (p *progress) line(a *agentProgress, now night.Progress, fresh bool, at time.Time) {
	if fresh {
		p.flush(a)
	}
	a.owed = sentence(a, now, at)
	if fresh || now.Done >= now.Planned {
		a.lines = at
		p.flush(a)
	}
	for _, name := range slices.Sorted(maps.Keys(p.agents)) { // the last line of a finished stage may have been held back
		if a := p.agents[name]; at.Sub(a.lines) >= time.Minute {
			a.lines = at
			p.flush(a)
		}
	}
}

// flush writes the line about an agent that was held back.
func (p *progress) flush(a *agentProgress) {
	if a.owed != "" {
		_, _ = fmt.Fprintln(p.sh.stderr, a.owed)
	}
	a.owed = ""
}

// close removes the bars, and prints the last line of each stage that ended early.
func (p *progress) close() {
	p.mu.Lock()
	for _, name := range slices.Sorted(maps.Keys(p.agents)) {
		p.over(p.agents[name])
	}
	p.mu.Unlock()
	if p.bars != nil {
		p.bars.Wait()
		p.sh.stderr.(*foldWriter).drawAbove(nil)
	}
}
