/* Translated code run, for all seats at once.
 *
 * A truth is a set of seats, so what it takes for four seats is what it takes for one.  As in
 * machine.c nothing is checked here: every place was when the program was made.  No instruction
 * writes what it reads, since a register is written once.
 */
#include <string.h>

#include "settle.h"

static const uint8_t set_sizes[MJ_EVERY_SEAT + 1] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

/* ---- rows ---------------------------------------------------------------------- */

static inline void fill(int64_t *row, int64_t value)
{
    for (unsigned i = 0; i < MJ_SEATS; i++)
        row[i] = value;
}

static inline void sums(int64_t *restrict to, const int64_t *a, const int64_t *b)
{
    for (unsigned i = 0; i < MJ_SEATS; i++)
        to[i] = mj_held_sum(a[i], b[i]);
}

static inline void differences(int64_t *restrict to, const int64_t *a, const int64_t *b)
{
    for (unsigned i = 0; i < MJ_SEATS; i++)
        to[i] = mj_held_sum(a[i], -b[i]);
}

static inline void products(int64_t *restrict to, const int64_t *a, const int64_t *b)
{
    for (unsigned i = 0; i < MJ_SEATS; i++)
        to[i] = mj_held_product(a[i], b[i]);
}

static inline void powers(int64_t *restrict to, const int64_t *a, const int64_t *b)
{
    for (unsigned i = 0; i < MJ_SEATS; i++)
        to[i] = mj_held_power(a[i], b[i]);
}

static inline void least(int64_t *restrict to, const int64_t *a, const int64_t *b)
{
    for (unsigned i = 0; i < MJ_SEATS; i++)
        to[i] = a[i] < b[i] ? a[i] : b[i];
}

static inline void most(int64_t *restrict to, const int64_t *a, const int64_t *b)
{
    for (unsigned i = 0; i < MJ_SEATS; i++)
        to[i] = a[i] > b[i] ? a[i] : b[i];
}

static inline void select(int64_t *restrict to, unsigned set, const int64_t *a, const int64_t *b)
{
    for (unsigned i = 0; i < MJ_SEATS; i++)
        to[i] = set >> i & 1 ? a[i] : b[i];
}

/* ---- comparisons ------------------------------------------------------------------ */

static inline uint8_t equal(const int64_t *a, const int64_t *b)
{
    unsigned set = 0;
    for (unsigned i = 0; i < MJ_SEATS; i++)
        set |= (unsigned)(a[i] == b[i]) << i;
    return (uint8_t)set;
}

static inline uint8_t below(const int64_t *a, const int64_t *b)
{
    unsigned set = 0;
    for (unsigned i = 0; i < MJ_SEATS; i++)
        set |= (unsigned)(a[i] < b[i]) << i;
    return (uint8_t)set;
}

/* ---- code ---------------------------------------------------------------------------- */

static inline uint8_t payers(unsigned set, unsigned payer)
{
    if (payer >= MJ_SEATS)
        return (uint8_t)set;
    return set >> payer & 1 ? MJ_EVERY_SEAT : 0;
}

static inline void copy_payers(int64_t *restrict to, const int64_t *a, unsigned payer)
{
    if (payer < MJ_SEATS)
        fill(to, a[payer]);
    else
        memcpy(to, a, sizeof(mj_row));
}

void mj_run_seats(mj_seats *seats, const mj_op *code, uint32_t n, unsigned table, unsigned payer)
{
    uint8_t *sets = seats->sets;
    mj_row *rows = seats->rows;
    for (const mj_op *op = code, *end = code + n; op < end; op++) {
        const unsigned dst = op->dst, a = op->a, b = op->b, c = op->c;
        switch (op->op) {
        case MJ_OP_ADD: sums(rows[dst], rows[a], rows[b]); break;
        case MJ_OP_SUB: differences(rows[dst], rows[a], rows[b]); break;
        case MJ_OP_MUL: products(rows[dst], rows[a], rows[b]); break;
        case MJ_OP_POW: powers(rows[dst], rows[a], rows[b]); break;
        case MJ_OP_MIN: least(rows[dst], rows[a], rows[b]); break;
        case MJ_OP_MAX: most(rows[dst], rows[a], rows[b]); break;
        case MJ_OP_EQ: sets[dst] = equal(rows[a], rows[b]); break;
        case MJ_OP_NE: sets[dst] = equal(rows[a], rows[b]) ^ MJ_EVERY_SEAT; break;
        case MJ_OP_LT: sets[dst] = below(rows[a], rows[b]); break;
        case MJ_OP_LE: sets[dst] = below(rows[b], rows[a]) ^ MJ_EVERY_SEAT; break;
        case MJ_OP_AND: sets[dst] = sets[a] & sets[b]; break;
        case MJ_OP_OR: sets[dst] = sets[a] | sets[b]; break;
        case MJ_OP_NOT: sets[dst] = sets[a] ^ MJ_EVERY_SEAT; break;
        case MJ_OP_SELECT: select(rows[dst], sets[a], rows[b], rows[c]); break;
        case MJ_OP_SELECT_SET: sets[dst] = (uint8_t)((sets[a] & sets[b]) | (~sets[a] & sets[c])); break;
        case MJ_OP_COUNT: fill(rows[dst], set_sizes[sets[a] & table]); break;
        case MJ_OP_PAYER: copy_payers(rows[dst], rows[a], payer); break;
        case MJ_OP_PAYER_SET: sets[dst] = payers(sets[a], payer); break;
        }
    }
}
