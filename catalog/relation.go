package catalog

func (r Relation) name() string {
	if r.Table != nil {
		return r.Table.Name
	}
	return r.View.Name
}

func (r Relation) kind() string {
	if r.Table != nil {
		return "table"
	}
	return "view"
}

func (r Relation) clone() Relation {
	if r.Table != nil {
		return Relation{Table: r.Table.clone()}
	}
	return Relation{View: r.View.clone()}
}

func (r Relation) setDatabase(db string) {
	if r.Table != nil {
		r.Table.Database = db
		return
	}
	r.View.Database = db
}

// group is a map that may hold secrets, with its name in the file.
type group struct {
	name   string
	values map[string]string
}

func (r Relation) groups() []group {
	if r.Table != nil {
		return []group{{"options", r.Table.Options}, {"properties", r.Table.Properties}}
	}
	return []group{{"properties", r.View.Properties}}
}

// secretRef says where a secret of an entry is kept.
type secretRef struct {
	Group string `json:"in"`
	Key   string `json:"key"`
	Ref   string `json:"ref"`
}

// hide moves secrets to creds, leaves their redacted form behind, and returns
// where they are.
func (r Relation) hide(creds credentials) []secretRef {
	var refs []secretRef
	for _, g := range r.groups() {
		for _, key := range sortedKeys(g.values) {
			value := g.values[key]
			shown := Redact(key, value)
			if shown == value {
				continue
			}
			g.values[key] = shown
			refs = append(refs, secretRef{Group: g.name, Key: key, Ref: creds.add(value)})
		}
	}
	return refs
}

// resolve puts the secrets back. Those that are lost are removed, and the error
// names the first.
func (r Relation) resolve(refs []secretRef, creds credentials, path string) error {
	var lost error
	for _, g := range r.groups() {
		for _, ref := range refs {
			if ref.Group != g.name {
				continue
			}
			value, ok := creds[ref.Ref]
			if ok {
				g.values[ref.Key] = value
				continue
			}
			delete(g.values, ref.Key)
			if lost == nil {
				lost = &SecretError{Table: r.name(), Key: ref.Key, Path: path}
			}
		}
	}
	return lost
}
