package notify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// spyChannel records what it sends.
type spyChannel struct {
	name string
	got  []Message
	fail bool
	// sent is called after each message, unless it is nil.
	sent func()
}

func (c *spyChannel) ID() string     { return c.name }
func (c *spyChannel) String() string { return "channel " + c.name }

func (c *spyChannel) Send(_ context.Context, m Message) error {
	if c.fail {
		return errors.New("refused with token hunter2hunter2")
	}
	c.got = append(c.got, m)
	if c.sent != nil {
		c.sent()
	}
	return nil
}

// keys returns the keys of the events that were sent, with the events of each message in
// brackets.
func (c *spyChannel) keys() string {
	var all []string
	for _, m := range c.got {
		var keys []string
		for _, e := range m.Events {
			keys = append(keys, e.Key())
		}
		all = append(all, fmt.Sprint(keys))
	}
	return strings.Join(all, " ")
}

// post is an outbox with a clock.
type post struct {
	Outbox
	now time.Time
}

func newPost(t *testing.T, channels ...Channel) *post {
	p := &post{now: at()}
	p.Outbox = Outbox{
		Dir: filepath.Join(t.TempDir(), Folder), Channels: channels, Kinds: []string{"awaits", "failed"},
		Now: func() time.Time { return p.now }, Scrub: func(s string) string { return strings.ReplaceAll(s, "hunter2hunter2", "[redacted]") },
	}
	return p
}

// night stores the events, sends what waits, and advances the clock by a day. Events of
// the kind "awaits" whose keys are not among keys count as over.
func (p *post) night(t *testing.T, keys ...string) []Fault {
	t.Helper()
	m, holds := Message{Run: "r", Box: "box hunter2hunter2"}, map[string]bool{}
	for _, key := range keys {
		kind, subject, _ := strings.Cut(key, "/")
		m.Events = append(m.Events, Event{Kind: kind, Subject: subject, Title: key, Commands: []string{}})
		holds[key] = true
	}
	if err := p.Put(m); err != nil {
		t.Fatal(err)
	}
	faults, err := p.Deliver(t.Context(), func(kind, subject string) bool { return kind == "awaits" && !holds[kind+"/"+subject] })
	if err != nil {
		t.Fatal(err)
	}
	p.now = p.now.Add(24 * time.Hour)
	return faults
}

func want(t *testing.T, c *spyChannel, keys string) {
	t.Helper()
	if got := c.keys(); got != keys {
		t.Errorf("%s sent %s, want %s", c.name, got, keys)
	}
}

// TestOnce checks that each channel sends an event once, and sends it again only if the
// event ceased to hold in between.
func TestOnce(t *testing.T) {
	a := &spyChannel{name: "a"}
	p := newPost(t, a)
	p.night(t, "awaits/P1", "budget/x")
	p.night(t, "awaits/P1")
	p.night(t, "awaits/P1", "awaits/P2", "failed/r3")
	p.night(t, "failed/r3")
	p.night(t, "awaits/P1")
	want(t, a, "[awaits/P1] [awaits/P2 failed/r3] [awaits/P1]")
	if s, err := Look(p.Dir); err != nil || s.Waiting != 0 || len(s.Faults) != 0 {
		t.Errorf("what is left is %+v, %v", s, err)
	}
	if strings.Contains(fmt.Sprint(a.got), "hunter2") || !strings.Contains(a.got[0].Text, "box [redacted]") {
		t.Errorf("the text is %q", a.got[0].Text)
	}
	b := &spyChannel{name: "b"} // a new channel
	p.Channels = append(p.Channels, b)
	p.night(t, "awaits/P1")
	want(t, b, "[awaits/P1]")
	want(t, a, "[awaits/P1] [awaits/P2 failed/r3] [awaits/P1]")
}

// TestRemind checks that an open decision is sent again after the reminder interval.
func TestRemind(t *testing.T) {
	a := &spyChannel{name: "a"}
	p := newPost(t, a)
	p.Remind = 48 * time.Hour
	for range 4 {
		p.night(t, "awaits/P1", "failed/r1")
	}
	want(t, a, "[awaits/P1 failed/r1] [awaits/P1]")
}

// TestFails checks that a failing channel is named, is tried again and does not hold up the
// others, and that proposals decided in the meantime are not sent.
func TestFails(t *testing.T) {
	a, b := &spyChannel{name: "a", fail: true}, &spyChannel{name: "b"}
	p := newPost(t, a, b)
	faults := p.night(t, "awaits/P1", "failed/r1")
	if len(faults) != 1 || faults[0].Channel != "channel a" || faults[0].Reason != "refused with token [redacted]" || !faults[0].Since.Equal(at()) {
		t.Errorf("the faults are %+v", faults)
	}
	if faults = p.night(t, "awaits/P1", "awaits/P2"); len(faults) != 1 || !faults[0].Since.Equal(at()) {
		t.Errorf("the faults are %+v", faults)
	}
	want(t, b, "[awaits/P1 failed/r1] [awaits/P2]")
	if s, err := Look(p.Dir); err != nil || s.Waiting != 2 || len(s.Faults) != 1 {
		t.Errorf("what is left is %+v, %v", s, err)
	}
	a.fail = false
	if faults = p.night(t, "awaits/P2"); len(faults) != 0 {
		t.Errorf("the faults are %+v", faults)
	}
	want(t, a, "[failed/r1] [awaits/P2]")
	want(t, b, "[awaits/P1 failed/r1] [awaits/P2]")
	if s, err := Look(p.Dir); err != nil || s.Waiting != 0 || len(s.Faults) != 0 {
		t.Errorf("what is left is %+v, %v", s, err)
	}
}

// TestKilled ends the process at each step of a delivery. The next night sends what is
// missing. At most one message is sent twice, and then under its first id.
func TestKilled(t *testing.T) {
	type killed struct{}
	for _, step := range []string{"before", "after a", "after b"} {
		t.Run(step, func(t *testing.T) {
			a, b := &spyChannel{name: "a"}, &spyChannel{name: "b"}
			p := newPost(t, a, b)
			if err := p.Put(Message{Events: []Event{{"failed", "r1", "x", []string{}}}}); err != nil {
				t.Fatal(err)
			}
			die := func() { panic(killed{}) }
			switch step {
			case "after a":
				a.sent = die
			case "after b":
				b.sent = die
			}
			if step != "before" {
				func() {
					defer func() {
						if r := recover(); r != (killed{}) {
							t.Errorf("it ended with %v", r)
						}
					}()
					_, _ = p.Deliver(t.Context(), func(string, string) bool { return false })
				}()
			}
			a.sent, b.sent = nil, nil
			p.night(t)
			p.night(t)
			for _, c := range []*spyChannel{a, b} {
				most := 1
				if step == "after "+c.name {
					most = 2
				}
				if len(c.got) != most || c.got[0].ID != c.got[len(c.got)-1].ID {
					t.Errorf("%s sent %d times: %+v", c.name, len(c.got), c.got)
				}
			}
		})
	}
}

// TestBusy checks that two processes do not send at the same time, and that nothing is lost
// if they try.
func TestBusy(t *testing.T) {
	a := &spyChannel{name: "a"}
	p := newPost(t, a)
	if err := p.Put(Message{Events: []Event{{"failed", "r1", "x", []string{}}}}); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(p.Dir, lockFile))
	if held, err := lock.TryLock(); err != nil || !held {
		t.Fatal(held, err)
	}
	if _, err := p.Deliver(t.Context(), func(string, string) bool { return false }); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	p.night(t)
	want(t, a, "[failed/r1]")
}

// TestDamaged checks that damaged files cost at most a repeated message.
func TestDamaged(t *testing.T) {
	a := &spyChannel{name: "a"}
	p := newPost(t, a)
	p.night(t, "awaits/P1")
	for _, name := range []string{sentFile, "1" + ending} {
		if err := os.WriteFile(filepath.Join(p.Dir, name), []byte(`{"a":`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.night(t, "awaits/P1")
	want(t, a, "[awaits/P1] [awaits/P1]")
}
