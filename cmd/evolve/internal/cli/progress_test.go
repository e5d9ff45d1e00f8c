package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/cmd/evolve/internal/wire"
	"evolve/mutate/night"
)

// TestProgressOfSeveralAgents checks that each agent has a line at the beginning of a stage
// and once a minute, and that the last line of an agent that has finished appears within a
// minute.
func TestProgressOfSeveralAgents(t *testing.T) {
	at := time.Date(2026, 11, 28, 22, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	sh := &shell{Host: &wire.Host{Now: func() time.Time { return at }}, console: new(console)}
	sh.stderr = &out
	p := newProgress(sh)
	for second := range 130 {
		p.show(night.Progress{Agent: "solver", Stage: "search", Done: 100 * (1 + second), Planned: 13_000})
		if second <= 20 {
			p.show(night.Progress{Agent: "aide", Stage: []string{"search", "confirm"}[second/15], Done: 1 + second%15, Planned: 60})
		}
		at = at.Add(time.Second)
	}
	p.close()
	want := `22:00:00 solver  search  100 of 13,000 evaluations
22:00:00 aide  search  1 of 60 evaluations
22:00:14 aide  search  15 of 60 evaluations
22:00:15 aide  confirmation  1 of 60 evaluations
22:01:00 solver  search  6,100 of 13,000 evaluations
22:00:20 aide  confirmation  6 of 60 evaluations
22:02:00 solver  search  12,100 of 13,000 evaluations
22:02:09 solver  search  13,000 of 13,000 evaluations
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
