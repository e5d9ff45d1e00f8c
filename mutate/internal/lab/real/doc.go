// Package real makes problems from agents that run on real data: a router of utterances to
// intents (CLINC150), and a retriever over a test collection. No score is simulated.
//
// The data is not part of the project. [Find] returns the folders that contain it.
package real
