/* SPDX-License-Identifier: MIT */
/* Contains all syntax in which a fault can be selected, for test/faults.py. Prints what it
   computes. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

typedef double pair __attribute__((vector_size(16)));
typedef struct point {
    double x, y, z;
} point;

enum { ROWS = 3, COLUMNS = 4 };
static const double SMALL = 1e-3;
static const char *const words[] = {"one", "two", "three"};
static const struct {
    const char *name;
    int size;
} kinds[] = {{"ball", 3}, {"planar", 3}, {"revolute", 1}};

#define SCALE 2.5
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define ADD_TO(sum, x)                                                                             \
    do {                                                                                           \
        if ((x) > SMALL)                                                                           \
            (sum) += SCALE * (x);                                                                  \
    } while (0)

static pair twice(pair a, int n)
{
    const pair b = n > 1 ? a + a : a - 1.0;
    return b * 2.0;
}

static double length(const point *p)
{
    static const double weights[] = {1, 2, 4};
    return sqrt(weights[0] * p->x * p->x + weights[1] * p->y * p->y + weights[2] * p->z * p->z);
}

static int kind_of(int n)
{
    switch (n % ROWS) {
    case 0:
        return n + 1;
    case 1:
        if (n > 4)
            break;
        else
            n -= 2;
    /* fallthrough */
    default:
        n = -n;
    }
    return n * 2;
}

int main(void)
{
    double sum = 0, table[ROWS][COLUMNS] = {{1, 2, 3, 4}, {5, 6}};
    for (int i = 0, k = 2; i < ROWS && k < 100; i++, k += 3)
        EACH(j, COLUMNS)
    ADD_TO(sum, table[i][j] - 0.5 * k);
    printf("%.12g\n", sum);
    const point p = {.x = 1, .y = -2, .z = 0.5 + sum}, q = {p.y, p.x, 3};
    const point *r = &(const point){3, 4, p.z};
    printf("%.12g %.12g %.12g\n", length(&p), length(&q), length(r));
    int n = 20;
    while (n > 0 && n < 200) {
        n -= 3;
        if (n == 11)
            continue;
        bool odd = n & 1;
        printf("%d%s ", kind_of(n), odd ? "!" : "");
        if (!odd && n < 6)
            break;
    }
    do
        n++;
    while (n < 10);
    pair v = {n, sum};
    v = twice(v, n);
    printf("\n%d %.12g %.12g\n", n, v[0], v[1]);
    EACH(i, ROWS)
    printf("%s %s %d\n", words[i], kinds[i].name, kinds[i].size);
    return 0;
}
