package archive

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"evolve/runtime/agent"
)

// A transcript is stored as a version byte and the zstd frame of its JSON, of at most
// maxTranscript bytes: events that do not fit are dropped from the end and counted in the
// transcript itself.
const (
	transcriptVersion = 1
	maxTranscript     = 256 << 10
)

// packer compresses transcripts. It is safe for concurrent use.
type packer struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newPacker() (*packer, error) {
	// The small window limits the memory of an encoder to a few hundred kilobytes.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2),
		zstd.WithWindowSize(128<<10), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, fmt.Errorf("create the compressor: %w", err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxTranscript))
	if err != nil {
		return nil, fmt.Errorf("create the decompressor: %w", err)
	}
	return &packer{enc, dec}, nil
}

func (p *packer) close() { p.dec.Close() }

func (p *packer) pack(t *agent.Transcript) ([]byte, error) {
	text, err := boundedTranscript(t)
	if err != nil {
		return nil, err
	}
	return p.enc.EncodeAll(text, []byte{transcriptVersion}), nil
}

func (p *packer) unpack(data []byte) (agent.Transcript, error) {
	var t agent.Transcript
	if len(data) == 0 || data[0] != transcriptVersion {
		return t, fmt.Errorf("%w: a transcript has an unknown format", ErrCorrupt)
	}
	text, err := p.dec.DecodeAll(data[1:], nil)
	if err != nil {
		return t, fmt.Errorf("%w: a transcript cannot be decompressed: %w", ErrCorrupt, err)
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return t, fmt.Errorf("%w: a transcript cannot be read: %w", ErrCorrupt, err)
	}
	return t, nil
}

// boundedTranscript returns the transcript's JSON with the longest prefix of events that
// fits.
func boundedTranscript(t *agent.Transcript) ([]byte, error) {
	const reserve = 64 // for the brackets and the count of the dropped events
	var events [][]byte
	size := reserve
	for i := range t.Events {
		event := t.Events[i]
		if len(event.Data) > 0 && !json.Valid(event.Data) {
			// Foreign data that is not JSON is stored as text, so that the evaluation is
			// not lost.
			text, err := json.Marshal(string(event.Data))
			if err != nil {
				return nil, fmt.Errorf("encode a transcript: %w", err)
			}
			event.Data = text
		}
		text, err := appendJSON(nil, event)
		if err != nil {
			return nil, fmt.Errorf("encode a transcript: %w", err)
		}
		if size += len(text) + 1; size > maxTranscript {
			break
		}
		events = append(events, text)
	}
	out := []byte("{")
	if len(events) > 0 {
		out = append(out, `"events":[`...)
		out = append(out, bytes.Join(events, []byte(","))...)
		out = append(out, ']')
	}
	if dropped := t.Dropped + len(t.Events) - len(events); dropped > 0 {
		if len(events) > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, `"dropped":%d`, dropped)
	}
	return append(out, '}'), nil
}
