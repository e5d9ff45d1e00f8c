package policy

import "time"

// layer holds the settings of one layer and its name.
type layer struct {
	label    string
	settings Settings
}

// resolved holds settings that are being resolved, and for each the name of the layer that
// set it.
type resolved struct {
	fields   []field
	settings Settings
	origin   []string // by field
}

// layers returns the layers that apply to a call, outermost first, without the built-in
// layer and the environment.
func (b Book) layers(kind Kind, name, origin, agent string) []layer {
	var out []layer
	add := func(label string, m map[string]Settings, key string) {
		if s, ok := m[key]; ok {
			out = append(out, layer{label, s})
		}
	}
	if kind == Tool {
		add("origin "+class(origin), b.Origins, class(origin))
		if class(origin) != origin {
			add("origin "+origin, b.Origins, origin)
		}
	}
	if kind == Agent {
		if s, ok := b.Roles[agent]; ok {
			s.Deadline = 0
			out = append(out, layer{"role " + agent, s})
		}
		return out
	}
	add("role "+agent, b.Roles, agent)
	if kind == Tool {
		add("tool "+name, b.Tools, name)
	} else {
		add("provider "+name, b.Providers, name)
	}
	return out
}

// resolve resolves the settings of a call from all layers.
func (b Book) resolve(all []field, kind Kind, name, origin, agent string) resolved {
	r := resolved{fields: all, origin: make([]string, len(all))}
	r.overlay(layer{"built in", builtIn(kind, origin)})
	environment := layer{"environment", b.Environment}
	if kind == Agent { // the environment applies only to calls to tools and providers
		environment.settings = Settings{}
	}
	if foreign(kind, origin) {
		r.tighten(environment)
	} else {
		r.overlay(environment)
	}
	for _, l := range b.layers(kind, name, origin, agent) {
		r.overlay(l)
	}
	return r
}

// overlay applies every setting that the layer sets.
func (r *resolved) overlay(l layer) {
	for i, f := range r.fields {
		if f.set(&l.settings) {
			f.take(&r.settings, &l.settings)
			r.origin[i] = l.label
		}
	}
}

// tighten applies the settings of the layer that are stricter than those resolved so far.
// It returns the names of the settings that it ignored because they are looser, not
// comparable, or invalid.
func (r *resolved) tighten(l layer) (ignored []string) {
	if l.settings == (Settings{}) {
		return nil
	}
	base := r.settings
	accept := [...]bool{ // by group
		single:   true,
		rate:     stricterRate(&base, &l.settings),
		breaking: wellFormed(r.fields, &l.settings, breaking) && (base.BreakerCalls > 0 || l.settings.breaks()),
	}
	for i, f := range r.fields {
		switch {
		case !f.set(&l.settings) || f.equal(&l.settings, &base):
		case !accept[f.group] || !f.valid(&l.settings) || !f.admits(&l.settings, &base):
			ignored = append(ignored, f.name)
		default:
			f.take(&r.settings, &l.settings)
			r.origin[i] = l.label
		}
	}
	return ignored
}

// admits reports whether the value inv of a tightening layer may replace the value base.
func (f field) admits(inv, base *Settings) bool {
	switch f.group {
	case rate: // already compared as a pair by the caller
		return true
	case breaking:
		if base.BreakerCalls == 0 { // a whole breaker may be added if there is none
			return true
		}
		if base.BreakerSlow == 0 && (f.name == "breaker_slow" || f.name == "breaker_slow_share") {
			return inv.BreakerSlow > 0 && inv.BreakerSlowShare > 0 // each of the two settings needs the other
		}
	}
	return f.stricter(inv, base)
}

// stricterRate reports whether the rate that results from base and inv leaves more time
// between two calls than the rate of base. Only that interval matters, because calls are
// let through evenly.
func stricterRate(base, inv *Settings) bool {
	next := *base
	if inv.RateCalls != 0 {
		next.RateCalls = inv.RateCalls
	}
	if inv.RatePer != 0 {
		next.RatePer = inv.RatePer
	}
	return next.interval() > base.interval()
}

// interval returns the time between two calls at the rate of s, or zero if s has no rate.
func (s *Settings) interval() time.Duration {
	if s.RateCalls <= 0 || s.RatePer <= 0 {
		return 0
	}
	return s.RatePer / time.Duration(s.RateCalls)
}

// breaks reports whether s describes a complete breaker.
func (s *Settings) breaks() bool {
	return s.BreakerCalls > 0 && s.BreakerOpen > 0 && s.BreakerProbes > 0 &&
		(s.BreakerFailures > 0 || s.BreakerSlow > 0) && (s.BreakerSlow > 0) == (s.BreakerSlowShare > 0)
}

// values returns the resolved settings, in the order of fields.
func (r *resolved) values() []Value {
	out := make([]Value, 0, len(r.fields))
	for i, f := range r.fields {
		if f.set(&r.settings) {
			out = append(out, Value{Setting: f.name, Value: f.text(&r.settings), Origin: r.origin[i]})
		}
	}
	return out
}
