package contest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"testing"

	"evolve/mutate/internal/lab/problem"
)

// TestFamiliesStayAsTheyAre checks that seed 1 of each of the first families gives the same
// problem as when the stored runs of peers were measured. On other processors the last bits
// of sums differ.
func TestFamiliesStayAsTheyAre(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the fingerprints are those of amd64")
	}
	want := map[string]string{
		"smooth": "d4719fc6b82eb3e2", "noisy": "c603eaf0b9473fd3", "rugged": "a4f72f787c604103",
		"wide": "676fdc6f52d507d9", "pairs": "dbf074a256b2f35f", "domains": "5956a9d40715fd03",
		"threshold": "b4324990fee03887", "drift": "2c436c3bdf620563", "text": "04fed7a1e57b51f6",
	}
	far := map[string]string{
		"smooth": "dd7940529b81b882", "noisy": "8d7e60ec82543f66", "rugged": "f7973f684c8f874c",
		"wide": "1ca697579dada232", "pairs": "2ff2eaa698e59ff7", "domains": "99e624bad321ee1a",
		"threshold": "d81562a39adca93b", "drift": "1c6a233295cd9b89", "text": "cbba2ce3f389166b",
	}
	for _, f := range problem.Families() {
		p := f.Make(1)
		if got := fingerprint(p); got != want[f.Name] {
			t.Errorf("%s: fingerprint %s, not %s", f.Name, got, want[f.Name])
		}
		if got := elsewhere(p); got != far[f.Name] {
			t.Errorf("%s: fingerprint of uniform configs %s, not %s", f.Name, got, far[f.Name])
		}
	}
}

// elsewhere returns a hash of the scores and costs of uniform configs. The fingerprint
// covers only the default and the best config.
func elsewhere(p *problem.Problem) string {
	h := fnv.New64a()
	rng := rand.New(rand.NewPCG(1, 1))
	c := newChart(p.Space)
	for k := range 60 {
		config := c.decode(c.random(rng))
		fmt.Fprint(h, p.True(config), p.Holdout(config), p.Score(config, k, k, 3, 0.9))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
