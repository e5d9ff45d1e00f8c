// Package importer reads foreign sets of tasks (question/answer JSONL and CSV,
// Inspect-, promptfoo- and OpenAI-evals-style files, labelled utterances) into
// suite tasks or memories. It reads only what it is handed and never executes,
// fetches or follows anything named in it: a test that names a file, a function
// or a judge model is left out, and a note says so.
//
// Whatever is returned is valid in a suite: every task is read once as a suite
// line, and one that would be refused there is left out with the reason.
package importer
