/* SPDX-License-Identifier: MIT */
/*
 * Eliminates the unknowns of blocks; see arrow.h.
 */
#include "arrow.h"

#include <math.h>

/* Applies the reflection I − 2 v vᵀ/(vᵀ v) to column `column` of rows from `first` on. v is column
   `first` with its first entry replaced by `head`. */
static void reflect(size_t rows, size_t width, double *A, size_t first, size_t column, double head)
{
    double square = head * head, product = head * A[first * width + column];
    for (size_t i = first + 1; i < rows; i++) {
        const double v = A[i * width + first];
        square += v * v;
        product += v * A[i * width + column];
    }
    const double factor = 2 * product / square;
    A[first * width + column] -= factor * head;
    for (size_t i = first + 1; i < rows; i++)
        A[i * width + column] -= factor * A[i * width + first];
}

void td_arrow_eliminate(size_t rows, size_t own, size_t shared, double *A)
{
    const size_t width = own + shared + 1;
    for (size_t k = 0; k < own; k++) {
        double square = 0;
        for (size_t i = k; i < rows; i++)
            square += A[i * width + k] * A[i * width + k];
        if (square == 0)
            continue;
        const double pivot = A[k * width + k], norm = pivot > 0 ? -sqrt(square) : sqrt(square);
        for (size_t j = k + 1; j < width; j++)
            reflect(rows, width, A, k, j, pivot - norm);
        A[k * width + k] = norm;
        for (size_t i = k + 1; i < rows; i++)
            A[i * width + k] = 0;
    }
}

void td_arrow_add(size_t shared, double *R, double *row)
{
    const size_t width = shared + 1;
    for (size_t k = 0; k < width; k++) {
        if (row[k] == 0)
            continue;
        double *top = R + k * width;
        const double length = hypot(top[k], row[k]), c = top[k] / length, s = row[k] / length;
        for (size_t j = k; j < width; j++) {
            const double above = top[j];
            top[j] = c * above + s * row[j];
            row[j] = c * row[j] - s * above;
        }
    }
}

void td_arrow_solve(size_t n, size_t shared, const double *R, const double *p, double *x)
{
    const size_t width = n + shared + 1;
    for (size_t k = n; k-- > 0;) {
        const double *row = R + k * width;
        double sum = row[n + shared];
        for (size_t j = 0; j < shared; j++)
            sum -= row[n + j] * p[j];
        for (size_t j = k + 1; j < n; j++)
            sum -= row[j] * x[j];
        x[k] = row[k] != 0 ? sum / row[k] : 0;
    }
}
