// Package hub lets processes on other machines run the evaluations of a night, over the work
// queue of a NATS server with JetStream.
//
// The run is the coordinator. For each agent it makes an offer, which holds everything that a
// worker needs to open the agent, including its folder. [Remote] implements
// [evolve/runtime/agent.Agent] by publishing each request as a job and waiting for its answer,
// so that the harness, the search and the archive are those of a run on one machine. A [Worker]
// takes offers, opens their agents, takes jobs while it has room, and answers. Grading stays
// with the coordinator: no answer, no grader and no stage of a task is in any message.
//
//	evolve.work.T     jobs of an offer, with deadlines; a worker acknowledges one when its answer is stored
//	evolve.answer.T   answers; the coordinator acknowledges one when the archive has it
//	evolve.cancel.T   ids of jobs that the coordinator has given up
//	evolve.lease.T    calls of tools and models that a job makes, which the policies of the
//	                  coordinator bound for all workers together
//	evolve_offers     offers by T, until the coordinator closes them
//	evolve_workers    what each worker is and which offers it refuses, renewed by its heartbeat
//	evolve_bundles    folders of agents and fixtures, and large jobs, by digest
//	evolve_parts      large answers and folders of finished jobs, by digest
//
// T is a digest of the run and the agent. The queue is disposable: the archive is the truth, and
// lost messages are published again. A job may run twice, when a worker dies or is taken for
// dead; the first answer counts, and the others are counted as repeats with their cost.
//
// Everything that comes from the other side is data: workers check digests before they unpack a
// folder, and the coordinator checks that an answer belongs to a job that is under way and that
// its values are within their ranges. The content of the object stores is sealed with its
// digest: a worker's credentials allow it to read the whole store, and without an offer or a job
// that names the digest it reads nothing.
package hub
