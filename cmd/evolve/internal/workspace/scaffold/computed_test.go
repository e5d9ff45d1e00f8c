package scaffold

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"evolve/bench"
)

// computed returns a computation for every answer that is not quoted from a source. Lists
// are joined with ", ".
func computed(c corpus) map[string]func(*bench.Task) string {
	all := map[string]func(*bench.Task) string{}
	for _, part := range []map[string]func(*bench.Task) string{
		engineeringTruths(c), operationsTruths(c), researchTruths(c), marketingTruths(c), arithmeticTruths(),
	} {
		maps.Copy(all, part)
	}
	return all
}

func always(s string) func(*bench.Task) string { return func(*bench.Task) string { return s } }
func list(items ...string) string              { return strings.Join(items, ", ") }
func count(items []string) string              { return strconv.Itoa(len(items)) }

func engineeringTruths(c corpus) map[string]func(*bench.Task) string {
	// defining lists the files that declare a function.
	defining := func(name string) func(*bench.Task) string {
		return always(list(slices.DeleteFunc(c.goFiles(), func(f string) bool {
			return !slices.Contains(c.declared(f, true), name)
		})...))
	}
	functions := func(file string) func(*bench.Task) string { return always(count(c.declared(file, true))) }
	deploy := func(pairs ...string) func(*bench.Task) string {
		return func(t *bench.Task) string {
			var out []string
			for i := 0; i < len(pairs); i += 2 {
				out = append(out, valueOf(c.t, t.Fixtures.Files["deploy/"+pairs[i]+".yaml"], pairs[i+1]))
			}
			return list(out...)
		}
	}
	lines := func(text string) int {
		n := 0
		for _, f := range c.files("gauge") {
			for line := range strings.Lines(c.read("gauge/" + f)) {
				if strings.Contains(line, text) {
					n++
				}
			}
		}
		return n
	}
	goLines := 0
	for _, f := range c.goFiles() {
		goLines += strings.Count(c.read("gauge/"+f), "\n")
	}
	orphans, cores := []string{}, []string{}
	for pkg := range c.imports() {
		n := len(c.importers(pkg))
		if n == 0 && !strings.HasPrefix(pkg, "cmd/") {
			orphans = append(orphans, pkg)
		}
		if n >= 2 {
			cores = append(cores, pkg)
		}
	}
	slices.Sort(cores)
	return map[string]func(*bench.Task) string{
		"eng-define-1":  defining("Check"),
		"eng-define-2":  defining("Worth"),
		"eng-import-1":  always(list(c.importers("reading")...)),
		"eng-import-2":  always(list(c.importers("retry")...)),
		"eng-import-3":  always(list(c.importers("alarm")...)),
		"eng-graph-1":   always(list(orphans...)),
		"eng-graph-2":   always(map[bool]string{true: "yes", false: "no"}[cyclic(c.imports())]),
		"eng-graph-3":   always(list(cores...)),
		"eng-count-1":   functions("store/store.go"),
		"eng-count-2":   functions("retry/retry.go"),
		"eng-types-1":   always(list(c.declared("alarm/alarm.go", false)...)),
		"eng-index-1":   always(strconv.Itoa(goLines)),
		"eng-index-2":   always(list(c.mainPackages()...)),
		"eng-todo-1":    always(strconv.Itoa(lines("ErrFormat"))),
		"eng-todo-2":    always(count(c.mentioning("gauge", "Plausible"))),
		"eng-deploy-1":  deploy("archive", "rollout"),
		"eng-deploy-2":  deploy("ingest", "image"),
		"eng-compare-1": deploy("ingest", "memory", "dashboard", "memory"),
		"eng-compare-2": deploy("archive", "replicas", "ingest", "replicas"),
		"eng-chain-1":   deploy("archive", "port"),
		"eng-chain-2":   deploy("dashboard", "memory"),
	}
}

// valueOf returns the value of the first "key: value" line.
func valueOf(t *testing.T, text, key string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), key+": "); ok {
			return v
		}
	}
	t.Fatalf("no key %q", key)
	return ""
}

// cyclic reports whether an import graph has a cycle: it removes nodes without imports
// until there are none.
func cyclic(graph map[string][]string) bool {
	left := maps.Clone(graph)
	for moved := true; moved; {
		moved = false
		for pkg, imports := range left {
			if !slices.ContainsFunc(imports, func(p string) bool { _, ok := left[p]; return ok }) {
				delete(left, pkg)
				moved = true
			}
		}
	}
	return len(left) > 0
}

func (c corpus) mainPackages() []string {
	var out []string
	for _, f := range c.goFiles() {
		if c.goFile(f).Name.Name == "main" {
			out = append(out, path.Dir(f))
		}
	}
	return out
}

func operationsTruths(c corpus) map[string]func(*bench.Task) string {
	orders, prices, suppliers := c.table("stock/orders.csv"), c.table("stock/prices.csv"), c.table("stock/suppliers.csv")
	services, contacts := c.table("ops/services.csv"), c.table("ops/contacts.csv")
	contact := func(name, column string) string { return contacts.where("name", name).cell(column) }
	owner := func(service string) string { return services.where("name", service).cell("owner") }
	both := func(x table, key, a, b, column string) func(*bench.Task) string {
		return always(list(x.where(key, a).cell(column), x.where(key, b).cell(column)))
	}
	// holding lists the task's own files that contain the phrase in the goal.
	holding := func(t *bench.Task) string {
		_, phrase, _ := strings.Cut(strings.TrimSuffix(t.Goal, "?"), " mentions ")
		var found []string
		for name, text := range t.Fixtures.Files {
			if strings.Contains(strings.ToLower(text), phrase) {
				found = append(found, name)
			}
		}
		return list(found...)
	}
	return map[string]func(*bench.Task) string{
		"ops-whole-1":   holding,
		"ops-whole-2":   holding,
		"ops-max-1":     always(services.top("replicas", 1).cell("name")),
		"ops-max-2":     always(suppliers.top("lead_days", 1).cell("supplier")),
		"ops-sum-1":     always(orders.where("region", "north").sum("quantity")),
		"ops-sum-2":     always(orders.where("month", "March").sum("quantity")),
		"ops-sum-3":     always(prices.where("category", "mounting").sum("weight_kg")),
		"ops-avg-1":     always(prices.where("category", "sensor").mean("unit_price")),
		"ops-avg-2":     always(suppliers.where("country", "Norway").mean("rating")),
		"ops-avg-3":     always(prices.where("category", "electronics").mean("unit_price")),
		"ops-avg-4":     always(prices.where("category", "instrument").mean("weight_kg")),
		"ops-sum-4":     always(prices.where("category", "electronics").sum("weight_kg")),
		"ops-rows-1":    always(count(c.mentioning("ops", "severity: 2"))),
		"ops-chain-1":   always(contact(owner("billing"), "extension")),
		"ops-chain-2":   always(contact(valueOf(c.t, c.read("ops/inc-302.md"), "- commander"), "extension")),
		"ops-compare-1": always(prices.oneOf("sku", "LK-202", "LK-302").top("unit_price", -1).cell("sku")),
		"ops-compare-2": both(prices, "sku", "LK-301", "LK-302", "weight_kg"),
	}
}

func researchTruths(c corpus) map[string]func(*bench.Task) string {
	trial := c.table("papers/trial.csv")
	papers := func(text string) []string { return c.mentioning("papers", text) }
	both := func(a, b, column string) func(*bench.Task) string {
		return always(list(trial.where("station", a).cell(column), trial.where("station", b).cell(column)))
	}
	return map[string]func(*bench.Task) string{
		"res-file-1":    always(list(papers("Soto")...)),
		"res-file-2":    always(list(papers("Sensors in the Field")...)),
		"res-file-3":    always(count(papers("wind speed"))),
		"res-table-1":   always(trial.top("mean_error", 1).cell("station")),
		"res-table-2":   always(trial.where("site", "valley").mean("mean_error")),
		"res-table-3":   always(trial.mean("days")),
		"res-table-4":   always(trial.where("station", "T5").cell("max_error")),
		"res-table-5":   always(trial.where("site", "ridge").sum("max_error")),
		"res-table-6":   always(trial.where("site", "coast").sum("mean_error")),
		"res-compare-1": both("T1", "T7", "mean_error"),
		"res-compare-2": always(trial.oneOf("station", "T3", "T5").top("max_error", -1).cell("station")),
		"res-chain-1":   always(trial.top("failures", 1).cell("site")),
		"res-chain-2":   always(trial.top("mean_error", -1).cell("days")),
	}
}

func marketingTruths(c corpus) map[string]func(*bench.Task) string {
	campaigns := c.table("campaigns/campaigns.csv")
	plans := func(f func(table) string) func(*bench.Task) string {
		return func(t *bench.Task) string { return f(parseTable(c.t, t.Fixtures.Files["plans.csv"])) }
	}
	return map[string]func(*bench.Task) string{
		"mkt-sum-1":   always(campaigns.where("quarter", "Q2").sum("spend")),
		"mkt-sum-2":   always(campaigns.where("channel", "search").sum("clicks")),
		"mkt-avg-1":   always(campaigns.where("quarter", "Q1").mean("signups")),
		"mkt-count-1": always(count(c.mentioning("campaigns", "Harbour Days"))),
		"mkt-compare-1": plans(func(x table) string {
			return list(x.where("plan", "Seedling").cell("stations"), x.where("plan", "Harbour").cell("stations"))
		}),
		"mkt-compare-2": plans(func(x table) string {
			return x.oneOf("plan", "Estate", "Harbour").top("price", -1).cell("plan")
		}),
		"mkt-chain-1": plans(func(x table) string { return x.top("stations", 1).cell("price") }),
		"mkt-chain-2": plans(func(x table) string { return x.top("price", -1).cell("stations") }),
	}
}

func arithmeticTruths() map[string]func(*bench.Task) string {
	exact := func(f float64) func(*bench.Task) string { return always(number(f)) }
	return map[string]func(*bench.Task) string{
		"ops-arith-1": exact((142 - 25) * 118),
		"ops-arith-2": exact(1250./8 + 3.5),
		"mkt-arith-1": exact(800 + 3600 - 144*10),
		"gen-arith-1": exact(480 * .075),
	}
}
