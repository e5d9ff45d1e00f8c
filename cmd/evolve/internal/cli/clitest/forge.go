package clitest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"evolve/archive"
)

// scriptForge rewrites an archive as could be done by an attacker who has access to the
// archive's folder but not to the repository. It replaces a text in the records, rebuilds
// the ledger's chain and writes a matching witness.
func scriptForge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: forge ARCHIVE OLD NEW [TABLES]")
	}
	tables := "odl"
	if len(args) == 4 {
		tables = args[3]
	}
	dir := ts.MkAbs(args[0])
	a, err := archive.Inspect(dir)
	ts.Check(err)
	path := dir + ".forged"
	_, err = a.BackupFile(context.Background(), path, false)
	ts.Check(errors.Join(err, a.Close()))
	backup, err := os.ReadFile(path)
	ts.Check(errors.Join(err, os.Remove(path)))
	forged, err := forge(backup, tables, args[1], args[2])
	ts.Check(err)
	ts.Check(os.RemoveAll(dir))
	ts.Check(os.Remove(archive.WitnessFile(dir)))
	_, err = archive.Restore(context.Background(), dir, bytes.NewReader(forged), archive.Building{})
	ts.Check(err)
}

// scriptReseal replaces the chain and the checksum of an altered export with matching ones.
func scriptReseal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: reseal EXPORT")
	}
	lines := strings.SplitAfter(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n")
	prev := ""
	for i, l := range lines {
		var entry struct {
			Kind  string              `json:"kind"`
			Value archive.LedgerEntry `json:"value"`
		}
		if !strings.HasPrefix(l, `{"kind":"ledger"`) {
			continue
		}
		ts.Check(json.Unmarshal([]byte(l), &entry))
		text, err := relinked(&entry.Value, prev)
		ts.Check(err)
		lines[i], prev = `{"kind":"ledger","value":`+string(text)+"}\n", entry.Value.Hash
	}
	body := strings.Join(lines[:len(lines)-1], "")
	end := fmt.Sprintf("{\"kind\":\"end\",\"value\":{\"lines\":%d,\"sha256\":\"%x\"}}\n", len(lines)-1, sha256.Sum256([]byte(body)))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(body+end), 0o600))
}

// forge replaces a text in the documents of some tables in a backup.
func forge(backup []byte, tables, from, to string) ([]byte, error) {
	_, rest, _ := bytes.Cut(backup, []byte("\n"))
	out := bytes.NewBuffer(bytes.Clone(backup[:len(backup)-len(rest)]))
	put := func(k, v []byte) {
		out.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(len(k))), uint32(len(v))))
		out.Write(k)
		out.Write(v)
	}
	changed, prev := false, ""
	var last archive.LedgerEntry
	var heads [][]byte
	for {
		n, m := binary.BigEndian.Uint32(rest), binary.BigEndian.Uint32(rest[4:])
		k, v := rest[8:8+n], rest[8+n:8+n+m]
		rest = rest[8+n+m:]
		if n == 0 {
			break
		}
		if strings.IndexByte(tables, k[0]) >= 0 {
			was := string(v)
			v = []byte(strings.ReplaceAll(was, from, to))
			changed = changed || string(v) != was
		}
		if k[0] == 'c' && bytes.HasPrefix(k[1:], []byte("ledger")) {
			heads = append(heads, k)
			continue
		}
		if k[0] == 'l' {
			var e archive.LedgerEntry
			if err := json.Unmarshal(v[1:], &e); err != nil {
				return nil, err
			}
			text, err := relinked(&e, prev)
			if err != nil {
				return nil, err
			}
			prev, last = e.Hash, e
			v = append([]byte{v[0]}, text...)
		}
		put(k, v)
	}
	if !changed || len(heads) != 1 {
		return nil, errors.New("there is nothing to forge")
	}
	head, err := json.Marshal(map[string]any{"seq": last.Seq, "hash": last.Hash})
	if err != nil {
		return nil, err
	}
	put(heads[0], append([]byte{1}, head...))
	put(nil, nil)
	return binary.BigEndian.AppendUint32(out.Bytes(), crc32.Checksum(out.Bytes(), crc32.MakeTable(crc32.Castagnoli))), nil
}

// relinked links an entry to the entry with the hash prev, and returns the linked entry as
// JSON.
func relinked(e *archive.LedgerEntry, prev string) ([]byte, error) {
	e.Prev, e.Hash = prev, ""
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{"actor": e.Actor, "data": e.Data, "kind": e.Kind, "prev": e.Prev, "seq": e.Seq, "subject": e.Subject, "time": e.Time}); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(bytes.TrimSuffix(plain.Bytes(), []byte("\n")))
	e.Hash = hex.EncodeToString(sum[:])
	plain.Reset()
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(plain.Bytes(), []byte("\n")), nil
}
