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
