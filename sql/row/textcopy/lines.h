#ifndef ESLAKE_LINES_H
#define ESLAKE_LINES_H

#include "spell.h"

/* Values are looked at and copied by words, which reach beyond their ends: so many
 * bytes at the end of a text and of the room for lines are left alone. */
enum { LINES_REACH = SPELL_REACH + 32 };

/* Shape of textcopy.go. */
enum { LOOK_ANY, LOOK_TEXT, LOOK_WHOLE, LOOK_REAL, LOOK_DECIMAL, LOOK_BOOL, LOOK_DATE, LOOK_TIME };

/* Look of textcopy.go. */
typedef struct {
	uint8_t shape, digits, scale;
	char most[20];
} lines_look;

/* Some of the bytes that come along as words, with SPELL_COPY bytes behind them all. */
typedef struct {
	uint32_t at, len;
} lines_word;

/* lines_plain returns the position behind a plain value that is no text, NULL for
 * anything else. */
static inline const uint8_t *lines_plain(const lines_look *l, const uint8_t *p)
{
	switch (l->shape) {
	case LOOK_WHOLE:
		return spell_whole(p, l->most, l->digits);
	case LOOK_REAL:
		return spell_real(p, l->digits);
	case LOOK_DECIMAL:
		return spell_decimal(p, l->digits, l->scale);
	case LOOK_BOOL:
		return spell_bool(p);
	case LOOK_DATE:
		return spell_date(p);
	case LOOK_TIME:
		return spell_time(p);
	}
	return NULL;
}

#endif
