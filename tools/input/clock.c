/* SPDX-License-Identifier: MIT */
/*
 * Reads times of tables; see clock.h.
 */
#include "input/clock.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "input/decimal.h"
#include "text.h"

/* ---- one time -------------------------------------------------------------------------------- */

/* Returns the number of days from 1970-01-01 to a date of the Gregorian calendar. Years begin in
   March here, so that a leap day is the last day of its year; 400 years have 146097 days. */
static long long days_to(int year, int month, int day)
{
    const long long years = (long long)year - (month <= 2);
    const long long era = (years >= 0 ? years : years - 399) / 400, of_era = years - era * 400;
    const int months = (month + 9) % 12;
    const int of_year = (153 * months + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* Reads a number with a given count of digits. Returns false if there are fewer, or if the number
   is not between least and most. */
static bool take_digits(const char **text, int digits, int least, int most, int *value)
{
    *value = 0;
    for (int i = 0; i < digits; i++, (*text)++) {
        if (!isdigit((unsigned char)**text)) {
            return false;
        }
        *value = 10 * *value + (**text - '0');
    }
    return *value >= least && *value <= most;
}

static bool take_one(const char **text, const char *of)
{
    const bool there = **text != '\0' && strchr(of, **text) != NULL;
    *text += there;
    return there;
}

/* Reads the fraction of a second after a point or comma. Ignores digits after the 18th, which a
   double cannot represent. */
static double take_fraction(const char **text)
{
    enum { MOST_DIGITS = 18 };
    double part = 0, size = 1;
    for (int i = 0; isdigit((unsigned char)**text); i++, (*text)++) {
        if (i < MOST_DIGITS) {
            part = 10 * part + (**text - '0');
            size *= 10;
        }
    }
    return part / size;
}

/* Reads a time zone as an offset in seconds: "Z", "+02:00", "+0200" or "+02". No zone means Z. */
static bool take_zone(const char **text, int *seconds)
{
    int hours = 0, minutes = 0;
    const char sign = **text;
    *seconds = 0;
    if (sign != '+' && sign != '-') {
        (void)(take_one(text, "Zz"));
        return true;
    }
    (*text)++;
    if (!take_digits(text, 2, 0, 23, &hours)) {
        return false;
    }
    const bool colon = take_one(text, ":");
    if ((colon || **text != '\0') && !take_digits(text, 2, 0, 59, &minutes)) {
        return false;
    }
    *seconds = (sign == '-' ? -1 : 1) * (3600 * hours + 60 * minutes);
    return true;
}

/* Returns the number of days from 1970-01-01 to the first day of the next month. */
static long long days_behind(int year, int month)
{
    return month < 12 ? days_to(year, month + 1, 1) : days_to(year + 1, 1, 1);
}

/* Reads an ISO 8601 time: 2024-05-01T12:00:00.25Z. A blank may replace T, and seconds may be
   missing. The end of a day may be written 24:00:00. A month may end with a leap second: 23:59:60
   in UTC, or the same moment in another time zone. */
static bool read_date(const char *text, clock_time *t)
{
    int year, month, day, hour, minute, second = 0, zone;
    t->part = 0;
    if (!take_digits(&text, 4, 0, 9999, &year) || !take_one(&text, "-/") ||
        !take_digits(&text, 2, 1, 12, &month) || !take_one(&text, "-/") ||
        !take_digits(&text, 2, 1, 31, &day) ||
        days_to(year, month, day) >= days_behind(year, month) || !take_one(&text, "Tt ") ||
        !take_digits(&text, 2, 0, 24, &hour) || !take_one(&text, ":") ||
        !take_digits(&text, 2, 0, 59, &minute)) {
        return false;
    }
    if (take_one(&text, ":") && !take_digits(&text, 2, 0, 60, &second)) {
        return false;
    }
    if (take_one(&text, ".,")) {
        t->part = take_fraction(&text);
    }
    text += strspn(text, " ");
    if (!take_zone(&text, &zone) || *text != '\0') {
        return false;
    }
    t->whole = ((days_to(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - zone;
    const bool late = hour == 24 && (minute > 0 || second > 0 || t->part > 0);
    const bool leap =
        t->whole == 86400 * days_to(year, month, 1) || t->whole == 86400 * days_behind(year, month);
    return !late && (second < 60 || leap);
}

/* The largest number of whole units. Differences of smaller numbers do not overflow. */
static const long long most = 4000000000000000000;

/* Reads the digits before and after the point separately, because together they may exceed the
   precision of a double. */
static bool read_apart(const char *text, clock_time *t)
{
    enum { MOST_DIGITS = 19 };
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > MOST_DIGITS) {
        return false;
    }
    errno = 0;
    t->whole = strtoll(text, NULL, 10);
    if (errno != 0 || t->whole >= most) {
        return false;
    }
    t->part = 0;
    text += digits;
    if (take_one(&text, ".")) {
        t->part = take_fraction(&text);
    }
    return *text == '\0';
}

static clock_time time_of(double x)
{
    return fabs(x) < (double)most ? (clock_time){(long long)x, x - (double)(long long)x}
                                  : (clock_time){0, x};
}

/* ---- times of a column ----------------------------------------------------------------------- */

static double seconds_of(const table_clock *c, clock_time t)
{
    return ((double)(t.whole - c->zero.whole) + (t.part - c->zero.part)) * c->unit;
}

/* Starts a column at its first time: derives the unit from the size of the number if no unit is
   given, and decides whether later times are relative to this one. */
static void begin(table_clock *c, clock_time first)
{
    static const struct {
        double from, unit;
        const char *word;
    } size[] = {{1e17, 1e-9, "ns"}, {1e14, 1e-6, "us"}, {1e11, 1e-3, "ms"}};
    static const double three_years = 1e8; /* s */
    const double x = (double)first.whole + first.part;
    const char *word = "";
    const bool named = c->unit > 0;
    c->begun = true;
    c->unit = named && !c->dates ? c->unit : 1;
    for (size_t i = 0; i < sizeof size / sizeof *size && !named && !c->dates && *word == '\0';
         i++) {
        if (x >= size[i].from) {
            c->unit = size[i].unit;
            word = size[i].word;
        }
    }
    c->counted = c->dates || x * c->unit >= three_years;
    if (c->counted) {
        c->zero = first;
        tell_note("%s: column '%s' has clock times%s%s; t is counted from the first one", c->table,
                  c->column, *word != '\0' ? ", judging by their size in " : "", word);
    }
}

bool clock_read(table_clock *c, const char *text, double *seconds)
{
    clock_time t;
    double x = NAN;
    if (!c->begun) {
        c->dates = read_date(text, &t);
    }
    if (!c->dates && !parse_number(text, &x)) {
        return false;
    }
    if (c->dates ? !read_date(text, &t) : !read_apart(text, &t)) {
        if (c->dates) {
            return false;
        }
        t = time_of(x);
    }
    if (!c->begun) {
        begin(c, t);
    }
    /* absolute times are rounded to double directly */
    *seconds = c->counted ? seconds_of(c, t) : x * c->unit;
    return isfinite(*seconds);
}

double clock_number(table_clock *c, double x)
{
    if (!isfinite(x)) {
        return (double)NAN;
    }
    const clock_time t = time_of(x);
    if (!c->begun) {
        begin(c, t);
    }
    return seconds_of(c, t);
}

/* ---- finding the column ---------------------------------------------------------------------- */

int clock_rank(const char *name)
{
    static const char *const stamps[] = {"timestamp", "stamp", "__time", "_time", "%time"};
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    const char *last = slash != NULL && (dot == NULL || slash > dot) ? slash : dot;
    if (strcmp(name, "t") == 0 || strcasecmp(name, "time") == 0) {
        return 3;
    }
    for (size_t i = 0; i < sizeof stamps / sizeof *stamps; i++) {
        if (strcasecmp(name, stamps[i]) == 0) {
            return 2;
        }
    }
    return last != NULL && strcmp(last + 1, "t") != 0 && clock_rank(last + 1) > 0 ? 1 : 0;
}
