/* The steps of a plan run: for each instruction a loop over columns.
 *
 * The loops say what machine.c says, one reading after another, and are short, so that the compiler makes them ones over
 * registers as wide as the processor has.  Sums and products of small numbers are small, or else the plan would not have
 * put them into small columns; so only wide ones are held within the limit.
 */
#include "columns.h"
#include "look.h"

enum { AT_ONCE = 64 };   /* readings: so many bytes are a register, at most */

_Static_assert(MJ_READINGS % AT_ONCE == 0, "there is room for what is run with the last of the readings");

/* A loop over columns, of which one is written and no other is the same. */
#define RUN(type, value)                                            \
    do {                                                            \
        type *restrict to = (type *)(void *)(columns + step->to);   \
        for (unsigned i = 0; i < n; i++)                            \
            to[i] = (type)(value);                                  \
    } while (0)

/* One of two numbers by a truth, without a branch. */
#define CHOOSE(truth, b, c) ((c) ^ (((b) ^ (c)) & -(truth)))

MJ_ALWAYS_INLINE void run_truths(const mj_step *step, unsigned n, uint8_t *columns)
{
    const uint8_t *restrict a = columns + step->a, *restrict b = columns + step->b, *restrict c = columns + step->c;
    switch (step->op) {
    case MJ_OP_AND: RUN(uint8_t, a[i] & b[i]); break;
    case MJ_OP_OR: RUN(uint8_t, a[i] | b[i]); break;
    case MJ_OP_NOT: RUN(uint8_t, a[i] ^ 1); break;
    case MJ_OP_SELECT: RUN(uint8_t, CHOOSE(a[i], b[i], c[i])); break;
    }
}

MJ_ALWAYS_INLINE void run_small(const mj_step *step, unsigned n, uint8_t *columns)
{
    const uint8_t *restrict truth = columns + step->a;   /* that a choice is made by */
    const int16_t *restrict a = (const int16_t *)(const void *)(columns + step->a);
    const int16_t *restrict b = (const int16_t *)(const void *)(columns + step->b);
    const int16_t *restrict c = (const int16_t *)(const void *)(columns + step->c);
    switch (step->op) {
    case MJ_OP_ADD: RUN(int16_t, a[i] + b[i]); break;
    case MJ_OP_SUB: RUN(int16_t, a[i] - b[i]); break;
    case MJ_OP_MUL: RUN(int16_t, a[i] * b[i]); break;
    case MJ_OP_MIN: RUN(int16_t, a[i] < b[i] ? a[i] : b[i]); break;
    case MJ_OP_MAX: RUN(int16_t, a[i] > b[i] ? a[i] : b[i]); break;
    case MJ_OP_EQ: RUN(uint8_t, a[i] == b[i]); break;
    case MJ_OP_NE: RUN(uint8_t, a[i] != b[i]); break;
    case MJ_OP_LT: RUN(uint8_t, a[i] < b[i]); break;
    case MJ_OP_LE: RUN(uint8_t, a[i] <= b[i]); break;
    case MJ_OP_SELECT: RUN(int16_t, CHOOSE(truth[i], b[i], c[i])); break;
    }
}

MJ_ALWAYS_INLINE void run_wide(const mj_step *step, unsigned n, uint8_t *columns)
{
    const uint8_t *restrict truth = columns + step->a;
    const int16_t *restrict small = (const int16_t *)(const void *)(columns + step->a);
    const int64_t *restrict a = (const int64_t *)(const void *)(columns + step->a);
    const int64_t *restrict b = (const int64_t *)(const void *)(columns + step->b);
    const int64_t *restrict c = (const int64_t *)(const void *)(columns + step->c);
    switch (step->op) {
    case MJ_STEP_WIDEN: RUN(int64_t, small[i]); break;
    case MJ_OP_ADD: RUN(int64_t, mj_held_sum(a[i], b[i])); break;
    case MJ_OP_SUB: RUN(int64_t, mj_held_sum(a[i], -b[i])); break;
    case MJ_OP_MUL: RUN(int64_t, mj_held_product(a[i], b[i])); break;
    case MJ_OP_POW: RUN(int64_t, mj_held_power(a[i], b[i])); break;
    case MJ_OP_MIN: RUN(int64_t, a[i] < b[i] ? a[i] : b[i]); break;
    case MJ_OP_MAX: RUN(int64_t, a[i] > b[i] ? a[i] : b[i]); break;
    case MJ_OP_EQ: RUN(uint8_t, a[i] == b[i]); break;
    case MJ_OP_NE: RUN(uint8_t, a[i] != b[i]); break;
    case MJ_OP_LT: RUN(uint8_t, a[i] < b[i]); break;
    case MJ_OP_LE: RUN(uint8_t, a[i] <= b[i]); break;
    case MJ_OP_SELECT: RUN(int64_t, CHOOSE((int64_t)truth[i], b[i], c[i])); break;
    }
}

MJ_ALWAYS_INLINE void run_steps(const mj_step *step, const mj_step *end, unsigned n, uint8_t *columns)
{
    n = (n + AT_ONCE - 1) / AT_ONCE * AT_ONCE;   /* here, where the compiler sees it */
    for (; step < end; step++) {
        switch (step->lane) {
        case MJ_TRUTHS: run_truths(step, n, columns); break;
        case MJ_SMALL: run_small(step, n, columns); break;
        case MJ_WIDE: run_wide(step, n, columns); break;
        }
    }
}

/* The numbers of small columns are most of those that are. */
MJ_ALWAYS_INLINE void find_fans(const mj_plan *plan, uint64_t fans, unsigned n, const uint8_t *columns, uint64_t *found)
{
    for (; fans != 0; fans &= fans - 1) {
        const unsigned fan = mj_lowest(fans);
        const mj_strip count = plan->counts[fan];
        const int16_t *restrict small = (const int16_t *)(const void *)(columns + count.at);
        const int64_t *restrict wide = (const int64_t *)(const void *)(columns + count.at);
        if (count.lane == MJ_SMALL)
            for (unsigned i = 0; i < n; i++)
                found[i] |= (uint64_t)(small[i] > 0) << fan;
        else
            for (unsigned i = 0; i < n; i++)
                found[i] |= (uint64_t)(wide[i] > 0) << fan;
    }
}

/* ---- for each width of registers ------------------------------------------------------- */

static void run_portable(const mj_step *step, const mj_step *end, unsigned n, uint8_t *columns)
{
    run_steps(step, end, n, columns);
}

static void find_portable(const mj_plan *plan, uint64_t fans, unsigned n, const uint8_t *columns, uint64_t *found)
{
    find_fans(plan, fans, n, columns, found);
}

#ifdef MJ_X86
MJ_FOR_AVX2 static void run_avx2(const mj_step *step, const mj_step *end, unsigned n, uint8_t *columns)
{
    run_steps(step, end, n, columns);
}

MJ_FOR_AVX512 static void run_avx512(const mj_step *step, const mj_step *end, unsigned n, uint8_t *columns)
{
    run_steps(step, end, n, columns);
}

MJ_FOR_AVX2 static void find_avx2(const mj_plan *plan, uint64_t fans, unsigned n, const uint8_t *columns,
                                  uint64_t *found)
{
    find_fans(plan, fans, n, columns, found);
}

MJ_FOR_AVX512 static void find_avx512(const mj_plan *plan, uint64_t fans, unsigned n, const uint8_t *columns,
                                      uint64_t *found)
{
    find_fans(plan, fans, n, columns, found);
}
#else
#define run_avx2 run_portable
#define run_avx512 run_portable
#define find_avx2 find_portable
#define find_avx512 find_portable
#endif

void mj_run_stage(const mj_plan *plan, mj_stage stage, unsigned n, mj_width width, uint8_t *columns)
{
    const mj_step *step = plan->steps + plan->first[stage], *end = plan->steps + plan->first[stage + 1];
    if (width == MJ_AVX512)
        run_avx512(step, end, n, columns);
    else if (width == MJ_AVX2)
        run_avx2(step, end, n, columns);
    else
        run_portable(step, end, n, columns);
}

void mj_find_fans(const mj_plan *plan, uint64_t fans, unsigned n, mj_width width, const uint8_t *columns,
                  uint64_t *found)
{
    if (width == MJ_AVX512)
        find_avx512(plan, fans, n, columns, found);
    else if (width == MJ_AVX2)
        find_avx2(plan, fans, n, columns, found);
    else
        find_portable(plan, fans, n, columns, found);
}
