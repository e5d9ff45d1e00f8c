package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"evolve/runtime/wholefile"
)

// Folder is the name of the outbox folder within a workspace's state folder.
const Folder = "notify"

// The file names in the folder, and the limits on file sizes in bytes.
const (
	sentFile  = "sent.json"
	lockFile  = "lock"
	ending    = ".message"
	mostSent  = 16 << 20
	mostStore = 1 << 20
	// mostWaiting is the maximum number of waiting messages; the oldest are dropped first.
	mostWaiting = 200
)

// ErrBusy reports that another process is sending. Messages that the other process has not
// read are left for the next run.
var ErrBusy = errors.New("another process is sending the notifications")

// Channel is one way to inform people.
type Channel interface {
	// ID identifies the recipient and contains no secret. Sent messages are recorded
	// under it.
	ID() string
	// String names the recipient for people, without a secret.
	String() string
	// Send delivers a message. An error means that it may not have arrived.
	Send(ctx context.Context, m Message) error
}

// Outbox keeps the messages of a workspace until each channel has delivered them.
type Outbox struct {
	// Dir is its folder.
	Dir      string
	Channels []Channel
	// Kinds lists the kinds of events that are sent.
	Kinds []string
	// Remind is the time after which an event of the kind "awaits" is sent again; 0 means
	// that it is sent only once.
	Remind time.Duration
	Now    func() time.Time
	// Scrub removes credentials from everything that is stored, sent or returned.
	Scrub func(string) string
}

// record is the content of sent.json: what each channel has sent, by the channel's id.
type record map[string]*sent

type sent struct {
	Name string `json:"name"`
	// Sent holds the times at which events were sent, keyed by the events' keys.
	Sent  map[string]time.Time `json:"sent"`
	Fault *Fault               `json:"fault,omitempty"`
}

// Fault describes a channel that failed to deliver.
type Fault struct {
	Channel string    `json:"channel"`
	Since   time.Time `json:"since"`
	Reason  string    `json:"reason"`
}

// Put stores a message with those of its events that are of a wanted kind, that some
// channel still has to send, and that no waiting message contains.
func (o Outbox) Put(m Message) error {
	waiting, err := o.waiting()
	if err != nil {
		return err
	}
	rec, err := readRecord(o.Dir)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, w := range waiting {
		for _, e := range w.Events {
			there[e.Key()] = true
		}
	}
	var events []Event
	for _, e := range m.Events {
		open := slices.ContainsFunc(o.Channels, func(c Channel) bool { return o.due(rec[c.ID()], e) })
		if !slices.Contains(o.Kinds, e.Kind) || there[e.Key()] || !open {
			continue
		}
		e.Title = clip(o.Scrub(e.Title), mostTitle)
		e.Commands = slices.Clone(e.Commands)
		for i := range e.Commands {
			e.Commands[i] = o.Scrub(e.Commands[i])
		}
		events = append(events, e)
	}
	if len(events) == 0 {
		return nil
	}
	m.Events, m.Time = events, o.Now().UTC()
	raw, err := json.Marshal(stored{m, clip(o.Scrub(m.Box), mostBox)})
	if err != nil {
		return fmt.Errorf("writing a message: %w", err)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return fmt.Errorf("creating the folder of messages: %w", err)
	}
	for _, old := range waiting[:max(0, len(waiting)+1-mostWaiting)] {
		_ = os.Remove(filepath.Join(o.Dir, old.file))
	}
	name := m.Time.Format("20060102T150405.000000000Z") + "-" + strings.TrimPrefix(idOf("", "", events), "msg_") + ending
	if err := renameio.WriteFile(filepath.Join(o.Dir, name), raw, 0o600); err != nil {
		return fmt.Errorf("storing a message: %w", err)
	}
	return nil
}

// due reports whether a channel must send an event, either for the first time or again.
func (o Outbox) due(s *sent, e Event) bool {
	if s == nil {
		return true
	}
	at, done := s.Sent[e.Key()]
	return !done || o.Remind > 0 && e.Kind == "awaits" && !o.Now().Before(at.Add(o.Remind))
}

// Deliver sends the waiting messages by each channel and returns the channels that
// failed. The unsent messages of those channels wait for the next call. The function over
// must report whether an event with the given kind and subject no longer holds. Such an
// event is no longer sent; if it holds again later, it is sent again. The error concerns
// the outbox itself.
func (o Outbox) Deliver(ctx context.Context, over func(kind, subject string) bool) ([]Fault, error) {
	waiting, err := o.waiting()
	if err != nil {
		return nil, err
	}
	rec, err := readRecord(o.Dir)
	if err != nil || len(waiting) == 0 && len(rec) == 0 {
		return nil, err
	}
	lock := flock.New(filepath.Join(o.Dir, lockFile))
	if held, err := lock.TryLock(); err != nil || !held {
		return nil, cmp.Or(err, ErrBusy)
	}
	defer func() { _ = lock.Unlock() }()
	if waiting, err = o.waiting(); err != nil { // another process may have sent some
		return nil, err
	}
	if rec, err = readRecord(o.Dir); err != nil {
		return nil, err
	}
	rec = o.without(rec, over)
	var faults []Fault
	for _, c := range o.Channels {
		s := rec[c.ID()]
		if s == nil {
			s = &sent{Sent: map[string]time.Time{}}
			rec[c.ID()] = s
		}
		s.Name = c.String()
		if err := o.deliver(ctx, c, s, rec, waiting, over); err != nil {
			return faults, err
		}
		if s.Fault != nil {
			faults = append(faults, *s.Fault)
		}
	}
	if err := writeRecord(o.Dir, rec); err != nil {
		return faults, err
	}
	return faults, o.sweep(rec, waiting, over)
}

// deliver sends the waiting messages by one channel until one of them fails.
func (o Outbox) deliver(ctx context.Context, c Channel, s *sent, rec record, waiting []waiting, over func(kind, subject string) bool) error {
	for _, w := range waiting {
		events := slices.DeleteFunc(slices.Clone(w.Events), func(e Event) bool { return over(e.Kind, e.Subject) || !o.due(s, e) })
		if len(events) == 0 {
			continue
		}
		m := w.Message.with(events)
		m.ID = idOf(c.ID(), w.file, events)
		if err := c.Send(ctx, m); err != nil {
			since := o.Now().UTC()
			if s.Fault != nil {
				since = s.Fault.Since
			}
			s.Fault = &Fault{c.String(), since, clip(o.Scrub(err.Error()), 500)}
			return nil
		}
		s.Fault = nil
		for _, e := range events {
			s.Sent[e.Key()] = o.Now().UTC()
		}
		if err := writeRecord(o.Dir, rec); err != nil {
			return err
		}
	}
	return nil
}

// without returns the record without events that no longer hold and without channels that
// are no longer configured.
func (o Outbox) without(rec record, over func(kind, subject string) bool) record {
	kept := record{}
	for _, c := range o.Channels {
		s := rec[c.ID()]
		if s == nil {
			continue
		}
		for key, at := range s.Sent {
			kind, subject, _ := strings.Cut(key, "/")
			if over(kind, subject) || o.Now().Sub(at) > 2*365*24*time.Hour {
				delete(s.Sent, key)
			}
		}
		kept[c.ID()] = s
	}
	return kept
}

// sweep removes the messages that no channel has to send any more.
func (o Outbox) sweep(rec record, list []waiting, over func(kind, subject string) bool) error {
	for _, w := range list {
		open := slices.ContainsFunc(w.Events, func(e Event) bool {
			return !over(e.Kind, e.Subject) && slices.ContainsFunc(o.Channels, func(c Channel) bool { return o.due(rec[c.ID()], e) })
		})
		if open {
			continue
		}
		if err := os.Remove(filepath.Join(o.Dir, w.file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing a message that was sent: %w", err)
		}
	}
	return nil
}

// waiting is a message in the outbox, with the name of its file.
type waiting struct {
	Message
	file string
}

// waiting returns the messages in the outbox, the oldest first. It removes messages that
// cannot be read.
func (o Outbox) waiting() ([]waiting, error) {
	entries, err := os.ReadDir(o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the messages: %w", err)
	}
	var list []waiting
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ending) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		raw, err := wholefile.Read(filepath.Join(o.Dir, e.Name()), mostStore)
		if errors.Is(err, fs.ErrNotExist) {
			continue // sent meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("reading a message: %w", err)
		}
		var s stored
		if err := json.Unmarshal(raw, &s); err != nil || len(s.Events) == 0 {
			_ = os.Remove(filepath.Join(o.Dir, e.Name()))
			continue
		}
		s.Message.Box = s.Box
		list = append(list, waiting{s.Message, e.Name()})
	}
	return list, nil
}

// State is the state of an outbox, as `evolve status` shows it.
type State struct {
	// Waiting is the number of messages that some channel has yet to deliver.
	Waiting int     `json:"waiting"`
	Faults  []Fault `json:"faults"`
}

// Look returns the state of the outbox in a folder.
func Look(dir string) (State, error) {
	s := State{Faults: []Fault{}}
	list, err := Outbox{Dir: dir}.waiting()
	if err != nil {
		return s, err
	}
	s.Waiting = len(list)
	rec, err := readRecord(dir)
	for _, c := range rec {
		if c.Fault != nil {
			s.Faults = append(s.Faults, *c.Fault)
		}
	}
	slices.SortFunc(s.Faults, func(a, b Fault) int { return strings.Compare(a.Channel, b.Channel) })
	return s, err
}

func readRecord(dir string) (record, error) {
	rec := record{}
	raw, err := wholefile.Read(filepath.Join(dir, sentFile), mostSent)
	if errors.Is(err, fs.ErrNotExist) {
		return rec, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the record of sent messages: %w", err)
	}
	if err := json.Unmarshal(raw, &rec); err != nil {
		return record{}, nil //nolint:nilerr // a damaged record costs a repetition, and no event
	}
	for id, s := range rec {
		if s == nil || s.Sent == nil {
			delete(rec, id)
		}
	}
	return rec, nil
}

func writeRecord(dir string, rec record) error {
	raw, err := json.Marshal(rec)
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, sentFile), append(raw, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing the record of sent messages: %w", err)
	}
	return nil
}
