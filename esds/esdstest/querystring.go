package esdstest

import (
	"slices"
	"strings"
)

// queryString is the query_string query, of which the fake knows fields, words,
// phrases, * and ?, ranges, comparisons, _exists_, +, -, NOT, !, AND, OR, && and
// ||, and brackets.
func queryString(c *cluster, def object) (query, *failure) {
	p := &luceneParser{c: c, tokens: luceneTokens(str(def, "query")), field: str(def, "default_field"), and: strings.EqualFold(str(def, "default_operator"), "and")}
	q, err := p.sequence()
	if err == nil && len(p.tokens) > 0 {
		err = fail(400, "query_shard_exception", "Failed to parse query [%s]", str(def, "query"))
	}
	return q, err
}

type luceneParser struct {
	c      *cluster
	tokens []string
	field  string // "" for all
	and    bool   // default_operator
}

// luceneTokens cuts at blanks and brackets, but not within quotes and ranges.
func luceneTokens(s string) []string {
	var out []string
	var word strings.Builder
	quoted, ranged := false, false
	flush := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		ch := s[i]
		switch {
		case ch == '\\' && i+1 < len(s):
			word.WriteString(s[i : i+2])
			i++
			continue
		case ch == '"':
			quoted = !quoted
		case quoted:
		case ch == '[' || ch == '{':
			ranged = true
		case ch == ']' || ch == '}':
			ranged = false
		case ranged:
		case ch == ' ' || ch == '\t':
			flush()
			continue
		case ch == '(' || ch == ')':
			flush()
			out = append(out, string(ch))
			continue
		}
		word.WriteByte(ch)
	}
	flush()
	return out
}

// sequence reads clauses up to a closing bracket or the end.
func (p *luceneParser) sequence() (query, *failure) {
	parts := map[string][]query{}
	var last string // where the clause before went
	for len(p.tokens) > 0 && p.tokens[0] != ")" {
		join := p.operator()
		occur := "should"
		if join == "AND" || join == "" && p.and {
			occur = "must"
		}
		if join == "AND" && last == "should" { // binds the clause before too
			n := len(parts["should"]) - 1
			parts["must"] = append(parts["must"], parts["should"][n])
			parts["should"] = parts["should"][:n]
		}
		q, how, err := p.clause()
		if err != nil {
			return query{}, err
		}
		if how != "" {
			occur = how
		}
		parts[occur] = append(parts[occur], q)
		last = occur
	}
	return boolQuery(parts, -1), nil
}

func (p *luceneParser) operator() string {
	switch p.tokens[0] {
	case "AND", "&&":
		p.tokens = p.tokens[1:]
		return "AND"
	case "OR", "||":
		p.tokens = p.tokens[1:]
		return "OR"
	}
	return ""
}

func (p *luceneParser) clause() (q query, occur string, err *failure) {
	bad := fail(400, "query_shard_exception", "Failed to parse query")
	if len(p.tokens) == 0 {
		return query{}, "", bad
	}
	word := p.tokens[0]
	p.tokens = p.tokens[1:]
	switch {
	case word == "NOT" || word == "!":
		q, _, err = p.clause()
		return q, "must_not", err
	case word == "(":
		q, err = p.sequence()
		if err != nil || len(p.tokens) == 0 {
			return q, "", bad
		}
		p.tokens = p.tokens[1:]
		return q, "", nil
	case len(word) > 1 && strings.ContainsRune("+-!", rune(word[0])):
		q, err = p.term(word[1:])
		if word[0] == '+' {
			return q, "must", err
		}
		return q, "must_not", err
	}
	q, err = p.term(word)
	return q, "", err
}

// term is field:value, or a value for the default field.
func (p *luceneParser) term(word string) (query, *failure) {
	field, value, named := cutField(word)
	if named && value == "" && len(p.tokens) > 0 && p.tokens[0] == "(" {
		inner := &luceneParser{c: p.c, tokens: p.tokens[1:], field: field, and: p.and}
		q, err := inner.sequence()
		if err != nil || len(inner.tokens) == 0 {
			return q, fail(400, "query_shard_exception", "Failed to parse query")
		}
		p.tokens = inner.tokens[1:]
		return q, nil
	}
	switch {
	case !named:
		field = p.field
	case field == "_exists_":
		return existsQuery(unescapeLucene(value))
	case field == "*" && value == "*":
		return constant(true), nil
	}
	if word == "*" {
		return constant(true), nil
	}
	return query{bind: func(x *index) (test, *failure) { return p.bind(x, unescapeLucene(field), value) }}, nil
}

func cutField(word string) (field, value string, named bool) {
	for i := 0; i < len(word); i++ {
		switch word[i] {
		case '\\':
			i++
		case '"':
			return "", word, false
		case ':':
			return word[:i], word[i+1:], true
		}
	}
	return "", word, false
}

func unescapeLucene(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// bind looks for a value in one field, or in all that can hold it.
func (p *luceneParser) bind(x *index, field, value string) (test, *failure) {
	if field != "" && field != "*" {
		return bindLucene(p.c, x, field, value)
	}
	var tests []test
	for path, f := range x.fields {
		if f.nested {
			continue
		}
		if t, err := bindLucene(p.c, x, path, value); err == nil { // lenient over all fields
			tests = append(tests, t)
		}
	}
	return func(d *document) bool { return slices.ContainsFunc(tests, func(t test) bool { return t(d) }) }, nil
}

func bindLucene(c *cluster, x *index, field, value string) (test, *failure) {
	for _, op := range []struct{ sign, name string }{{">=", "gte"}, {"<=", "lte"}, {">", "gt"}, {"<", "lt"}} {
		if rest, ok := strings.CutPrefix(value, op.sign); ok {
			return bindField(c, x, "range", field, object{op.name: unescapeLucene(rest)})
		}
	}
	switch {
	case value == "*":
		return func(d *document) bool { return d.has(field) }, nil
	case strings.HasPrefix(value, `"`):
		return bindField(c, x, "match_phrase", field, object{"query": unescapeLucene(strings.Trim(value, `"`))})
	case strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{"):
		return bindField(c, x, "range", field, luceneRange(value))
	case strings.ContainsAny(value, "*?"):
		return bindField(c, x, "wildcard", field, object{"value": value})
	}
	return bindField(c, x, "match", field, object{"query": unescapeLucene(value)})
}

// luceneRange reads [a TO b}.
func luceneRange(value string) object {
	low, high, _ := strings.Cut(value[1:len(value)-1], " TO ")
	out := object{}
	if low != "*" {
		out[map[byte]string{'[': "gte", '{': "gt"}[value[0]]] = low
	}
	if high != "*" {
		out[map[byte]string{']': "lte", '}': "lt"}[value[len(value)-1]]] = high
	}
	return out
}
