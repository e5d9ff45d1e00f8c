package authored

import "testing"

func FuzzReply(f *testing.F) {
	for _, r := range []reply{{Ending: value, Value: []byte(`{"refer":{"boundary_axes":["a"],"evidence":"e"}}`)}, {Ending: failure, Text: "x"}} {
		b, err := frame(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, '{'})
	f.Add([]byte{0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		data, err := cutFrame(b)
		if err != nil || data == nil {
			return
		}
		if frameSize(b) > len(b) {
			t.Fatal("a frame was cut that is not all there")
		}
		r, err := readReply(data)
		if err != nil {
			return
		}
		res := answer(finalize(Definition{}, r))
		if !res.Outcome.Valid() || (r.Ending != value && res.Outcome.Gradable()) {
			t.Fatalf("%+v from %+v", res, r)
		}
	})
}
