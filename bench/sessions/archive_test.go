package sessions

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestArchiveIsRefusedEarly tests that an archive is refused before anything is unpacked
// if its directory states more bytes than a log may have. It also tests that the error
// about a member with an unknown compression names the compression method.
func TestArchiveIsRefusedEarly(t *testing.T) {
	pack := func(method uint16, size uint64, members int) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := range members {
			w, err := z.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("samples/%d_epoch_1.json", i), Method: method, UncompressedSize64: size, CompressedSize64: 2})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte("{}")); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if _, err := openArchive(pack(zip.Deflate, 20<<20, 120)); !errors.Is(err, errLong) {
		t.Errorf("a bomb: %v", err)
	}
	log, err := openArchive(pack(98, 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := member(log.samples[0], maxRecord); err == nil || !strings.Contains(err.Error(), "compressed with method 98") {
		t.Errorf("another method: %v", err)
	}
}

// TestArchiveOfZstd tests that members compressed with zstd are read, but no more of each
// member than the maximum size of a record.
func TestArchiveOfZstd(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	for i, text := range []string{`{"id":1}`, `{"pad":"` + strings.Repeat("A", maxRecord) + `"}`} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("samples/%d_epoch_1.json", i), Method: zstd.ZipMethodWinZip})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := openArchive(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := member(log.samples[0], maxRecord); err != nil || string(raw) != `{"id":1}` {
		t.Errorf("%q, %v", raw, err)
	}
	if raw, err := member(log.samples[1], maxRecord); err == nil || len(raw) > maxRecord {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
}
