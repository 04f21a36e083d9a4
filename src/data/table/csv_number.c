/* CSV: parses numbers. */
#include "data/table/csv.h"
#include <math.h>

/* 10^exponent; exponent >= 0. */
static long double power_of_ten(int exponent) {
  long double result = 1, power = 10;
  for (; exponent; exponent >>= 1, power *= power)
    if (exponent & 1) result *= power;
  return result;
}

/* The powers of ten that a double represents exactly. */
static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* mantissa * 10^exponent, correctly rounded if both are exact in double. Otherwise computed in long double,
 * whose error is far below the resolution of float, the type in which values are stored. */
static double scaled(uint64_t mantissa, int exponent) {
  if (!mantissa) return 0;
  if (mantissa < 1ull << 53 && exponent >= -22 && exponent <= 22)
    return exponent < 0 ? (double)mantissa / exact[-exponent] : (double)mantissa * exact[exponent];
  if (exponent > 400) return HUGE_VAL;
  if (exponent < -400) return 0;
  return (double)(exponent < 0 ? (long double)mantissa / power_of_ten(-exponent)
                               : (long double)mantissa * power_of_ten(exponent));
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads digits into a mantissa of at most 19 digits. *dropped: number of further digits, which only change
 * the exponent. *count: number of all digits. */
static const char *read_digits(const char *at, const char *end, uint64_t *mantissa, int *dropped,
                               int *count) {
  for (; at < end && is_digit(*at); at++, (*count)++) {
    if (*mantissa < 1000000000000000000ull)
      *mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
    else
      (*dropped)++;
  }
  return at;
}

/* The fast path for most numbers: at most 15 digits, which are exact in a double, and no exponent. False for
 * all others. */
static bool parse_short(const char *at, size_t length, char decimal, double *out) {
  enum { MAX_DIGITS = 15 };
  const bool negative = length && *at == '-';
  const char *start = at + negative, *end = at + length, *point = end;
  uint64_t mantissa = 0;
  if (end - start > MAX_DIGITS + 1) return false;
  for (at = start; at < end && is_digit(*at); at++) mantissa = mantissa * 10 + (uint64_t)(*at - '0');
  if (at < end && *at == decimal)
    for (point = at++; at < end && is_digit(*at); at++) mantissa = mantissa * 10 + (uint64_t)(*at - '0');
  const ptrdiff_t fraction = point < end ? end - point - 1 : 0, digits = end - start - (point < end);
  if (at < end || !digits || digits > MAX_DIGITS) return false;
  const double value = fraction ? (double)mantissa / exact[fraction] : (double)mantissa;
  *out = negative ? -value : value;
  return true;
}

bool gt_parse_number(const char *text, size_t length, char decimal, double *out) {
  if (length && *text > '9') return false; /* a word */
  if (parse_short(text, length, decimal, out)) return true;
  const char *at = text, *end = text + length;
  const bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  uint64_t mantissa = 0;
  int whole = 0, fraction = 0, dropped = 0, dropped_fraction = 0, exponent = 0;
  at = read_digits(at, end, &mantissa, &dropped, &whole);
  if (at < end && *at == decimal) at = read_digits(at + 1, end, &mantissa, &dropped_fraction, &fraction);
  if (!whole && !fraction) return false;
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    const bool negative_exponent = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end || !is_digit(*at)) return false;
    for (; at < end && is_digit(*at); at++)
      if (exponent < 100000000) exponent = exponent * 10 + (*at - '0');
    if (negative_exponent) exponent = -exponent;
  }
  if (at != end) return false;
  const double value = scaled(mantissa, exponent + dropped + dropped_fraction - fraction);
  *out = negative ? -value : value;
  return true;
}

bool gt_cell_is_any_number(const gt_cell *cell) {
  double value;
  return gt_parse_number(cell->text, cell->length, '.', &value) ||
         gt_parse_number(cell->text, cell->length, ',', &value);
}
