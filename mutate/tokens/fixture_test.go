package tokens

import (
	"math/rand/v2"
	"testing"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func open(t testing.TB, file, text string) *Rewriter {
	t.Helper()
	r, err := New(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fixtures maps file names to blocks in several languages.
var fixtures = map[string]string{
	"pack.py": `def priority(item, bins, weight=0.5):
    """Return the best bin.  # not a comment"""
    best, score = None, -1e9
    for index, room in enumerate(bins):
        gap = room - item
        if gap < 0:
            continue  # too small
        value = 2 * gap - weight * (room % 7)
        if gap == 0 and not item > 3 or room // 2 >= item:
            value += 10
            extra = [x * 1.5 for x in bins if x > gap]
            value = value + len(extra)
        elif value > 100:
            value = max(value, gap ** 2, room)
        if value > score:
            best, score = index, value
    while item > 10:
        item -= 1
        score = score / 2
    label = f"{item} of {score:.2f}" + 'it''s'
    return best, lambda a, b: a + b
`,
	"cache.py": `    age = now - entry.last
    hits = min(entry.hits, 255)
    rank = (hits + 1) / (age + 1.0)
    if entry.size > limit:
        rank = rank / entry.size
    else:
        rank *= weights["small"]
    try:
        rank += table[hits] * scale(age, limit)
    except KeyError:
        pass
    return rank - 0.5 * (
        age
        + hits  # both
    )
`,
	"score.js":  "export function score(age, size, hits = 1) {\n  const w = /[\"/]x/g.test(name) ? 2 : 0.5; // \" `\n  let s = w * (age + 1) / size;\n  if (hits > 3 && !(size >= 100)) {\n    s += hits * 2;\n    s = Math.max(s, age);\n  }\n  const label = `${age + `a${size}`} and {`;\n  for (let i = 0; i < hits; i++) {\n    s = s - i;\n    s *= 1.5;\n  }\n  return [1, 2].map((x) => x * s);\n}\n",
	"rank.rs":   "fn rank<'a>(age: f64, hits: u32, name: &'a str) -> f64 {\n    let mut r = 2.0 * age - 1.5; /* a /* b */ c */\n    let c = '\"';\n    let s = r#\"raw \" text\"#;\n    if hits > 3 && age <= 10.0 {\n        r += f64::from(hits) * 0.25;\n        r = r.max(age);\n    }\n    let v: Vec<f64> = (0..3).map(|x| x as f64 * r).collect();\n    return r + v[0];\n}\n",
	"Rank.java": "static double rank(double age, int hits) {\n    double r = 2.0 * age + hits; // rank\n    if (hits > 3 || age < 1.5f) {\n        r = r / (age + 1);\n        r -= hits;\n    }\n    return Math.max(r, (double) hits);\n}\n",
	"rank.c":    "#define TWICE(x) \\\n  ((x) * 2)\nstatic double rank(const double *age, int n) {\n  double r = age[0] * 2, t = 0x1F + 1'000;\n  for (int i = 0; i < n; i++)\n    r += age[i] / n;\n  r = r - t;\n  t = r * 0.5;\n  return r > t ? r : t;\n}\n",
	"rank.rb":   "def rank(age, hits)\n  r = age * 2 + hits # rank\n  r -= 1 if hits > 3\n  s = \"#{age} \\\" x\"\n  if s =~ /\"a/ and r >= 2\n    r = [r, hits].max\n    r += age\n  end\n  return r / 2.0\nend\n",
	"rank.lua":  "local function rank(age, hits)\n  --[[ a\n  b ]]\n  local r = age * 2 + hits -- rank\n  local s = [[x \" y]]\n  if hits ~= 3 and age < 2 then\n    r = r - hits\n    r = math.max(r, age)\n  end\n  return r / 2\nend\n",
	"rank.sh":   "age=3\nr=$(( age * 2 + hits ))  # rank\nif [ \"$r\" -gt 10 ] && [ $age -lt 5 ]; then\n  r=$(( r - 1 ))\n  name=\"x $r # y\"\nfi\ncat <<END\nit's $r - 1\nEND\necho ${r#3} 'it' $r\n",
	"rank.sql":  "SELECT o.id, o.total * 2 - 1.5 AS rank -- it's\nFROM orders o\nWHERE o.total >= 10 AND o.age < 30\n  AND (o.hits + 1) / 2 > 4 /* more */\n  OR o.name = 'a -- b'\nORDER BY rank\n",
	"rank":      "# rank\nr = a * 2 + b\ns = r - 1\n// s\nreturn s\n",
}
