package metrics

// WorkerDefinitions lists the metrics of a worker beside those of its process.
func WorkerDefinitions() []Definition { return nil }
