package exec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// sameDocument reports whether two documents say the same: the order of names,
// blanks, dotted names or objects, and the spelling of numbers do not count. nil
// is a document that is not there.
func sameDocument(a, b []byte) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if bytes.Equal(a, b) {
		return true
	}
	left, err := tree(a)
	if err != nil {
		return false
	}
	right, err := tree(b)
	if err != nil {
		return false
	}
	if x, ok := left.(object); ok {
		y, ok := right.(object)
		return ok && maps.EqualFunc(x, y, sameTree)
	}
	return sameTree(left, right)
}

// object is a JSON object whose dotted names are objects.
type object map[string]any

// number is the digits of a number in one spelling.
type number string

func tree(doc []byte) (any, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(doc), lax...)
	v, err := readTree(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands behind the document")
	}
	return v, nil
}

func readTree(d *jsontext.Decoder) (any, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case '{':
		return readObject(d)
	case '[':
		list := []any{}
		for d.PeekKind() != ']' {
			v, err := readTree(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.ReadToken()
		return list, err
	case '"':
		return t.String(), nil
	case '0':
		return normal(t.String()), nil
	case 'n':
		return nil, nil
	default:
		return t.Bool(), nil
	}
}

func readObject(d *jsontext.Decoder) (any, error) {
	o := object{}
	for d.PeekKind() != '}' {
		t, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := t.String()
		v, err := readTree(d)
		if err != nil {
			return nil, err
		}
		o.put(strings.Split(name, "."), v)
	}
	_, err := d.ReadToken()
	return o, err
}

// put sets a path; objects that meet there become one.
func (o object) put(path []string, v any) {
	for len(path) > 1 {
		inner, ok := o[path[0]].(object)
		if !ok {
			inner = object{}
			o[path[0]] = inner
		}
		o, path = inner, path[1:]
	}
	if old, ok := o[path[0]].(object); ok {
		if more, ok := v.(object); ok {
			maps.Copy(old, more)
			return
		}
	}
	o[path[0]] = v
}

// normal spells a number by its digits without zeros at the ends, and its power
// of ten.
func normal(text string) number {
	sign := ""
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	text = strings.ToLower(text)
	digits, exponent, _ := strings.Cut(text, "e")
	power, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
	if exponent != "" && err != nil {
		return number(sign + text) // no number that anything computes with
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	power -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	power += len(digits) - len(short)
	if short == "" {
		return number(sign + "0")
	}
	return number(fmt.Sprintf("%s%se%d", sign, short, power))
}

func (o object) same(other object) bool {
	for name, v := range o {
		if !sameTree(v, other[name]) {
			return false
		}
	}
	for name, v := range other {
		if _, there := o[name]; !there && v != nil {
			return false
		}
	}
	return true
}

// sameTree takes a null in an object, and none there, for the same: the embedded
// lake keeps objects as structs, which have all fields.
func sameTree(a, b any) bool {
	switch a := a.(type) {
	case object:
		b, ok := b.(object)
		return ok && a.same(b)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameTree)
	default:
		switch b.(type) {
		case object, []any:
			return false
		}
		return a == b
	}
}
