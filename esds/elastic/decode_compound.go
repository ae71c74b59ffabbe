package elastic

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// compound returns how a kind is read that documents may spell in several ways,
// nil for a kind with one. It brings each spelling into the form of an object.
func compound(f *esds.Field) func(decode) decode {
	if f == nil {
		return nil
	}
	switch f.Kind {
	case "geo_point":
		return func(inner decode) decode { return points(inner) }
	case "join":
		return func(inner decode) decode { return single(spelled(inner, joinObject)) }
	case "ip_range":
		return func(inner decode) decode { return single(spelled(inner, ipRange)) }
	}
	return nil
}

// spelled reads text after it was brought into the form of an object.
func spelled(inner decode, object func(text string) ([]byte, error)) decode {
	return func(c *row.Column, raw []byte) error {
		if raw[0] != '"' {
			return inner(c, raw)
		}
		text, err := appendUnquoted(nil, raw)
		if err != nil {
			return err
		}
		if raw, err = object(string(text)); err != nil {
			return err
		}
		return inner(c, raw)
	}
}

// joinObject reads the name of a relation without a parent.
func joinObject(name string) ([]byte, error) {
	return append(row.AppendQuoted([]byte(`{"name":`), name), '}'), nil
}

// ipRange reads 10.0.0.0/8.
func ipRange(text string) ([]byte, error) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return nil, errors.New("is not a range of addresses")
	}
	prefix = prefix.Masked()
	last := prefix.Addr().AsSlice()
	for bit := prefix.Bits(); bit < len(last)*8; bit++ {
		last[bit/8] |= 1 << (7 - bit%8)
	}
	end, _ := netip.AddrFromSlice(last)
	return fmt.Appendf(nil, `{"gte":%q,"lte":%q}`, prefix.Addr(), end), nil
}

var errPoint = errors.New("is not a point of latitude and longitude")

// points reads a point in any of the forms that Elasticsearch takes.
func points(inner decode) decode {
	var whole decode
	whole = func(c *row.Column, raw []byte) error {
		if raw[0] == '[' && !isPair(raw) {
			return single(whole)(c, raw)
		}
		object, err := pointObject(raw)
		if err != nil {
			return err
		}
		return inner(c, object)
	}
	return whole
}

// isPair reports whether a list is one point: [lon, lat], or with a height.
func isPair(raw []byte) bool {
	first := bytes.TrimSpace(raw[1:])
	return len(first) > 0 && (first[0] == '-' || first[0] >= '0' && first[0] <= '9')
}

func pointObject(raw []byte) ([]byte, error) {
	switch raw[0] {
	case '{':
		return geoJSON(raw)
	case '[':
		return lonLat(raw)
	case '"':
		text, err := appendUnquoted(nil, raw)
		if err != nil {
			return nil, err
		}
		return pointText(strings.TrimSpace(string(text)))
	}
	return nil, errPoint
}

func latLon(lat, lon string) ([]byte, error) {
	lat, lon = strings.TrimSpace(lat), strings.TrimSpace(lon)
	for _, part := range []string{lat, lon} {
		if _, err := strconv.ParseFloat(part, 64); err != nil {
			return nil, errPoint
		}
	}
	return fmt.Appendf(nil, `{"lat":%q,"lon":%q}`, lat, lon), nil
}

// geoJSON reads {"type": "Point", "coordinates": [lon, lat]}; other objects have
// lat and lon already, or a geohash.
func geoJSON(raw []byte) ([]byte, error) {
	object := raw
	err := eachMember(raw, func(name, v []byte) error {
		var err error
		switch string(name) {
		case "coordinates":
			object, err = lonLat(v)
		case "geohash":
			object, err = pointObject(v)
		}
		return err
	})
	return object, err
}

func lonLat(list []byte) ([]byte, error) {
	var parts []string
	if len(list) == 0 || list[0] != '[' {
		return nil, errPoint
	}
	err := eachElement(list, func(v []byte) error {
		parts = append(parts, string(v))
		return nil
	})
	if err != nil || len(parts) < 2 {
		return nil, errPoint
	}
	return latLon(parts[1], parts[0])
}

// pointText reads "lat,lon", "POINT (lon lat)" and geohashes.
func pointText(text string) ([]byte, error) {
	if lat, lon, ok := strings.Cut(text, ","); ok {
		lon, _, _ = strings.Cut(lon, ",") // a height
		return latLon(lat, lon)
	}
	if len(text) > 5 && strings.EqualFold(text[:5], "POINT") {
		parts := strings.Fields(strings.Trim(strings.TrimSpace(text[5:]), "()"))
		if len(parts) < 2 {
			return nil, errPoint
		}
		return latLon(parts[1], parts[0])
	}
	return geohash(strings.ToLower(text))
}

const geohashDigits = "0123456789bcdefghjkmnpqrstuvwxyz"

// geohash returns the corner of the cell with the least latitude and longitude, as
// Elasticsearch does.
func geohash(text string) ([]byte, error) {
	if len(text) == 0 || len(text) > 12 {
		return nil, errPoint
	}
	low, size := [2]float64{-180, -90}, [2]float64{360, 180} // longitude, latitude
	even := 0
	for i := range len(text) {
		digit := strings.IndexByte(geohashDigits, text[i])
		if digit < 0 {
			return nil, errPoint
		}
		for bit := 4; bit >= 0; bit-- {
			size[even] /= 2
			if digit>>bit&1 == 1 {
				low[even] += size[even]
			}
			even = 1 - even
		}
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return latLon(number(low[1]), number(low[0]))
}
