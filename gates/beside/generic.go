package beside

import (
	"go/ast"
	"go/token"
	"strings"
)

// instances returns at most two lists of type arguments for the type parameters, as
// source. It returns nil if it finds no type for one of the parameters.
func (c code) instances(params *ast.FieldList) [][]string {
	if params == nil {
		return [][]string{nil}
	}
	var out [][]string
	for variant := range 2 {
		chosen, order := map[string]string{}, []string{}
		constraints := map[string]ast.Expr{}
		for _, f := range params.List {
			for _, n := range f.Names {
				order = append(order, n.Name)
				constraints[n.Name] = f.Type
			}
		}
		for range order { // repeat, because a constraint may refer to other type parameters
			for i, n := range order {
				if chosen[n] == "" {
					if t := c.choose(constraints[n], chosen, constraints, variant+i, 0); t != "" {
						chosen[n] = t
					}
				}
			}
		}
		var list []string
		for _, n := range order {
			if chosen[n] == "" {
				return nil
			}
			list = append(list, chosen[n])
		}
		if len(out) == 0 || strings.Join(out[0], ",") != strings.Join(list, ",") {
			out = append(out, list)
		}
	}
	return out
}

// choose returns a type that satisfies a constraint, or "" if no such type is known yet.
func (c code) choose(e ast.Expr, chosen map[string]string, params map[string]ast.Expr, variant, depth int) string {
	if depth > 5 {
		return ""
	}
	options := func(list ...string) string { return list[variant%len(list)] }
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		switch x.Name {
		case "any", "comparable":
			return options("int", "string")
		}
		if t := c.types[x.Name]; t != nil && t.TypeParams == nil {
			if _, ok := t.Type.(*ast.InterfaceType); ok {
				return c.choose(t.Type, chosen, params, variant, depth+1)
			}
			return x.Name
		}
		if _, param := params[x.Name]; param {
			return chosen[x.Name]
		}
		return x.Name
	case *ast.SelectorExpr:
		switch x.Sel.Name {
		case "Ordered":
			return options("int", "string")
		case "Integer", "Signed":
			return options("int", "int8")
		case "Unsigned":
			return options("uint", "uint8")
		case "Float":
			return "float64"
		}
	case *ast.UnaryExpr:
		if x.Op == token.TILDE {
			return c.choose(x.X, chosen, params, variant, depth+1)
		}
	case *ast.BinaryExpr:
		if x.Op == token.OR {
			var terms []ast.Expr
			var split func(e ast.Expr)
			split = func(e ast.Expr) {
				if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.OR {
					split(b.X)
					split(b.Y)
					return
				}
				terms = append(terms, e)
			}
			split(x)
			return c.choose(terms[(variant*(len(terms)-1))%len(terms)], chosen, params, variant, depth+1)
		}
	case *ast.InterfaceType:
		switch {
		case x.Methods == nil || len(x.Methods.List) == 0:
			return options("int", "string")
		case len(x.Methods.List) == 1 && len(x.Methods.List[0].Names) == 0:
			return c.choose(x.Methods.List[0].Type, chosen, params, variant, depth+1)
		}
	case *ast.ArrayType:
		if inner := c.inner(x.Elt, chosen, params, variant, depth); inner != "" && x.Len == nil {
			return "[]" + inner
		}
	case *ast.MapType:
		k, v := c.inner(x.Key, chosen, params, variant, depth), c.inner(x.Value, chosen, params, variant, depth)
		if k != "" && v != "" {
			return "map[" + k + "]" + v
		}
	}
	return ""
}

func (c code) inner(e ast.Expr, chosen map[string]string, params map[string]ast.Expr, variant, depth int) string {
	if id, ok := e.(*ast.Ident); ok {
		if _, param := params[id.Name]; param {
			return chosen[id.Name]
		}
		return id.Name
	}
	return c.choose(e, chosen, params, variant, depth+1)
}
