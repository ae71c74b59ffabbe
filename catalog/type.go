package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/eslake/eslake/sql/row"
)

// fieldJSON is a column, or a field of a struct.
type fieldJSON struct {
	Name    string   `json:"name"`
	Type    typeJSON `json:"type"`
	NotNull bool     `json:"notNull,omitempty"`
	Comment string   `json:"comment,omitempty"`
	Default string   `json:"default,omitempty"` // since version 2
}

// typeJSON is a type in the file: "bigint", "decimal(12,2)", {"array": "string"},
// {"map": ["string", "int"]}, {"struct": [{"name": "lat", "type": "double"}]}.
type typeJSON row.Type

type nestedJSON struct {
	Array  *typeJSON    `json:"array,omitempty"`
	Map    []typeJSON   `json:"map,omitempty"`
	Struct *[]fieldJSON `json:"struct,omitempty"`
}

// MarshalJSON writes the type.
func (t typeJSON) MarshalJSON() ([]byte, error) {
	var nested nestedJSON
	switch t.Kind {
	case row.Array:
		elem := typeJSON(*t.Elem)
		nested.Array = &elem
	case row.Map:
		nested.Map = []typeJSON{typeJSON(*t.Key), typeJSON(*t.Elem)}
	case row.Struct:
		fields := encodeFields(t.Fields)
		nested.Struct = &fields
	default:
		return json.Marshal(row.Type(t).String())
	}
	return json.Marshal(nested)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *typeJSON) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		var name string
		if err := json.Unmarshal(data, &name); err != nil {
			return err
		}
		return t.parse(name)
	}
	var nested nestedJSON
	if err := decodeJSON(data, &nested); err != nil {
		return err
	}
	switch {
	case nested.Array != nil:
		*t = typeJSON(row.ArrayType(row.Type(*nested.Array)))
	case len(nested.Map) == 2:
		*t = typeJSON(row.MapType(row.Type(nested.Map[0]), row.Type(nested.Map[1])))
	case nested.Struct != nil:
		fields, err := decodeFields(*nested.Struct)
		if err != nil {
			return err
		}
		*t = typeJSON(row.StructType(fields...))
	default:
		return fmt.Errorf("%s is no type", data)
	}
	return nil
}

func (t *typeJSON) parse(name string) error {
	for k := row.Void + 1; k < row.Array; k++ {
		if k != row.Decimal && (row.Type{Kind: k}).String() == name {
			*t = typeJSON{Kind: k}
			return nil
		}
	}
	var precision, scale int
	n, err := fmt.Sscanf(name, "decimal(%d,%d)", &precision, &scale)
	if err != nil || n != 2 || precision < 1 || precision > 38 || scale < 0 || scale > precision {
		return fmt.Errorf("%q is no type", name)
	}
	*t = typeJSON(row.DecimalType(precision, scale))
	return nil
}
