package constants

import (
	"go/ast"
	"go/token"
	"math"
	"strconv"
	"strings"

	"evolve/runtime/text"
)

// value reads a constant's expression and sets the constant's literal, value and unit.
func (s *source) value(c *Constant, x ast.Expr) *fault {
	if b, ok := x.(*ast.BinaryExpr); ok && b.Op == token.MUL {
		number, unit := b.X, typeName(b.Y)
		if unit == "" {
			number, unit = b.Y, typeName(b.X)
		}
		if unit == "" {
			return noLiteral()
		}
		x, c.Unit = number, unit
	}
	c.start, c.end = s.file.Offset(x.Pos()), s.file.Offset(x.End())
	negative := false
	if u, ok := x.(*ast.UnaryExpr); ok && (u.Op == token.SUB || u.Op == token.ADD) {
		negative = u.Op == token.SUB
		x = u.X
		between := s.data[c.start+1 : s.file.Offset(x.Pos())]
		if strings.TrimSpace(string(between)) != "" {
			return &fault{"a comment is between the sign and the number", "move it"}
		}
	}
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.INT && lit.Kind != token.FLOAT {
		return noLiteral()
	}
	c.Literal = string(s.data[c.start:c.end])
	if f := c.measure(lit); f != nil {
		return f
	}
	if negative && c.Value != 0 {
		c.Value = -c.Value
	}
	return nil
}

func noLiteral() *fault {
	return &fault{"the constant's value is not a plain number", "write a single number, optionally with a sign or multiplied by one name, such as 64, -0.5 or 5 * time.Second"}
}

// measure sets Whole according to the kind of literal, and Value to the literal's value
// without its sign.
func (c *Constant) measure(lit *ast.BasicLit) *fault {
	digits := strings.ReplaceAll(lit.Value, "_", "")
	if lit.Kind == token.INT {
		n, err := strconv.ParseInt(digits, 0, 64)
		if err != nil || n > wholeLimit {
			return &fault{"the number " + text.Clip(lit.Value, 60, text.Runes, text.Mark) + " is beyond 2^53", ""}
		}
		c.Value = float64(n)
		c.Whole = !isFloat(c.Type)
		return nil
	}
	if _, _, builtin := typeRange(c.Type); builtin && !isFloat(c.Type) || c.Type == duration {
		return &fault{"the number " + text.Clip(lit.Value, 60, text.Runes, text.Mark) + " has a decimal point or an exponent, but " + c.Type + " allows only whole numbers", "write it without a decimal point or an exponent"}
	}
	if strings.HasPrefix(c.Unit, "time.") {
		return &fault{"a fraction of " + c.Unit + " is not always a whole number of nanoseconds", "use a smaller unit and a whole number"}
	}
	if len(digits) > 1 && (digits[1] == 'x' || digits[1] == 'X') {
		return &fault{"the number " + text.Clip(lit.Value, 60, text.Runes, text.Mark) + " is a hexadecimal float", "write it in decimal digits"}
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return &fault{"the number " + text.Clip(lit.Value, 60, text.Runes, text.Mark) + " is too large", ""}
	}
	c.Value = v
	return nil
}

const duration = "time.Duration"

func isFloat(typ string) bool { return typ == "float64" || typ == "float32" }

// typeRange returns the range of a built-in type; int and uint are assumed to have 64 bits.
// For types that the source declares, known is false; the build checks their range.
func typeRange(typ string) (least, most float64, known bool) {
	switch typ {
	case "int8", "int16", "int32", "int64":
		bits, _ := strconv.Atoi(typ[3:])
		return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1) - 1, true
	case "uint8", "uint16", "uint32", "uint64":
		bits, _ := strconv.Atoi(typ[4:])
		return 0, math.Ldexp(1, bits) - 1, true
	case "int":
		return typeRange("int64")
	case "uint", "uintptr":
		return typeRange("uint64")
	case "byte":
		return typeRange("uint8")
	case "rune":
		return typeRange("int32")
	case "float32":
		return -math.MaxFloat32, math.MaxFloat32, true
	}
	return 0, 0, false
}

// unitRange returns the largest number, positive or negative, by which a unit of time can
// be multiplied within the range of a time.Duration.
func unitRange(unit string) (most float64, known bool) {
	nanoseconds := map[string]float64{
		"time.Nanosecond": 1, "time.Microsecond": 1e3, "time.Millisecond": 1e6, "time.Second": 1e9, "time.Minute": 60e9, "time.Hour": 3600e9,
	}
	ns, known := nanoseconds[unit]
	return math.Floor(math.MaxInt64 / ns), known
}

// spell formats a value in the style of the literal: with the same base and prefix, with
// digit groups if the literal has any, and with a point if it has one.
func (c Constant) spell(v float64) string {
	old := strings.TrimLeft(c.Literal, "+- \t\r\n")
	grouped := strings.Contains(old, "_")
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	if c.Whole {
		return sign + spellWhole(uint64(v), old, grouped)
	}
	format := byte('f')
	if v != 0 && (v < 1e-5 || v >= 1e15) {
		format = 'e'
	}
	s := strconv.FormatFloat(v, format, -1, 64)
	mantissa, exponent, scientific := strings.Cut(s, "e")
	if scientific {
		n, _ := strconv.Atoi(exponent) // in strconv's own output
		return sign + mantissa + "e" + strconv.Itoa(n)
	}
	whole, fraction, pointed := strings.Cut(s, ".")
	if grouped {
		whole = group(whole, 3)
	}
	switch {
	case pointed:
		return sign + whole + "." + fraction
	case strings.ContainsAny(old, ".eE"):
		return sign + whole + ".0" // an untyped constant needs a decimal point to stay a float
	}
	return sign + whole
}

func spellWhole(n uint64, old string, grouped bool) string {
	prefix, base, size := "", 10, 3
	if len(old) > 1 && old[0] == '0' {
		prefix, base = "0", 8
		switch old[1] {
		case 'x', 'X':
			prefix, base, size = old[:2], 16, 4
		case 'b', 'B':
			prefix, base, size = old[:2], 2, 4
		case 'o', 'O':
			prefix = old[:2]
		}
	}
	digits := strconv.FormatUint(n, base)
	if base == 16 && strings.ContainsAny(old[2:], "ABCDEF") {
		digits = strings.ToUpper(digits)
	}
	if grouped {
		digits = group(digits, size)
	}
	return prefix + digits
}

// group inserts underscores between groups of size digits, counted from the right.
func group(digits string, size int) string {
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%size == 0 {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// rounded rounds a value to twelve significant digits.
func rounded(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil { // beyond the largest float
		return v
	}
	return r
}
