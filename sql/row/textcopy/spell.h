#ifndef ESLAKE_SPELL_H
#define ESLAKE_SPELL_H

/*
 * What a text must look like to be what row.AppendText and row.AppendJSON print of its
 * value. Each function returns the position behind the value, NULL when it is something
 * else or might be. It takes SPELL_REACH bytes behind the position for granted.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SPELL_REACH = 96, SPELL_COPY = 32, SPELL_BLOCK = 64 };

/* spell_copy copies n bytes and returns the end of the copy. Of few it copies
 * SPELL_COPY, which are two moves where others are a call. */
static inline uint8_t *spell_copy(uint8_t *to, const uint8_t *from, size_t n)
{
	if (n <= SPELL_COPY)
		memcpy(to, from, SPELL_COPY);
	else
		memcpy(to, from, n);
	return to + n;
}

/* spell_copy_long copies n bytes, one or more, and returns the end of the copy. It takes
 * them in blocks of SPELL_BLOCK, the last one too. */
static inline uint8_t *spell_copy_long(uint8_t *to, const uint8_t *from, size_t n)
{
	uint8_t *end = to + n;
	do {
		memcpy(to, from, SPELL_BLOCK);
		to += SPELL_BLOCK;
		from += SPELL_BLOCK;
	} while (to < end);
	return end;
}

/* Masks have a bit for each byte, the lowest for the first: of 16 bytes, or of 32 where
 * they are uint32_t. */
#ifdef __SSE2__
#include <emmintrin.h>

static inline __m128i spell_load(const uint8_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }

static inline unsigned spell_mask(__m128i v) { return (unsigned)_mm_movemask_epi8(v); }

static inline __m128i spell_up_to(__m128i v, char most) { return _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(most)), v); }

static inline unsigned spell_equal(const uint8_t *p, const uint8_t *q) { return spell_mask(_mm_cmpeq_epi8(spell_load(p), spell_load(q))); }

static inline unsigned spell_signs(const uint8_t *p, uint8_t c) { return spell_mask(_mm_cmpeq_epi8(spell_load(p), _mm_set1_epi8((char)c))); }

/* spell_from: bytes that are c or more. */
static inline unsigned spell_from(const uint8_t *p, uint8_t c)
{
	__m128i v = spell_load(p);
	return spell_mask(_mm_cmpeq_epi8(_mm_max_epu8(v, _mm_set1_epi8((char)c)), v));
}

static inline unsigned spell_digit_mask(const uint8_t *p) { return spell_mask(spell_up_to(_mm_sub_epi8(spell_load(p), _mm_set1_epi8('0')), 9)); }

static inline uint32_t spell_marks(const uint8_t *p, uint8_t c) { return spell_signs(p, c) | (uint32_t)spell_signs(p + 16, c) << 16; }

static inline uint32_t spell_up_to_cr(const uint8_t *p)
{
	return spell_mask(spell_up_to(spell_load(p), '\r')) | (uint32_t)spell_mask(spell_up_to(spell_load(p + 16), '\r')) << 16;
}

static inline __m128i spell_stop16(__m128i v)
{
	__m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"')), slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
	return _mm_or_si128(_mm_or_si128(quote, slash), spell_up_to(v, 0x1f));
}

static inline uint32_t spell_stops(const uint8_t *p)
{
	return spell_mask(spell_stop16(spell_load(p))) | (uint32_t)spell_mask(spell_stop16(spell_load(p + 16))) << 16;
}

static inline uint32_t spell_controls(const uint8_t *p)
{
	return spell_mask(spell_up_to(spell_load(p), 0x1f)) | (uint32_t)spell_mask(spell_up_to(spell_load(p + 16), 0x1f)) << 16;
}

static inline uint32_t spell_highs(const uint8_t *p) { return spell_mask(spell_load(p)) | (uint32_t)spell_mask(spell_load(p + 16)) << 16; }
#else
#define SPELL_EACH(n, what)                \
	uint32_t mask = 0;                 \
	for (int i = 0; i < (n); i++)      \
		mask |= (uint32_t)(what) << i; \
	return mask

static inline unsigned spell_equal(const uint8_t *p, const uint8_t *q) { SPELL_EACH(16, p[i] == q[i]); }

static inline unsigned spell_signs(const uint8_t *p, uint8_t c) { SPELL_EACH(16, p[i] == c); }

static inline unsigned spell_from(const uint8_t *p, uint8_t c) { SPELL_EACH(16, p[i] >= c); }

static inline unsigned spell_digit_mask(const uint8_t *p) { SPELL_EACH(16, (uint8_t)(p[i] - '0') <= 9); }

static inline uint32_t spell_marks(const uint8_t *p, uint8_t c) { SPELL_EACH(32, p[i] == c); }

static inline uint32_t spell_stops(const uint8_t *p) { SPELL_EACH(32, p[i] == '"' || p[i] == '\\' || p[i] < ' '); }

static inline uint32_t spell_up_to_cr(const uint8_t *p) { SPELL_EACH(32, p[i] <= '\r'); }

static inline uint32_t spell_controls(const uint8_t *p) { SPELL_EACH(32, p[i] < ' '); }

static inline uint32_t spell_highs(const uint8_t *p) { SPELL_EACH(32, p[i] >= 0x80); }
#endif

/* spell_holds reports whether n bytes, one or more, have one that is c. */
static inline bool spell_holds(const uint8_t *p, size_t n, uint8_t c)
{
	for (; n > 16; p += 16, n -= 16)
		if (spell_signs(p, c))
			return true;
	return spell_signs(p, c) & ((1u << n) - 1);
}

/* spell_digits returns how many digits there are at p, at most 32. */
static inline int spell_digits(const uint8_t *p)
{
	int n = __builtin_ctz(~spell_digit_mask(p));
	return n < 16 ? n : 16 + __builtin_ctz(~spell_digit_mask(p + 16));
}

/* spell_utf8_each is spell_utf8, character by character. */
static __attribute__((noinline)) bool spell_utf8_each(const uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		uint8_t c = *p++;
		if (c < 0x80)
			continue;
		int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
		uint8_t low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
		uint8_t high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
		if (c < 0xc2 || c > 0xf4 || *p < low || *p > high)
			return false;
		for (p++; --more > 0; p++)
			if ((*p & 0xc0) != 0x80)
				return false;
	}
	return p == end;
}

/* spell_utf8 reports whether the text from p to end is UTF-8 (RFC 3629, section 4).
 * A byte of ASCII stands at the end. */
static inline bool spell_utf8(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *from = p;
	uint32_t due = 0; /* bytes that go on with a character that has begun */
	for (; p < end; p += 16) {
		uint32_t all = end - p < 16 ? (1u << (end - p)) - 1 : 0xffff;
		uint32_t high = spell_from(p, 0x80) & all, two = spell_from(p, 0xc2) & all, three = spell_from(p, 0xe0) & all;
		uint32_t more = high & ~spell_from(p, 0xc0);
		if ((spell_from(p, 0xf0) | spell_signs(p, 0xe0) | spell_signs(p, 0xed)) & all)
			return spell_utf8_each(from, end);
		due |= two << 1 | three << 2;
		if ((high & ~two) != more || (due & 0xffff) != more)
			return false;
		due >>= 16;
	}
	return due == 0;
}

/* spell_behind returns which bytes stand behind a backslash that none stands behind
 * itself: of a row of backslashes every second is one. Carry says it of the first byte,
 * and becomes what holds for the next 32. (Langdale and Lemire, Parsing Gigabytes of
 * JSON per Second, section 3.1.1.) */
static inline uint32_t spell_behind(uint32_t slash, uint32_t *carry)
{
	const uint32_t even = 0x55555555;
	slash &= ~*carry;
	uint32_t follows = slash << 1 | *carry, odd = slash & ~even & ~follows, rows;
	*carry = __builtin_add_overflow(odd, slash, &rows);
	return (even ^ rows << 1) & follows;
}

/* spell_escape returns what AppendQuoted has behind the backslash for c, 0 when it has
 * more than one sign there. */
static inline uint8_t spell_escape(uint8_t c)
{
	switch (c) {
	case '"':
	case '\\':
		return c;
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	}
	return 0;
}

/* spell_unescaped returns what c stands for behind a backslash. */
static inline uint8_t spell_unescaped(uint8_t c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	}
	return c;
}

/* spell_escaped is spell_string from p on, where there are escapes; high is whether
 * there is anything but ASCII before. */
static __attribute__((noinline)) const uint8_t *spell_escaped(const uint8_t *from, const uint8_t *p, const uint8_t *last, uint32_t high)
{
	uint32_t carry = 0;
	for (; p <= last; p += 32) {
		uint32_t slash = spell_marks(p, '\\'), quote = spell_marks(p, '"'), behind = spell_behind(slash, &carry);
		uint32_t stop = (quote & ~behind) | spell_controls(p), before = (stop & -stop) - 1;
		uint32_t escapes = slash | quote | spell_marks(p, 'n') | spell_marks(p, 'r') | spell_marks(p, 't') | spell_marks(p, 'b') | spell_marks(p, 'f');
		if (behind & before & ~escapes)
			return NULL;
		high |= spell_highs(p) & before;
		if (stop) {
			p += __builtin_ctz(stop);
			return *p == '"' && (high == 0 || spell_utf8(from, p)) ? p + 1 : NULL;
		}
	}
	return NULL;
}

/* spell_string takes a JSON string whose first byte is at p, and looks at no more
 * than what begins at last. Escapes are those of one character that AppendQuoted makes. */
static inline const uint8_t *spell_string(const uint8_t *p, const uint8_t *last, bool *escaped)
{
	const uint8_t *from = p;
	uint32_t high = 0;
	for (; p <= last; p += 32) {
		uint32_t stop = spell_stops(p);
		high |= spell_highs(p) & ((stop & -stop) - 1);
		if (stop == 0)
			continue;
		const uint8_t *end = p + __builtin_ctz(stop);
		if (*end == '"')
			return high == 0 || spell_utf8(from, end) ? end + 1 : NULL;
		*escaped = true;
		return spell_escaped(from, p, last, high);
	}
	return NULL;
}

/* What a number looks like: a minus or none, digits, and maybe a point and digits. All
 * of one that is short is found by one look. */
typedef struct {
	const uint8_t *digits; /* the first one */
	int whole, fraction;   /* digits of both sides of the point; -1 when there is none */
	const uint8_t *end;
} spell_number;

static inline spell_number spell_number_at(const uint8_t *p)
{
	unsigned minus = *p == '-', mask = spell_digit_mask(p) | minus;
	int whole = __builtin_ctz(~mask), fraction = __builtin_ctz(~(mask >> (whole & 15) >> 1));
	if (whole + 1 + fraction >= 16) {
		whole = (int)minus + spell_digits(p + minus);
		fraction = spell_digits(p + whole + 1);
	}
	spell_number n = {p + minus, whole - (int)minus, -1, p + whole};
	if (p[whole] == '.') {
		n.fraction = fraction;
		n.end += 1 + fraction;
	}
	return n;
}

/* spell_whole takes numbers of up to n digits, those of n not larger than most. */
static inline const uint8_t *spell_whole(const uint8_t *p, const char *most, int n)
{
	unsigned minus = *p == '-', mask = spell_digit_mask(p) | minus;
	const uint8_t *first = p + minus;
	int digits = __builtin_ctz(~mask);
	if (digits == 16)
		digits += __builtin_ctz(~spell_digit_mask(p + 16));
	digits -= (int)minus;
	if (digits == 0 || digits > n || (*first == '0' && (digits > 1 || minus)))
		return NULL;
	return digits < n || *first < *most || memcmp(first, most, (size_t)n) <= 0 ? first + digits : NULL;
}

/* spell_real takes numbers that Java prints without an exponent, of up to most digits. */
static inline const uint8_t *spell_real(const uint8_t *p, int most)
{
	spell_number n = spell_number_at(p);
	if (n.whole == 0 || n.whole > 7 || n.fraction <= 0 || n.whole + n.fraction > most)
		return NULL;
	if (n.end[-1] == '0' && n.fraction > 1)
		return NULL;
	if (*n.digits == '0' && (n.whole > 1 || (n.fraction > 3 && memcmp(n.digits + 2, "000", 3) == 0)))
		return NULL;
	return n.end;
}

/* spell_decimal takes numbers of up to so many digits before the point, and all of a
 * scale behind it. */
static inline const uint8_t *spell_decimal(const uint8_t *p, int whole, int scale)
{
	spell_number n = spell_number_at(p);
	if (n.whole == 0 || n.whole > whole || n.fraction != (scale == 0 ? -1 : scale) || scale >= 32)
		return NULL;
	if (*n.digits == '0' && (n.whole > 1 || n.digits > p))
		return NULL;
	return n.end;
}

static inline const uint8_t *spell_bool(const uint8_t *p)
{
	bool no = *p == 'f'; /* nothing branches here: either is as likely */
	return memcmp(p + no, no ? "alse" : "true", 4) == 0 ? p + 4 + no : NULL;
}

static inline unsigned spell_pair(const uint8_t *p) { return (p[0] - '0') * 10u + (p[1] - '0'); }

/* spell_date takes a day that exists of the years 1000 to 9999, as 2006-01-02. */
static inline const uint8_t *spell_date(const uint8_t *p)
{
	static const uint8_t days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	enum { DIGITS = 0x36f, DASHES = 0x090 }; /* of ten bytes, which are digits and which are not */
	if ((spell_digit_mask(p) & (DIGITS | DASHES)) != DIGITS || p[4] != '-' || p[7] != '-' || *p == '0')
		return NULL;
	unsigned century = spell_pair(p), year = spell_pair(p + 2), month = spell_pair(p + 5), day = spell_pair(p + 8);
	if (month - 1 > 11 || day - 1 >= days[month - 1])
		return NULL;
	bool leap = year == 0 ? century % 4 == 0 : year % 4 == 0;
	return month == 2 && day == 29 && !leap ? NULL : p + 10;
}

/* spell_time takes 2006-01-02T15:04:05Z, with or without a fraction that does not end
 * in a zero. */
static inline const uint8_t *spell_time(const uint8_t *p)
{
	enum { DIGITS = 0xdb, COLONS = 0x24 }; /* of the eight bytes behind the T */
	if (!spell_date(p) || p[10] != 'T')
		return NULL;
	p += 11;
	if ((spell_digit_mask(p) & (DIGITS | COLONS)) != DIGITS || p[2] != ':' || p[5] != ':')
		return NULL;
	if (spell_pair(p) > 23 || p[3] > '5' || p[6] > '5')
		return NULL;
	p += 8;
	if (*p == '.') {
		int fraction = spell_digits(p + 1);
		if (fraction == 0 || fraction > 6 || p[fraction] == '0')
			return NULL;
		p += 1 + fraction;
	}
	return *p == 'Z' ? p + 1 : NULL;
}

#endif
