#ifndef ESLAKE_RECORDS_H
#define ESLAKE_RECORDS_H

#include "lines.h"

/* How a field comes into a line. */
enum { FIELD_NOT, FIELD_NULL, FIELD_BARE, FIELD_QUOTED };

/* Why of records.go. */
enum { RECORD_DONE, RECORD_ROOM, RECORD_FIELD, RECORD_ODD };

/* A field of a record: in the text, without the quotes around it. */
typedef struct {
	uint32_t from, len;
	bool quoted, escaped;
} records_field;

/* A place of a line, or a field that must only be readable. */
typedef struct {
	uint32_t field;
	lines_word open; /* what stands before the value in a line */
	lines_look look;
	uint8_t keep;
} records_step;

/* What all lines have, and where the way is. */
typedef struct {
	lines_word none;        /* the text of NULL in records */
	lines_word null, close; /* NULL, the end of a line */
	uint32_t places, steps; /* the first steps are places of a line */
	uint32_t fields;        /* two or more */
	uint32_t fixed;         /* bytes that a line has besides those of the record, at most */
	uint8_t sep;
	uint8_t quote, escape;       /* either 0 for none, '"' or, the escape, a backslash */
	uint8_t omit;                /* row.Lines.Omit */
	uint64_t len, cap, at, out;  /* of the text, of the room; in the text, in the room */
	uint64_t end, newlines;      /* of the record */
	int64_t step;                /* that comes next; -1 before the record is cut into fields */
} records_way;

/* eslake_record cuts the record at w->at into fields, appends it to lines, and returns
 * why it stopped. No pointer is kept. */
int eslake_record(records_way *w, const records_step *steps, records_field *fields, const uint8_t *words, const uint8_t *text, uint8_t *lines);

#endif
