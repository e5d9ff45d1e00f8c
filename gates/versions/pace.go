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
	// leastTime is added to the time, because a busy machine may delay a program by
	// seconds.
	leastTime = 10 * time.Second
)

// Bound bounds the times of versions by those of the unchanged program: ten times as much
// and ten seconds. The search writes loops that take long or never end.
func (s *Scored) Bound(p *measure.Program) {
	p.MakeTime, p.RunTime = leastTime+slower*s.Make, leastTime+slower*s.Run
}

// pace has the times that the unchanged program took on single cases. The search scores it
// on a case before any version, so that a slow version is stopped by the time of that case and
// not of all of them.
type pace struct {
	mu   sync.Mutex
	took map[string]time.Duration
}

// add records the time of a case.
func (p *pace) add(name string, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took[name] = max(p.took[name], d)
}

// bound returns the time that a version may take on a case. It is at most that of all cases,
// which is 0 for the default of [measure.Program].
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
