package archive

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// A backup is the raw content of a store, independent of engine and schema: the
// magic line, then for each pair in order the lengths of key and value (four
// bytes each, big endian), the key and the value, then two zero lengths and the
// CRC-32C of everything before.
const backupMagic = "evolve archive backup 1\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Backup writes a copy of everything in the archive, also while others write to it.
func (a *Archive) Backup(ctx context.Context, w io.Writer) error {
	if err := writeBackup(ctx, a.store, w); err != nil {
		return fmt.Errorf("back up the archive: %w", err)
	}
	return nil
}

func writeBackup(ctx context.Context, store engine, w io.Writer) error {
	sum := crc32.New(castagnoli)
	buffered := bufio.NewWriterSize(io.MultiWriter(w, sum), 64<<10)
	if _, err := buffered.WriteString(backupMagic); err != nil {
		return err
	}
	put := func(k, v []byte) error {
		head := binary.BigEndian.AppendUint32(nil, uint32(len(k)))
		head = binary.BigEndian.AppendUint32(head, uint32(len(v)))
		for _, part := range [][]byte{head, k, v} {
			if _, err := buffered.Write(part); err != nil {
				return err
			}
		}
		return nil
	}
	if err := store.scan(ctx, nil, nil, put); err != nil {
		return err
	}
	if err := put(nil, nil); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	_, err := w.Write(binary.BigEndian.AppendUint32(nil, sum.Sum32()))
	return err
}

// backupFile writes a backup beside the store, whole or not at all. One that is
// there already stays: it is of the same version, from before a change that did
// not come to its end.
func backupFile(ctx context.Context, store engine, dir string, version uint64) error {
	path := filepath.Join(dir, fmt.Sprintf("schema-%d.backup", version))
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return diskError(err)
	}
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o600))
	if err != nil {
		return diskError(err)
	}
	defer func() { _ = file.Cleanup() }()
	if err := writeBackup(ctx, store, file); err != nil {
		return err
	}
	return diskError(file.CloseAtomicallyReplace())
}

// Restore makes an archive at dir, where none stands, from a backup of this schema or
// of an older one, which it brings forward. It is built by Beside: at dir stands
// nothing or all of it.
func Restore(ctx context.Context, dir string, r io.Reader, how Building) error {
	err := Beside(ctx, dir, how, func(ctx context.Context, dir string) error { return restore(ctx, dir, r, how) })
	if err != nil {
		return fmt.Errorf("restore the archive: %w", err)
	}
	return nil
}

// restore fills the store of a new archive.
func restore(ctx context.Context, dir string, r io.Reader, how Building) (err error) {
	a, err := open(dir, how.options())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.startImport(ctx); err != nil {
		return err
	}
	if err := readBackup(a.store, r); err != nil {
		return err
	}
	return a.reattest(ctx)
}

// maxRecord bounds a key or value that is read from foreign input.
const maxRecord = 64 << 20

func readBackup(store engine, r io.Reader) error {
	sum := crc32.New(castagnoli)
	buffered := bufio.NewReaderSize(r, 64<<10)
	in := io.TeeReader(buffered, sum)
	magic := make([]byte, len(backupMagic))
	if _, err := io.ReadFull(in, magic); err != nil || string(magic) != backupMagic {
		return errors.New("this is no backup of an archive")
	}
	b, ended := &batch{}, false
	for !ended {
		var head [8]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return fmt.Errorf("the backup is cut short: %w", err)
		}
		lengths := [2]uint32{binary.BigEndian.Uint32(head[:4]), binary.BigEndian.Uint32(head[4:])}
		if lengths[0] > maxAsk || lengths[1] > maxRecord {
			return errors.New("the backup is damaged")
		}
		pairOf := [2][]byte{}
		for i, n := range lengths {
			// Grown as it comes in: a false length must not take memory.
			part, err := io.ReadAll(io.LimitReader(in, int64(n)))
			if err != nil || len(part) != int(n) {
				return errors.Join(errors.New("the backup is cut short"), err)
			}
			pairOf[i] = part
		}
		if ended = lengths[0] == 0; !ended && !bytes.Equal(pairOf[0], importKey()) {
			b.put(pairOf[0], pairOf[1])
		}
		if len(b.pairs) > 0 && (b.size > groupBytes || len(b.pairs) >= groupCount) && !ended {
			if err := store.write(b); err != nil {
				return err
			}
			b = &batch{}
		}
	}
	want := sum.Sum32()
	var got [4]byte
	if _, err := io.ReadFull(buffered, got[:]); err != nil || binary.BigEndian.Uint32(got[:]) != want {
		return errors.New("the backup is damaged: its checksum does not fit")
	}
	b.put(importKey(), encodeNumber(importDone))
	return store.write(b)
}
