package provider

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
	"go.yaml.in/yaml/v4"
	"gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"

	"evolve/runtime/memory"
	"evolve/runtime/wholefile"
)

// maxRecording limits the size of a recording that is read, in bytes.
const maxRecording = 512 << 20

// file is the path of the single file in which a cassette is stored.
type file string

// ReadFile reads the file; it ignores the name that the cassette passes.
func (f file) ReadFile(string) ([]byte, error) {
	data, err := wholefile.Read(string(f), maxRecording)
	if errors.As(err, new(*wholefile.TooLargeError)) {
		err = fmt.Errorf("it is larger than %d MiB", maxRecording>>20)
	}
	// Without this check, the cassette would accept any YAML as an empty recording.
	if err == nil && !bytes.Contains(data, []byte("\ninteractions:")) {
		err = errors.New("it is not a recording")
	}
	return data, err
}

// WriteFile atomically replaces the file with one that only its owner can read.
func (f file) WriteFile(_ string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(string(f), data, 0o600)
}

// IsFileExists reports whether the file exists.
func (f file) IsFileExists(string) bool {
	_, err := os.Stat(string(f))
	return err == nil
}

// blank returns an empty recording.
func blank() *cassette.Cassette {
	tape := cassette.New("recording")
	tape.MarshalFunc = marshal
	return tape
}

func marshal(v any) ([]byte, error) { return yaml.Marshal(v) }

func load(path string) (*cassette.Cassette, error) {
	tape, err := cassette.LoadWithFS("recording", file(path))
	if err != nil {
		return nil, err
	}
	if slices.Contains(tape.Interactions, nil) {
		return nil, errors.New("one of its exchanges is empty")
	}
	tape.MarshalFunc = marshal
	return tape, nil
}

func requestKey(method, path, body string) string { return method + " " + path + "\n" + body }

// UnknownRequest means that a replay contains no exchange for a request, or no unused one.
type UnknownRequest struct {
	Method, Path string
	// Differs lists the parts of the body that differ from that of the nearest recorded
	// request with the same method and path; it is empty if there is no such request.
	Differs []string
	// Again reports whether the same request was recorded but all its responses have been
	// used.
	Again bool
}

func (e *UnknownRequest) Error() string {
	what := "the recording contains no " + e.Method + " " + e.Path
	switch {
	case e.Again:
		return what + " with this body left to replay; the request was made more often than it was recorded"
	case len(e.Differs) > 0:
		return what + " with this body; the nearest one differs in " + strings.Join(e.Differs, ", ")
	}
	return what
}

// maxDiffers is the maximum number of differing parts that are listed.
const maxDiffers = 5

// unknown returns an error for a request that the recording cannot answer. If the request
// was never recorded, the error lists its differences from the nearest request that has
// not been replayed yet.
func (r *Recorder) unknown(asked cassette.Request) error {
	e := &UnknownRequest{Method: asked.Method, Path: asked.URL}
	if _, e.Again = r.index[requestKey(asked.Method, asked.URL, asked.Body)]; e.Again {
		return e
	}
	mine, _ := decode([]byte(asked.Body))
	fewest := -1
	for _, k := range slices.Sorted(maps.Keys(r.index)) {
		body, same := strings.CutPrefix(k, requestKey(asked.Method, asked.URL, ""))
		if !same || len(r.index[k]) == 0 {
			continue
		}
		other, _ := decode([]byte(body))
		var paths []string
		differences("", mine, other, &paths)
		if fewest < 0 || len(paths) < fewest {
			fewest, e.Differs = len(paths), paths
		}
	}
	if len(e.Differs) > maxDiffers {
		e.Differs = append(e.Differs[:maxDiffers:maxDiffers], "…")
	}
	return e
}

// differences collects the paths at which two JSON values differ, such as
// messages[2].content.
func differences(at string, a, b any, out *[]string) {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			both := maps.Clone(a)
			maps.Copy(both, b)
			for _, k := range slices.Sorted(maps.Keys(both)) {
				inner := memory.Cut(k, 40)
				if at != "" {
					inner = at + "." + inner
				}
				differences(inner, a[k], b[k], out)
			}
			return
		}
	case []any:
		if b, ok := b.([]any); ok {
			for i := range max(len(a), len(b)) {
				inner := fmt.Sprintf("%s[%d]", at, i)
				if i >= len(a) || i >= len(b) {
					*out = append(*out, inner)
					return
				}
				differences(inner, a[i], b[i], out)
			}
			return
		}
	}
	if !reflect.DeepEqual(a, b) {
		if at == "" {
			at = "the whole body"
		}
		*out = append(*out, at)
	}
}
