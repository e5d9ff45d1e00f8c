package metrics

// WorkerDefinitions lists the metrics of a worker, except those of its process, whose names
// begin with go_ and process_. Metrics whose names end in _total are counters.
func WorkerDefinitions() []Definition {
	return []Definition{
		{Name: "evolve_build_info", Help: buildHelp, Labels: buildLabels()},
		{Name: "evolve_worker_slots", Help: "Maximum number of concurrent tasks."},
		{Name: "evolve_worker_busy_slots", Help: "Tasks that are running."},
		{Name: "evolve_worker_connected", Help: "1 while there is a connection to the hub."},
		{Name: "evolve_worker_reconnects_total", Help: "Reconnections to the hub."},
		{Name: "evolve_worker_offers", Help: "Agents in runs, by whether the worker serves or refuses them.", Labels: []string{"state"}},
		{Name: "evolve_worker_tasks_total", Help: "Tasks whose answer is stored, by outcome.", Labels: []string{"outcome"}},
		{Name: "evolve_worker_tasks_unanswered_total", Help: "Tasks without an answer: withdrawn by the run, given_back, unreadable or unstored.", Labels: []string{"reason"}},
		{Name: "evolve_worker_task_duration_seconds", Help: "Time that agents spent on tasks, excluding waits caused by shared limits.", Histogram: true},
		{Name: "evolve_worker_leases_total", Help: "Requests sent to the run for calls to tools, providers and agents: done, or failed if the run did not answer.", Labels: []string{"kind", "result"}},
		{Name: "evolve_worker_lease_wait_seconds_total", Help: "Time that the calls to tools, providers and agents waited because of limits of the run.", Labels: []string{"kind"}},
	}
}
