package contest

// randomSearch tries uniform configs, including the default, on the first few tasks in
// the deck until half the budget is spent, and spends the other half on a race between
// the best configs.
func randomSearch(d *Desk, few int) Outcome {
	few = d.few(few)
	rng := d.rand(0x7a2d)
	c := newChart(d.Problem.Space)
	list := []*contender{{config: d.Problem.Default()}}
	d.advance(list[0], few)
	for d.spent+few <= d.Budget/2 {
		e := &contender{config: c.decode(c.random(rng))}
		d.advance(e, few)
		list = append(list, e)
	}
	return d.race(list).outcome()
}

// few returns n, or the number of tasks in the deck if n is 0.
func (d *Desk) few(n int) int {
	if n == 0 {
		return len(d.deck)
	}
	return n
}
