// Package hub lets processes on other machines run the evaluations of a night, over the
// work queue of a NATS server with JetStream.
//
// The run is the coordinator. For each agent it makes an offer, which holds everything that
// a worker needs to open the agent, including the agent's folder. [Remote] implements
// [evolve/runtime/agent.Agent] by publishing each request as a job and waiting for its
// answer, so the harness, the search and the archive are the same as in a run on one
// machine. A [Worker] accepts offers, opens their agents, takes jobs while it has free
// slots, and publishes the answers. Grading stays with the coordinator: no message contains
// a reference answer, a grader or the stage of a task.
//
//	evolve.work.T     jobs of an offer, with deadlines; a worker acknowledges a job when its answer is stored
//	evolve.answer.T   answers; the coordinator acknowledges an answer when the archive has it
//	evolve.cancel.T   ids of jobs that the coordinator has given up
//	evolve.lease.T    calls to tools and models that a job makes; the coordinator's policies
//	                  limit the calls of all workers together
//	evolve_offers     offers by T, until the coordinator closes them
//	evolve_workers    a description of each worker and the offers that it refuses, renewed by its heartbeat
//	evolve_bundles    folders of agents and fixtures, and large jobs, by digest
//	evolve_parts      large answers and folders of finished jobs, by digest
//
// T is a digest of the run and the agent. The queue is disposable: the archive is
// authoritative, and lost messages are published again. A job may run twice if a worker
// dies or is taken for dead. The first answer counts; the others are counted as repeats,
// with their cost.
//
// Everything that a remote process sends is treated as data. Workers check digests before
// they unpack a folder, and the coordinator checks that an answer belongs to a job that is
// under way and that its values are within their ranges. The content of the object stores
// is sealed with its digest: a worker's credentials allow it to read the whole store, but
// it cannot open any content without an offer or a job that names the digest.
package hub
