package importer

// Formats lists every format.
func Formats() []Format {
	return []Format{Questions, CSV, Inspect, Promptfoo, Evals, Labelled, BFCL, Tau, Retrieval}
}

// About describes the files of a format in a few words.
func (f Format) About() string {
	return map[Format]string{
		Questions: "JSON lines, or a list, of objects with a question and an answer",
		CSV:       "a table with a question and an answer; also with tabs or semicolons",
		Inspect:   "data sets of Inspect, as JSON lines or a list, and its logs, as JSON or .eval",
		Promptfoo: "a configuration or tests, as YAML, JSON or CSV with __expected; results, as JSON or JSON lines",
		Evals:     "JSON lines with input and ideal, as of OpenAI evals",
		Labelled:  "JSON with lists of [text, label] by part, as CLINC150",
		BFCL:      "questions with functions, as JSON lines; --answers has their possible_answer",
		Tau:       "tasks of tau2-bench, or results of tau-bench, as JSON",
		Retrieval: "queries of BEIR or TREC, as JSON lines, TSV or topics; --answers has their qrels",
	}[f]
}
