// Command evolve makes an LLM agent better overnight and leaves the decision to a person.
// This file is a tour of its packages.
//
//	runtime/agent      what a run takes and returns: config, space, limits, outcome, transcript
//	runtime/turn       one turn of the built-in agent, with runtime/{model,tool,memory,session,source}
//	runtime/provider   language models; runtime/mcp, authored, skill: tools from servers and from agents
//	runtime/policy     deadlines, retries, breakers, rates and budgets around every call
//	runtime/safety     the limits that no config can change; runtime/scrub: removes credentials
//	runtime/telemetry  spans of traces, without an exporter
//	runtime/text       makes foreign text safe to show; runtime/wholefile: reads and writes whole files
//	runtime/command    an operator's own program in runtime/sandbox, or an operator's service
//	bench              tasks, suites, the harness; bench/grade: graders; bench/importer: other formats
//	bench/stats        the statistics of a comparison, and the error budget of a month
//	bench/confirm      the confirmation: entries, blocks, looks; bench/gobench: Go benchmarks
//	archive            everything that outlives the process, on Badger
//	mutate             the search; mutate/{operator,selection,irt,reflection}: its parts
//	mutate/ablation    reduces a finalist; mutate/constants, patchwriter: changes to source code
//	mutate/evidence    the evidence for a claim, gathered and recomputed
//	mutate/night       one agent's night: the champion against itself, search, ablation, confirmation
//	patch              proposals as commits: patch/diff reads foreign diffs, patch/scope judges trees
//	gates              the checks that proposals must pass: gates/scan and typed read source,
//	                   gates/gotest runs tests, gates/beside compares with the base, gates/measure
//	                   runs benchmarks
//	gates/review       the life of a proposal: propose, gate, await, approve, reject, roll back
//	reports            the morning report
//	internal/cli       the commands, which read flags, call packages and print; cli/scripts: tests of
//	                   what people type, in packages that each finish within minutes; cli/clitest:
//	                   the verbs of these tests
//	internal/wire      agents, models, sandboxes, graders and archives, opened for one process
//	internal/workspace the folder a person works in: files, settings, schema, scaffold
//	internal/batch     a night over all agents: shares of the limits, resume, patches, tuning
//	internal/doctor    the checks of a workspace and its surroundings
//	internal/schedule  a run every night: systemd units, crontab lines, missed nights
//	internal/signing   the signed head of the ledger; internal/sshsig: OpenSSH signatures
//	internal/e2e       tests of the whole program as processes
//	internal/metrics   figures for Prometheus: of nights as a file, of workers over http
//	internal/tracing   spans for an OpenTelemetry collector
//	internal/view      pages that show the archive in a browser: access, templates, the matrix;
//	                   view/archived reads their content from the archive
//	internal/exit      exit codes and the hints of errors
//
// An evaluation proceeds as follows: task + config → agent.Run (bounded) → transcript →
// grade → evaluation → recorded at once → searcher is told → next ask.
//
// A command proceeds as follows: cli.Main builds a cli.Process → cli.Run parses the command
// line → the command reads its flags, calls wire or a package, and prints → exit.Of maps an
// error to the exit code and a hint.
package main
