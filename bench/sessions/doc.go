// Package sessions turns logs of conversations into the tasks of a suite: it reads
// conversations, keeps the exchanges whose answers a person approved, and selects
// representative ones.
//
//	conversation.go  the form into which every log is read
//	read.go          one log: its records, bounds and notes
//	records.go       JSON lines, lists and documents as records
//	archive.go       .eval archives
//	detect.go        the format of a record
//	chat.go, …       one file for each format
//	gather.go        records that repeat the beginning of a conversation
//	exchange.go      exchanges, and the verdicts of people on their answers
//	correction.go    the answer that a correction states
//	target.go        the reference answer that the log itself contains
//	build.go         tasks, without credentials and near-duplicates
//	script.go        scripted conversations with several user messages
//	choose.go        representatives, clusters and splits
//
// Everything in a log is untrusted input. It is read only as text; no path, address or
// code in it is followed, and each part is bounded.
package sessions
