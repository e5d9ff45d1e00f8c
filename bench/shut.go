package bench

import (
	"sync"
	"time"
)

const (
	// mostShut is the number of evaluations that may use up their attempts on the open
	// breaker of a tool. After that, other evaluations no longer wait for that tool.
	mostShut = 3
	// shutFor is the time after which evaluations wait for the tool again, counted from
	// the last evaluation that used up its attempts.
	shutFor = 10 * time.Minute
)

// shutTools records the tools whose breakers stay open. The breaker of a tool that always
// fails lets only probes through. If each further evaluation waited for such a breaker, a
// night would spend most of its time waiting without getting more scores.
type shutTools struct {
	mu    sync.Mutex
	tools map[string]shutTool
}

// shutTool counts the evaluations that were given up because of a tool, and holds the time
// of the last one.
type shutTool struct {
	given int
	last  time.Time
}

// hopeless reports whether evaluations should no longer wait for a tool.
func (s *shutTools) hopeless(tool string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tools[tool]
	return t.given >= mostShut && now.Sub(t.last) < shutFor
}

// giveUp records an evaluation that was given up because of the open breaker of a tool;
// tool is empty if there was another reason.
func (s *shutTools) giveUp(tool string, now time.Time) {
	if tool == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tools[tool]
	if t.given >= mostShut && now.Sub(t.last) >= shutFor {
		t.given = 0
	}
	if s.tools == nil {
		s.tools = map[string]shutTool{}
	}
	s.tools[tool] = shutTool{t.given + 1, now}
}
