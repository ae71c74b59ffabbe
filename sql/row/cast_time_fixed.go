package row

// Most dates and times of files have the very same form; these read it without
// looking for others.

const (
	fixedDate = len("2006-01-02")
	fixedTime = len("2006-01-02T15:04:05")
)

// parseFixedDate reads yyyy-mm-dd, which is all that the text may be.
func parseFixedDate(text []byte) (days int64, ok bool) {
	_ = text[fixedDate-1]
	if text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	century, a := twoDigits(text)
	year, b := twoDigits(text[2:])
	month, c := twoDigits(text[5:])
	day, d := twoDigits(text[8:])
	if !a || !b || !c || !d {
		return 0, false
	}
	return civil(century*100+year, month, day)
}

// parseFixedTimestamp reads yyyy-mm-ddThh:mm:ss and a fraction or none: what clocks
// show, and the text behind it.
func parseFixedTimestamp(text []byte) (wall int64, rest []byte, ok bool) {
	if len(text) < fixedTime || text[10] != 'T' && text[10] != ' ' || text[13] != ':' || text[16] != ':' {
		return 0, nil, false
	}
	days, ok := parseFixedDate(text[:fixedDate])
	hour, a := twoDigits(text[11:])
	minute, b := twoDigits(text[14:])
	second, c := twoDigits(text[17:])
	if !ok || !a || !b || !c || hour > 23 || minute > 59 || second > 59 {
		return 0, nil, false
	}
	wall = days*microsPerDay + (hour*3600+minute*60+second)*microsPerSecond
	s := scanner{text: text, at: fixedTime}
	if s.take('.') {
		wall += s.fraction()
	}
	return wall, text[s.at:], true
}

// twoDigits reads a number of two digits.
func twoDigits(b []byte) (n int64, ok bool) {
	_ = b[1]
	ten, one := b[0]-'0', b[1]-'0'
	return int64(ten)*10 + int64(one), ten <= 9 && one <= 9
}
