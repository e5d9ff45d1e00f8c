package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
)

// mathSource declares package math for type checks without an importer.
const mathSource = `package math

const (
	E, Pi, Phi                    = 2.71828182845904523536, 3.14159265358979323846, 1.61803398874989484820
	Sqrt2, SqrtE, SqrtPi, SqrtPhi = 1.41421356237309504880, 1.64872127070012814684, 1.77245385090551602729, 1.27201964951406896425
	Ln2, Ln10                     = 0.693147180559945309417, 2.30258509299404568401
	Log2E, Log10E                 = 1 / Ln2, 1 / Ln10
	MaxFloat32                    = 0x1p127 * (1 + (1 - 0x1p-23))
	SmallestNonzeroFloat32        = 0x1p-126 * 0x1p-23
	MaxFloat64                    = 0x1p1023 * (1 + (1 - 0x1p-52))
	SmallestNonzeroFloat64        = 0x1p-1022 * 0x1p-52
	MaxInt, MinInt                = 1<<63 - 1, -1 << 63
	MaxInt8, MinInt8              = 1<<7 - 1, -1 << 7
	MaxInt16, MinInt16            = 1<<15 - 1, -1 << 15
	MaxInt32, MinInt32            = 1<<31 - 1, -1 << 31
	MaxInt64, MinInt64            = 1<<63 - 1, -1 << 63
	MaxUint                       = 1<<64 - 1
	MaxUint8, MaxUint16           = 1<<8 - 1, 1<<16 - 1
	MaxUint32, MaxUint64          = 1<<32 - 1, 1<<64 - 1
)

func Abs(x float64) float64
func Acos(x float64) float64
func Acosh(x float64) float64
func Asin(x float64) float64
func Asinh(x float64) float64
func Atan(x float64) float64
func Atan2(y, x float64) float64
func Atanh(x float64) float64
func Cbrt(x float64) float64
func Ceil(x float64) float64
func Copysign(f, sign float64) float64
func Cos(x float64) float64
func Cosh(x float64) float64
func Dim(x, y float64) float64
func Erf(x float64) float64
func Erfc(x float64) float64
func Erfcinv(x float64) float64
func Erfinv(x float64) float64
func Exp(x float64) float64
func Exp2(x float64) float64
func Expm1(x float64) float64
func FMA(x, y, z float64) float64
func Float32bits(f float32) uint32
func Float32frombits(b uint32) float32
func Float64bits(f float64) uint64
func Float64frombits(b uint64) float64
func Floor(x float64) float64
func Frexp(f float64) (frac float64, exp int)
func Gamma(x float64) float64
func Hypot(p, q float64) float64
func Ilogb(x float64) int
func Inf(sign int) float64
func IsInf(f float64, sign int) bool
func IsNaN(f float64) (is bool)
func J0(x float64) float64
func J1(x float64) float64
func Jn(n int, x float64) float64
func Ldexp(frac float64, exp int) float64
func Lgamma(x float64) (lgamma float64, sign int)
func Log(x float64) float64
func Log10(x float64) float64
func Log1p(x float64) float64
func Log2(x float64) float64
func Logb(x float64) float64
func Max(x, y float64) float64
func Min(x, y float64) float64
func Mod(x, y float64) float64
func Modf(f float64) (int float64, frac float64)
func NaN() float64
func Nextafter(x, y float64) (r float64)
func Nextafter32(x, y float32) (r float32)
func Pow(x, y float64) float64
func Pow10(n int) float64
func Remainder(x, y float64) float64
func Round(x float64) float64
func RoundToEven(x float64) float64
func Signbit(x float64) bool
func Sin(x float64) float64
func Sincos(x float64) (sin, cos float64)
func Sinh(x float64) float64
func Sqrt(x float64) float64
func Tan(x float64) float64
func Tanh(x float64) float64
func Trunc(x float64) float64
func Y0(x float64) float64
func Y1(x float64) float64
func Yn(n int, x float64) float64
`

// mathPackage returns the declarations of package math.
func mathPackage() *types.Package {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "math.go", mathSource, parser.SkipObjectResolution)
	if err != nil {
		panic("rewrite: " + err.Error()) // the source is this package's own text, which a test checks
	}
	p, err := new(types.Config).Check("math", set, []*ast.File{f}, nil)
	if err != nil {
		panic("rewrite: " + err.Error())
	}
	return p
}

// grownMath lists the functions of package math that new code may call, by their number of
// float64 parameters. Functions that are listed twice are drawn twice as often.
var grownMath = map[int][]string{
	1: {"Sqrt", "Sqrt", "Abs", "Abs", "Log1p", "Log", "Exp", "Tanh", "Floor", "Ceil", "Cbrt"},
	2: {"Max", "Max", "Min", "Min", "Pow", "Hypot", "Mod"},
}
