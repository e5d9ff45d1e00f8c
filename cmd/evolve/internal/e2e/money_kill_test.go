//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"evolve/archive"
)

// perToken is the price, in USD, that the billing server charges for a token.
const perToken = 1e-6

// billing is a priced model. It bills a request when it arrives, whether or not the client
// lives to read the reply.
type billing struct {
	*httptest.Server
	// spread is the number of tokens by which requests differ.
	spread uint32

	mu      sync.Mutex
	calls   int
	usd     float64
	dearest float64
}

func newBilling(t *testing.T, spread uint32) *billing {
	t.Helper()
	b := &billing{spread: spread}
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

func (b *billing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sum := fnv.New32a()
	_, _ = sum.Write(body)
	tokens := 1000 + sum.Sum32()%(b.spread+1)
	b.mu.Lock()
	b.calls++
	b.usd += float64(tokens) * perToken
	b.dearest = max(b.dearest, float64(tokens)*perToken)
	b.mu.Unlock()
	time.Sleep(5 * time.Millisecond) // so that calls are under way when the run is killed
	raw, _ := json.Marshal(map[string]any{
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": []string{"good", "bad"}[sum.Sum32()%2]}}},
		"usage":   map[string]uint32{"prompt_tokens": tokens, "completion_tokens": 0},
	})
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(raw)
}

func (b *billing) billed() (calls int, usd, dearest float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls, b.usd, b.dearest
}

// TestMoneyHoldsOverKills kills a night under a money limit several times, starting at
// its first call, and resumes it. Before a call is made, the cost of an earlier call is
// reserved for it, so the server bills no more than the limit if all calls cost the same.
// If their costs differ, each call that was under way when a process ended can push the
// bill over the limit by at most the difference between its cost and that of the cheapest
// call. Status, report and archive agree on the spending; it falls short of the bill by
// at most the same amount.
func TestMoneyHoldsOverKills(t *testing.T) {
	t.Parallel()
	const concurrency, limit = 4, .2    // 200 calls of 1000 tokens
	kills := []int{1, 8, 25, 1, 30, 20} // calls that a process makes until it is killed
	for name, spread := range map[string]uint32{"equal costs": 0, "costs that differ": 1000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBilling(t, spread)
			p := reviews(t).workspace(t, served(b.URL+"/v1")+fmt.Sprintf("prices:\n  smollm2: {input: %g, output: %g}\n", perToken*1e6, perToken*1e6))
			p.write("agents/clerk/agent.yaml", "id: clerk\nadapter: {kind: builtin, model: default}\nsuites: [inside]\nspace:\n  temperature.research: {}\n  strategy: {}\n")
			p.flags = []string{"--seed", "1", "--budget-usd", fmt.Sprint(limit), "--stages", "search", "--concurrency", fmt.Sprint(concurrency)}
			beyond := func(processes int) float64 { return float64(processes*concurrency*int(spread)) * perToken }
			for i, more := range kills {
				before, _, _ := b.billed()
				pr := p.start(p.night()...)
				if !pr.until(func() bool { calls, _, _ := b.billed(); return calls >= before+more }) {
					t.Fatalf("it ended before kill %d: %s", i, &pr.err)
				}
				pr.kill()
				p.agreesOnMoney(b, limit, beyond(i+1))
			}
			p.do(0, p.night()...)
			p.agreesOnMoney(b, limit, beyond(len(kills)+1))
			calls, usd, dearest := b.billed()
			t.Logf("%d calls of at most %.4f USD, %.4f of %.4f USD billed", calls, dearest, usd, limit)
			// A kill costs at most the margin of the account and the reservations of calls
			// that were not made. What is left at the end is less than the cost of one more
			// call for each worker.
			if least := limit - float64(len(kills))*(.001*limit+concurrency*dearest) - concurrency*dearest; usd < least {
				t.Errorf("%.4f USD billed of %.4f: the limit was taken for spent too early", usd, limit)
			}
			if v := p.mustLook(); v.run.Number != 1 || v.run.State != archive.RunDone || v.run.Resumed != len(kills) {
				t.Errorf("run %d is %s, resumed %d times", v.run.Number, v.run.State, v.run.Resumed)
			}
		})
	}
}

// TestPolicyBudgetHoldsOverKills kills a night under a provider's budget for a run. Each
// process starts from what earlier processes spent and the calls that were under way when
// those processes were killed. So the server's bill exceeds the budget by at most the
// calls under way at the end.
func TestPolicyBudgetHoldsOverKills(t *testing.T) {
	t.Parallel()
	const concurrency, limit = 4, .1 // 100 calls of 1000 tokens
	b := newBilling(t, 0)
	p := reviews(t).workspace(t, served(b.URL+"/v1")+fmt.Sprintf(
		"prices:\n  smollm2: {input: %g, output: %g}\npolicies: {providers: {local: {budget: {run: {usd: %g}}}}}\n", perToken*1e6, perToken*1e6, limit))
	p.write("agents/clerk/agent.yaml", "id: clerk\nadapter: {kind: builtin, model: default}\nsuites: [inside]\nspace:\n  temperature.research: {}\n  strategy: {}\n")
	p.flags = []string{"--seed", "1", "--budget-evals", "400", "--stages", "search", "--concurrency", fmt.Sprint(concurrency)}
	for _, more := range []int{40, 1, 20} {
		before, _, _ := b.billed()
		pr := p.start(p.night()...)
		if !pr.until(func() bool { calls, _, _ := b.billed(); return calls >= before+more }) {
			t.Fatalf("it ended early: %s", &pr.err)
		}
		pr.kill()
	}
	r := p.start(p.night()...).wait()
	calls, usd, dearest := b.billed()
	t.Logf("%d calls, %.4f of %.4f USD billed", calls, usd, limit)
	if usd > limit+concurrency*dearest+1e-9 || usd < limit-4*concurrency*dearest || !strings.Contains(p.mustLook().run.Reason+r.stderr, "usd per run") {
		t.Errorf("%.4f USD billed under a budget of %.4f; the night ended with %d\n%s", usd, limit, r.code, r.stderr)
	}
}

// agreesOnMoney checks the server's bill against the limit. It also checks the sums in
// the status, report and archive against each other and against the bill. The bill may
// exceed the limit and the account by at most beyond, which is an amount in USD.
func (p place) agreesOnMoney(b *billing, limit, beyond float64) {
	p.t.Helper()
	_, billed, dearest := b.billed()
	if billed > limit+beyond+1e-9 {
		p.t.Errorf("%.6f USD billed under a limit of %.6f", billed, limit)
	}
	a, err := archive.OpenRead(filepath.Join(p.root, ".evolve", "archive"))
	if err != nil {
		p.t.Fatal(err)
	}
	run, err := a.Run(p.t.Context(), "")
	if err != nil {
		p.t.Fatal(err)
	}
	paid, known, err := a.Paid(p.t.Context(), run)
	account, noAccount := a.Account(p.t.Context(), run.ID)
	if err := a.Close(); err != nil {
		p.t.Fatal(err)
	}
	if err != nil || !known || noAccount != nil {
		p.t.Fatalf("the archive has no account of the run: %v, %v", err, noAccount)
	}
	var status struct {
		Runs []struct {
			Limits []struct {
				Limit string
				Spent float64
			}
		}
	}
	if err := json.Unmarshal([]byte(p.do(0, "status", "--json", "--workspace", p.root).stdout), &status); err != nil {
		p.t.Fatal(err)
	}
	var shown float64
	for _, l := range status.Runs[0].Limits {
		if l.Limit == "money" {
			shown = l.Spent
		}
	}
	var report struct {
		Volatile struct {
			CostUSD float64 `json:"cost_usd"`
		}
	}
	text := p.do(0, "report", "--workspace", p.root, "--json", run.ID).stdout
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&report); err != nil {
		p.t.Fatal(err)
	}
	if shown != paid || math.Abs(report.Volatile.CostUSD-paid) > 1e-12 {
		p.t.Errorf("the archive has %.6f USD, status %.6f and the report %.6f", paid, shown, report.Volatile.CostUSD)
	}
	if reserved := paid + float64(account.Unknown)*dearest; reserved < billed-beyond-1e-9 || paid > limit*1.001+beyond+1e-9 {
		p.t.Errorf("the archive has %.6f USD, and %d calls of unknown cost, of %.6f that were billed", paid, account.Unknown, billed)
	}
}
