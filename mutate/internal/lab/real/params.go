package real

import "evolve/runtime/agent"

func choice(name string, standard any, values ...any) agent.Param {
	return agent.Param{Name: name, Kind: agent.Choice, Values: values, Default: standard}
}

// toggle returns a switch that is off by default.
func toggle(name string) agent.Param {
	return agent.Param{Name: name, Kind: agent.Bool, Default: false}
}

func float(name string, standard, lo, hi float64) agent.Param {
	return agent.Param{Name: name, Kind: agent.Float, Min: lo, Max: hi, Default: standard}
}

func whole(name string, standard int64, lo, hi float64) agent.Param {
	return agent.Param{Name: name, Kind: agent.Int, Min: lo, Max: hi, Default: standard}
}

func logarithmic(p agent.Param) agent.Param {
	p.Log = true
	return p
}

func when(p agent.Param, other string, values ...any) agent.Param {
	p.When = map[string][]any{other: values}
	return p
}
