package render

import (
	"bytes"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"
)

// frame is the lines round the cells of a box, as tablewriter draws them. The
// cells are ours: its own widths are wrong for emoji, and it takes 88
// microseconds a row.
type frame struct {
	top, rule, bottom   []byte // whole lines
	left, middle, right []byte // of a row; right ends the line
}

// filler stands for the content of the cells.
const filler = "x"

// newFrame draws a box of one row whose cells have the given widths, and takes
// it apart.
func newFrame(widths []int) frame {
	if len(widths) == 0 {
		return frame{right: []byte("\n")}
	}
	cells := make([]string, len(widths))
	columns := tw.NewMapper[int, int]()
	for k, w := range widths {
		cells[k] = strings.Repeat(filler, w)
		columns.Set(k, w+2)
	}
	lines := bytes.SplitAfter(draw(cells, columns), []byte("\n"))
	rowLine := lines[3]
	first, last := bytes.Index(rowLine, []byte(filler)), bytes.LastIndex(rowLine, []byte(filler))
	f := frame{top: lines[0], rule: lines[2], bottom: lines[4], left: rowLine[:first], right: rowLine[last+1:]}
	if len(widths) > 1 {
		behind := rowLine[first+widths[0]:]
		f.middle = behind[:bytes.Index(behind, []byte(filler))]
	}
	return f
}

func draw(cells []string, columns tw.Mapper[int, int]) []byte {
	var out bytes.Buffer
	t := tablewriter.NewTable(&out,
		tablewriter.WithStreaming(tw.StreamConfig{Enable: true}),
		tablewriter.WithColumnWidths(columns),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
	)
	_ = t.Start() // a buffer takes everything
	t.Header(cells)
	_ = t.Append(cells)
	_ = t.Close()
	return out.Bytes()
}
