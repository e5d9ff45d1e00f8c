package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Version returns the first 64 bits of the SHA-256 of the book's canonical JSON, in
// hexadecimal. Equal books have equal versions, and an empty map counts as no map. A book
// that cannot be encoded as JSON (because of a NaN) has the version "invalid"; New refuses
// it.
func (b Book) Version() string {
	for _, m := range []*map[string]Settings{&b.Origins, &b.Roles, &b.Tools, &b.Providers} {
		if len(*m) == 0 {
			*m = nil
		}
	}
	raw, err := json.Marshal(b) // Marshal writes the keys of maps in sorted order
	if err != nil {
		return "invalid"
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// wellFormed reports whether the settings of one group are within their ranges.
func wellFormed(all []field, s *Settings, g group) bool {
	for _, f := range all {
		if f.group == g && !f.valid(s) {
			return false
		}
	}
	return true
}

// inRange returns an error if one of a layer's settings is outside its range.
func inRange(all []field, s *Settings) error {
	for _, f := range all {
		if !f.valid(s) {
			return fmt.Errorf("%s cannot be %s", f.name, f.text(s))
		}
	}
	return nil
}

// coherent returns an error if resolved settings contradict each other.
func coherent(s *Settings) error {
	breaker := s.BreakerCalls != 0 || s.BreakerFailures != 0 || s.BreakerSlow != 0 || s.BreakerSlowShare != 0 ||
		s.BreakerOpen != 0 || s.BreakerProbes != 0
	switch {
	case s.Deadline <= 0:
		return fmt.Errorf("there is no deadline")
	case s.Attempts <= 0:
		return fmt.Errorf("the number of attempts is missing")
	case s.MaxBackoff > 0 && s.MaxBackoff < s.Backoff:
		return fmt.Errorf("max_backoff %s is shorter than backoff %s", s.MaxBackoff, s.Backoff)
	case breaker && !s.breaks():
		return fmt.Errorf("a breaker needs breaker_calls, breaker_open and breaker_probes, and either breaker_failures or both breaker_slow and breaker_slow_share")
	case (s.RateCalls > 0) != (s.RatePer > 0):
		return fmt.Errorf("rate_calls and rate_per must be set together")
	case s.RateCalls > 0 && s.interval() <= 0:
		return fmt.Errorf("rate_calls %d in rate_per %s is too high a rate", s.RateCalls, s.RatePer)
	}
	return nil
}

// check returns an error if the book is invalid for every use. Errors that depend on the
// combination of agent, tool and origin are found only when a call is made.
func (b Book) check(all []field) error {
	if err := b.checkLayers(all); err != nil {
		return err
	}
	origins := []string{local, authored, mcp}
	for o := range b.Origins {
		if class(o) != o {
			origins = append(origins, o)
		}
	}
	slices.Sort(origins[3:])
	try := func(kind Kind, name, origin, agent, what string) error {
		r := b.resolve(all, kind, name, origin, agent)
		if err := coherent(&r.settings); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
	for _, role := range append([]string{""}, slices.Sorted(maps.Keys(b.Roles))...) {
		by := ""
		if role != "" {
			by = " called by " + role
		}
		for _, o := range origins {
			if err := try(Tool, "", o, role, "a tool of origin "+o+by); err != nil {
				return err
			}
		}
		if err := try(Provider, "", "", role, "a provider"+by); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Tools)) {
		var err error
		for _, o := range origins { // a tool has only one origin, which is unknown here, so one match suffices
			if err = try(Tool, name, o, "", "tool "+name); err == nil {
				break
			}
		}
		if err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Providers)) {
		if err := try(Provider, name, "", "", "provider "+name); err != nil {
			return err
		}
	}
	return b.checkDegrading(all)
}

// checkLayers checks each layer separately.
func (b Book) checkLayers(all []field) error {
	if err := inRange(all, &b.Environment); err != nil {
		return fmt.Errorf("environment: %w", err)
	}
	for _, m := range []struct {
		what   string
		layers map[string]Settings
	}{{"origin", b.Origins}, {"role", b.Roles}, {"tool", b.Tools}, {"provider", b.Providers}} {
		for _, name := range slices.Sorted(maps.Keys(m.layers)) {
			s := m.layers[name]
			if name == "" || m.what == "origin" && !knownOrigin(name) {
				return fmt.Errorf("%s %q: there is no such %s", m.what, name, m.what)
			}
			if err := inRange(all, &s); err != nil {
				return fmt.Errorf("%s %s: %w", m.what, name, err)
			}
		}
	}
	return nil
}

// checkDegrading checks that following degraded_to from any provider never leads into a
// cycle.
func (b Book) checkDegrading(all []field) error {
	for _, name := range slices.Sorted(maps.Keys(b.Providers)) {
		seen := map[string]bool{}
		for at := name; at != ""; {
			if seen[at] {
				return fmt.Errorf("provider %s: degraded_to forms a cycle", name)
			}
			seen[at] = true
			r := b.resolve(all, Provider, at, "", "")
			if at = ""; r.settings.Exhausted == Degrade {
				at = r.settings.DegradedTo
			}
		}
	}
	return nil
}

// knownOrigin reports whether a tool may have this origin.
func knownOrigin(origin string) bool {
	server, ok := strings.CutPrefix(origin, mcp+":")
	return origin == local || origin == authored || origin == mcp || ok && server != ""
}
