package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"evolve/archive"
	"evolve/runtime/text"
)

// stoppable returns a context for a command. The first interrupt cancels the context; a
// second interrupt ends the process.
func (sh *shell) stoppable() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(sh.Ctx)
	done := make(chan struct{})
	go func() {
		select {
		case first := <-sh.signals:
			cancel(interruption(first))
			debounce(sh, first, done)
			sh.release()
		case <-done:
		}
	}()
	return ctx, func() { close(done); cancel(nil) }
}

// echo is the time within which a second signal of the same kind is treated as part of the
// first, because timeout(1) sends one signal to the process and another to its group.
const echo = 200 * time.Millisecond

// debounce waits until no more echoes of a signal are expected. It returns a signal of
// another kind as soon as it arrives, because such a signal is not an echo.
func debounce(sh *shell, first os.Signal, done <-chan struct{}) os.Signal {
	over := time.NewTimer(echo)
	defer over.Stop()
	for {
		select {
		case next := <-sh.signals:
			if next != first {
				return next
			}
		case <-over.C:
			return nil
		case <-done:
			return nil
		}
	}
}

// confirm shows what will change and asks for confirmation.
func confirm(ctx context.Context, sh *shell, p archive.ProposalRecord, plan string, shown []string, changes []archive.Change, founding []string) error {
	who, err := sh.mustAsk("evolve show " + p.ID)
	if err != nil {
		return err
	}
	printQuestion(sh, who.out, p, plan, shown, changes, founding)
	return who.confirm(ctx, "done")
}

// printQuestion prints what a person reads before a decision.
func printQuestion(sh *shell, to io.Writer, p archive.ProposalRecord, plan string, shown []string, changes []archive.Change, founding []string) {
	_, _ = fmt.Fprintf(to, "%s:\n", text.Visible(plan))
	printGrounds(to, shown)
	printChanges(to, changes, 24)
	printFiles(to, p.Files, p.State == archive.Adopted)
	printFounding(to, founding)
	if subject(p) != "config" { // the person approves the text itself
		out := &shell{Host: sh.Host, console: sh.on(to)}
		printDiff(out.console, p)
	}
}
