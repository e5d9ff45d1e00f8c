package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"

	"evolve/runtime/sandbox"
	"evolve/runtime/tool"
)

// TestReadLines reads a message surrounded by empty lines and white space.
func TestReadLines(t *testing.T) {
	p := &process{lines: sandbox.NewLines(strings.NewReader("\n \r\n  {\"jsonrpc\":\"2.0\",\"method\":\"x\"} \r\n"), maxMessage)}
	msg, err := p.Read(t.Context())
	if diff := cmp.Diff(jsonrpc.Message(&jsonrpc.Request{Method: "x"}), msg, cmp.AllowUnexported(jsonrpc.ID{})); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
}

// id returns an id as decoded from JSON.
func id(v any) jsonrpc.ID {
	made, _ := jsonrpc.MakeID(v)
	return made
}

// TestUnread cancels a write that has stopped in the middle of a message because the
// server does not read.
func TestUnread(t *testing.T) {
	s := itself(t, "hang in the greeting", detect())
	enter := door(t, s.Scratch)
	p, err := startProcess(t.Context(), &s, scrubber)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(t.Context(), &jsonrpc.Request{ID: id(1.0), Method: "initialize"}); err != nil {
		t.Fatal(err)
	}
	gone := enter()
	ctx := newExpiring(t)
	result := make(chan error)
	go func() {
		result <- p.Write(ctx, &jsonrpc.Request{Method: "x", Params: json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)})
	}()
	for unread(t, p.stdin) < 1<<12 { // in the middle of the message, not before
		runtime.Gosched()
	}
	waiting, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Write(waiting, &jsonrpc.Request{Method: "y"}); !errors.Is(err, context.Canceled) {
		t.Errorf("one who waited for the turn: %v", err)
	}
	ctx.expire()
	if err := <-result; !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	gone()
	p.shutDown(t.Context())
}

// unread returns the number of bytes in a pipe.
func unread(t *testing.T, pipe *os.File) int {
	t.Helper()
	raw, err := pipe.SyscallConn() // not Fd, which would disable the deadlines
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := raw.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDecode(t *testing.T) {
	for line, want := range map[string]jsonrpc.Message{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                         &jsonrpc.Response{ID: id(1.0), Result: json.RawMessage("{}")},
		`{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"m"}}`: &jsonrpc.Response{ID: id("a"), Error: &jsonrpc.Error{Code: -1, Message: "m"}},
		`{"jsonrpc":"2.0","id":2,"method":"ping"}`:                     &jsonrpc.Request{ID: id(2.0), Method: "ping"},
		`{"jsonrpc":"2.0","method":"n","params":[1]}`:                  &jsonrpc.Request{Method: "n", Params: json.RawMessage("[1]")},
		``:                                       nil,
		`[]`:                                     nil,
		`{}`:                                     nil,
		`null`:                                   nil,
		`{"jsonrpc":"1.0","id":1,"result":{}}`:   nil,
		`{"jsonrpc":"2.0","id":1.5,"result":{}}`: nil,
		`{"jsonrpc":"2.0","id":{},"result":{}}`:  nil,
		`{"jsonrpc":"2.0","id":null,"result":{}}`:                           nil,
		`{"jsonrpc":"2.0","id":1,"result":{}} x`:                            nil,
		`{"jsonrpc":"2.0","id":1,"error":"no"}`:                             nil,
		`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 20000):    nil,
		`{"jsonrpc":"2.0","id":1,"method":7}`:                               nil,
		`[{"jsonrpc":"2.0","id":1,"result":{}}]`:                            nil,
		`{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","method":""}`: nil,
	} {
		got, err := decode([]byte(line))
		if want == nil {
			if err == nil {
				t.Errorf("%.80s: %+v", line, got)
			}
			continue
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(jsonrpc.ID{})); err != nil || diff != "" {
			t.Errorf("%s: %v, %s", line, err, diff)
		}
	}
}

// FuzzLines tests that lines are bounded and complete, and that decoded messages are
// valid.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\r\n"), 100)
	f.Add([]byte("\n\n\xff\n"), 3)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1e300,"error":{"code":1,"message":"\ud800"}}`+"\n"), 1000)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = min(max(limit, 0), 1<<16)
		l := sandbox.NewLines(iotest.HalfReader(bytes.NewReader(in)), limit)
		var got []byte
		for {
			line, err := l.Next()
			line = bytes.TrimSpace(line)
			if err != nil {
				break
			}
			if len(line) > limit || bytes.ContainsRune(line, '\n') {
				t.Fatalf("a line of %d bytes", len(line))
			}
			got = append(got, line...)
			msg, err := decode(line)
			if err != nil {
				continue
			}
			if again, err := jsonrpc.EncodeMessage(msg); err != nil || !json.Valid(again) {
				t.Errorf("%q cannot be written: %v", line, err)
			}
			switch msg := msg.(type) {
			case *jsonrpc.Response:
				if !msg.ID.IsValid() {
					t.Errorf("%q answers nothing", line)
				}
			case *jsonrpc.Request:
			default:
				t.Errorf("%q is %T", line, msg)
			}
		}
		if len(got) > len(in) {
			t.Errorf("%d bytes of %d", len(got), len(in))
		}
	})
}

func TestRender(t *testing.T) {
	text := func(s string) mcp.Content { return &mcp.TextContent{Text: s} }
	for name, c := range map[string]struct {
		res  mcp.CallToolResult
		want string
	}{
		"nothing":           {mcp.CallToolResult{}, ""},
		"texts":             {mcp.CallToolResult{Content: []mcp.Content{text("a"), text("b\x00\u009b")}}, "a\nb"},
		"structure":         {mcp.CallToolResult{StructuredContent: map[string]any{"b": 1, "a": nil}}, `{"a":null,"b":1}`},
		"both":              {mcp.CallToolResult{Content: []mcp.Content{text("a")}, StructuredContent: []any{1.5}}, "a\n[1.5]"},
		"the same":          {mcp.CallToolResult{Content: []mcp.Content{text("{\n\"a\": 1}")}, StructuredContent: map[string]any{"a": 1.0}}, "{\n\"a\": 1}"},
		"empty resource":    {mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{}}}, "[resource, empty]"},
		"long address":      {mcp.CallToolResult{Content: []mcp.Content{&mcp.ResourceLink{URI: strings.Repeat("x", 300)}}}, "[link to " + strings.Repeat("x", 200) + "…]"},
		"a secret":          {mcp.CallToolResult{Content: []mcp.Content{text("open\x07sesame")}}, "[redacted]"},
		"a secret in a cut": {mcp.CallToolResult{Content: []mcp.Content{text("opensesame " + strings.Repeat("x", tool.MaxOutput+margin))}}, "[redacted] " + strings.Repeat("x", tool.MaxOutput-11) + "…"},
		"a secret at cut":   {mcp.CallToolResult{Content: []mcp.Content{text(strings.Repeat("x", tool.MaxOutput+margin-4) + "opensesame")}}, strings.Repeat("x", tool.MaxOutput) + "…"},
	} {
		if got := render(&c.res, scrubber); got != c.want {
			t.Errorf("%s: %d bytes, %.80q…%q, want %.80q", name, len(got), got, got[max(0, len(got)-20):], c.want)
		}
	}
}

// FuzzRender tests that any result that the SDK accepts becomes bounded, clean text.
func FuzzRender(f *testing.F) {
	for _, s := range []string{
		`{"content":[{"type":"text","text":"a"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"structuredContent":{"a":[1]}}`,
		`{"content":[{"type":"resource","resource":{"uri":"x","blob":"AAAA"}},{"type":"resource_link","uri":"x","name":"y"}],"isError":true}`,
		`{"content":[{"type":"tool_result","content":[{"type":"text"}]}]}`, `{}`, `{"content":[null]}`, `{"resultType":"input_required","inputRequests":{}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var res mcp.CallToolResult
		if json.Unmarshal(text, &res) != nil {
			return
		}
		out := result(&res, scrubber)
		if !out.Outcome.Valid() {
			t.Errorf("outcome %q", out.Outcome)
		}
		if len(out.Output) > tool.MaxOutput+len("…") || !utf8.ValidString(out.Output) {
			t.Errorf("%d bytes", len(out.Output))
		}
		if strings.ContainsFunc(out.Output, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			t.Errorf("control characters in %q", out.Output)
		}
	})
}
