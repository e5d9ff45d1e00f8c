package archive

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/experience"
)

// Conduct returns figures about an agent's live turns, which are compared with the
// requirements of a level of autonomy. The figures come from outcomes, from what people
// wrote and decided, and from what the runtime recorded; only the confidence is the agent's
// own statement.
func (a *Archive) Conduct(ctx context.Context, agentID string, now time.Time) (autonomy.Figures, error) {
	c := conduct{archive: a, agent: agentID, sessions: map[string]*conductSession{}, seen: map[string]bool{}}
	for _, gather := range []func(context.Context) error{c.start, c.turns, c.proposals} {
		if err := gather(ctx); err != nil {
			return c.figures, fmt.Errorf("gather the autonomy figures of agent %s: %w", agentID, err)
		}
	}
	if err := c.requests(ctx, now); err != nil {
		return c.figures, fmt.Errorf("gather the autonomy figures of agent %s: %w", agentID, err)
	}
	c.conclude()
	return c.figures, nil
}

// conduct gathers the figures of one agent.
type conduct struct {
	archive  *Archive
	agent    string
	figures  autonomy.Figures
	past     experience.Experience
	faults   map[string]bool // turns that a person corrected
	disliked map[string]bool // sessions with which a person was not satisfied
	sessions map[string]*conductSession
	seen     map[string]bool // turns that count
}

// conductSession is one conversation.
type conductSession struct {
	good, corrected bool // whether its last turn was good; whether any turn was corrected
	domains         map[string]bool
}

// start reads the time at which the level was last lowered, and people's corrections and
// feedback.
func (c *conduct) start(ctx context.Context) error {
	r, err := c.archive.Autonomy(ctx, c.agent)
	if err != nil {
		return err
	}
	for _, change := range r.Changes {
		if change.To < change.From && !change.Imported {
			c.figures.Since = change.Time
		}
	}
	if c.past, err = c.archive.Experience(ctx, c.agent); err != nil {
		return err
	}
	c.faults, c.disliked = map[string]bool{}, map[string]bool{}
	for _, x := range c.past.Corrections {
		c.faults[x.Turn] = true
	}
	for _, f := range c.past.Feedback {
		if f.Session != "" && f.Verdict != experience.Positive {
			c.disliked[f.Session] = true
		}
	}
	return nil
}

// turns counts the turns and arranges them in sessions.
func (c *conduct) turns(ctx context.Context) error {
	unknownBefore := c.past.CorrectionsSince()
	for t, err := range c.archive.Turns(ctx) {
		if err != nil {
			return err
		}
		switch {
		case t.Agent != c.agent:
			continue
		case t.Imported:
			c.figures.LeftOut++
			continue
		case t.Outcome == agent.Cancelled, !t.Created.After(c.figures.Since) && !c.figures.Since.IsZero(), t.Created.Before(unknownBefore):
			continue
		}
		if err := c.turn(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (c *conduct) turn(ctx context.Context, t TurnRecord) error {
	c.seen[t.ID] = true
	name := "session " + t.Session
	if t.Session == "" {
		name = "turn " + t.ID
	}
	s := c.sessions[name]
	if s == nil {
		s = &conductSession{domains: map[string]bool{}}
		c.sessions[name] = s
	}
	s.corrected = s.corrected || c.faults[t.ID] || t.Session != "" && c.disliked[t.Session]
	s.good = t.Outcome == agent.OK && strings.TrimSpace(t.Answer) != ""
	c.figures.Turns++
	if !s.good || c.faults[t.ID] {
		c.figures.Errors++
		return nil
	}
	n, _ := parseID('T', t.ID)
	if err := c.archive.withTranscript(ctx, &t, n); err != nil {
		return err
	}
	for _, e := range t.Transcript.Events {
		switch {
		case e.Kind == agent.EventDomain && e.Name != "" && e.Name != experience.Global:
			s.domains[e.Name] = true
		case e.Kind == agent.EventDecompose && e.Name == "composite" && e.Text == "results":
			c.figures.Chained++
		}
	}
	return nil
}

// requests counts the agent's unsafe requests, and the decisions of people on the agent's
// requests.
func (c *conduct) requests(ctx context.Context, now time.Time) error {
	open := 0
	for r, err := range c.archive.Requests(ctx) {
		if err != nil {
			return err
		}
		if r.Agent != c.agent {
			continue
		}
		switch r.State {
		case RequestOpen:
			open++
		case RequestApproved:
			c.figures.Granted++
			c.figures.Decided++
		case RequestDenied:
			c.figures.Decided++
		}
		all, recent := r.unsafe(c.figures.Since, now)
		c.figures.Unsafe += all
		c.figures.Recent += recent
	}
	if open >= maxOpenRequests {
		c.figures.Uncounted = fmt.Sprintf("%d change requests are open, which is the limit, so further ones are not stored", open)
	}
	return nil
}

// unsafe returns how often the request was made after the given time (since), and how
// many of those times were within [autonomy.Window] before now. Both numbers are 0 if
// requests of this type are not unsafe or a person has approved the request.
func (r ChangeRequestRecord) unsafe(since, now time.Time) (all, recent int) {
	if !autonomy.Unsafe(r.Request.Type) || r.State == RequestApproved {
		return 0, 0
	}
	times := r.Times
	if len(times) == 0 { // an older version of evolve stored only the first and the last time
		times = []time.Time{r.Created, cmp.Or(r.Last, r.Created)}[:min(2, max(1, r.Count))]
	}
	for _, t := range times {
		if !since.IsZero() && !t.After(since) {
			continue
		}
		all++
		if now.Sub(t) <= autonomy.Window && !t.After(now) {
			recent++
		}
	}
	if since.IsZero() {
		all = max(all, r.Count)
	}
	return all, recent
}

// RecentUnsafe returns the number of unsafe requests that each agent made within
// [autonomy.Window] before now and after its level was last lowered.
func (a *Archive) RecentUnsafe(ctx context.Context, now time.Time) (map[string]int, error) {
	since := map[string]time.Time{}
	for r, err := range a.Autonomies(ctx) {
		if err != nil {
			return nil, err
		}
		for _, change := range r.Changes {
			if change.To < change.From && !change.Imported {
				since[r.Agent] = change.Time
			}
		}
	}
	found := map[string]int{}
	for r, err := range a.Requests(ctx) {
		if err != nil {
			return nil, err
		}
		if _, recent := r.unsafe(since[r.Agent], now); recent > 0 {
			found[r.Agent] += recent
		}
	}
	return found, nil
}

// proposals counts people's decisions on proposals written by the agent or, on its behalf,
// by a nightly run.
func (c *conduct) proposals(ctx context.Context) error {
	for p, err := range c.archive.Proposals(ctx) {
		if err != nil {
			return err
		}
		if p.Agent != c.agent || p.Imported != "" || p.Decision == nil || !p.Written() {
			continue
		}
		c.figures.Decided++
		if p.State == Approved || p.State == Adopted {
			c.figures.Granted++
		}
	}
	return nil
}

// conclude derives the figures about sessions and about the agent's stated confidence.
func (c *conduct) conclude() {
	f := &c.figures
	f.Sessions = len(c.sessions)
	for _, s := range c.sessions {
		if s.good && !s.corrected {
			f.Successful++
			if len(s.domains) > 1 {
				f.Crossed++
			}
		}
	}
	cal := c.past.CalibrationOf(func(turn string) bool { return c.seen[turn] })
	f.Stated, f.Confidence, f.Success, f.ECE = cal.Turns, cal.Confidence, cal.Success, cal.ECE
}
