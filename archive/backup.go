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
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// A backup is the raw content of a store, independent of engine and schema. It consists of
// the magic line, then for each pair in order the lengths of key and value (four bytes
// each, big endian), the key and the value, and finally two zero lengths and the CRC-32C of
// everything before it.
const backupMagic = "evolve archive backup 1\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Contents describes a backup.
type Contents struct {
	// Stats counts the records of the archive; Bytes is the size of the backup.
	Stats
	// Head is the hash of the ledger's last entry; it is empty if there is none.
	Head string `json:"head"`
	// Archive is the id of the archive; it is empty if an older evolve made the backup.
	Archive string `json:"archive"`
	// LastRun is the id of the latest run; it is empty if there is none.
	LastRun string `json:"last_run,omitempty"`
}

// BackupFile writes a consistent snapshot of the archive, even during concurrent writes, to
// a file with mode 0600. The file is written atomically and synced to disk. BackupFile
// fails with fs.ErrExist if the file exists and replace is false.
func (a *Archive) BackupFile(ctx context.Context, path string, replace bool) (Contents, error) {
	held, err := a.backupFile(ctx, path, replace)
	for n := 1; n < attempts && errors.Is(err, errDisconnected); n++ { // try again: the writer has just ended
		held, err = a.backupFile(ctx, path, replace)
	}
	if err != nil {
		return held, fmt.Errorf("back up the archive: %w", err)
	}
	return held, nil
}

func (a *Archive) backupFile(ctx context.Context, path string, replace bool) (Contents, error) {
	if _, err := os.Lstat(path); err == nil && !replace {
		return Contents{}, fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	if err := a.checkCopied(); err != nil {
		return Contents{}, err
	}
	return storeBackup(ctx, a.store, path)
}

// storeBackup writes a backup to a file atomically.
func storeBackup(ctx context.Context, store engine, path string) (Contents, error) {
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return Contents{}, diskError(err)
	}
	defer func() { _ = file.Cleanup() }()
	held, err := writeBackup(ctx, store, file)
	if err != nil {
		return held, diskError(err)
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return held, diskError(err)
	}
	return held, diskError(syncPath(filepath.Dir(path)))
}

// counted is a Writer that counts the bytes written.
type counted struct {
	io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

func writeBackup(ctx context.Context, store engine, w io.Writer) (Contents, error) {
	var held Contents
	counts := held.byTable()
	out := &counted{Writer: w}
	sum := crc32.New(castagnoli)
	buffered := bufio.NewWriterSize(io.MultiWriter(out, sum), 64<<10)
	if _, err := buffered.WriteString(backupMagic); err != nil {
		return held, err
	}
	put := func(k, v []byte) error {
		var head [8]byte
		binary.BigEndian.PutUint32(head[:4], uint32(len(k)))
		binary.BigEndian.PutUint32(head[4:], uint32(len(v)))
		for _, part := range [][]byte{head[:], k, v} {
			if _, err := buffered.Write(part); err != nil {
				return err
			}
		}
		return nil
	}
	headKey := counterKey(countLedger, "")
	err := store.dump(ctx, func(k, v []byte) error {
		if n, ok := counts[k[0]]; ok {
			*n++
		}
		switch {
		case k[0] == tableRun && held.LastRun == "":
			var r Run
			if decodeDocument(v, &r) == nil { // a damaged archive is backed up too
				held.LastRun = r.ID
			}
		case bytes.Equal(k, idKey()):
			if n, err := decodeNumber(v); err == nil {
				held.Archive = fmt.Sprintf("%016x", n)
			}
		case bytes.Equal(k, headKey):
			var head ledgerHead
			if decodeDocument(v, &head) == nil {
				held.Head = head.Hash
			}
		}
		return put(k, v)
	})
	if err == nil {
		err = errors.Join(put(nil, nil), buffered.Flush())
	}
	if err == nil {
		_, err = out.Write(binary.BigEndian.AppendUint32(nil, sum.Sum32()))
	}
	held.Bytes = out.n
	return held, err
}

// backupFile writes a backup beside the store, atomically. An existing backup is left as it
// is: it has the same version and dates from before a migration that was not completed.
func backupFile(ctx context.Context, store engine, dir string, version uint64) error {
	path := filepath.Join(dir, fmt.Sprintf("schema-%d.backup", version))
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return diskError(err)
	}
	_, err := storeBackup(ctx, store, path)
	return err
}

// Restore uses a backup to create an archive at dir, where there must be none yet. If the
// backup has an older schema, the new archive is migrated to the current one. Restore
// returns the contents of the archive, with its size on disk as Bytes. It uses Beside, so
// dir holds either nothing or the whole archive.
func Restore(ctx context.Context, dir string, r io.Reader, how Building) (Contents, error) {
	var held Contents
	var fresh string
	verify := how.Verify
	how.Verify = func(ctx context.Context, a *Archive) (err error) {
		if held, err = a.contents(ctx); err != nil {
			return err
		}
		if held.Archive == fresh {
			held.Archive = ""
		}
		if how.Weigh != nil {
			err = how.Weigh(ctx, a, held)
		}
		if err == nil && verify != nil {
			err = verify(ctx, a)
		}
		return err
	}
	err := Beside(ctx, dir, how, func(ctx context.Context, dir string) (err error) {
		fresh, err = restore(ctx, dir, r, how)
		return err
	})
	if err != nil {
		return held, fmt.Errorf("restore the archive: %w", err)
	}
	return held, nil
}

// contents returns the archive's statistics, ledger head, id and latest run.
func (a *Archive) contents(ctx context.Context) (Contents, error) {
	var held Contents
	var err error
	if held.Stats, err = a.Stats(ctx); err != nil {
		return held, err
	}
	if _, held.Head, err = a.LedgerHead(ctx); err != nil {
		return held, err
	}
	if held.Archive, err = a.ID(ctx); err != nil {
		return held, err
	}
	last, err := a.Run(ctx, "")
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	held.LastRun = last.ID
	return held, err
}

// restore creates an archive at dir and fills it from a backup. It returns the id that the
// new archive was created with, which the archive retains only if the backup contains no
// id.
func restore(ctx context.Context, dir string, r io.Reader, how Building) (fresh string, err error) {
	a, err := open(dir, how.options())
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if fresh, err = a.ID(ctx); err != nil {
		return "", err
	}
	if err := a.startImport(ctx); err != nil {
		return "", err
	}
	if err := readBackup(a.store, r); err != nil {
		return "", err
	}
	return fresh, a.rewriteWitness(ctx)
}

// CheckBackup reads a backup and verifies its checksum. It stores nothing and does not
// examine the records.
func CheckBackup(r io.Reader) error { return readBackup(unstored{}, r) }

// unstored is a store that discards everything that is written to it.
type unstored struct{ engine }

func (unstored) write(*batch) error { return nil }

// maxRecord bounds the length in bytes of a value that is read from untrusted input.
const maxRecord = 64 << 20

func readBackup(store engine, r io.Reader) error {
	sum := crc32.New(castagnoli)
	buffered := bufio.NewReaderSize(r, 64<<10)
	in := io.TeeReader(buffered, sum)
	magic := make([]byte, len(backupMagic))
	if _, err := io.ReadFull(in, magic); err != nil || string(magic) != backupMagic {
		return errors.New("this is not a backup of an archive")
	}
	var b batch
	ended := false
	for !ended {
		var head [8]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return fmt.Errorf("the backup is truncated: %w", err)
		}
		lengths := [2]uint32{binary.BigEndian.Uint32(head[:4]), binary.BigEndian.Uint32(head[4:])}
		if lengths[0] > maxRequest || lengths[1] > maxRecord || lengths[0] == 0 && lengths[1] > 0 {
			return errors.New("the backup is damaged")
		}
		pairOf := [2][]byte{}
		for i, n := range lengths {
			// The buffer grows with the input, so a false length cannot make the process
			// allocate too much memory.
			part, err := io.ReadAll(io.LimitReader(in, int64(n)))
			if err != nil || len(part) != int(n) {
				return errors.Join(errors.New("the backup is truncated"), err)
			}
			pairOf[i] = part
		}
		if ended = lengths[0] == 0; !ended && !bytes.Equal(pairOf[0], importKey()) {
			b.put(pairOf[0], pairOf[1])
		}
		if b.full() && !ended {
			if err := b.flush(store); err != nil {
				return err
			}
		}
	}
	want := sum.Sum32()
	var got [4]byte
	if _, err := io.ReadFull(buffered, got[:]); err != nil || binary.BigEndian.Uint32(got[:]) != want {
		return errors.New("the backup is damaged: its checksum does not match")
	}
	if _, err := buffered.ReadByte(); err == nil {
		return errors.New("the backup is damaged: there is data after its end")
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("the backup's end cannot be read: %w", err)
	}
	b.put(importKey(), encodeNumber(importDone))
	return b.flush(store)
}
