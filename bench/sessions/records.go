package sessions

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// listKeys are the keys of a document that hold its records.
func listKeys() []string {
	return []string{"samples", "results", "resourceSpans", "resourceLogs", "simulations"}
}

// read reads a log of any form.
func (r *reader) read(in io.Reader) error {
	begin := bufio.NewReaderSize(in, 64<<10)
	head, _ := begin.Peek(sniffed)
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return r.archive(begin)
	}
	if err := sniff(head); err != nil {
		return err
	}
	clean := bufio.NewReaderSize(&finite{in: begin}, 64<<10)
	if bom, _ := clean.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		_, _ = clean.Discard(3) // these bytes were peeked at before
	}
	first, blank, err := firstLine(clean)
	if err != nil {
		return err
	}
	whole := io.MultiReader(bytes.NewReader(first), clean)
	if isDocument(first, clean) {
		return r.document(whole)
	}
	return r.lines(bufio.NewReaderSize(whole, 64<<10), blank)
}

// firstLine returns the first line that is not blank, with its line break, and the number
// of blank lines before it. Of a line that is too long, only the beginning is returned.
func firstLine(in *bufio.Reader) (line []byte, blank int, err error) {
	for len(line) <= maxRecord {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		end := errors.Is(err, io.EOF)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && !end:
			return nil, 0, err
		case end || len(bytes.TrimSpace(line)) > 0:
			return line, blank, nil
		default:
			line, blank = nil, blank+1
		}
	}
	return line, blank, nil
}

// isDocument reports whether a log is a list, or one JSON value over several lines, judging
// from its first line and the beginning of the second.
func isDocument(first []byte, rest *bufio.Reader) bool {
	first = bytes.TrimSpace(first)
	switch {
	case bytes.HasPrefix(first, []byte("[")):
		return true
	case !bytes.HasPrefix(first, []byte("{")) || json.Valid(first):
		return false
	}
	// The first line may also be a damaged line of a JSON Lines file; then the next line
	// begins with an object.
	next, _ := rest.Peek(1)
	return len(next) > 0 && next[0] != '{'
}

// lines reads JSON lines.
func (r *reader) lines(in *bufio.Reader, blank int) error {
	number := 0
	for line := blank + 1; ; line++ {
		text, size, err := readLine(in)
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			return err
		}
		rec := record{line: line, number: number + 1, size: size}
		switch text = bytes.TrimSpace(text); {
		case size > maxRecord:
			r.bad(rec.place(), "is longer than %d MB", maxRecord>>20)
		case len(text) == 0:
			if size > 0 {
				r.plain.pause()
			}
		default:
			number++
			fields, fault := object(text)
			if r.cut = fault != nil && (end || atEnd(in)) && isCut(text); r.cut {
				fault = errCut
			}
			if fault != nil {
				r.bad(rec.place(), "%v", fault)
				break
			}
			rec.fields = fields
			if err := r.expand(rec); err != nil {
				return err
			}
		}
		if end {
			return nil
		}
	}
}

// readLine returns a line and its size; for a line longer than maxRecord, it returns only
// the size.
func readLine(in *bufio.Reader) (line []byte, size int, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if size += len(part); size <= maxRecord {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

func atEnd(in *bufio.Reader) bool {
	_, err := in.Peek(1)
	return err != nil
}

// expand takes the records in the lists of an object or, if there are none, the object
// itself.
func (r *reader) expand(rec record) error {
	if rec.fields.has("messages", "traj", "role", "user") {
		return r.take(rec)
	}
	found := false
	for _, key := range listKeys() {
		items := rec.fields.list(key)
		if items == nil && key == "results" {
			items = rec.fields.inner(key).list(key)
		}
		for _, raw := range items {
			found = true
			fields, err := object(raw)
			if err != nil {
				r.bad(rec.place(), "has an item under %q that %v", key, err)
				continue
			}
			one := record{line: rec.line, number: rec.number, list: key, head: rec.fields, fields: fields, size: len(raw)}
			if err := r.take(one); err != nil {
				return err
			}
		}
	}
	if found {
		return nil
	}
	if !isEpisode(rec.fields) {
		for _, key := range byNumber(rec.fields) {
			count, err := r.episodes(rec, rec.fields[key])
			if err != nil {
				return err
			}
			found = found || count > 0
		}
	}
	if found {
		return nil
	}
	return r.take(rec)
}

// document reads a list, or one object, without holding its lists of records in memory.
func (r *reader) document(in io.Reader) error {
	bounded := &limited{in, maxRecord, errRecord}
	d := &document{reader: r, bound: bounded, dec: json.NewDecoder(bounded)}
	err := d.value()
	switch {
	case err == nil, errors.Is(err, errLong), errors.Is(err, errHeld), errors.Is(err, errMany), errors.As(err, new(*Unreadable)):
		return err
	case errors.Is(err, errRecord):
		err = errRecord
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		r.cut, err = true, errors.New("the log ends in the middle of this item")
	default:
		var syntax *json.SyntaxError
		if !errors.As(err, &syntax) {
			return err
		}
		err = errors.New("it is not valid JSON")
	}
	r.bad(fmt.Sprintf("item %d", d.number+1), "and everything after it cannot be read: %v", err)
	return nil
}

var errCut = errors.New("ends in the middle: the log is truncated")

var errRecord = fmt.Errorf("it is longer than %d MB", maxRecord>>20)

// document walks one JSON value.
type document struct {
	*reader
	dec    *json.Decoder
	bound  *limited
	number int
}

// value reads the list or object at the top.
func (d *document) value() error {
	tok, err := d.dec.Token()
	if err != nil {
		return err
	}
	switch tok {
	case json.Delim('['):
		return d.items("", nil)
	case json.Delim('{'):
		head, found, err := d.object(0)
		if err != nil || found {
			return err
		}
		d.number++
		return d.take(record{number: d.number, fields: head})
	}
	return errors.New("it is not a JSON object or list")
}

// items reads the records of a list whose opening bracket has been read.
func (d *document) items(list string, head row) error {
	for d.more() {
		raw, err := d.next()
		if err != nil {
			return err
		}
		rec := record{number: d.number + 1, list: list, head: head, size: len(raw)}
		d.number++
		fields, err := object(raw)
		if err != nil {
			d.bad(rec.place(), "%v", err)
			continue
		}
		rec.fields = fields
		if err := d.take(rec); err != nil {
			return err
		}
	}
	_, err := d.dec.Token()
	return err
}

// more determines whether the list or object continues. It limits the next part of the
// list or object to the size of a record.
func (d *document) more() bool {
	d.bound.left = maxRecord
	return d.dec.More()
}

// next decodes one value.
func (d *document) next() (json.RawMessage, error) {
	var raw json.RawMessage
	err := d.dec.Decode(&raw)
	return raw, err
}

// object reads an object whose opening brace has been read. It takes the records of the
// lists in it, and returns the other fields, and whether there was a list.
func (d *document) object(depth int) (head row, found bool, err error) {
	head = row{}
	for d.more() {
		tok, err := d.dec.Token()
		if err != nil {
			return head, found, err
		}
		key, _ := tok.(string)
		if !slices.Contains(listKeys(), key) {
			raw, err := d.next()
			if err != nil {
				return head, found, err
			}
			count := 0
			if key != "turn_history" { // turn_history belongs to an episode that is the whole document
				if count, err = d.episodes(record{number: d.number + 1}, raw); err != nil {
					return head, found, err
				}
			}
			if d.number += count; count > 0 {
				found = true
			} else {
				head[key] = raw
			}
			continue
		}
		tok, err = d.dec.Token()
		switch {
		case err != nil:
			return head, found, err
		case tok == json.Delim('['):
			found = true
			err = d.items(key, head)
		case tok == json.Delim('{'):
			var inner bool
			if depth > 0 {
				err = errors.New("its lists of results are nested too deeply")
			} else {
				_, inner, err = d.object(depth + 1)
			}
			found = found || inner
		}
		if err != nil {
			return head, found, err
		}
	}
	_, err = d.dec.Token()
	return head, found, err
}
