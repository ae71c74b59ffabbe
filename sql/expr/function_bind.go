package expr

import (
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// bindings are the types that the letters of a signature stand for.
type bindings map[string]row.Type

// match widens the letters in p so that a value of type t fits. It reports false
// when it cannot.
func (v bindings) match(p pattern, t row.Type) bool {
	if p.isVar() {
		old, seen := v[p.base]
		if !seen {
			v[p.base] = t
			return true
		}
		w, ok := widen(old, t, v.promote(p.base))
		v[p.base] = w
		return ok
	}
	switch p.base {
	case "array":
		if t.Kind == row.Void {
			return p.sub[0].base != "N" && v.match(p.sub[0], row.VoidType)
		}
		return t.Kind == row.Array && v.match(p.sub[0], *t.Elem)
	case "map":
		if t.Kind == row.Void {
			return v.match(p.sub[0], row.VoidType) && v.match(p.sub[1], row.VoidType)
		}
		return t.Kind == row.Map && v.match(p.sub[0], *t.Key) && v.match(p.sub[1], *t.Elem)
	}
	_, ok := implicitType(p.base, t)
	return ok
}

// ansiKey marks bindings of ANSI mode; it is no letter.
const ansiKey = "ansi"

// promote is the rule for a letter: T, U, K and V take text and others together, N
// only what loses nothing.
func (v bindings) promote(letter string) promotion {
	_, ansi := v[ansiKey]
	if letter == "N" && !ansi {
		return noLoss
	}
	if strings.Contains("TUKV", letter) {
		return textRule(ansi)
	}
	if ansi {
		return noTextANSI
	}
	return noText
}

// build returns the type that a pattern stands for once the letters are bound.
func (v bindings) build(p pattern) row.Type {
	switch p.base {
	case "array":
		return row.ArrayType(v.build(p.sub[0]))
	case "map":
		return row.MapType(v.build(p.sub[0]), v.build(p.sub[1]))
	}
	if t, ok := v[p.base]; ok {
		return t
	}
	return concrete[p.base]
}

// implicitType returns the type to which a value of type t is cast for a
// parameter of the given pattern.
func implicitType(want string, t row.Type) (row.Type, bool) {
	if target, ok := concrete[want]; ok {
		return implicitTo(target, t)
	}
	switch want {
	case "any", "fn":
		return t, true
	case "num":
		switch {
		case t.Numeric():
			return t, true
		case t.Kind == row.String, t.Kind == row.Void:
			return row.DoubleType, true
		}
	case "integral":
		if t.Kind == row.Void {
			return row.IntType, true
		}
		return t, t.Integral()
	case "time":
		if isTime(t) {
			return t, true
		}
		return row.TimestampType, t.Kind == row.String || t.Kind == row.Void
	case "text":
		if t.Kind == row.Binary {
			return t, true
		}
		return row.StringType, !t.Nested()
	case "const":
		return t, t.Kind == row.String
	}
	return row.Type{}, false
}

// implicitTo is Spark's implicit cast to one type.
func implicitTo(target, t row.Type) (row.Type, bool) {
	switch {
	case t.Equal(target), t.Kind == row.Void:
		return target, true
	case target.Kind == row.String:
		return target, !t.Nested()
	case target.Numeric():
		return target, t.Numeric() || t.Kind == row.String
	case isTime(target):
		return target, isTime(t) || t.Kind == row.String
	case target.Kind == row.Binary:
		return target, t.Kind == row.String
	}
	return target, false
}

// applySignature types a call by its pattern and casts the arguments.
func applySignature(f *Function, c *Call) (*Call, error) {
	sig := signatureOf(f)
	if err := sig.checkCount(c); err != nil {
		return nil, err
	}
	vars := bindings{}
	if c.ANSI {
		vars[ansiKey] = row.VoidType
	}
	for i, x := range c.Args {
		p := sig.at(i)
		if l, ok := x.(*Lambda); ok {
			if err := vars.matchLambda(c, i, p, l); err != nil {
				return nil, err
			}
			continue
		}
		if p.base == "fn" {
			return nil, errorAt(CodeTypes, x.Span(), "argument %d of %s must be a lambda, as in x -> x + 1", i+1, c.Func)
		}
		if !vars.match(p, x.Type()) {
			return nil, vars.mismatch(c, i, p)
		}
	}
	out := *c
	out.Args = slices.Clone(c.Args)
	for i, x := range c.Args {
		p := sig.at(i)
		if p.base == "const" {
			if _, ok := ConstantText(x); !ok && x.Type().Kind != row.Void {
				return nil, errorAt(CodeConstant, x.Span(), "argument %d of %s must be a text constant", i+1, c.Func)
			}
		}
		out.Args[i] = vars.convert(p, x)
	}
	out.T = vars.build(sig.result)
	return &out, nil
}

func (v bindings) mismatch(c *Call, i int, p pattern) error {
	t := c.Args[i].Type()
	if i > 0 && (p.isVar() || len(p.sub) > 0 && t.Kind == c.Args[0].Type().Kind) {
		return pairError(c.Args[i].Span(), "used together in "+c.Func, c.Args[0].Type(), t)
	}
	return typeError(c, i, p.want())
}

func (v bindings) matchLambda(c *Call, i int, p pattern, l *Lambda) error {
	if p.base != "fn" {
		return errorAt(CodeTypes, l.At, "argument %d of %s cannot be a lambda", i+1, c.Func)
	}
	if len(l.Params) > len(p.lambda) {
		return errorAt(CodeArguments, l.At, "the lambda of %s has at most %d parameters, not %d", c.Func, len(p.lambda), len(l.Params))
	}
	if !v.match(p.sub[0], l.Body.Type()) {
		return errorAt(CodeTypes, l.Body.Span(), "the lambda of %s must give %s, not %s", c.Func, p.sub[0].want(), typeName(l.Body.Type()))
	}
	return nil
}

// convert casts an argument to what its pattern asks for.
func (v bindings) convert(p pattern, x Expr) Expr {
	if l, ok := x.(*Lambda); ok {
		body := v.convert(p.sub[0], l.Body)
		out := *l
		out.Body, out.T = body, body.Type()
		return &out
	}
	if p.isVar() || len(p.sub) > 0 {
		return Convert(x, v.build(p))
	}
	if p.base == "any" || p.base == "const" {
		return x
	}
	t, _ := implicitType(p.base, x.Type())
	return Convert(x, t)
}
