#ifndef ESLAKE_HITS_H
#define ESLAKE_HITS_H

#include "spell.h"

/* Values are looked at and copied by words, which reach beyond their ends: so many
 * bytes at the end of a text and of the room for lines are left alone. */
enum { HITS_REACH = SPELL_REACH + 32 };

/* Shape of textcopy.go. */
enum { LOOK_ANY, LOOK_TEXT, LOOK_WHOLE, LOOK_REAL, LOOK_DECIMAL, LOOK_BOOL, LOOK_DATE, LOOK_TIME };

/* Keep of hits.go. */
enum { KEEP_NOT, KEEP_WHOLE, KEEP_INNER };

/* Why of hits.go. */
enum { WHY_STOP, WHY_ROOM, WHY_VALUE, WHY_HEAD, WHY_TAIL };

/* Some of the bytes that come along as words, with SPELL_COPY bytes behind them all. */
typedef struct {
	uint32_t at, len;
} hits_word;

/* A member that is to come, and the place of a line that it has. */
typedef struct {
	uint8_t head[16]; /* its first bytes, "name": */
	uint32_t mask;    /* a bit for each of them */
	hits_word key;    /* the whole of them */
	hits_word open;   /* what stands before the value in a line */
	uint8_t look, keep;
	uint8_t digits, scale;
	char most[20];
} hits_step;

/* What all lines have, and where the way is. */
typedef struct {
	hits_word null, empty, close; /* NULL, a text without signs, the end of a line */
	uint32_t steps;               /* their number */
	uint32_t fixed;               /* bytes that a line has besides those of the document, at most */
	uint32_t head, middle;        /* bytes of the frame, before the id and behind it */
	uint8_t named, omit, quotes;
	uint8_t sign;             /* a text that has it needs quotes; '"' for none */
	uint64_t len, cap;        /* bytes of the text, and of the room for lines */
	uint64_t enough;          /* bytes of lines */
	uint64_t at, out;         /* in the text, in the room */
	uint64_t end, line, hits; /* the same behind the last hit that was gone through; how many were */
	int64_t step;             /* that comes next; -1 before a hit */
} hits_way;

/* eslake_hits goes on through the hits of a text, appends them to lines, and returns
 * why it stopped. No pointer is kept. */
int eslake_hits(hits_way *w, const hits_step *steps, const uint8_t *words, const uint8_t *frame, const uint8_t *text, uint8_t *lines);

#endif
