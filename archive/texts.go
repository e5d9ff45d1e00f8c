package archive

// texts holds recently decoded texts, so that the same text is not allocated for each
// record. The zero value holds no texts and retains none.
type texts struct {
	// plain holds texts that are stored as they are, and packed holds those stored by
	// packHex. Both are keyed by the stored bytes.
	plain, packed map[string]string
}

// The bounds of texts.
const (
	mostTexts   = 4096
	longestText = 128
)

func newTexts() texts { return texts{map[string]string{}, map[string]string{}} }

// of returns stored bytes as a text.
func (t texts) of(raw []byte) string {
	if s, ok := t.plain[string(raw)]; ok {
		return s
	}
	s := string(raw)
	keepText(t.plain, s, s)
	return s
}

// unpack returns the text that packHex encoded as raw.
func (t texts) unpack(raw []byte) (string, error) {
	if s, ok := t.packed[string(raw)]; ok {
		return s, nil
	}
	s, err := unpackHex(raw)
	if err == nil {
		keepText(t.packed, string(raw), s)
	}
	return s, err
}

func keepText(in map[string]string, raw, s string) {
	if in == nil || len(raw) > longestText {
		return
	}
	if len(in) >= mostTexts {
		clear(in)
	}
	in[raw] = s
}
