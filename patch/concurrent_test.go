package patch

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// updates tests concurrent writers of a few refs: two of our own, two that run native git,
// and one that constantly packs refs and collects garbage.
type updates struct {
	*fixture
	refs   []string
	values chan string // objects to which no ref has pointed yet
	// turns keeps our writers and native git in step. Our writers, which start no program,
	// would otherwise finish before native git had begun.
	turns chan struct{}

	mu    sync.Mutex
	next  map[string]string // for each ref and value, the value to which the ref was moved from that value
	taken [2]int            // number of moves by us, and by native git
	stale int               // number of moves that came too late
}

// newUpdates prepares n values, and refs that point at the first of them.
func newUpdates(t testing.TB, n int) *updates {
	u := &updates{fixture: newFixture(t, start()), next: map[string]string{}}
	for i := range 4 {
		u.refs = append(u.refs, fmt.Sprintf("refs/evolve/deep/proposals/P%d", i))
	}
	var stream bytes.Buffer
	stream.WriteString("commit refs/heads/values\ncommitter t <t@example.org> 1790000000 +0000\ndata 0\n")
	for i := range n + len(u.refs) {
		text := fmt.Sprintf("value %d\n", i)
		fmt.Fprintf(&stream, "M 100644 inline v%d\ndata %d\n%s\n", i, len(text), text)
	}
	u.gitIn(stream.String(), "fast-import", "--quiet")
	all := strings.Split(u.git("ls-tree", "--object-only", "values"), "\n")
	for i, ref := range u.refs {
		if err := u.repo.MoveRef(ref, "", all[i]); err != nil {
			t.Fatal(err)
		}
	}
	all = all[len(u.refs):]
	u.turns = make(chan struct{}, n)
	u.values = make(chan string, len(all))
	for _, v := range all {
		u.values <- v
	}
	close(u.values)
	return u
}

// moved records a successful move.
func (u *updates) moved(side int, ref, old, now string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if other, twice := u.next[ref+old]; twice {
		u.t.Errorf("%s was moved from %s to both %s and %s, last by %s: an update was lost", ref, old[:8], other[:8], now[:8], [...]string{"us", "native git"}[side])
	}
	u.next[ref+old] = now
	u.taken[side]++
}

// ours moves a ref to each of its values in turn and retries moves that come too late.
func (u *updates) ours(first int) {
	at := first
	for range u.turns {
		value := <-u.values
		for at++; ; {
			ref := u.refs[at%len(u.refs)]
			old, err := u.repo.Ref(ref)
			if err != nil || old == "" {
				u.t.Errorf("torn read of %s: %q, %v", ref, old, err)
				return
			}
			err = u.repo.MoveRef(ref, old, value)
			var locked *LockedError
			if err == nil {
				u.moved(0, ref, old, value)
				break
			}
			if !errors.Is(err, ErrMoved) && !errors.As(err, &locked) {
				u.t.Error(err)
				return
			}
			u.late()
		}
	}
}

func (u *updates) late() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stale++
}

// natives moves refs as the method ours does, but with native git. For each of its own
// moves it gives our writers a turn.
func (u *updates) natives(first, n int) {
	at := first
	for range n {
		value := <-u.values
		for at++; ; {
			ref := u.refs[at%len(u.refs)]
			old, err := u.try("rev-parse", "--verify", "--quiet", ref)
			if err != nil || !hashForm.MatchString(old) {
				u.t.Errorf("native git's read of %s is torn: %q, %v", ref, old, err)
				return
			}
			out, err := u.try("update-ref", ref, value, old)
			if err == nil {
				u.moved(1, ref, old, value)
				u.turns <- struct{}{}
				break
			}
			if !strings.Contains(out, "but expected") && !strings.Contains(out, "Unable to create") {
				u.t.Errorf("update-ref: %v\n%s", err, out)
				return
			}
			u.late()
		}
	}
}

func (b *fixture) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = b.dir, b.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// run starts all writers and, at the end, follows each ref from its first value through
// every successful move.
//
// The packed refs grow from each packing to the next. Native git assumes that a packed-refs
// file is unchanged if its inode, size and modification second are the same, unless git was
// built to compare nanoseconds. Where inodes are reused, as on ext4, a running native git
// may read outdated refs after two packings in one second, and update-ref may move a ref
// from a value that it no longer has, without any other writer. Our side reads the file
// anew each time.
func (u *updates) run() {
	firsts := make([]string, len(u.refs))
	for i, ref := range u.refs {
		firsts[i] = u.git("rev-parse", ref)
	}
	want := len(u.values)
	var writers, native sync.WaitGroup
	for i := range 2 {
		writers.Go(func() { u.ours(i) })
		native.Go(func() { u.natives(i, want/4) })
	}
	writers.Go(func() {
		native.Wait()
		close(u.turns)
	})
	var over atomic.Bool
	var packer sync.WaitGroup
	packer.Go(func() {
		for i := 1; !over.Load(); i++ {
			_, _ = u.try("update-ref", fmt.Sprintf("refs/grown/%d", i), firsts[0])
			args := []string{"pack-refs", "--all", "--prune"}
			if i%20 == 0 {
				args = []string{"-c", "gc.pruneExpire=never", "gc", "--quiet"}
			}
			// Both commands fail if a lock is held, which is correct.
			_, _ = u.try(args...)
		}
	})
	writers.Wait()
	over.Store(true)
	packer.Wait()
	steps := 0
	for i, ref := range u.refs {
		at := firsts[i]
		for u.next[ref+at] != "" {
			at = u.next[ref+at]
			steps++
		}
		if got := u.git("rev-parse", ref); got != at {
			u.t.Errorf("%s ends at %s, its chain at %s", ref, got[:8], at[:8])
		}
		if got, err := u.repo.Ref(ref); got != at || err != nil {
			u.t.Errorf("%s reads %s, %v", ref, got, err)
		}
	}
	if steps != want || steps != u.taken[0]+u.taken[1] {
		u.t.Errorf("the chains have %d moves, %d were reported done, of %d", steps, u.taken[0]+u.taken[1], want)
	}
	if u.taken[0] != u.taken[1] {
		u.t.Errorf("%d moves of ours, %d of native git", u.taken[0], u.taken[1])
	}
	u.git("fsck", "--strict", "--no-dangling")
}

// TestRefsBesideNativeGit runs a smaller number of the updates in
// BenchmarkRefsBesideNativeGit.
func TestRefsBesideNativeGit(t *testing.T) {
	n := 240
	if testing.Short() {
		n = 80
	}
	newUpdates(t, n).run()
}

// BenchmarkRefsBesideNativeGit makes 10,000 updates of four refs, each a
// compare-and-swap, by us and by native git concurrently, while native git packs refs and
// collects garbage. It fails on a torn read or a lost update.
func BenchmarkRefsBesideNativeGit(b *testing.B) {
	for b.Loop() {
		u := newUpdates(b, 10_000)
		u.run()
		b.ReportMetric(float64(u.taken[0]), "ours")
		b.ReportMetric(float64(u.taken[1]), "native")
		b.ReportMetric(float64(u.stale), "too-late")
	}
}
