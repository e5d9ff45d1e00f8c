package scrub

import (
	"math/rand/v2"
	"testing"
)

const (
	values       = 30
	wantOverall  = .98
	wantOfFormat = .90
)

type tally struct{ found, of int }

func (t tally) share() float64 { return float64(t.found) / float64(max(t.of, 1)) }

// recall counts, by format and by setting, how many credentials are removed completely.
func recall(t *testing.T, formats []format, settings []setting) (byFormat, bySetting map[string]tally, all tally) {
	s := New(nil)
	byFormat, bySetting = map[string]tally{}, map[string]tally{}
	count := func(m map[string]tally, name string, found bool) {
		c := m[name]
		if c.of++; found {
			c.found++
		}
		m[name] = c
	}
	for i, f := range formats {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		missed := 0
		for range values {
			one := f.make(r)
			for _, in := range settings {
				name, text := f.variable, one.text
				switch {
				case one.own != "" && !in.bare:
					continue // the credential's text already contains the credential's name
				case one.own != "":
					text = one.own
				case f.named && in.bare:
					text = name + "=" + text // only the name identifies it as a credential
				}
				text = in.wrap(name, text)
				out := s.String(text)
				found := !leaks(out, one.random)
				if !found {
					if missed++; missed <= 3 {
						t.Logf("%s, %s: %q became %q", f.name, in.name, text, out)
					}
				}
				count(byFormat, f.name, found)
				count(bySetting, in.name, found)
				if all.of++; found {
					all.found++
				}
			}
		}
	}
	return byFormat, bySetting, all
}

func TestRecall(t *testing.T) {
	formats, settings := formats(), settings()
	byFormat, bySetting, all := recall(t, formats, settings)
	t.Logf("%d formats, %d settings: %d of %d found (%.2f %%)", len(formats), len(settings), all.found, all.of, 100*all.share())
	for _, f := range formats {
		c := byFormat[f.name]
		t.Logf("%6.1f %% of %4d  %s", 100*c.share(), c.of, f.name)
		if c.share() < wantOfFormat {
			t.Errorf("%s: %.1f %% found", f.name, 100*c.share())
		}
	}
	for _, in := range settings {
		t.Logf("%6.1f %% in %s", 100*bySetting[in.name].share(), in.name)
	}
	if all.share() < wantOverall {
		t.Errorf("%.2f %% found", 100*all.share())
	}
}

// TestRecallHeldOut measures the rules on formats and settings for which they were not
// written. All formats in [formats] were known when the rules were written, and those in
// [heldOut] have no specific rule. Without a name next to it, a credential in such a format
// is not found.
func TestRecallHeldOut(t *testing.T) {
	for _, c := range []struct {
		name     string
		formats  []format
		settings []setting
		want     float64
	}{
		{"unknown formats", heldOut(), settings(), .5},
		{"unknown settings", formats(), heldSettings(), .5},
	} {
		byFormat, bySetting, all := recall(t, c.formats, c.settings)
		t.Logf("%s: %d of %d found (%.1f %%)", c.name, all.found, all.of, 100*all.share())
		for name, c := range byFormat {
			if c.share() < wantOfFormat {
				t.Logf("%6.1f %%  %s", 100*c.share(), name)
			}
		}
		for name, c := range bySetting {
			t.Logf("%6.1f %% in %s", 100*c.share(), name)
		}
		if all.share() < c.want {
			t.Errorf("%s: %.1f %% found", c.name, 100*all.share())
		}
	}
}
