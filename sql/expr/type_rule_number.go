package expr

import "github.com/eslake/eslake/sql/row"

// numberFormatOf reads the constant format of to_char and to_number.
func numberFormatOf(c *Call) (*row.NumberFormat, error) {
	text, _ := ConstantText(c.Args[1])
	f, err := row.ParseNumberFormat(text)
	if err != nil {
		return nil, errorAt(CodeConstant, c.Args[1].Span(), "%s", err)
	}
	return f, nil
}

func numberText(c *Call) (*Call, error) {
	t := c.Args[0].Type()
	if !t.Numeric() && t.Kind != row.String && t.Kind != row.Void {
		err := typeError(c, 0, "a number")
		if isTime(t) {
			err = errorAt(CodeTypes, c.Args[0].Span(), "%s of Spark 3.5 writes numbers; date_format(t, pattern) writes times", c.Func)
		}
		return nil, err
	}
	if _, err := numberFormatOf(c); err != nil {
		return nil, err
	}
	c.Args[0] = Convert(c.Args[0], asDecimal(t))
	return c, nil
}

func numberOfText(c *Call) (*Call, error) {
	f, err := numberFormatOf(c)
	if err != nil {
		return nil, err
	}
	if f.Precision > 38 {
		return nil, errorAt(CodeConstant, c.Args[1].Span(), "the format has %d digits; a decimal has at most 38", f.Precision)
	}
	c.T = row.DecimalType(f.Precision, f.Scale)
	return c, nil
}
