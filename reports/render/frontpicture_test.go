package render

import (
	"strings"
	"testing"
)

// TestFrontPicture checks that the picture of a night with costs shows the champion, the
// variant in the headline, the front, and the other variants that were tried.
func TestFrontPicture(t *testing.T) {
	r := adoptWorld(t, 0).report()
	a := r.Agents[0]
	if len(a.Tried) < 2 || a.Tried[0].Variant != a.Decision.Champion && a.Tried[1].Variant != a.Decision.Champion {
		t.Fatalf("tried: %+v", a.Tried)
	}
	for _, p := range a.Tried {
		if p.Score < 0 || p.Score > 1 || p.Shared < 20 || p.CostUSD <= 0 {
			t.Errorf("%+v", p)
		}
	}
	f := frontPicture(subjects(r)[0])
	kinds := map[string]int{}
	for _, p := range f.Points {
		switch {
		case p.Own:
			kinds[p.Name]++
		case p.Front:
			kinds["front"]++
		default:
			kinds["besides"]++
		}
	}
	if kinds["champion"] != 1 || kinds[a.Headline.Variant.Name()] != 1 || kinds["front"]+kinds["besides"] == 0 {
		t.Errorf("points: %v", kinds)
	}
	if page := rendered(t, HTML, r); len(a.Front) > 0 && !strings.Contains(page, "Quality against cost per evaluation") {
		t.Error("the page lacks the picture")
	}
	for i := range r.Agents[0].Tried { // without costs in money, tokens count
		r.Agents[0].Tried[i].CostUSD = 0
	}
	if f := frontPicture(subjects(r)[0]); !strings.HasPrefix(f.Unit, "tokens") {
		t.Errorf("the unit is %q", f.Unit)
	}
}
