package expr

import (
	"slices"
	"strings"
	"sync"

	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// FunctionKind says where a function may stand and what it makes of rows.
type FunctionKind uint8

// The kinds of functions.
const (
	ScalarFunction    FunctionKind = iota // one value of one row
	AggregateFunction                     // one value of many rows; with OVER a window function
	WindowFunction                        // only with OVER
	GeneratorFunction                     // many rows of one
	FullTextFunction                      // answered by the index alone
)

// NullRule says what a function makes of NULL arguments.
type NullRule uint8

// The rules for NULL.
const (
	NullIn  NullRule = iota // any NULL argument gives NULL
	NullOwn                 // NULL arguments have a meaning of their own
)

// Function is one row of the function table. Args and Result are patterns, see
// pattern; a function whose types do not fit a pattern has a rule instead.
type Function struct {
	Names    string // canonical name, then others, separated by spaces
	Args     string
	Result   string
	Doc      string // one line
	Kind     FunctionKind
	Nulls    NullRule
	Volatile bool // gives another value each time
	rule     func(*Call) (*Call, error)
}

// Name returns the name that spellings are found by.
func (f *Function) Name() string {
	name, _, _ := strings.Cut(f.Names, " ")
	return name
}

// Usage returns how a function is called by the name, with the types of its
// arguments: substring(text, int[, int]).
func (f *Function) Usage(name string) string {
	var b strings.Builder
	b.WriteString(name + "(")
	for i, word := range strings.Fields(f.Args) {
		comma := ", "
		if i == 0 {
			comma = ""
		}
		switch plain := strings.TrimRight(word, "?*+"); word[len(plain):] {
		case "?":
			b.WriteString("[" + comma + plain + "]")
		case "*", "+":
			b.WriteString(comma + plain + ", …")
		default:
			b.WriteString(comma + plain)
		}
	}
	return b.String() + ")"
}

// Lookup returns the function of that name, in any case.
func Lookup(name string) (*Function, bool) {
	f, ok := functionIndex()[strings.ToLower(name)]
	return f, ok
}

// functionIndex is the table by name, made once.
var functionIndex = sync.OnceValue(func() map[string]*Function {
	index := map[string]*Function{}
	for _, table := range functionTables() {
		for i := range table {
			for _, name := range strings.Fields(table[i].Names) {
				index[name] = &table[i]
			}
		}
	}
	return index
})

func functionTables() [][]Function {
	return [][]Function{
		operators, conditionals, mathFunctions, stringFunctions, regexFunctions, timeFunctions, arrayFunctions,
		mapFunctions, jsonFunctions, castFunctions, otherFunctions, aggregates, windowFunctions, generators, fullTextFunctions,
	}
}

// FunctionNames returns the names of all functions that are served, sorted.
// Operators are not among them.
func FunctionNames() []string {
	var names []string
	for name := range functionIndex() {
		if isWord(name) && !hiddenOperators[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// hiddenOperators are names that only the parser gives to operators.
var hiddenOperators = map[string]bool{
	"likeany": true, "likeall": true, "notlikeany": true, "notlikeall": true,
	"sessionzone": true, "timewindows": true, "istrue": true, "isfalse": true, "isunknown": true,
}

func isWord(name string) bool { return name[0] >= 'a' && name[0] <= 'z' }

// UnservedFunctions returns Spark's functions that are not served, sorted.
func UnservedFunctions() []string {
	names := strings.Fields(unservedFunctions)
	slices.Sort(names)
	return names
}

// IsAggregate reports whether the named function makes one value of many rows.
func IsAggregate(name string) bool { return hasKind(name, AggregateFunction) }

// IsWindow reports whether the named function may only stand with OVER.
func IsWindow(name string) bool { return hasKind(name, WindowFunction) }

// IsGenerator reports whether the named function makes many rows of one.
func IsGenerator(name string) bool { return hasKind(name, GeneratorFunction) }

func hasKind(name string, k FunctionKind) bool {
	f, ok := Lookup(name)
	return ok && f.Kind == k
}

// unknownFunction is the error for a name that the table does not have.
func unknownFunction(c *Call) error {
	if slices.Contains(UnservedFunctions(), strings.ToLower(c.Func)) {
		err := errorAt(CodeLater, c.At, "function %s is not served", c.Func)
		err.Hint = instead(strings.ToLower(c.Func))
		return err
	}
	err := errorAt(CodeFunction, c.At, "there is no function %s", c.Func)
	if near := lex.Near(c.Func, FunctionNames()); near != "" {
		err.Hint = "did you mean " + near + "?"
	}
	return err
}

// LambdaParams returns the types that the parameters of the lambda at the given
// argument have, once the other arguments are typed. The lambda may name fewer.
func LambdaParams(c *Call, arg int) ([]row.Type, error) {
	f, ok := Lookup(c.Func)
	if !ok {
		return nil, unknownFunction(c)
	}
	sig := signatureOf(f)
	if err := sig.checkCount(c); err != nil {
		return nil, err
	}
	p := sig.at(arg)
	if p.lambda == nil {
		return nil, errorAt(CodeTypes, c.Args[arg].Span(), "argument %d of %s cannot be a lambda", arg+1, c.Func)
	}
	vars := bindings{}
	for i, x := range c.Args {
		if _, isLambda := x.(*Lambda); isLambda {
			continue
		}
		if !vars.match(sig.at(i), x.Type()) {
			return nil, typeError(c, i, sig.at(i).want())
		}
	}
	types := make([]row.Type, len(p.lambda))
	for i, param := range p.lambda {
		types[i] = vars.build(param)
	}
	return types, nil
}
