/* What becomes of the fans of a reading: which of them are kept and stand, what they come to, and which of two such
 * tallies is worth more.
 *
 * Here it is decided what a reading is worth, for hands one by one (score.c) and in columns (columns.c) alike.  Of many
 * fans few are ever there, so sets are gone through, not lists.
 */
#include <string.h>

#include "kernel.h"

enum { MAX_COUNT = 10000 };

static inline uint64_t fans_of(const mj_program *program, bool late)
{
    return late ? program->late_fans : ~program->late_fans;
}

uint16_t mj_count_of(int64_t number)
{
    return (uint16_t)(number < 1 ? 0 : number > MAX_COUNT ? MAX_COUNT : number);
}

/* ---- choices ----------------------------------------------------------------- */

/* The fans of a pick-one set, where there is something to choose.  A late fan is not known yet, so it may be chosen
 * in any case. */
static uint64_t open_fans(const mj_program *program, uint32_t pick, uint64_t found)
{
    const uint64_t open = program->picks[pick] & (found | program->late_fans);
    return (open & (open - 1)) != 0 ? open : 0;
}

uint32_t mj_count_choices(const mj_program *program, uint64_t found)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < program->n_picks; i++) {
        const uint64_t open = open_fans(program, i, found);
        n *= open != 0 ? mj_size(open) : 1;
    }
    return n;
}

uint64_t mj_kept_fans(const mj_program *program, uint64_t found, uint32_t choice)
{
    uint64_t kept = UINT64_MAX;
    for (uint32_t i = 0; i < program->n_picks; i++) {
        uint64_t open = open_fans(program, i, found);
        if (open == 0)
            continue;
        const unsigned n = mj_size(open);
        for (unsigned others = choice % n; others > 0; others--)
            open &= open - 1;
        choice /= n;
        kept &= ~program->picks[i] | (open & -open);
    }
    return kept;
}

/* ---- what stands ----------------------------------------------------------------- */

static void absorb(const mj_absorption *entries, uint32_t n, mj_verdict *verdict)
{
    for (uint32_t i = 0; i < n; i++) {
        const mj_absorption entry = entries[i];
        if (!(verdict->standing >> entry.absorber & 1) || !(verdict->standing >> entry.absorbed & 1))
            continue;
        uint16_t *absorbed = &verdict->counts[entry.absorbed];
        const uint32_t taken = (uint32_t)verdict->counts[entry.absorber] * entry.count;
        if (entry.count == 0 || taken >= *absorbed)
            verdict->standing &= ~mj_bit(entry.absorbed);
        else
            *absorbed = (uint16_t)(*absorbed - taken);
    }
}

void mj_judge_fans(const mj_program *program, bool late, uint64_t found, const uint16_t *counts, uint64_t kept,
                   mj_verdict *verdict)
{
    const uint32_t early = program->n_early_absorptions;
    const uint64_t own = found & kept & fans_of(program, late);
    verdict->standing = (late ? verdict->standing : 0) | own;
    for (uint64_t rest = own; rest != 0; rest &= rest - 1)
        verdict->counts[mj_lowest(rest)] = counts[mj_lowest(rest)];
    if (late)
        absorb(program->absorptions + early, program->n_absorptions - early, verdict);
    else
        absorb(program->absorptions, early, verdict);
}

bool mj_stands_any(const mj_program *program, const mj_verdict *verdict)
{
    return (verdict->standing & ~program->late_fans) != 0;
}

void mj_sum_up(const mj_program *program, const int64_t *values, mj_verdict *verdict)
{
    memset(verdict->totals, 0, sizeof verdict->totals);
    verdict->totals[MJ_TIMES] = 1;
    verdict->n_fans = 0;
    for (uint64_t rest = verdict->standing; rest != 0; rest &= rest - 1) {
        const unsigned i = mj_lowest(rest);
        const mj_fan *fan = &program->fans[i];
        const int64_t count = verdict->counts[i];
        int64_t *total = &verdict->totals[fan->unit];
        verdict->n_fans += count;
        if (fan->limit)
            continue;
        *total = fan->unit == MJ_TIMES ? mj_held_product(*total, mj_held_power(values[i], count))
                                       : mj_held_sum(*total, mj_held_product(count, values[i]));
    }
    for (uint64_t rest = verdict->standing & program->limit_fans; rest != 0; rest &= rest - 1) {
        const unsigned i = mj_lowest(rest);
        int64_t *total = &verdict->totals[program->fans[i].unit];
        *total = values[i] > *total ? values[i] : *total;
    }
}

/* ---- which is the better ------------------------------------------------------------ */

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int mj_compare_worths(const mj_verdict *a, const mj_verdict *b)
{
    int found = order(a->may_win, b->may_win);
    if (found == 0)
        found = order(a->money, b->money);
    for (unsigned unit = 0; unit < MJ_UNITS && found == 0; unit++)
        found = order(a->totals[unit], b->totals[unit]);
    return found;
}

int mj_compare_fans(const mj_verdict *a, const mj_verdict *b)
{
    if (a->n_fans != b->n_fans)
        return order(b->n_fans, a->n_fans);
    for (uint64_t rest = a->standing | b->standing; rest != 0; rest &= rest - 1) {
        const unsigned i = mj_lowest(rest);
        const int found = order(mj_standing(a, i), mj_standing(b, i));
        if (found != 0)
            return found;
    }
    return 0;
}
