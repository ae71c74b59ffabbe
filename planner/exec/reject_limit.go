package exec

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// errTooMany stops a write with more rejects than are allowed.
var errTooMany = errors.New("too many rows were rejected")

// MaxRejects is how many rejected rows a write bears. The zero value is none.
type MaxRejects struct {
	n       int64
	percent float64 // of the rows, when it is not 0
}

// fewRows is how many rows must have been taken before a part of them says
// something.
const fewRows = 1000

// ParseMaxRejects reads a number, or a part like 5% or 0.1%.
func ParseMaxRejects(text string) (MaxRejects, error) {
	text = strings.TrimSpace(text)
	if part, ok := strings.CutSuffix(text, "%"); ok {
		p, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(p >= 0 && p <= 100) {
			return MaxRejects{}, fmt.Errorf("%q is no part from 0%% to 100%%", text)
		}
		return MaxRejects{percent: p}, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return MaxRejects{}, fmt.Errorf("%q is neither a number of rows nor a part like 5%%", text)
	}
	return MaxRejects{n: n}, nil
}

// String is what ParseMaxRejects reads.
func (m MaxRejects) String() string {
	if m.percent > 0 {
		return strconv.FormatFloat(m.percent, 'g', -1, 64) + "%"
	}
	return strconv.FormatInt(m.n, 10)
}

// exceeded reports whether rejected rows are too many, after so many rows. A part
// is not asked of the first few rows.
func (m MaxRejects) exceeded(rejected, rows int64) bool {
	if m.percent > 0 {
		return rejected > int64(m.percent/100*float64(max(rows, fewRows)))
	}
	return rejected > m.n
}
