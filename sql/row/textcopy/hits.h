#ifndef ESLAKE_HITS_H
#define ESLAKE_HITS_H

#include "lines.h"

/* Keep of textcopy.go. */
enum { KEEP_NOT, KEEP_WHOLE, KEEP_INNER };

/* Why of textcopy.go. */
enum { WHY_STOP, WHY_ROOM, WHY_VALUE, WHY_HEAD, WHY_TAIL };

/* A member that is to come, and the place of a line that it has. */
typedef struct {
	uint8_t head[16]; /* its first bytes, "name": */
	uint32_t mask;    /* a bit for each of them */
	lines_word key;    /* the whole of them */
	lines_word open;   /* what stands before the value in a line */
	lines_look look;
	uint8_t keep;
	uint16_t place; /* in a line, where documents have an order of their own */
} hits_step;

/* What a document has for a place of its line. */
enum { SPAN_NONE, SPAN_COPY, SPAN_EMPTY, SPAN_QUOTED, SPAN_ASIDE };

/* Where it stands: in the text, or aside with what stands before it in a line. */
typedef struct {
	uint32_t from, len, kind;
} hits_span;

/* What all lines have, and where the way is. */
typedef struct {
	lines_word null, empty, close; /* NULL, a text without signs, the end of a line */
	uint32_t steps;               /* their number */
	uint32_t fixed;               /* bytes that a line has besides those of the document, at most */
	uint32_t head, middle;        /* bytes of the frame, before the id and behind it */
	uint8_t named, omit, quotes;
	uint8_t gathers;          /* documents have an order of their own: a line is made when all is found */
	uint32_t places;          /* of a line, when it gathers */
	uint64_t begin, aside;    /* where the document begins that is gone through, bytes that are aside */
	uint8_t sign;             /* a text that has it needs quotes; '"' for none */
	uint64_t len, cap;        /* bytes of the text, and of the room for lines */
	uint64_t enough;          /* bytes of lines */
	uint64_t at, out;         /* in the text, in the room */
	uint64_t end, line, hits; /* the same behind the last hit that was gone through; how many were */
	int64_t step;             /* that comes next; -1 before a hit */
} hits_way;

/* eslake_hits goes on through the hits of a text, appends them to lines, and returns
 * why it stopped. No pointer is kept. */
int eslake_hits(hits_way *w, const hits_step *steps, const uint8_t *words, const uint8_t *frame, const uint8_t *text, uint8_t *lines,
		const lines_word *opens, hits_span *spans, const uint8_t *aside);

#endif
