#include "hits.h"

/* Of the two that go through members each has what it calls within itself. */
#define FLAT __attribute__((flatten))

typedef struct {
	hits_way *w;
	const hits_step *steps;
	const uint8_t *words, *frame, *text;
	const uint8_t *last; /* where a member may begin at the latest */
	bool tight;          /* because of the room, not of the text */
	uint8_t *out;
	const lines_word *opens; /* what stands before the value of each place */
	hits_span *spans;        /* by place */
	const uint8_t *aside;
} way;

static inline void put(way *y, const uint8_t *from, size_t n) { y->out = spell_copy(y->out, from, n); }

static inline void put_word(way *y, lines_word word) { put(y, y->words + word.at, word.len); }

/* put_run copies what stands between from and end, if there is anything. */
static inline const uint8_t *put_run(way *y, const uint8_t *from, const uint8_t *end)
{
	if (from)
		y->out = spell_copy_long(y->out, from, (size_t)(end - from));
	return NULL;
}

static inline bool is_null(const way *y, const uint8_t *p, size_t n)
{
	lines_word null = y->w->null;
	return n == null.len && memcmp(p, y->words + null.at, n) == 0;
}

/* put_quoted appends a text with escapes as CSV has it: in quotes when it has quotes, the
 * sign or ends of lines, or could be taken for a NULL. */
static void put_quoted(way *y, const uint8_t *p, const uint8_t *end)
{
	uint8_t *first = y->out + 1, *o = first;
	bool quotes = false;
	while (p < end) {
		uint8_t c = *p++;
		if (c == '\\') {
			c = spell_unescaped(*p++);
			quotes |= c == '\n' || c == '\r';
		}
		*o++ = c;
		if (c == '"') {
			*o++ = '"';
			quotes = true;
		}
		quotes |= c == y->w->sign;
	}
	size_t n = (size_t)(o - first);
	if (quotes || is_null(y, first, n)) {
		*y->out = *o = '"';
		y->out = o + 1;
	} else {
		memmove(y->out, first, n);
		y->out += n;
	}
}

/* needs_quotes reports whether a text, without the quotes that it has in a document, may
 * need others in a line. */
static inline bool needs_quotes(const way *y, const hits_step *s, const uint8_t *p, size_t n, bool escaped)
{
	return s->look.shape == LOOK_TEXT && n > 0 && (escaped || spell_holds(p, n, y->w->sign) || is_null(y, p, n));
}

/* put_inner appends a value without its quotes, or with others where it needs them. It is
 * false when that is not for here. */
static inline bool put_inner(way *y, const hits_step *s, const uint8_t *p, const uint8_t *end, bool escaped)
{
	const hits_way *w = y->w;
	if (*p == '"')
		p++, end--;
	size_t n = (size_t)(end - p);
	bool quoted = needs_quotes(y, s, p, n, escaped);
	if (quoted && !w->quotes)
		return false;
	put_word(y, s->open);
	if (quoted)
		put_quoted(y, p, end);
	else if (n == 0)
		put_word(y, w->empty);
	else
		put(y, p, n);
	return true;
}

static inline bool begins(const way *y, const hits_step *s, const uint8_t *p)
{
	if ((spell_equal(p, s->head) & s->mask) != s->mask)
		return false;
	return s->key.len <= 16 || memcmp(p, y->words + s->key.at, s->key.len) == 0;
}

/* plain returns the position behind a plain value, NULL for anything else. */
static inline const uint8_t *plain(const way *y, const hits_step *s, const uint8_t *p, bool *escaped)
{
	if (s->look.shape == LOOK_TEXT)
		return *p == '"' ? spell_string(p + 1, y->last, escaped) : NULL;
	bool quoted = s->look.shape >= LOOK_DATE;
	if (quoted && *p++ != '"')
		return NULL;
	const uint8_t *end = lines_plain(&s->look, p);
	if (quoted)
		return end && *end == '"' ? end + 1 : NULL;
	return end && (*end == ',' || *end == '}') ? end : NULL;
}

/* members takes step w->step and those after it, from the member at p on, as long as
 * each value is plain; a member that is not there is NULL. It returns where it stopped.
 * Where lines have values and names as they stand in documents, they are copied by runs
 * of members. */
static FLAT const uint8_t *members(way *y, const uint8_t *p)
{
	hits_way *w = y->w;
	const hits_step *s = y->steps + w->step, *beyond = y->steps + w->steps;
	const uint8_t *run = NULL, *behind = p, *last = y->last;
	bool named = w->named, omit = w->omit;
	for (; s < beyond && p <= last; s++) {
		if (!begins(y, s, p)) {
			if (!omit) {
				run = put_run(y, run, behind);
				put_word(y, s->open);
				put_word(y, w->null);
			}
			continue;
		}
		bool escaped = false;
		const uint8_t *value = p + s->key.len;
		const uint8_t *end = value <= last ? plain(y, s, value, &escaped) : NULL;
		if (!end)
			break;
		if (named) {
			if (!run) {
				put_word(y, s->open);
				run = value;
			}
		} else if (s->keep == KEEP_WHOLE) {
			put_word(y, s->open);
			put(y, value, (size_t)(end - value));
		} else if (s->keep == KEEP_NOT || !put_inner(y, s, value, end, escaped)) {
			break;
		}
		behind = end;
		p = __builtin_expect(*end == ',', 1) ? end + 1 : end; /* a guess, so that nobody waits for the byte */
	}
	put_run(y, run, behind);
	w->step = s - y->steps;
	return p;
}

/* none returns the position behind a null, NULL for anything else. */
static inline const uint8_t *none(const uint8_t *p) { return memcmp(p, "null", 4) == 0 && (p[4] == ',' || p[4] == '}') ? p + 4 : NULL; }

/* note notes a plain value for the line. It is false when that is not for here. */
static inline bool note(way *y, const hits_step *s, const uint8_t *p, const uint8_t *end, bool escaped)
{
	hits_span v = {.kind = SPAN_COPY};
	if (s->keep == KEEP_INNER) {
		if (*p == '"')
			p++, end--;
		if (p == end)
			v.kind = SPAN_EMPTY;
		else if (needs_quotes(y, s, p, (size_t)(end - p), escaped))
			v.kind = SPAN_QUOTED;
	}
	v.from = (uint32_t)(p - y->text);
	v.len = (uint32_t)(end - p);
	if (s->keep == KEEP_NOT || (v.kind == SPAN_QUOTED && !y->w->quotes))
		return false;
	y->spans[s->place] = v;
	return true;
}

/* gather is members for documents whose order is not that of lines: it notes what they
 * have for each place. */
static FLAT const uint8_t *gather(way *y, const uint8_t *p)
{
	hits_way *w = y->w;
	const hits_step *s = y->steps + w->step, *beyond = y->steps + w->steps;
	const uint8_t *last = y->last;
	if (w->step == 0)
		memset(y->spans, 0, w->places * sizeof *y->spans);
	for (; s < beyond && p <= last; s++) {
		if (!begins(y, s, p))
			continue;
		bool escaped = false;
		const uint8_t *value = p + s->key.len;
		const uint8_t *end = value <= last ? plain(y, s, value, &escaped) : NULL;
		if (end ? !note(y, s, value, end, escaped) : value > last || !(end = none(value)))
			break;
		p = __builtin_expect(*end == ',', 1) ? end + 1 : end;
	}
	w->step = s - y->steps;
	return p;
}

/* put_noted appends the value of a place, with what stands before it. */
static inline void put_noted(way *y, lines_word open, hits_span v)
{
	if (v.kind == SPAN_ASIDE) {
		put(y, y->aside + v.from, v.len);
		return;
	}
	put_word(y, open);
	if (v.kind == SPAN_QUOTED)
		put_quoted(y, y->text + v.from, y->text + v.from + v.len);
	else if (v.kind == SPAN_EMPTY)
		put_word(y, y->w->empty);
	else
		put(y, y->text + v.from, v.len);
}

/* line makes a line of what was gathered. */
static void line(way *y)
{
	const hits_way *w = y->w;
	for (uint32_t i = 0; i < w->places; i++) {
		hits_span v = y->spans[i];
		if (v.kind != SPAN_NONE) {
			put_noted(y, y->opens[i], v);
		} else if (!w->omit) {
			put_word(y, y->opens[i]);
			put_word(y, w->null);
		}
	}
}

/* document returns the position behind the brace that opens the document of the hit at
 * p, NULL for a hit that begins otherwise than the ones before. */
static const uint8_t *document(const way *y, const uint8_t *p)
{
	const hits_way *w = y->w;
	bool escaped = false;
	if (w->head == 0 || p + w->head > y->last || memcmp(p, y->frame, w->head) != 0)
		return NULL;
	p = spell_string(p + w->head, y->last, &escaped);
	if (!p || --p + w->middle > y->last || memcmp(p, y->frame + w->head, w->middle) != 0)
		return NULL;
	return p + w->middle;
}

/* tail returns the position behind the hit whose document ends at p, NULL for one that
 * has more behind it than one or two numbers to sort by. */
static const uint8_t *tail(const way *y, const uint8_t *p)
{
	static const char sort[] = "},\"sort\":[";
	if (p > y->last)
		return NULL;
	if (p[0] == '}' && p[1] == '}')
		return p + 2;
	if (memcmp(p, sort, sizeof sort - 1) != 0)
		return NULL;
	p += sizeof sort - 1;
	int digits = spell_digits(p);
	p += digits;
	if (digits > 0 && *p == ',') {
		digits = spell_digits(++p);
		p += digits;
	}
	return digits > 0 && p[0] == ']' && p[1] == '}' ? p + 2 : NULL;
}

/* reach says how far the way may go: what is gone through is written once at most. */
static bool reach(way *y, const uint8_t *p, const uint8_t *full)
{
	const hits_way *w = y->w;
	int64_t text = (int64_t)w->len - LINES_REACH - (p - y->text), room = full - y->out - w->fixed - LINES_REACH;
	if (w->gathers && w->step >= 0)
		room -= (p - y->text) - (int64_t)w->begin + (int64_t)w->aside; /* what was gathered is still to be written */
	y->tight = room < text;
	y->last = p + (y->tight ? room : text);
	return room > LINES_REACH || !y->tight;
}

/* hits goes on from p, and returns why it stopped and where. */
static int hits(way *y, const uint8_t **at, const uint8_t *lines)
{
	hits_way *w = y->w;
	const uint8_t *p = *at, *full = lines + w->cap;
	for (;; p++, *at = p) {
		if (!reach(y, p, full))
			return WHY_ROOM;
		if (w->step < 0) {
			const uint8_t *first = document(y, p);
			if (!first)
				return w->hits == 0 ? WHY_HEAD : WHY_STOP;
			p = first;
			w->step = 0;
			w->begin = (uint64_t)(p - y->text);
		}
		*at = p = w->gathers ? gather(y, p) : members(y, p);
		if (w->step < w->steps)
			return p > y->last && y->tight ? WHY_ROOM : WHY_VALUE;
		if (w->gathers)
			line(y);
		if (!(p = tail(y, p)))
			return WHY_TAIL;
		put_word(y, w->close);
		w->hits++;
		w->step = -1;
		w->end = (uint64_t)(p - y->text);
		w->line = (uint64_t)(y->out - lines);
		if (w->line >= w->enough || *p != ',')
			return WHY_STOP;
	}
}

int eslake_hits(hits_way *w, const hits_step *steps, const uint8_t *words, const uint8_t *frame, const uint8_t *text, uint8_t *lines,
		const lines_word *opens, hits_span *spans, const uint8_t *aside)
{
	way y = {.w = w, .steps = steps, .words = words, .frame = frame, .text = text, .out = lines + w->out, .opens = opens, .spans = spans, .aside = aside};
	const uint8_t *p = text + w->at;
	int why = hits(&y, &p, lines);
	w->at = (uint64_t)(p - text);
	w->out = (uint64_t)(y.out - lines);
	return why;
}
