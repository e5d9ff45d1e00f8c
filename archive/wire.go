package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Readers communicate with a running writer through a Unix socket. Both sides first send
// the greeting. Then the reader sends requests and the writer responds, one at a time, in
// frames: four bytes of length, big endian, and a body.
//
//	get:   'g', the keys                    → 'v', for each key 0, or 1 and the value
//	scan:  's', prefix, from                → 'p', keys and values in turn, for one page
//	                                          'q', the same, and it is the last page
//	dump:  'd'                              → 'p' and 'q' as above, page after page
//	any                                     → 'e', what went wrong
//
// Byte strings are a varint length and the bytes. To get the next page of a scan, the
// reader sends a request that starts at the key after the last one received, so the writer
// keeps no state about a reader between two requests, and a slow reader does not delay the
// others. A dump is one response of many frames, all from one snapshot; the writer ends it
// if the reader does not accept a frame in time.
const (
	greeting = "evolve archive readers 1\n"

	requestGet  = 'g'
	requestScan = 's'
	requestDump = 'd'

	responseValues = 'v'
	responsePage   = 'p'
	responseLast   = 'q'
	responseError  = 'e'

	maxRequest  = 1 << 20
	maxResponse = 64 << 20
	pageBytes   = 256 << 10
)

var errWire = errors.New("the process at the other end of the socket violates the protocol")

func writeFrame(w io.Writer, body []byte) error {
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body)))
	_, err := w.Write(append(frame, body...))
	return err
}

func readFrame(r io.Reader, limit uint32) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n == 0 || n > limit {
		return nil, fmt.Errorf("%w: a frame of %d bytes is empty or too large", errWire, n)
	}
	body := make([]byte, n)
	_, err := io.ReadFull(r, body)
	return body, err
}

func appendBytes(b, s []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// cutBytes splits a byte string off the front of b.
func cutBytes(b []byte) (s, rest []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, errWire
	}
	end := size + int(n)
	return b[size:end:end], b[end:], nil
}

// cutAll splits b into byte strings.
func cutAll(b []byte) ([][]byte, error) {
	var all [][]byte
	for len(b) > 0 {
		s, rest, err := cutBytes(b)
		if err != nil {
			return nil, err
		}
		all, b = append(all, s), rest
	}
	return all, nil
}
