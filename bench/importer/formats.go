package importer

// Formats lists every format.
func Formats() []Format {
	return []Format{Questions, CSV, Inspect, Promptfoo, Evals, Labelled, BFCL, Tau, Retrieval}
}

// About describes the files of a format in a few words.
func (f Format) About() string {
	return map[Format]string{
		Questions: "objects with a question and an answer, as JSON lines or as a list",
		CSV:       "a table with a question and an answer in each row, separated by commas, tabs or semicolons",
		Inspect:   "Inspect data sets, as JSON lines or a list, and Inspect logs, as JSON or .eval",
		Promptfoo: "a configuration or tests, as YAML, JSON or CSV with __expected; results, as JSON, JSON lines or YAML",
		Evals:     "JSON lines with input and ideal, as in OpenAI evals",
		Labelled:  "JSON with a list of [text, label] pairs for each part, as in CLINC150",
		BFCL:      "questions with functions, as JSON lines; --answers names the file with their possible answers",
		Tau:       "tau2-bench tasks, or tau-bench results, as JSON",
		Retrieval: "BEIR or TREC queries, as JSON lines, TSV or topics; --answers names the file with their qrels",
	}[f]
}
