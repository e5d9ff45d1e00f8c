package cli

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"evolve/mutate/night"
)

// progress shows a run under way on standard error: bars on a terminal, one line
// a minute elsewhere.
type progress struct {
	sh    *shell
	quiet bool
	bars  *mpb.Progress

	mu    sync.Mutex
	stage string // agent and stage of the bar or line
	bar   *mpb.Bar
	best  string
	label atomic.Value // string behind the bar; mpb reads it from a goroutine of its own
	lines time.Time    // when the last line was written
	owed  string       // the latest line that was not written
}

func newProgress(sh *shell) *progress {
	p := &progress{sh: sh, quiet: sh.quiet}
	if width, ok := drawable(sh.stderr); ok && !sh.quiet {
		p.bars = mpb.New(mpb.WithOutput(sh.stderr), mpb.WithWidth(max(10, width/4)), mpb.WithAutoRefresh())
	}
	return p
}

// drawable returns the width of a terminal that reports one; bars need it.
func drawable(stream any) (int, bool) {
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
	if now.Known {
		p.best = fmt.Sprintf("best %.3f [%.3f, %.3f]", now.Best, now.Lo, now.Hi)
	}
	name := now.Agent + " " + now.Stage
	fresh := name != p.stage
	if fresh && p.bar != nil {
		p.bar.Abort(false) // it stays as it is; of a bar that is full, nothing
	}
	p.stage = name
	label := " " + p.best
	if now.SpentUSD > 0 {
		label += fmt.Sprintf("  $%.2f", now.SpentUSD)
	}
	p.label.Store(label)
	if p.bars == nil {
		p.line(now, fresh)
		return
	}
	if fresh {
		p.bar = p.bars.AddBar(int64(now.Planned),
			mpb.PrependDecorators(decor.Name(name+" ", decor.WCSyncSpaceR), decor.CountersNoUnit("%d/%d")),
			mpb.AppendDecorators(
				decor.Any(func(decor.Statistics) string { return p.label.Load().(string) }),
				decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO, decor.WC{W: 8}), "")))
	}
	p.bar.SetCurrent(int64(now.Done))
}

// line writes at a change of stage, at its end, and once a minute between. A stage may
// end early, so its last line is held back until then.
func (p *progress) line(now night.Progress, fresh bool) {
	if fresh {
		p.flush()
	}
	at := p.sh.Now()
	s := fmt.Sprintf("%s %s  %s  %d of %d evaluations", at.Format("15:04:05"), now.Agent, now.Stage, now.Done, now.Planned)
	if now.Known {
		s += "  " + p.best
	}
	if now.SpentUSD > 0 {
		s += fmt.Sprintf("  $%.2f spent", now.SpentUSD)
	}
	p.owed = s
	if fresh || now.Done >= now.Planned || at.Sub(p.lines) >= time.Minute {
		p.lines = at
		p.flush()
	}
}

// flush writes the line that was held back.
func (p *progress) flush() {
	if p.owed != "" {
		_, _ = fmt.Fprintln(p.sh.stderr, p.owed)
	}
	p.owed = ""
}

// close finishes the bars.
func (p *progress) close() {
	p.mu.Lock()
	if p.bar != nil {
		p.bar.Abort(false)
	}
	p.flush()
	p.mu.Unlock()
	if p.bars != nil {
		p.bars.Wait()
	}
}
