package text

// Head retains the first Most bytes that are written to it. The zero value retains nothing.
type Head struct {
	Most int
	kept []byte
}

// Write implements [io.Writer]. It accepts everything, so a program that writes to it is
// not stopped.
func (h *Head) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), max(0, h.Most-len(h.kept)))]...)
	return len(p), nil
}

// String returns the retained text.
func (h *Head) String() string { return string(h.kept) }

// Tail retains the last Most bytes that are written to it. The zero value retains nothing.
type Tail struct {
	Most int
	kept []byte
}

// Write implements [io.Writer]. It accepts everything, so a program that writes to it is
// not stopped.
func (t *Tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-t.Most):]...)
	t.kept = t.kept[max(0, len(t.kept)-t.Most):]
	return len(p), nil
}

// String returns the retained text.
func (t *Tail) String() string { return string(t.kept) }
