#include "records.h"

/* stop returns the first byte from p on that may end a field: the separator, \n or \r.
 * NULL when that would be behind last. */
static inline const uint8_t *stop(const uint8_t *p, const uint8_t *last, uint8_t sep)
{
	for (; p <= last; p += 32)
		for (uint32_t found = spell_marks(p, sep) | spell_up_to_cr(p); found != 0; found &= found - 1) {
			const uint8_t *at = p + __builtin_ctz(found);
			if (*at == sep || *at == '\n' || *at == '\r')
				return at;
		}
	return NULL;
}

/* closing returns the quote that ends the field of which the text begins at p, NULL when
 * it would be behind last. */
static const uint8_t *closing(const records_way *w, const uint8_t *p, const uint8_t *last, records_field *f)
{
	while (p <= last) {
		uint32_t found = spell_marks(p, w->quote);
		if (w->escape != 0)
			found |= spell_marks(p, w->escape);
		if (found == 0) {
			p += 32;
			continue;
		}
		p += __builtin_ctz(found);
		if (*p == w->escape && (p[1] == w->quote || p[1] == w->escape)) {
			f->escaped = true;
			p += 2;
		} else if (*p == w->quote) {
			return p;
		} else {
			p++;
		}
	}
	return NULL;
}

static uint64_t newlines(const uint8_t *p, const uint8_t *end)
{
	uint64_t n = 0;
	for (; end - p >= 16; p += 16)
		n += (uint64_t)__builtin_popcount(spell_signs(p, '\n'));
	return n + (uint64_t)__builtin_popcount(spell_signs(p, '\n') & ((1u << (end - p)) - 1));
}

/* split cuts the record into fields. It is false when it has not as many as it should, or
 * is not for here. */
static bool split(records_way *w, records_field *fields, const uint8_t *text)
{
	const uint8_t *p = text + w->at, *last = text + (int64_t)w->len - LINES_REACH;
	w->newlines = 1;
	for (uint32_t k = 0; k < w->fields; k++) {
		records_field *f = &fields[k];
		const uint8_t *end;
		*f = (records_field){0};
		if (p <= last && w->quote != 0 && *p == w->quote) {
			f->quoted = true;
			end = closing(w, ++p, last, f);
			if (!end)
				return false;
			f->len = (uint32_t)(end - p);
			w->newlines += newlines(p, end++);
		} else {
			end = stop(p, last, w->sep);
			if (!end)
				return false;
			f->len = (uint32_t)(end - p);
		}
		f->from = (uint32_t)(p - text);
		p = end + 1;
		if (k + 1 < w->fields ? *end == w->sep : *end == '\n')
			continue;
		if (k + 1 < w->fields || *end != '\r' || *p++ != '\n')
			return false;
	}
	w->end = (uint64_t)(p - text);
	return p <= last;
}

/* put_json appends a text as row.AppendQuoted does. It returns NULL for one with control
 * characters that have no escape of their own, or that is no UTF-8. */
static uint8_t *put_json(const records_way *w, uint8_t *out, const uint8_t *p, const records_field *f)
{
	const uint8_t *from = p, *end = p + f->len;
	bool ascii = true;
	*out++ = '"';
	while (p < end) {
		uint32_t all = end - p < 32 ? (1u << (end - p)) - 1 : ~0u, found = spell_stops(p) & all;
		memcpy(out, p, 32);
		ascii &= (spell_highs(p) & all) == 0;
		if (found == 0) {
			out += end - p < 32 ? end - p : 32;
			p += 32;
			continue;
		}
		out += __builtin_ctz(found);
		p += __builtin_ctz(found);
		if (f->escaped && *p == w->escape && (p[1] == w->quote || p[1] == w->escape) && p + 1 < end)
			p++;
		uint8_t sign = spell_escape(*p++);
		if (sign == 0)
			return NULL;
		*out++ = '\\';
		*out++ = sign;
	}
	*out++ = '"';
	return ascii || spell_utf8(from, end) ? out : NULL;
}

/* put_field appends a field that is not NULL, with what stands before it. It returns NULL
 * when it is not plain. */
static inline uint8_t *put_field(const records_way *w, const records_step *s, const records_field *f, const uint8_t *words, const uint8_t *p, uint8_t *out)
{
	bool text = s->look.shape == LOOK_TEXT, shown = w->step < w->places;
	if (s->keep == FIELD_NOT || (!text && lines_plain(&s->look, p) != p + f->len))
		return NULL;
	if (!shown)
		return out;
	out = spell_copy(out, words + s->open.at, s->open.len);
	if (text)
		return put_json(w, out, p, f);
	*out = '"';
	out += s->keep == FIELD_QUOTED;
	out = spell_copy(out, p, f->len);
	*out = '"';
	return out + (s->keep == FIELD_QUOTED);
}

static inline bool is_null(const records_way *w, const records_step *s, const records_field *f, const uint8_t *words, const uint8_t *p)
{
	if (f->len == 0)
		return !f->quoted || (s->look.shape != LOOK_TEXT && s->keep != FIELD_NOT);
	return f->len == w->none.len && memcmp(p, words + w->none.at, f->len) == 0;
}

int eslake_record(records_way *w, const records_step *steps, records_field *fields, const uint8_t *words, const uint8_t *text, uint8_t *lines)
{
	if (w->step < 0) {
		if (!split(w, fields, text))
			return RECORD_ODD;
		w->step = 0;
	}
	if (w->cap < w->out + 2 * (w->end - w->at) + w->fixed + LINES_REACH)
		return RECORD_ROOM;
	uint8_t *out = lines + w->out;
	int why = RECORD_DONE;
	for (; w->step < w->steps; w->step++) {
		const records_step *s = &steps[w->step];
		const records_field *f = &fields[s->field];
		const uint8_t *p = text + f->from;
		if (s->keep == FIELD_NULL || is_null(w, s, f, words, p)) {
			if (!w->omit && w->step < w->places)
				out = spell_copy(spell_copy(out, words + s->open.at, s->open.len), words + w->null.at, w->null.len);
			continue;
		}
		uint8_t *next = f->escaped && w->none.len > 0 ? NULL : put_field(w, s, f, words, p, out);
		if (!next) {
			why = RECORD_FIELD;
			break;
		}
		out = next;
	}
	if (why == RECORD_DONE)
		out = spell_copy(out, words + w->close.at, w->close.len);
	w->out = (uint64_t)(out - lines);
	return why;
}
