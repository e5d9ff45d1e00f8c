package metrics

// target returns the names of the labels of metrics about tools and providers, followed by
// further names.
func target(more ...string) []string {
	return append([]string{"use", "kind", "name", "origin"}, more...)
}

// NightDefinitions lists the metrics of the text file.
func NightDefinitions() []Definition {
	agent := []string{"agent"}
	return []Definition{
		{Name: "evolve_build_info", Help: buildHelp, Labels: buildLabels()},
		{Name: "evolve_command_end_timestamp_seconds", Help: "When the last evolve run command ended, including one that failed before it began a run."},
		{Name: "evolve_command_exit_code", Help: "Exit code of the last evolve run command, as listed by evolve help exit-codes."},

		{Name: "evolve_run_number", Help: "Number of the latest run."},
		{Name: "evolve_run_start_timestamp_seconds", Help: "When the latest run began."},
		{Name: "evolve_run_end_timestamp_seconds", Help: "When the latest run ended; absent if its process died."},
		{Name: "evolve_run_success_timestamp_seconds", Help: "When the latest run with exit code 0 ended; absent before the first."},
		{Name: "evolve_run_exit_code", Help: "Exit code of the latest run; 130 if its process died."},
		{Name: "evolve_run_duration_seconds", Help: "Time that processes spent working on the latest run."},
		{Name: "evolve_run_phase_duration_seconds", Help: "Time spent in each phase of the latest run, summed over all agents.", Labels: []string{"phase"}},
		{Name: "evolve_run_resumed", Help: "Number of times that the latest run was resumed."},
		{Name: "evolve_run_concurrency", Help: "Maximum number of concurrent evaluations in the latest run."},
		{Name: "evolve_run_cost_usd", Help: "Cost of the latest run, including judges, patches and the models used in the search."},
		{Name: "evolve_run_limit_used_ratio", Help: "Share of a limit that the latest run used: evaluations, money, time, or the time until its deadline. A share near 1 is normal, because a run is planned to use up its limit.", Labels: []string{"limit"}},

		{Name: "evolve_agent_run_number", Help: "Number of the latest run that worked on the agent. The other figures of the agent come from that run.", Labels: agent},
		{Name: "evolve_agent_run_end_timestamp_seconds", Help: "Time at which the latest run that worked on the agent ended.", Labels: agent},
		{Name: "evolve_agent_verdict", Help: "1 for the verdict of the latest run that worked on the agent, 0 for the other verdicts.", Labels: []string{"agent", "verdict"}},
		{Name: "evolve_agent_incomplete", Help: "1 if the latest run that worked on the agent did not finish what was planned for the agent.", Labels: agent},
		{Name: "evolve_agent_fallen", Help: "1 if the latest nights show that the config in use scores lower than before.", Labels: agent},
		{Name: "evolve_agent_champion_score", Help: "Score of the config in use on search tasks, from 0 to 1.", Labels: agent},
		{Name: "evolve_agent_evaluations", Help: "Evaluations by result: scored, failed (score 0 because there was no answer), missing (no score), reused (found in the archive).", Labels: []string{"agent", "result"}},
		{Name: "evolve_agent_evaluation_duration_seconds", Help: "Latencies of the evaluations, excluding those that were reused or are missing.", Labels: agent, Histogram: true},
		{Name: "evolve_agent_cost_usd", Help: "Cost of the evaluations, including judges.", Labels: agent},
		{Name: "evolve_agent_tokens", Help: "Tokens used by the evaluations, judges included: input, output, and the cached part of the input.", Labels: []string{"agent", "type"}},
		{Name: "evolve_agent_budget_evaluations", Help: "Number of evaluations that the limits of the run allowed for the agent.", Labels: agent},
		{Name: "evolve_agent_budget_left_evaluations", Help: "Evaluations that were allowed but not used.", Labels: agent},
		{Name: "evolve_agent_search_seconds_per_evaluation", Help: "Average time that the search itself spent computing, per evaluation made.", Labels: agent},

		{Name: "evolve_decisions_waiting", Help: "Proposals and change requests that awaited a person's decision when the run ended, except stale ones.", Labels: []string{"agent", "kind"}},
		{Name: "evolve_decisions_oldest_timestamp_seconds", Help: "Time at which the oldest undecided proposal or change request began to await a person's decision.", Labels: []string{"agent", "kind"}},

		{Name: "evolve_policy_calls", Help: "Calls to a tool, a provider or an agent, by outcome. The label \"use\" is \"run\" for the latest run or \"live\" for the live turns of the last 7 days.", Labels: target("outcome")},
		{Name: "evolve_policy_retries", Help: "Retries of calls to a tool, a provider or an agent.", Labels: target()},
		{Name: "evolve_policy_wait_seconds", Help: "Total time that calls waited because of a limit on their rate or concurrency.", Labels: target("limit")},
		{Name: "evolve_policy_saturation_ratio", Help: "Share of the time in which at least one call waited because of the limit.", Labels: target("limit")},
		{Name: "evolve_policy_concurrency_limit", Help: "Maximum number of concurrent calls; absent if there is no such limit.", Labels: target()},
		{Name: "evolve_policy_breaker_openings", Help: "Number of times that the breaker opened.", Labels: target()},
		{Name: "evolve_policy_breaker_open_seconds", Help: "Total time during which the breaker refused calls.", Labels: target()},
		{Name: "evolve_policy_attempt_duration_seconds", Help: "Duration of the attempts in a run's calls, excluding waits, at p50, p95, p99 and max.", Labels: target("at")},
		{Name: "evolve_policy_budget_used_ratio", Help: "Share of a budget under policies that has been used; the budget is in USD, calls, tokens or seconds.", Labels: []string{"kind", "name", "origin", "scope", "agent", "resource"}},
		{Name: "evolve_policy_targets_left_out", Help: "Number of tools and providers that the file leaves out, because it lists only the 100 with the most calls.", Labels: []string{"use"}},

		{Name: "evolve_hub_tasks", Help: "Tasks of the run on the workers of its hub, by result: published, answered, repeated, redelivered, republished, taken or ignored.", Labels: []string{"result"}},
		{Name: "evolve_hub_repeated_cost_usd", Help: "Cost of answers that were not needed, because their task already had one."},
		{Name: "evolve_hub_workers", Help: "Maximum number of workers that were connected at the same time."},
	}
}
