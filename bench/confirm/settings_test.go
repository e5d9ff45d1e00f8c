package confirm

import "testing"

func TestDesign(t *testing.T) {
	c := DefaultSettings()
	for _, w := range []struct {
		budget, tasks  int
		fixed          bool
		blocks         int
		tonight, month float64
	}{
		{1000, 40, false, 8, 320, 9600},
		{1000, 40, true, 1, 40, 40},
		{123, 40, false, 0, 0, 0}, // .65 of it is 79, one too few for a block
		{124, 40, true, 1, 40, 40},
		{1000, 0, false, 0, 0, 0},
	} {
		blocks := c.Blocks(w.budget, w.tasks, w.fixed)
		d := c.Sized(blocks, w.tasks, w.tasks/2, w.fixed)
		if blocks != w.blocks || d.Tonight != w.tonight || d.Month != w.month || d.Units != w.tasks/2 || d.Fixed != w.fixed || d.Alpha != .05/12 {
			t.Errorf("%+v: %d blocks, %+v", w, blocks, d)
		}
	}
	c.Level = .012
	if k := c.Control(); k.Entries != 12 || k.Days != 30 || k.Alpha() != .001 {
		t.Errorf("control %+v, α %v", k, k.Alpha())
	}
}
