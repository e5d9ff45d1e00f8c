//go:build unix

package archive

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestKill repeatedly kills a process while it records. Every acknowledged write must be
// there when the archive is next opened.
func TestKill(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(7, 11))
	var next, entries int64
	for round := range 10 {
		cmd := child(t, "record", dir, fmt.Sprint(next))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		target := 1 + random.IntN(2000) // the number of acknowledgements after which the process is killed
		acked := next - 1
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			var kind string
			var seq int64
			var ok bool
			if _, err := fmt.Sscan(lines.Text(), &kind, &seq, &ok); err != nil || !ok {
				t.Fatalf("round %d: the child says %q", round, lines.Text())
			}
			if kind == "ledger" {
				entries = max(entries, seq)
			} else {
				acked = max(acked, seq)
			}
			if n == target {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		cmd.Wait() // killed

		r := readAt(t, dir) // a reader must recover the archive first
		seq := int64(0)
		for e, err := range r.Evaluations(ctx, "1-a", "solver") {
			if err != nil {
				t.Fatal(err)
			}
			if e.Seq != seq || e.Key != evaluation("1-a", seq).Key {
				t.Fatalf("round %d: evaluation %d stands where %d should", round, e.Seq, seq)
			}
			seq++
		}
		if seq <= acked {
			t.Fatalf("round %d: %d evaluations are there, %d was acknowledged", round, seq, acked)
		}
		if n, _, err := r.VerifyLedger(ctx); err != nil || n < entries {
			t.Fatalf("round %d: the ledger has %d entries, %d were acknowledged (%v)", round, n, entries, err)
		}
		if acked >= 0 {
			key := evaluation("1-a", acked).Key
			if _, ok, err := r.Cached(ctx, key); !ok || err != nil {
				t.Fatalf("round %d: evaluation %d is not found by its key (%v)", round, acked, err)
			}
			if tr, err := r.Transcript(ctx, key); err != nil || tr.Events[0].Text != fmt.Sprint("step ", acked) {
				t.Fatalf("round %d: the transcript of %d: %v", round, acked, err)
			}
		}
		if round%5 == 4 {
			if err := r.Check(ctx); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		next = seq
	}
}
