package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"evolve/mutate/night"
	"evolve/reports/number"
)

// progress shows a run under way on standard error: bars on a terminal, elsewhere one line
// a minute of each agent.
type progress struct {
	sh    *shell
	quiet bool
	bars  *mpb.Progress

	mu     sync.Mutex
	agents map[string]*agentProgress
}

// agentProgress is what is shown of an agent.
type agentProgress struct {
	stage string
	bar   *mpb.Bar
	best  string
	label atomic.Value // string behind the bar; mpb reads it from a goroutine of its own
	lines time.Time    // when the last line was written
	owed  string       // the latest line that was not written
}

func newProgress(sh *shell) *progress {
	p := &progress{sh: sh, quiet: sh.quiet, agents: map[string]*agentProgress{}}
	if width, ok := drawable(sh.stderr); ok && !sh.quiet {
		p.bars = mpb.New(mpb.WithOutput(unfolded(sh.stderr)), mpb.WithWidth(max(10, width/4)), mpb.WithAutoRefresh())
	}
	return p
}

// drawable returns the width of a terminal that reports one; bars need it.
func drawable(stream any) (int, bool) {
	if f, ok := stream.(*foldWriter); ok {
		stream = f.file
	}
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return width, err == nil && width > 0
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
		a.best = fmt.Sprintf("best %.3f [%.3f, %.3f]", now.Best, now.Lo, now.Hi)
	}
	fresh := now.Stage != a.stage
	if fresh && a.bar != nil {
		a.bar.Abort(false) // it stays as it is; of a bar that is full, nothing
	}
	a.stage = now.Stage
	label := " " + a.best
	if now.SpentUSD > 0 {
		label += "  " + number.Dollars(now.SpentUSD)
	}
	a.label.Store(label)
	if p.bars == nil {
		p.line(a, now, fresh)
		return
	}
	if fresh {
		a.bar = p.bars.AddBar(int64(now.Planned),
			mpb.PrependDecorators(decor.Name(now.Agent+" "+now.Stage+" ", decor.WCSyncSpaceR), decor.CountersNoUnit("%d/%d")),
			mpb.AppendDecorators(
				decor.Any(func(decor.Statistics) string { return a.label.Load().(string) }),
				decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO, decor.WC{W: 8}), "")))
	}
	a.bar.SetCurrent(int64(now.Done))
}

// line writes at a change of stage, at its end, and once a minute between. A stage may
// end early, so its last line is held back until then.
func (p *progress) line(a *agentProgress, now night.Progress, fresh bool) {
	if fresh {
		p.flush(a)
	}
	at := p.sh.Now()
	s := fmt.Sprintf("%s %s  %s  %d of %d evaluations", at.Format("15:04:05"), now.Agent, now.Stage, now.Done, now.Planned)
	if now.Known {
		s += "  " + a.best
	}
	if now.SpentUSD > 0 {
		s += "  " + number.Dollars(now.SpentUSD) + " spent"
	}
	a.owed = s
	if fresh || now.Done >= now.Planned {
		a.lines = at
		p.flush(a)
	}
	for _, name := range slices.Sorted(maps.Keys(p.agents)) { // one that is over has its last line here
		if a := p.agents[name]; at.Sub(a.lines) >= time.Minute {
			a.lines = at
			p.flush(a)
		}
	}
}

// flush writes the line of an agent that was held back.
func (p *progress) flush(a *agentProgress) {
	if a.owed != "" {
		_, _ = fmt.Fprintln(p.sh.stderr, a.owed)
	}
	a.owed = ""
}

// close finishes the bars.
func (p *progress) close() {
	p.mu.Lock()
	for _, name := range slices.Sorted(maps.Keys(p.agents)) {
		a := p.agents[name]
		if a.bar != nil {
			a.bar.Abort(false)
		}
		p.flush(a)
	}
	p.mu.Unlock()
	if p.bars != nil {
		p.bars.Wait()
	}
}
