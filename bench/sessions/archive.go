package sessions

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// maxMembers limits the number of files in an archive.
const maxMembers = 200_000

// archive reads a log of Inspect in the form .eval: a ZIP archive with a JSON file for each
// sample. Nothing is unpacked to disk.
func (r *reader) archive(in io.Reader) error {
	data, err := io.ReadAll(&limited{in, maxHeld, errHeld})
	if err != nil {
		return err
	}
	log, err := openArchive(data)
	if err != nil {
		return err
	}
	return log.each(maxLog, errLong, func(i int, raw []byte, fields row, err error) error {
		rec := record{number: i + 1, list: "samples", head: log.head, fields: fields, size: len(raw)}
		if err != nil {
			r.bad(rec.place(), "%v", err)
			return nil
		}
		return r.take(rec)
	})
}

// archived is an opened archive: the fields of its header, and the files of its samples in
// order.
type archived struct {
	head    row
	samples []*zip.File
}

func openArchive(data []byte) (archived, error) {
	log := archived{head: row{}}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	switch {
	case err != nil:
		return log, unreadable(hintCut, "it is a ZIP archive that is truncated or damaged")
	case len(z.File) > maxMembers:
		return log, errors.New("it is an archive with too many files")
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxMemory(maxRecord), zstd.WithDecoderConcurrency(1)))
	for _, f := range z.File {
		switch {
		case strings.HasPrefix(f.Name, "samples/") && strings.HasSuffix(f.Name, ".json"):
			log.samples = append(log.samples, f)
		case f.Name == "header.json", f.Name == "start.json", f.Name == "_journal/start.json":
			// start.json was written at the beginning: it has no status and no results.
			if raw, err := member(f, maxRecord); err == nil && (len(log.head) == 0 || f.Name == "header.json") {
				head, _ := object(raw)
				log.head = maybe(head)
			}
		}
	}
	var size uint64 // as stated by the archive's directory; each also limits the bytes that are read
	for _, f := range log.samples {
		if size += min(f.UncompressedSize64, maxLog+1); size > maxLog {
			return log, errLong
		}
	}
	if len(log.samples) == 0 {
		return log, unreadable("only Inspect's archives (.eval) can be read; unpack this one and name its files", "it is a ZIP archive without Inspect samples")
	}
	slices.SortStableFunc(log.samples, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	return log, nil
}

// each calls the function do for every sample, with the error from reading the sample, if
// any. It stops with tooLong when the samples together reach left bytes, and with the
// error that do returns, if any.
func (a archived) each(left int64, tooLong error, do func(i int, raw []byte, fields row, err error) error) error {
	for i, f := range a.samples {
		raw, err := member(f, min(left, maxRecord))
		if left -= int64(len(raw)); left <= 0 {
			return tooLong
		}
		var fields row
		if err == nil {
			fields, err = object(raw)
		}
		if err := do(i, raw, fields, err); err != nil {
			return err
		}
	}
	return nil
}

// InspectLog converts a log of Inspect in the .eval format to an equivalent single JSON
// object. It also returns a note for each sample that cannot be read.
func InspectLog(data []byte) (doc []byte, notes []string, err error) {
	log, err := openArchive(data)
	if err != nil {
		return nil, nil, err
	}
	samples := []json.RawMessage{}
	err = log.each(maxHeld, fmt.Errorf("its samples are larger than %d MB", maxHeld>>20), func(i int, raw []byte, _ row, err error) error {
		if err != nil {
			notes = append(notes, fmt.Sprintf("sample %d %v", i+1, err))
			return nil
		}
		samples = append(samples, raw)
		return nil
	})
	if err != nil {
		return nil, notes, err
	}
	if log.head["samples"], err = json.Marshal(samples); err != nil {
		return nil, notes, fmt.Errorf("joining its samples: %w", err)
	}
	doc, err = json.Marshal(log.head)
	return doc, notes, err
}

// member reads one file of an archive. It replaces NaN and Infinity with null, because
// they are not valid JSON.
func member(f *zip.File, most int64) ([]byte, error) {
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("is compressed with method %d, which is not supported: `inspect log convert --to json` writes a log that can be read", f.Method)
	}
	defer func() { _ = in.Close() }()
	raw, err := io.ReadAll(newFinite(&limited{in, most, errRecord}))
	if err != nil && !errors.Is(err, errRecord) {
		return raw, errors.New("is damaged")
	}
	return raw, err
}
