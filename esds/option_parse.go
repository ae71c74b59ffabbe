package esds

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/lex"
)

const (
	headerPrefix   = "es.net.http.header."
	settingsPrefix = "eslake.index.settings."
)

// aliases are other spellings, after lower case and dots but before the prefix
// is added. Values are keys of the catalogue.
var aliases = map[string]string{
	"resource": "es.resource", "path": "es.resource",
	"pushdown": "eslake.pushdown", "es.pushdown": "eslake.pushdown",
	"connection": "eslake.connection", "profile": "eslake.connection",
	"es.net.ssl.ca":                   "eslake.net.ssl.ca.file",
	"es.net.http.apikey":              "eslake.net.http.apikey",
	"es.field.read.empty.as.null":     "es.read.field.empty.as.null",
	"es.field.read.validate.presence": "es.read.field.validate.presence",
	"es.update.script":                "es.update.script.inline",
}

// ParseOptions checks the options of a table of provider "es" in any spelling:
// without the prefix es., with _ for dots, in any case, resource or path for
// es.resource. Blank values are dropped. The notes are for the user: options
// that have no effect here, and values that may not mean what was meant. The
// error is an *OptionError.
func ParseOptions(raw map[string]string) (Options, []string, error) {
	p := parser{opts: Options{}, spelling: map[string]string{}, lookup: lookup, blankUnset: func(Option) bool { return true }}
	if err := p.parse(raw); err != nil {
		return nil, nil, err
	}
	found, err := splitUserinfo(p.opts)
	if err != nil {
		return nil, nil, err
	}
	if found {
		p.note("option es.nodes: the password in the address was taken out of it; es.net.http.auth.pass with ${env:NAME} keeps it out of scripts")
	}
	p.noteAddress()
	if strings.HasPrefix(p.opts["es.read.shard.preference"], "_shards") {
		return nil, nil, &OptionError{Key: "es.read.shard.preference", Value: p.opts["es.read.shard.preference"], Reason: "reads some shards only, so rows would be missing"}
	}
	if err := p.checkQuery(); err != nil {
		return nil, nil, err
	}
	if typ := p.opts.ResourceType(); typ != "" {
		p.note(fmt.Sprintf("the type %s behind the index is left out: Elasticsearch 7 and later have none", typ))
	}
	return p.opts, p.notes, nil
}

// OptionKey returns the full name of an option that is spelled in any way. The
// error is an *OptionError with the nearest name.
func OptionKey(spelling string) (string, error) {
	key, _, err := lookup(spelling)
	return key, err
}

// parser collects checked options of one catalogue.
type parser struct {
	opts       Options
	notes      []string
	spelling   map[string]string // key to how it was written
	lookup     func(spelling string) (string, Option, error)
	blankUnset func(Option) bool
}

func (p *parser) parse(raw map[string]string) error {
	for _, spelling := range slices.Sorted(maps.Keys(raw)) {
		if err := p.add(spelling, raw[spelling]); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) add(spelling, value string) error {
	key, opt, err := p.lookup(spelling)
	if err != nil {
		return err
	}
	fail := func(reason, hint string) error {
		shown := value
		if Secret(key) {
			shown = Hidden
		}
		return &OptionError{Key: spelling, Value: redactUserinfo(shown), Reason: reason, Hint: hint}
	}
	if opt.Status == Refused {
		return &OptionError{Key: spelling, Reason: opt.Reason}
	}
	if strings.TrimSpace(value) == "" && p.blankUnset(opt) {
		return nil
	}
	if opt.Type != Char && !opt.Secret && p.blankUnset(opt) {
		value = strings.TrimSpace(value)
	}
	if !hasReference(value) {
		kept, note, err := opt.check(value)
		if err != nil {
			return fail(err.Error(), "")
		}
		if reason := opt.unsupported(kept); reason != "" {
			return fail(reason, opt.Reason)
		}
		value = kept
		p.note(note)
	}
	if other, twice := p.spelling[key]; twice && p.opts[key] != value {
		return &OptionError{Key: spelling, Reason: "is set twice with different values, also as " + other}
	}
	if opt.Status == Note && value != opt.Default {
		p.note(fmt.Sprintf("option %s has no effect: %s", spelling, opt.Reason))
	}
	p.opts[key], p.spelling[key] = value, spelling
	return nil
}

func (p *parser) note(text string) {
	if text != "" && !slices.Contains(p.notes, text) {
		p.notes = append(p.notes, text)
	}
}

// unsupported returns why a value cannot be used yet, "" when it can. The
// default of an option that is not built yet can.
func (opt Option) unsupported(v string) string {
	if opt.Status == Later && v != opt.Default || slices.Contains(opt.LaterValues, v) {
		return "not supported yet"
	}
	return ""
}

// lookup finds the catalogue's entry for a spelling.
func lookup(spelling string) (string, Option, error) {
	key := normalize(spelling)
	if to, ok := aliases[key]; ok {
		key = to
	}
	if !strings.HasPrefix(key, "es.") && !strings.HasPrefix(key, "eslake.") {
		key = "es." + key
	}
	if to, ok := aliases[key]; ok {
		key = to
	}
	if opt, ok := find(key); ok {
		return key, opt, nil
	}
	e := &OptionError{Key: spelling, Reason: "unknown option", Hint: "eslake options lists all"}
	if near := lex.Near(key, optionKeys()); near != "" {
		e.Hint = fmt.Sprintf("did you mean %s?", near)
	}
	return "", Option{}, e
}

// normalize lowers a key and turns _ into dots. What follows the prefix of
// headers is the header's name and stays.
func normalize(spelling string) string {
	spelling = strings.TrimSpace(spelling)
	if rest, ok := cutPrefixDotted(spelling, "spark.es."); ok {
		spelling = "es." + rest
	}
	for _, prefix := range []string{headerPrefix, strings.TrimPrefix(headerPrefix, "es."), settingsPrefix} {
		if rest, ok := cutPrefixDotted(spelling, prefix); ok {
			return prefix + rest
		}
	}
	return dotted(spelling)
}

func dotted(key string) string { return strings.ReplaceAll(strings.ToLower(key), "_", ".") }

func cutPrefixDotted(key, prefix string) (rest string, ok bool) {
	if len(key) < len(prefix) || dotted(key[:len(prefix)]) != prefix {
		return key, false
	}
	return key[len(prefix):], true
}

// splitUserinfo takes user and password out of the addresses in es.nodes, and
// reports whether there were any.
func splitUserinfo(o Options) (bool, error) {
	nodes := o["es.nodes"]
	if !strings.Contains(nodes, "@") || hasReference(nodes) {
		return false, nil
	}
	var clean []string
	for _, node := range splitList(nodes) {
		scheme, userinfo, host := cutUserinfo(node)
		if host == "" { // without it the table would be one of the embedded lake
			return false, &OptionError{Key: "es.nodes", Reason: "an address has no host", Hint: "write it as https://user:password@host:9200"}
		}
		clean = append(clean, scheme+host)
		if err := o.takeUserinfo(userinfo); err != nil {
			return false, err
		}
	}
	o["es.nodes"] = strings.Join(splitList(strings.Join(clean, ",")), ",")
	if o["es.nodes"] == "" {
		delete(o, "es.nodes")
	}
	return true, nil
}

// takeUserinfo keeps user:password as options, unless they hold others. What is blank
// is none.
func (o Options) takeUserinfo(userinfo string) error {
	user, password, _ := strings.Cut(userinfo, ":")
	for key, value := range map[string]string{"es.net.http.auth.user": user, "es.net.http.auth.pass": password} {
		if text, err := url.PathUnescape(value); err == nil {
			value = text
		}
		if blank := strings.TrimSpace(value); key == "es.net.http.auth.user" || blank == "" {
			value = blank
		}
		if old, ok := o[key]; ok && old != value && value != "" {
			return &OptionError{Key: "es.nodes", Reason: "an address holds another user or password than " + key}
		}
		if value != "" {
			o[key] = value
		}
	}
	return nil
}

// cutUserinfo cuts an address around user:password@. The scheme keeps its ://.
func cutUserinfo(node string) (scheme, userinfo, host string) {
	host = node
	if i := strings.Index(node, "://"); i >= 0 {
		scheme, host = node[:i+3], node[i+3:]
	}
	if i := strings.LastIndex(host, "@"); i >= 0 {
		userinfo, host = host[:i], host[i+1:]
	}
	return scheme, userinfo, host
}

// noteAddress says what users of elasticsearch-hadoop trip over.
func (p *parser) noteAddress() {
	for _, node := range p.opts.List("es.nodes") {
		if rest, ok := strings.CutPrefix(node, "https://"); ok && !strings.Contains(rest, ":") {
			p.note(fmt.Sprintf("option es.nodes: %s has no port, so %s is used and not 443", node, p.opts.String("es.port")))
		}
	}
	if p.opts["es.net.ssl.cert.allow.self.signed"] == "true" {
		p.note("option es.net.ssl.cert.allow.self.signed: the server's certificate is not checked; eslake.net.ssl.ca.file or eslake.net.ssl.ca.fingerprint is safe")
	}
}

// checkQuery finds mistakes in a base query before anything is read. One in a
// file is read when the index is opened.
func (p *parser) checkQuery() error {
	if text := strings.TrimSpace(p.opts["es.query"]); text != "" && (text[0] == '?' || text[0] == '{') && !hasReference(text) {
		_, left, err := parseQuery(text)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			p.note(fmt.Sprintf("option es.query: only the query counts; %s is left out", strings.Join(left, ", ")))
		}
	}
	if q := p.opts.resourceQuery(); q != "" {
		if p.opts.Has("es.query") {
			return &OptionError{Key: "es.query", Reason: "the resource holds a query too", Hint: "leave out one of them"}
		}
		_, err := uriQuery(q)
		return err
	}
	return nil
}

// Expand returns the options with ${env:NAME} and ${file:PATH} replaced by what
// env and file return, and the values checked. The values returned may hold
// secrets: they are for use, not for keeping.
func (o Options) Expand(env func(name string) (string, error), file func(path string) ([]byte, error)) (Options, error) {
	all := make(Options, len(o))
	for _, key := range o.Keys() {
		value := o[key]
		if !hasReference(value) {
			all[key] = value
			continue
		}
		full, err := expand(value, env, file)
		if err != nil {
			return nil, &OptionError{Key: key, Reason: err.Error()}
		}
		if opt := mustOption(key); full != "" {
			kept, _, err := opt.check(full)
			if err == nil && opt.unsupported(kept) != "" {
				err = errors.New(opt.unsupported(kept))
			}
			if err != nil { // the value may be a secret that stands in the wrong place
				return nil, &OptionError{Key: key, Reason: fmt.Sprintf("%s is not a good value: %v", value, err)}
			}
			all[key] = kept
		}
	}
	if _, err := splitUserinfo(all); err != nil {
		return nil, err
	}
	return all, nil
}

func expand(value string, env func(string) (string, error), file func(string) ([]byte, error)) (string, error) {
	var out strings.Builder
	for {
		before, kind, name, after := cutReference(value)
		out.WriteString(before)
		switch kind {
		case "":
			return out.String(), nil
		case "env":
			text, err := env(name)
			if err != nil {
				return "", err
			}
			out.WriteString(text)
		case "file":
			text, err := file(name)
			if err != nil {
				return "", err
			}
			out.WriteString(strings.TrimRight(string(text), "\r\n"))
		}
		value = after
	}
}

// cutReference cuts a value around its first ${env:…} or ${file:…}. The kind is
// "" when there is none.
func cutReference(v string) (before, kind, name, after string) {
	for from := 0; ; {
		i := strings.Index(v[from:], "${")
		if i < 0 {
			return v, "", "", ""
		}
		i += from
		inner, rest, closed := strings.Cut(v[i+2:], "}")
		kind, name, colon := strings.Cut(inner, ":")
		if closed && colon && (kind == "env" || kind == "file") {
			return v[:i], kind, name, rest
		}
		from = i + 2
	}
}

func hasReference(v string) bool {
	_, kind, _, _ := cutReference(v)
	return kind != ""
}

func onlyReferences(v string) bool {
	for {
		before, kind, _, after := cutReference(v)
		if kind == "" {
			return v == ""
		}
		if before != "" {
			return false
		}
		v = after
	}
}
