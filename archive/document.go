package archive

import (
	"encoding/json"
	"fmt"

	"evolve/runtime/text"
)

// Small records (everything but evaluations and transcripts) are stored as documents, which
// consist of the version byte and JSON. Names in the JSON never change; fields may be
// added, and older versions ignore them.
const documentVersion = 1

func encodeDocument(v any) ([]byte, error) {
	return appendJSON([]byte{documentVersion}, v)
}

func decodeDocument(data []byte, into any) error {
	if len(data) == 0 || data[0] != documentVersion {
		return fmt.Errorf("%w: a record has an unknown format", ErrCorrupt)
	}
	if err := json.Unmarshal(data[1:], into); err != nil {
		return fmt.Errorf("%w: a record cannot be read: %w", ErrCorrupt, err)
	}
	return nil
}

// appendJSON appends v as one line of JSON. It does not escape HTML, because that would
// change the bytes that ledger hashes cover.
func appendJSON(data []byte, v any) ([]byte, error) {
	out, err := text.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(data, out...), nil
}
