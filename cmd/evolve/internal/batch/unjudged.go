package batch

// warnOfGuards logs a warning for each guard that is written in the settings and cannot be
// judged.
func (r *runner) warnOfGuards() {
	for _, a := range r.agents {
		for _, text := range r.o.Workspace.UnjudgedGuards(a) {
			r.o.Log.Warn(text)
		}
	}
}
