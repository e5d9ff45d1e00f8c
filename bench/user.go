package bench

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/text"
)

//go:embed user.md
var userInstructions string

// The limits and defaults of a simulated user.
const (
	defaultUserTurns = 8
	defaultStop      = "###STOP###"
	maxUserMessage   = 8 << 10 // maximum length of one message from the user, in bytes
	maxUserData      = 48 << 10
	userAttempts     = 3 // maximum number of model calls for one message; if no reply can be used, the result is missing data
)

// SimulatedUser is a person whose part in a conversation is played by a model. Agents never
// see it.
type SimulatedUser struct {
	// Route is the route of the model; empty means the default route.
	Route string `json:"route,omitempty"`
	// Goal is the goal of the person, and Facts are the facts that the person knows.
	Goal  string   `json:"goal"`
	Facts []string `json:"facts,omitempty"`
	// MaxTurns limits the number of messages from the user, including those of the script;
	// 0 is read as 8.
	MaxTurns int `json:"max_turns,omitempty"`
	// Stop is the text with which the model ends the conversation; empty is read as
	// ###STOP###.
	Stop string `json:"stop,omitempty"`
}

// Turns returns the maximum number of messages from the user.
func (u *SimulatedUser) Turns() int {
	if u.MaxTurns > 0 {
		return u.MaxTurns
	}
	return defaultUserTurns
}

func (u *SimulatedUser) stop() string {
	if u.Stop != "" {
		return u.Stop
	}
	return defaultStop
}

// stops reports whether a message ends the conversation: the stop word stands on a line of
// its own or at the end of the message, or the default stop word, which no person writes,
// occurs anywhere. The text before the stop word is not sent, because the conversation is
// over.
func (u *SimulatedUser) stops(message string) bool {
	if strings.Contains(message, defaultStop) {
		return true
	}
	trim := func(s string) string { return strings.Trim(strings.TrimSpace(s), "\"'`*.!") }
	word := trim(u.stop())
	if word == "" {
		return strings.Contains(message, u.stop())
	}
	for line := range strings.Lines(message) {
		if trim(line) == word {
			return true
		}
	}
	before, ok := strings.CutSuffix(trim(message), word)
	last, _ := utf8.DecodeLastRuneInString(before)
	return ok && !unicode.IsLetter(last) && !unicode.IsDigit(last)
}

// withoutStop returns a message without its stop words, whether they stand on lines of
// their own, at the end or, for the default stop word, anywhere.
func (u *SimulatedUser) withoutStop(message string) string {
	if !u.stops(message) {
		return message
	}
	message = strings.ReplaceAll(message, defaultStop, "")
	var kept []string
	for line := range strings.Lines(message) {
		if line = strings.TrimSpace(line); !u.stops(line) {
			kept = append(kept, line)
		} else if at := strings.LastIndex(line, u.stop()); at >= 0 {
			kept = append(kept, line[:at])
		}
	}
	return strings.Trim(strings.TrimSpace(strings.Join(kept, "\n")), "\"'`* \n")
}

// text returns the person's goal and facts, one per line.
func (u *SimulatedUser) text() string {
	if u == nil {
		return ""
	}
	return strings.Join(append([]string{u.Goal}, u.Facts...), "\n")
}

// UserPrompt returns a hash of the instructions for simulated users, in hexadecimal. The
// identity of a suite with a simulated user includes it.
func UserPrompt() string {
	sum := sha256.Sum256([]byte("user 3\x00" + userInstructions))
	return hex.EncodeToString(sum[:16])
}

// UserCalls returns the maximum number of calls to the user's model during a conversation.
func (t *Task) UserCalls() int {
	if t.User == nil {
		return 0
	}
	return max(0, t.User.Turns()-len(t.Turns))
}

// EndedAtOnce is the error of a conversation that the simulated user ended before it began.
// There is nothing to grade, so the result is missing data. Because this is a fault in the
// task and not an outage, the conversation is not repeated and the breaker does not count
// it.
const EndedAtOnce = "the simulated user ended the conversation before its first message"

// errNoUser is the error of a task with a simulated user if no model is configured to play
// the user.
var errNoUser = errors.New("the simulated user needs a model, but none is configured")

// next asks the model for the user's next message; done reports whether the user ends the
// conversation. Before the first message there is no conversation to end, so any text other
// than the stop word is the message, and if there is no such text, the model is asked
// again. An error is not a fault of the agent. used is the usage of all attempts, even if
// there is an error.
func (u *SimulatedUser) next(ctx context.Context, m model.Model, said []agent.Message, first bool, seed int64) (message string, done bool, used agent.Usage, err error) {
	if m == nil {
		return "", false, used, errNoUser
	}
	why := ""
	for attempt := range userAttempts {
		watched := &watchedUser{Model: m}
		reply, none, err := model.Ask(ctx, watched, u.request(said, first, seed, attempt))
		spent := reply.Usage
		spent.Iterations = 1
		used = used.Plus(spent)
		if by := policy.Refused(policy.Provider, reply.Provider, watched.err); by != nil {
			return "", false, used, &RefusedError{Refusal: *by, Err: watched.err}
		}
		if err != nil {
			return "", false, used, err
		}
		message = strings.TrimSpace(strings.ToValidUTF8(reply.Answer, "\uFFFD"))
		switch {
		case none != "":
			why = none
		case message == "":
			why = "the model wrote an empty message"
		case u.stops(message) && !first:
			return "", true, used, nil
		case u.stops(message) && u.withoutStop(message) == "":
			why, done = "the model ended the conversation", true
		default:
			if first {
				message = u.withoutStop(message)
			}
			return text.Clip(message, maxUserMessage), false, used, nil
		}
	}
	if done {
		return "", true, used, nil
	}
	return "", false, used, fmt.Errorf("no message in %d attempts: %s", userAttempts, why)
}

// watchedUser records the error of its call. From this error, the method next detects
// that a shared limit, such as a spent budget, refused the call.
type watchedUser struct {
	model.Model
	err error
}

func (w *watchedUser) Next(ctx context.Context, req *model.Request) (model.Reply, error) {
	reply, err := w.Model.Next(ctx, req)
	w.err = err
	return reply, err
}

// request returns the request to the model. The goal and the facts come from the suite. The
// messages so far are data, which the renderer of [model.Request] encodes as lines of JSON.
// Nothing in the request depends on the variant, the stage or the run, except through the
// agent's messages.
func (u *SimulatedUser) request(said []agent.Message, first bool, seed int64, attempt int) *model.Request {
	goal := fmt.Sprintf("Write the person's next message. If the person has what they want, or it cannot be had, write %s instead.", u.stop())
	if first {
		goal = "Write the person's first message."
	}
	person := "What the person wants:\n" + u.Goal
	if len(u.Facts) > 0 {
		person += "\n\nWhat the person knows:\n- " + strings.Join(u.Facts, "\n- ")
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "user\x00%d\x00%d\x00%d", seed, len(said), attempt))
	req := &model.Request{
		System:    []model.Section{{Name: "TASK", Text: userInstructions}, {Name: "PERSON", Text: person}},
		Goal:      goal,
		Form:      model.MessageForm,
		Remaining: 1,
		Sampling:  model.Sampling{Route: u.Route, Seed: int64(binary.BigEndian.Uint64(sum[:8]) >> 11)},
	}
	left := maxUserData
	for i := len(said) - 1; i >= 0 && left > 0; i-- {
		content := text.Clip(said[i].Content, left)
		left -= len(content)
		from := "assistant"
		if said[i].Role == userRole {
			from = "person"
		}
		req.Shared = append(req.Shared, model.Shared{From: from, Key: fmt.Sprintf("message %d", i+1), Text: content})
	}
	for i, j := 0, len(req.Shared)-1; i < j; i, j = i+1, j-1 {
		req.Shared[i], req.Shared[j] = req.Shared[j], req.Shared[i]
	}
	return req
}

// checkUser checks the simulated user of a task if the user could be decoded.
func (l *suiteReader) checkUser(t *Task, n jsonNode, report func(int, string)) {
	user, ok := n.get("user")
	if !ok || t.User == nil {
		return
	}
	if goal, ok := n.get("goal"); ok {
		report(goal.off, `"goal" and "user" are mutually exclusive: "user" contains the person's goal`)
	}
	if t.User.Turns() > MaxTurns || t.User.MaxTurns < 0 {
		report(user.off, fmt.Sprintf(`"max_turns" is %d, which is not between 1 and %d`, t.User.MaxTurns, MaxTurns))
	}
	if len(t.Turns) > t.User.Turns() {
		report(user.off, fmt.Sprintf(`"turns" has %d messages, more than the %d of "max_turns"`, len(t.Turns), t.User.Turns()))
	}
	if l.rules.CheckUser != nil {
		if problem := l.rules.CheckUser(t.User); problem != "" {
			report(user.off, problem)
		}
	}
}
