package archive

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func TestTranscriptBound(t *testing.T) {
	p, err := newPacker()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	long := &agent.Transcript{Dropped: 2}
	for range 100 {
		long.Add(0, agent.Event{Kind: agent.EventModel, Text: strings.Repeat("x", 10_000)})
	}
	data, err := p.pack(long)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.unpack(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Events) != 26 || got.Dropped != 76 {
		t.Errorf("%d events kept, %d dropped", len(got.Events), got.Dropped)
	}
}

// TestTranscriptData checks that data that is not JSON is kept as text, and that storing a
// decoded transcript again does not change it.
func TestTranscriptData(t *testing.T) {
	p, err := newPacker()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	in := &agent.Transcript{Events: []agent.Event{
		{Kind: agent.EventForeign, Data: []byte(`{"a": 1, "b": "<&>"}`)},
		{Kind: agent.EventForeign, Data: []byte(`{"a":`), Text: "bad \xff byte"},
	}}
	data, err := p.pack(in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.unpack(data)
	if err != nil {
		t.Fatal(err)
	}
	want := agent.Transcript{Events: []agent.Event{
		{Kind: agent.EventForeign, Data: []byte(`{"a":1,"b":"<&>"}`)},
		{Kind: agent.EventForeign, Data: []byte(`"{\"a\":"`), Text: "bad \uFFFD byte"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if data, err = p.pack(&got); err != nil {
		t.Fatal(err)
	}
	if again, err := p.unpack(data); err != nil || !cmp.Equal(got, again) {
		t.Errorf("a transcript changes when it is stored again (%v)", err)
	}
}
