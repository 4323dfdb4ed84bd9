/* SPDX-License-Identifier: MIT */
/*
 * A state machine that parses CSV; see csv_parser.h.
 */
#include "input/csv_parser.h"

#include "text.h"

static void add(csv_parser *p, char c)
{
    if (p->length == p->size) {
        p->size = 2 * p->size + 64;
        p->text = reallocate(p->text, p->size, 1);
    }
    p->text[p->length++] = c;
}

static bool is_blank(const csv_parser *p, char c)
{
    return (c == ' ' || c == '\t') && c != p->delimiter;
}

/* Processes a byte that ends a field or a row. */
static void take_end(csv_parser *p, char c)
{
    const bool row_ends = c != p->delimiter;
    if (p->state == CSV_ROW_BEGINS && row_ends) {
        return; /* empty rows are skipped */
    }
    while (p->state == CSV_PLAIN && p->length > 0 && is_blank(p, p->text[p->length - 1])) {
        p->length--;
    }
    p->field(p->context, p->text, p->length);
    p->length = 0;
    p->state = row_ends ? CSV_ROW_BEGINS : CSV_FIELD_BEGINS;
    if (row_ends) {
        p->row(p->context);
    }
}

static void take_inside(csv_parser *p, char c)
{
    switch (p->state) {
    case CSV_QUOTED:
        if (c == '"') {
            p->state = CSV_QUOTE_IN_QUOTED;
        } else {
            add(p, c);
        }
        break;
    case CSV_QUOTE_IN_QUOTED: /* the previous mark ended the field, or two marks stand for one */
        if (c == '"') {
            add(p, c);
            p->state = CSV_QUOTED;
            break;
        }
        p->state = CSV_CLOSED;
        /* fall through */
    case CSV_CLOSED:
        p->misplaced = !is_blank(p, c);
        break;
    case CSV_PLAIN:
        p->misplaced = c == '"';
        add(p, c);
        break;
    default:
        if (c == '"') {
            p->state = CSV_QUOTED;
        } else if (!is_blank(p, c)) {
            p->state = CSV_PLAIN;
            add(p, c);
        }
    }
}

void csv_parse(csv_parser *p, const char *text, size_t length)
{
    for (size_t i = 0; i < length && !p->misplaced; i++) {
        const char c = text[i];
        if (p->state != CSV_QUOTED && (c == p->delimiter || c == '\n' || c == '\r')) {
            take_end(p, c);
        } else {
            take_inside(p, c);
        }
    }
}

bool csv_finish(csv_parser *p)
{
    if (p->state == CSV_QUOTED) {
        return false;
    }
    take_end(p, '\n');
    return true;
}
