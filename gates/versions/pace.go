package versions

import (
	"cmp"
	"sync"
	"time"

	"evolve/gates/measure"
)

const (
	// slower is the factor by which a version may take longer than the unchanged program.
	slower = 10
	// leastTime is added to every time limit, because a busy machine may delay a program by
	// seconds.
	leastTime = 10 * time.Second
)

// Bound limits the times of versions to ten times the times of the unchanged program,
// plus ten seconds, because the search also produces loops that take long or never end.
func (s *Scored) Bound(p *measure.Program) {
	p.MakeTime, p.RunTime = leastTime+slower*s.Make, leastTime+slower*s.Run
}

// pace holds the times that the unchanged program took for single cases. The search scores
// the unchanged program on a case before it scores any version on it, so the time limit for
// a version on a case can be based on the time for that case instead of all cases.
type pace struct {
	mu   sync.Mutex
	took map[string]time.Duration
}

// add records the time that a case took.
func (p *pace) add(name string, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took[name] = max(p.took[name], d)
}

// bound returns the time that a version may take on a case. The result is at most the
// limit for all cases (all), which is 0 if the default of [measure.Program] applies.
func (p *pace) bound(name string, all time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	took, known := p.took[name]
	if !known {
		return all
	}
	own := leastTime + slower*took
	return min(own, cmp.Or(all, own))
}
