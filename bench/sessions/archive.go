package sessions

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
)

// maxMembers bounds the files in an archive.
const maxMembers = 200_000

// archive reads a log of Inspect in the form .eval: a ZIP archive with a JSON file for each
// sample. Nothing is unpacked to disk.
func (r *reader) archive(in io.Reader) error {
	data, err := io.ReadAll(&limited{in, maxHeld, errHeld})
	if err != nil {
		return err
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	switch {
	case err != nil:
		return errors.New("it begins as a ZIP archive and is none")
	case len(z.File) > maxMembers:
		return errors.New("it is an archive of too many files")
	}
	head := row{}
	var samples []*zip.File
	for _, f := range z.File {
		switch {
		case strings.HasPrefix(f.Name, "samples/") && strings.HasSuffix(f.Name, ".json"):
			samples = append(samples, f)
		case f.Name == "header.json", f.Name == "start.json", f.Name == "_journal/start.json":
			if raw, err := member(f, maxRecord); err == nil && len(head) == 0 {
				head, _ = object(raw)
				head = maybe(head)
			}
		}
	}
	if len(samples) == 0 {
		return errors.New("it is a ZIP archive without samples of Inspect")
	}
	slices.SortStableFunc(samples, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	left := int64(maxLog)
	for i, f := range samples {
		rec := record{number: i + 1, list: "samples", head: head}
		raw, err := member(f, min(left, maxRecord))
		if left -= int64(len(raw)); left <= 0 {
			return errLong
		}
		if err == nil {
			rec.size = len(raw)
			rec.fields, err = object(raw)
		}
		if err != nil {
			r.bad(rec.place(), "%v", err)
			continue
		}
		if err := r.take(rec); err != nil {
			return err
		}
	}
	return nil
}

// member reads one file of an archive, without numbers that JSON does not have.
func member(f *zip.File, most int64) ([]byte, error) {
	in, err := f.Open()
	if err != nil {
		return nil, errors.New("is compressed in a way that cannot be read")
	}
	defer func() { _ = in.Close() }()
	raw, err := io.ReadAll(newFinite(&limited{in, most, errRecord}))
	if err != nil && !errors.Is(err, errRecord) {
		return raw, errors.New("is damaged")
	}
	return raw, err
}
