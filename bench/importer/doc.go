// Package importer reads foreign sets of tasks (question/answer JSONL and CSV, Inspect-,
// promptfoo- and OpenAI-evals-style files, logs of Inspect, labelled utterances) into suite
// tasks or memories. It reads only the given file and never executes, fetches or follows
// anything named in it: a test that names a file, a function or a judge model is left out,
// with a note.
//
// All returned tasks are valid in a suite: every task is read once as a suite line, and
// an invalid one is left out with the reason.
package importer
