package experience

import (
	"cmp"
	"math"
	"slices"
	"time"

	"evolve/runtime/agent"
)

// Competence describes how well an agent does in a domain.
type Competence struct {
	Domain string `json:"domain"`
	// Score is in [.1, 1]: .5 without history, +.02 for a turn that ended ok, −.05 for a
	// correction (spec 3.8), and within .2 of DayStart on any one day. It is a multiple of
	// .0001.
	Score float64 `json:"score"`
	// Turns, Successes and Corrected count turns. A turn that ended ok but was corrected is
	// not a success.
	Turns     int `json:"turns"`
	Successes int `json:"successes"`
	Corrected int `json:"corrected"`
	// Day is the UTC day of the newest turn or correction, as 2006-01-02, and DayStart is
	// the score at the start of that day.
	Day      string  `json:"day"`
	DayStart float64 `json:"day_start"`
}

const (
	startCompetence                = .5
	leastCompetence, topCompetence = .1, 1.
	successGain, correctionLoss    = .02, .05
	// changePerDay is the maximum difference between a domain's score and its value at the
	// start of the day, so that neither a flood of corrections nor a run of easy turns can
	// determine the score within minutes.
	changePerDay = .2
	// maxDomains is the maximum number of domains whose competence is stored.
	maxDomains = 100
	// maxStated, maxRecent and maxTools are the maximum numbers of stated confidences, of
	// conversations, and of tools per turn that are stored.
	maxStated, maxRecent, maxTools = 1000, 200, 32
)

// Recent is the last turn of a conversation.
type Recent struct {
	Session    string        `json:"session"`
	Turn       string        `json:"turn"`
	Domain     string        `json:"domain"`
	Calls      []Called      `json:"calls,omitempty"`
	Outcome    agent.Outcome `json:"outcome"`
	Confidence float64       `json:"confidence,omitempty"`
	// Topic is the domain whose competence a correction of the turn affects, if that is not
	// Domain. It is set for a reply without a domain, which belongs to the topic of the
	// turn before it.
	Topic string `json:"topic,omitempty"`
	// Week is the week by which the turn's calls are weighted (see [Recency]); 0 in records
	// of earlier versions.
	Week int `json:"week,omitempty"`
}

// Called counts the calls to a tool and method in a turn, and how many of them ended ok.
type Called struct {
	Tool   string `json:"tool"`
	Method string `json:"method,omitempty"`
	Calls  int    `json:"calls"`
	OK     int    `json:"ok,omitempty"`
}

// CompetenceIn returns the competence in a domain, in [.1, 1], and reports whether the
// domain has a history; without one the score is .5. Lasting feedback on the domain
// changes the score by .15 or −.2 (see [Confidence]). An empty domain means [Global],
// whose competence comes from the turns without a domain of their own.
func (e *Experience) CompetenceIn(domain string) (score float64, known bool) {
	if c := e.competence(domain); c != nil {
		return e.regarded(domain, c.Score), true
	}
	return e.regarded(domain, startCompetence), false
}

// competence returns the competence in a domain, or nil if there is none.
func (e *Experience) competence(domain string) *Competence {
	i, found := e.findDomain(domainName(domain))
	if !found {
		return nil
	}
	return &e.Domains[i]
}

// findDomain returns the index of a domain in Domains, and whether the domain is there.
func (e *Experience) findDomain(domain string) (int, bool) {
	return slices.BinarySearchFunc(e.Domains, domain, func(c Competence, d string) int { return cmp.Compare(c.Domain, d) })
}

// judgeEarlier applies what a message means for the turn before it in the conversation. A
// correction lowers the competence in that turn's domain and is recorded. The confidence
// that the turn stated then counts as the confidence of a failed turn, and the turn's
// calls that ended ok no longer count as successes. Other signals change nothing, because
// the outcome of an approved turn already counts. Without a conversation, or without an
// earlier turn in it, nothing is changed.
func (e *Experience) judgeEarlier(t Turn) {
	if t.Signal != Corrects || t.Session == "" {
		return
	}
	i := slices.IndexFunc(e.Recent, func(r Recent) bool { return r.Session == t.Session })
	if i < 0 {
		return
	}
	r := e.Recent[i]
	c := e.competenceFor(cmp.Or(r.Topic, r.Domain), t.Time)
	if r.Topic == "" { // a reply does not count as a turn of the domain
		c.Corrected++
		if r.Outcome == agent.OK {
			c.Successes = max(0, c.Successes-1)
		}
	}
	c.move(-correctionLoss)
	e.refuteStated(r.Turn)
	for _, call := range r.Calls {
		e.refuteCalls(call, r)
	}
	e.addCorrection(r, t)
	e.dropDomains()
}

// refuteStated marks a turn that stated a confidence as unsuccessful.
func (e *Experience) refuteStated(turn string) {
	if turn == "" {
		return
	}
	for i := len(e.Stated) - 1; i >= 0; i-- {
		if e.Stated[i].Turn == turn {
			e.Stated[i].Success = false
			return
		}
	}
}

// refuteCalls ensures that those calls of a turn that had the outcome ok no longer count
// as successes, in the capsule of the turn's domain and in the capsule of [Global].
func (e *Experience) refuteCalls(call Called, r Recent) {
	domains := []string{r.Domain, Global}
	if r.Domain == Global {
		domains = domains[:1]
	}
	for _, d := range domains {
		if c := e.capsule(call.Tool, call.Method, d); c != nil {
			c.weigh(cmp.Or(r.Week, c.recency().Week), 0, -call.OK)
			c.Corrected += call.OK
		}
	}
}

// learnOutcome adds the outcome and the stated confidence of a turn, and stores the turn so
// that the next message of its conversation can judge it.
func (e *Experience) learnOutcome(t Turn) {
	domain, topic := domainName(t.Domain), ""
	if t.reacts() {
		topic = e.topicOf(t.Session)
	}
	if topic == "" {
		c := e.competenceFor(domain, t.Time)
		c.Turns++
		if t.Outcome == agent.OK {
			c.Successes++
			c.move(successGain)
		}
		e.dropDomains()
	}
	confidence := t.Confidence
	if !(confidence > 0 && confidence <= 1) {
		confidence = 0
	}
	if confidence > 0 && (topic == "" || t.Signal != Approves) {
		e.Stated = newest(append(e.Stated, Stated{Turn: t.ID, Domain: domain, Confidence: confidence, Success: t.Outcome == agent.OK}), maxStated)
	}
	if t.Session != "" {
		e.Recent = slices.DeleteFunc(e.Recent, func(r Recent) bool { return r.Session == t.Session })
		e.Recent = newest(append(e.Recent, Recent{
			Session: t.Session, Turn: t.ID, Domain: domain, Topic: topic, Calls: called(t.Calls), Outcome: t.Outcome, Confidence: confidence, Week: e.weekOf(t),
		}), maxRecent)
	}
}

// reacts reports whether a turn's message corrects or approves the turn before it in words
// that belong to no domain, such as "Thanks, that is right". Such a turn shows no
// competence of its own.
func (t Turn) reacts() bool {
	if rest, ok := praised(t.Message); ok && rest != "" && t.Signal == Approves { // the message goes on with a request
		return false
	}
	return (t.Signal == Corrects || t.Signal == Approves) && domainName(t.Domain) == Global
}

// topicOf returns the domain that the last turn of a conversation was about, or "" if there
// is none.
func (e *Experience) topicOf(session string) string {
	i := slices.IndexFunc(e.Recent, func(r Recent) bool { return r.Session == session })
	if session == "" || i < 0 {
		return ""
	}
	return cmp.Or(e.Recent[i].Topic, e.Recent[i].Domain)
}

// competenceFor returns the competence in a domain, adding it if there is none, for a
// change at the given time. A time before the domain's newest day counts as that day.
func (e *Experience) competenceFor(domain string, at time.Time) *Competence {
	day := at.UTC().Format(time.DateOnly)
	i, found := e.findDomain(domain)
	if !found {
		e.Domains = slices.Insert(e.Domains, i, Competence{Domain: domain, Score: startCompetence, Day: day, DayStart: startCompetence})
	}
	c := &e.Domains[i]
	if day > c.Day {
		c.Day, c.DayStart = day, c.Score
	}
	return c
}

// move changes the score by the given amount, within the bounds on the score and on its
// change per day.
func (c *Competence) move(by float64) {
	score := min(max(c.Score+by, c.DayStart-changePerDay), c.DayStart+changePerDay)
	c.Score = math.Round(min(max(score, leastCompetence), topCompetence)*1e4) / 1e4
}

// dropDomains drops domains beyond the limit. It retains those with the latest days and,
// within a day, those with the most turns.
func (e *Experience) dropDomains() {
	for len(e.Domains) > maxDomains {
		i := 0
		for j, c := range e.Domains {
			if o := e.Domains[i]; c.Day < o.Day || c.Day == o.Day && c.Turns < o.Turns {
				i = j
			}
		}
		e.Domains = slices.Delete(e.Domains, i, i+1)
	}
}

// called counts calls by tool and method, in the order of their first call. It leaves out
// referrals that concern no tool.
func called(calls []Call) []Called {
	var out []Called
	for _, call := range calls {
		if call.Tool == AllTools {
			continue
		}
		call.Tool, call.Method = clipped(call.Tool), clipped(call.Method)
		i := slices.IndexFunc(out, func(c Called) bool { return c.Tool == call.Tool && c.Method == call.Method })
		if i < 0 {
			if len(out) == maxTools {
				continue
			}
			i, out = len(out), append(out, Called{Tool: call.Tool, Method: call.Method})
		}
		out[i].Calls++
		if call.Outcome == agent.OK {
			out[i].OK++
		}
	}
	return out
}
