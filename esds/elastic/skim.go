package elastic

import (
	"bytes"
	"errors"
)

// skimmed is what is known of a page whose hits are not split yet: they are gone
// through once, when they are decoded, and the next page is asked for before that.
type skimmed struct {
	begin, end int    // of what stands between the brackets of hits.hits; 0 when the page was split
	after      []byte // sort values of the last hit, nil for none
	documents  int    // that it should have
}

// skimPage splits an answer at its ends. It is nil when the answer does not look
// as those of a long read do, and is to be parsed as a whole.
func skimPage(op, index string, text []byte, partial bool) (*page, error) {
	p := &page{text: text, total: -1}
	var state pageState
	_, err := members(text, 0, func(name []byte, i int) (int, error) {
		if string(name) == "hits" {
			return p.skimHits(i)
		}
		end, err := skipValue(text, i)
		if err != nil {
			return end, err
		}
		return end, p.parseMember(name, text[i:end], &state)
	})
	if !errors.Is(err, errSkimmed) || !state.told || state.shards.Total == 0 || !p.skimTail() {
		return nil, nil
	}
	return p.judge(op, index, &state, partial)
}

// errSkimmed ends the look at the head of an answer.
var errSkimmed = errors.New("the hits begin here")

func (p *page) skimHits(i int) (int, error) {
	return members(p.text, i, func(name []byte, i int) (int, error) {
		if string(name) == "hits" && p.text[i] == '[' {
			p.skim.begin = i + 1
			return i, errSkimmed
		}
		end, err := skipValue(p.text, i)
		if err == nil && string(name) == "total" {
			err = p.parseTotal(p.text[i:end])
		}
		return end, err
	})
}

// skimTail finds where the hits end, and the sort values of the last. They are the
// last member of a hit, which nothing in a document can look like there.
func (p *page) skimTail() bool {
	const tail, mark = "]}}", `,"sort":[`
	if !bytes.HasSuffix(p.text, []byte(tail)) {
		return false
	}
	p.skim.end = len(p.text) - len(tail)
	hits := p.text[p.skim.begin:max(p.skim.begin, p.skim.end)]
	if len(hits) == 0 {
		return p.skim.begin == p.skim.end
	}
	at := bytes.LastIndex(hits[max(0, len(hits)-1000):], []byte(mark))
	if at < 0 {
		return false
	}
	values := hits[max(0, len(hits)-1000)+at+len(mark)-1:]
	last := len(values) - 1
	if last < 3 || string(values[last-1:]) != "]}" || bytes.ContainsAny(values[1:last-1], "[]{}\"") {
		return false // only plain numbers are sure to end as they seem to
	}
	p.skim.after = values[:last]
	return true
}
