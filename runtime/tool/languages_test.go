package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var mixed = map[string]string{
	"package.json":           `{"name":"shop","main":"web/main.js","bin":{"x":"web/cli"}}`,
	"web/main.js":            "// Starts the shop.\nimport { cart } from './cart';\nimport express from 'express';\n",
	"web/cart/index.ts":      "/** What is bought. */\nexport { price } from '../price.js';\nexport const cart = () => 1;\n",
	"web/price.ts":           "import type { Cart } from './cart/index';\nconst t = require('./tax');\nexport const price = 1;\n",
	"web/tax.cjs":            "module.exports = { rate: 7 };\nrequire('../../outside');\nrequire('../setup/nothing');\n",
	"web/lonely.tsx":         "export const Lonely = () => <p>Don't</p>;\n",
	"web/cart.test.ts":       "import './lonely';\n",
	"app/__init__.py":        "\"\"\"The app. More.\"\"\"\n",
	"app/__main__.py":        "from . import core\nfrom .models.user import User\nimport os\nif __name__ == '__main__':\n    core.run()\n",
	"app/core.py":            "import app.helpers as h\nfrom app import helpers\nfrom ..beyond import x\n",
	"app/helpers.py":         "def late():\n    from .core import run\n",
	"app/models/__init__.py": "from .user import *\n",
	"app/models/user.py":     "from .. import helpers\nimport json\n",
	"app/unused.py":          "import requests\n",
	"tests/test_core.py":     "from app import core, unused\ndef test_it(): pass\n",
	"node_modules/x/y.js":    "import '../../web/lonely';\n",
}

func TestGraphOfFourLanguages(t *testing.T) {
	r, e := registry(t), lay(t, mixed)
	m := decode[DependencyMap](t, do(t, r, e, "dependency_map", `{}`))
	edges := map[string][]string{}
	for _, p := range m.Packages {
		edges[p.Package] = p.Imports
	}
	want := map[string][]string{
		"web/main.js": {"web/cart/index.ts"}, "web/cart/index.ts": {"web/price.ts"}, "web/lonely.tsx": {},
		"web/price.ts": {"web/cart/index.ts", "web/tax.cjs"}, "web/tax.cjs": {},
		"app/__init__.py": {}, "app/__main__.py": {"app/core.py", "app/models/user.py"},
		"app/core.py": {"app/helpers.py"}, "app/helpers.py": {"app/core.py"},
		"app/models/__init__.py": {"app/models/user.py"}, "app/models/user.py": {"app/helpers.py"}, "app/unused.py": {},
	}
	if diff := cmp.Diff(want, edges); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{{"app/core.py", "app/helpers.py"}, {"web/cart/index.ts", "web/price.ts"}}, m.Cycles); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"app/unused.py", "web/lonely.tsx"}, m.Orphans); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"app/core.py", "app/helpers.py", "app/models/user.py", "web/cart/index.ts"}, m.Core); diff != "" {
		t.Error(diff)
	}
	for what, name := range map[string]string{"app.core": "app/core.py", "web/cart": "web/cart/index.ts", "user": "app/models/user.py", "tax.cjs": "web/tax.cjs"} {
		one := decode[DependencyMap](t, do(t, r, e, "dependency_map", `{"package":"`+what+`"}`))
		if len(one.Packages) != 1 || one.Packages[0].Package != name {
			t.Errorf("%s: %+v", what, one.Packages)
		}
	}
	x := decode[RepoIndex](t, do(t, r, e, "repo_index", `{}`))
	if diff := cmp.Diff([]string{"app/__main__.py", "web/main.js"}, x.EntryPoints); diff != "" {
		t.Error(diff)
	}
	descriptions := map[string]string{}
	for _, d := range x.Directories {
		if d.Description != "" {
			descriptions[d.Path] = d.Description
		}
	}
	if diff := cmp.Diff(map[string]string{"app": "The app.", "web": "Starts the shop.", "web/cart": "What is bought."}, descriptions); diff != "" {
		t.Error(diff)
	}
	s := decode[FileSummary](t, do(t, r, e, "file_summary", `{"path":"app/models/user.py"}`))
	if diff := cmp.Diff(&Origins{Standard: []string{"json"}, Internal: []string{".."}}, s.Origins); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"app/__main__.py", "app/models/__init__.py"}, s.ImportedBy); diff != "" {
		t.Error(diff)
	}
}

// TestLargeRepositories tests that the output for a repository of any size is valid JSON.
func TestLargeRepositories(t *testing.T) {
	files := map[string]string{}
	for i := range 1500 {
		files[fmt.Sprintf("%s/m%04d.py", strings.Repeat("long", 10), i)] = fmt.Sprintf("import m%04d\nimport m%04d\n", (i+1)%1500, (i+2)%1500)
		files[fmt.Sprintf("d%04d/%s.js", i, strings.Repeat("x", 50))] = "#!/usr/bin/env node\n"
	}
	var b strings.Builder
	for i := range 900 {
		fmt.Fprintf(&b, "def %s_%d(%s): pass\n", strings.Repeat("f", 90), i, strings.Repeat("a, ", 50))
	}
	files["big.py"] = b.String()
	r, e := registry(t), lay(t, files)
	for name, args := range map[string]string{"repo_index": `{}`, "dependency_map": `{}`, "file_summary": `{"path":"big.py"}`} {
		res := do(t, r, e, name, args)
		if !json.Valid([]byte(res.Output)) || len(res.Output) > MaxOutput || !strings.Contains(res.Output, `"truncated":true`) {
			t.Errorf("%s: %d bytes: %.200s", name, len(res.Output), res.Output)
		}
	}
}
