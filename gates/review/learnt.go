package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/memory"
	conversation "evolve/runtime/session"
	"evolve/runtime/text"
	"evolve/runtime/tool"
)

// The limits on the memories that are read from turns and retained.
const (
	maxTurnsRead   = 2000
	maxSourceName  = 80  // maximum length in bytes of a session's name or of an id in a source
	maxMemoryField = 200 // bytes of a domain
	minLetters     = 4   // minimum number of letters and digits in a memory
)

// learnt returns the memories from an agent's stored turns and sessions, without
// duplicates or credentials, and with their origin. It leaves out memories from
// conversations from which a holdout task was made.
func (s *session) learnt(ctx context.Context, a *Agent, clean func(string) string) ([]agent.Memory, error) {
	agentID, held := a.ID, heldOut(a)
	c := &collector{clean: clean, found: map[string]agent.Memory{}}
	for t, err := range s.store.Turns(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the turns: %w", err)
		}
		if t.Agent == agentID && !held[t.ID] && (t.Session == "" || !held[t.Session]) {
			c.turns = append(c.turns, t)
		}
	}
	for _, listed := range c.turns[max(0, len(c.turns)-maxTurnsRead):] {
		t, err := s.store.Turn(ctx, listed.ID)
		if err != nil {
			return nil, fmt.Errorf("reading turn %s: %w", listed.ID, err)
		}
		c.turn(t)
	}
	c.conversations()
	names, err := s.store.Sessions(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the sessions: %w", err)
	}
	for _, name := range names {
		if name.Agent != agentID || name.Facts == 0 || held[name.Name] {
			continue
		}
		state, err := s.store.Session(ctx, agentID, name.Name)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading a session: %w", err)
		}
		c.session(name.Name, state)
	}
	return sorted(c.found), nil
}

// collector gathers the memories that were learnt.
type collector struct {
	clean func(string) string
	turns []archive.TurnRecord
	found map[string]agent.Memory // by id
}

// turn adds the memories in the transcript of a turn: the facts in a distillation, and the
// facts that the agent added and did not retract in the same turn.
func (c *collector) turn(t archive.TurnRecord) {
	domain := ""
	withdrawn := map[string]bool{}
	var added []agent.Memory
	for _, e := range t.Transcript.Events {
		switch {
		case e.Kind == agent.EventDomain && domain == "":
			domain = e.Name
		case e.Kind == agent.EventDistill:
			var facts []agent.Memory
			if len(e.Data) > 0 && json.Unmarshal(e.Data, &facts) == nil {
				for _, f := range facts {
					if f.Source = conversation.Distilled; f.Time.IsZero() {
						f.Time = t.Created
					}
					c.add(f, t.Session, t.ID)
				}
			}
		case e.Kind == agent.EventTool && (e.Outcome == "" || e.Outcome == agent.OK):
			switch e.Name {
			case "memory_add":
				id, remembered := strings.CutPrefix(e.Text, "remembered as ")
				var call struct {
					Text       string
					Confidence float64
					Replaces   string
				}
				if remembered && json.Unmarshal(e.Data, &call) == nil {
					m := agent.Memory{ID: id, Domain: domain, Text: call.Text, Confidence: call.Confidence, Time: t.Created, Source: tool.AgentSource}
					if call.Replaces != "" {
						m.Source += "; replaces " + call.Replaces
					}
					added = append(added, m)
				}
			case "memory_retract":
				var call struct {
					ID   string
					Undo bool
				}
				if json.Unmarshal(e.Data, &call) == nil {
					withdrawn[call.ID] = !call.Undo
				}
			}
		}
	}
	for _, m := range added {
		if !withdrawn[m.ID] {
			c.add(m, t.Session, t.ID)
		}
	}
}

// conversations adds the facts that users corrected, or asked the agent to remember, in
// the stored conversations. It is needed because short conversations are not distilled.
func (c *collector) conversations() {
	talks := map[string][]archive.TurnRecord{}
	for _, t := range c.turns[max(0, len(c.turns)-maxTurnsRead):] {
		if t.Session != "" && t.Goal != "" && !t.Imported {
			talks[t.Session] = append(talks[t.Session], t)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(talks)) {
		c.conversation(talks[name])
	}
}

func (c *collector) conversation(turns []archive.TurnRecord) {
	var messages []agent.Message
	var from []int // from[i] is the index of the turn that contains messages[i]
	for i, t := range turns {
		messages, from = append(messages, agent.Message{Role: "user", Content: t.Goal}), append(from, i)
		if t.Answer != "" {
			messages, from = append(messages, agent.Message{Role: "assistant", Content: t.Answer}), append(from, i)
		}
	}
	d := conversation.Distiller{Lexicon: memory.NewLexicon(), Scrub: c.clean}
	for _, s := range d.Stated(messages, func(i int) bool {
		return experience.Classify(messages[i].Content, messages[:i]) == experience.Corrects
	}) {
		t := turns[from[s.Message]]
		s.Fact.Time = t.Created
		c.add(s.Fact, t.Session, t.ID)
	}
}

// heldOut returns the conversations, and the turns outside conversations, from which an
// agent's holdout tasks were made.
func heldOut(a *Agent) map[string]bool {
	out := map[string]bool{}
	for _, t := range (&fileSubject{agent: a}).tasks() {
		if from := t.Source; t.Split != bench.Search && from != nil && from.File == "" && from.Session != "" {
			out[from.Session] = true
		}
	}
	return out
}

// session adds the facts in the state of a conversation. It removes the facts that were
// later retracted in the conversation, because an earlier transcript may still contain
// them.
func (c *collector) session(name string, state agent.Session) {
	for _, f := range state.Facts {
		if state.Retracted[f.ID] == "" {
			c.add(f, name, c.turnAt(name, f.Time))
		}
	}
	for id := range state.Retracted {
		if m, ok := c.found[id]; ok && strings.Contains(m.Source, inSessionNamed(c.clean, name)) {
			delete(c.found, id)
		}
	}
}

// turnAt returns the id of the turn of a conversation in which a memory with the given time
// was learnt: the first stored turn that ended at or after that time. It returns "" if
// there is none.
func (c *collector) turnAt(name string, at time.Time) string {
	for _, t := range c.turns {
		if t.Session == name && !t.Created.Before(at) {
			return t.ID
		}
	}
	return ""
}

// add adds a memory with its provenance. It computes the id again from the text, because
// the id in a stored session could be the id of another memory.
func (c *collector) add(m agent.Memory, sessionName, turn string) {
	m.Text = memory.Line(c.clean(m.Text), memory.MaxEntryBytes)
	letters := 0
	for _, r := range m.Text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	if letters < minLetters {
		return
	}
	m.About = memory.Line(c.clean(m.About), memory.MaxEntryBytes)
	m.Domain = text.OneLine(text.Clip(c.clean(m.Domain), maxMemoryField))
	m.Answer, m.Retracted, m.RetractedAt = "", "", time.Time{}
	m.Confidence = min(max(m.Confidence, 0), 1)
	prefix := "fact-"
	if m.Source == conversation.Distilled {
		prefix = "d-"
	}
	kind, replaces, _ := strings.Cut(m.Source, "; replaces ")
	if kind != conversation.Distilled {
		kind = tool.AgentSource
	}
	if replaces != "" {
		kind += "; replaces " + cited(c.clean, replaces)
	}
	if sessionName != "" {
		kind += inSessionNamed(c.clean, sessionName)
	}
	if turn != "" {
		kind += inTurn + turn
	}
	sum := sha256.Sum256([]byte(m.Domain + "\x00" + m.Text))
	m.ID, m.Source = prefix+hex.EncodeToString(sum[:8]), kind
	if before, there := c.found[m.ID]; !there || before.Time.After(m.Time) {
		c.found[m.ID] = m
	}
}

// inTurn introduces the id of the turn at the end of a memory's source.
const inTurn = "; turn "

// LearntIn reports whether the source of a memory names the given session or one of the
// given turns.
func LearntIn(m agent.Memory, session string, turns map[string]bool, clean func(string) string) bool {
	source := m.Source
	if i := strings.LastIndex(source, inTurn); i >= 0 {
		if turns[source[i+len(inTurn):]] {
			return true
		}
		source = source[:i]
	}
	return strings.HasSuffix(source, inSessionNamed(clean, session))
}

func inSessionNamed(clean func(string) string, name string) string {
	return "; session " + cited(clean, name)
}

// cited returns untrusted text without credentials, on one line and shortened, so that it
// can be part of a memory's source.
func cited(clean func(string) string, name string) string {
	return text.OneLine(text.Clip(clean(name), maxSourceName, text.Ellipsis))
}
