package diff

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	visible "evolve/runtime/text"
)

// count holds the results for one kind of diff.
type count struct {
	tried, right, wrong int
	another             int            // the distortion produced the exact diff of another change
	reasons             map[Reason]int // reasons of refusals
	// The counts tried, right and wrong for `git apply`, on some of the diffs.
	gitTried, gitRight, gitWrong int
}

// proof counts results over a history. A diff as written by git must give the same bytes as
// git. A distorted diff must give those bytes or be refused.
type proof struct {
	t      *testing.T
	store  *store
	native *native // git applies diffs in its folder
	every  int     // one in this many diffs is given to git as well
	seen   int
	files  int
	other  int // diffs of kinds that patches may not have
	names  []string
	counts map[string]*count
	wrongs int
}

func newProof(t *testing.T, n *native, every int) *proof {
	return &proof{t: t, store: n.store(), native: newNative(t, t.TempDir()), every: every, counts: map[string]*count{}}
}

// of returns the counter for a kind of diff.
func (p *proof) of(name string) *count {
	c := p.counts[name]
	if c == nil {
		c = &count{reasons: map[Reason]int{}}
		p.counts[name] = c
		p.names = append(p.names, name)
	}
	return c
}

// change runs all checks on the diff of one file in the history.
func (p *proof) change(c changed) {
	var m []string
	for l := range strings.SplitSeq(c.text, "\n") {
		if strings.HasPrefix(l, "@@") {
			break
		}
		if f := indexLike.FindStringSubmatch(l); f != nil {
			m = f
		}
	}
	if !p.textual(c.text, m) {
		p.other++
		if parsed, err := Parse([]byte(c.text)); err == nil {
			p.t.Errorf("%s: read although it is no change of text: %q", c.commit, parsed.Paths())
		}
		return
	}
	if len(c.text) > MaxText {
		return
	}
	f := File{Old: p.store.blob(m[1]), New: p.store.blob(m[2])}
	p.files++
	// The diff as git writes it without --full-index.
	d := takeApart(strings.Replace(c.text, m[1]+".."+m[2], m[1][:8]+".."+m[2][:8], 1))
	parsed, err := Parse([]byte(d.String()))
	if err != nil {
		p.t.Errorf("%s: %v", c.commit, err)
		return
	}
	f.Path = parsed.Paths()[0]
	p.try("as git writes it", c, d.String(), d, f)
	r := rand.New(rand.NewPCG(uint64(p.files), 1))
	kinds := distortions()
	for _, k := range kinds {
		if text, says, ok := distorted(r, d, k); ok {
			p.try(k.name, c, text, says, f)
		}
	}
	var some []distortion
	for _, i := range slices.Sorted(slices.Values(r.Perm(len(kinds))[:2+r.IntN(2)])) {
		some = append(some, kinds[i])
	}
	if text, says, ok := distorted(r, d, some...); ok {
		p.try("two or three of these", c, text, says, f)
	}
}

// textual reports whether a diff changes only the text of a regular file. It does not use
// the parser.
func (p *proof) textual(text string, index []string) bool {
	head, _, _ := strings.Cut(text, "\n@@")
	if index == nil {
		return false
	}
	for _, refused := range []string{"\nold mode", "\nBinary files", "\nGIT binary", "\nnew file mode 100755", "mode 120000", "mode 160000", " 120000", " 160000"} {
		if strings.Contains(head, refused) {
			return false
		}
	}
	return true
}

func (p *proof) try(name string, c changed, text string, says gitDiff, f File) {
	n := p.of(name)
	n.tried++
	undistorted := len(p.names) > 0 && name == p.names[0]
	got, err := once(text, f)
	switch {
	case err != nil:
		why := reason(err)
		if why == "" {
			p.t.Errorf("%s, %s, %s: %v", c.commit, f.Path, name, err)
		}
		n.reasons[why]++
		if undistorted {
			p.t.Errorf("%s, %s: refused as git writes it: %v", c.commit, f.Path, err)
		}
	case same(got, f.New):
		n.right++
	case same(got, says.literal(f.Old)):
		n.another++
	default:
		n.wrong++
		if p.wrongs++; p.wrongs <= 5 {
			p.t.Errorf("%s, %s, %s: wrong bytes\n%s", c.commit, f.Path, name, visible.VisibleCode(text[:min(len(text), 3000)]))
		} else {
			p.t.Fail()
		}
	}
	if p.seen++; p.every == 0 || p.seen%p.every != 0 {
		return
	}
	n.gitTried++
	if content, ok := p.native.apply(text, f); ok {
		if same(content, f.New) {
			n.gitRight++
		} else {
			n.gitWrong++
		}
	}
}

// literal returns the literal result of applying a diff to an existing file, with the
// diff's line numbers and lines exactly as given, or nil if the diff does not fit. A shift
// of line numbers can turn the diff of a repeated block into a correct diff of another
// copy.
func (d gitDiff) literal(old []byte) []byte {
	if old == nil || len(d.hunks) == 0 {
		return nil
	}
	lines := split(old)
	out := []string{}
	next := 0
	for _, h := range d.hunks {
		if h.numberless {
			return nil
		}
		start := h.oldStart - min(1, h.oldCount)
		if start < next || start > len(lines) || h.newStart-min(1, h.newCount) != len(out)+start-next {
			return nil
		}
		out = append(out, lines[next:start]...)
		next = start
		for i, l := range h.body {
			whole := l[1:] + "\n"
			if i+1 < len(h.body) && h.body[i+1][0] == '\\' {
				whole = l[1:]
			}
			if l[0] == '\\' {
				continue
			}
			if l[0] != '+' {
				if next >= len(lines) || lines[next] != whole {
					return nil
				}
				next++
				h.oldCount--
			}
			if l[0] != '-' {
				out = append(out, whole)
				h.newCount--
			}
		}
		if h.oldCount != 0 || h.newCount != 0 {
			return nil
		}
	}
	return []byte(strings.Join(append(out, lines[next:]...), ""))
}

// once is a helper that applies a diff of one file.
func once(text string, f File) ([]byte, error) {
	p, err := Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	files, err := Apply(p, func(path string) ([]byte, error) {
		if path == f.Path {
			return f.Old, nil
		}
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	if len(files) != 1 || files[0].Path != f.Path {
		return nil, errors.New("another file was changed")
	}
	return files[0].New, nil
}

// report prints the shares.
func (p *proof) report(commits int) {
	var b strings.Builder
	fmt.Fprintf(&b, "%d commits, %d changes of text files, %d of other kinds, all of these refused\n", commits, p.files, p.other)
	fmt.Fprintf(&b, "%-26s %8s %9s %8s %6s | %9s %9s %6s\n", "", "tried", "right", "another", "wrong", "git tried", "right", "wrong")
	for _, name := range p.names {
		c := p.counts[name]
		fmt.Fprintf(&b, "%-26s %8d %8.2f%% %8d %6d | %9d %8.2f%% %6d  %v\n", name, c.tried, share(c.right, c.tried), c.another, c.wrong, c.gitTried, share(c.gitRight, c.gitTried), c.gitWrong, c.reasons)
	}
	p.t.Log("\n" + b.String())
}

func share(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

// TestOwnHistory tests the package on the newest commits of the checkout's own history.
func TestOwnHistory(t *testing.T) {
	n := newNative(t, ".")
	if out, err := n.command("rev-parse", "--is-shallow-repository").Output(); err != nil || strings.TrimSpace(string(out)) != "false" {
		t.Skip("the source is not in a repository with its history")
	}
	p := newProof(t, n, 97)
	p.report(n.walk(12, p.change))
}

// TestOtherHistory does the same as TestOwnHistory on all commits of the repository that
// EVOLVE_HISTORY_REPO names.
func TestOtherHistory(t *testing.T) {
	dir := os.Getenv("EVOLVE_HISTORY_REPO")
	if dir == "" {
		t.Skip("EVOLVE_HISTORY_REPO names no repository")
	}
	n := newNative(t, dir)
	p := newProof(t, n, 97)
	p.report(n.walk(0, p.change))
}
