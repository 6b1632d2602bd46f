/* The best reading of a hand.
 *
 * Each reading is weighed once for every way to choose from the pick-one sets.  Ordinary
 * fans are settled first, choice and absorption, since late fans may ask whether any of
 * them is left; then the late ones; then what stands is summed up.
 */
#include <string.h>

#include "kernel.h"

enum { MAX_COUNT = 10000, MAX_SHOWN_FANS = 255 };

/* What a reading is worth under one choice. */
typedef struct verdict {
    int32_t found[MJ_MAX_FANS];
    int32_t counts[MJ_MAX_FANS];
    int64_t totals[MJ_UNITS];
    int64_t money;
    int64_t n_fans;
    bool may_win;
    bool may_wait;
} verdict;

/* ---- choices ----------------------------------------------------------------- */

/* The pick-one sets with something to choose, each at one of its fans: the lowest left. */
typedef struct choices {
    unsigned n;
    uint64_t all[MJ_MAX_FANS];
    uint64_t open[MJ_MAX_FANS];
    uint64_t left[MJ_MAX_FANS];
} choices;

static void open_choices(choices *c, const mj_program *program, uint64_t found)
{
    c->n = 0;
    if (program->n_picks == 0)
        return;
    /* A late fan is not known yet, so it may be chosen in any case. */
    const uint64_t eligible = found | program->late_fans;
    for (uint32_t i = 0; i < program->n_picks; i++) {
        const uint64_t open = program->picks[i] & eligible;
        if (mj_size(open) < 2)
            continue;
        c->all[c->n] = program->picks[i];
        c->open[c->n] = c->left[c->n] = open;
        c->n += 1;
    }
}

/* A fan in several sets is kept only if it is chosen in all of them. */
static uint64_t kept_fans(const choices *c)
{
    uint64_t kept = UINT64_MAX;
    for (unsigned i = 0; i < c->n; i++)
        kept &= ~c->all[i] | (c->left[i] & -c->left[i]);
    return kept;
}

static bool next_choice(choices *c)
{
    for (unsigned i = 0; i < c->n; i++) {
        c->left[i] &= c->left[i] - 1;
        if (c->left[i] != 0)
            return true;
        c->left[i] = c->open[i];
    }
    return false;
}

/* ---- one reading under one choice ------------------------------------------------ */

/* Reads the counts of the ordinary or the late fans; which of them are found. */
static uint64_t read_counts(const mj_program *program, const int64_t *registers, bool late,
                            int32_t *found)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < program->n_fans; i++) {
        if (program->fans[i].late != late)
            continue;
        const int64_t count = registers[program->fans[i].count];
        found[i] = count < 1 ? 0 : count > MAX_COUNT ? MAX_COUNT : (int32_t)count;
        set |= found[i] > 0 ? mj_bit(i) : 0;
    }
    return set;
}

static void keep(const mj_program *program, bool late, uint64_t kept, verdict *v)
{
    for (uint32_t i = 0; i < program->n_fans; i++)
        if (program->fans[i].late == late)
            v->counts[i] = kept >> i & 1 ? v->found[i] : 0;
}

static void absorb(const mj_absorption *entries, uint32_t n, int32_t *counts)
{
    for (uint32_t i = 0; i < n; i++) {
        const int64_t standing = counts[entries[i].absorber];
        int32_t *absorbed = &counts[entries[i].absorbed];
        if (standing <= 0 || *absorbed == 0)
            continue;
        const int64_t taken = standing * entries[i].count;
        *absorbed = entries[i].count == 0 || taken >= *absorbed ? 0 : (int32_t)(*absorbed - taken);
    }
}

static bool any_ordinary(const mj_program *program, const int32_t *counts)
{
    for (uint32_t i = 0; i < program->n_fans; i++)
        if (!program->fans[i].late && counts[i] > 0)
            return true;
    return false;
}

static void sum_up(const mj_program *program, const int64_t *registers, verdict *v)
{
    memset(v->totals, 0, sizeof v->totals);
    v->totals[MJ_TIMES] = 1;
    v->n_fans = 0;
    bool limits = false;
    for (uint32_t i = 0; i < program->n_fans; i++) {
        const mj_fan *fan = &program->fans[i];
        const int64_t count = v->counts[i];
        if (count == 0)
            continue;
        v->n_fans += count;
        if (fan->limit) {
            limits = true;
            continue;
        }
        const int64_t value = registers[fan->value];
        int64_t *total = &v->totals[fan->unit];
        *total = fan->unit == MJ_TIMES ? mj_held_product(*total, mj_held_power(value, count))
                                       : mj_held_sum(*total, mj_held_product(count, value));
    }
    for (uint32_t i = 0; limits && i < program->n_fans; i++) {
        const mj_fan *fan = &program->fans[i];
        int64_t *total = &v->totals[fan->unit];
        if (fan->limit && v->counts[i] > 0 && registers[fan->value] > *total)
            *total = registers[fan->value];
    }
}

/* Judges what the fan code found in a reading, of which these fans are kept. */
static void judge(const mj_program *program, mj_machine *machine, uint64_t kept, verdict *v)
{
    const uint32_t early = program->n_early_absorptions;
    keep(program, false, kept, v);
    absorb(program->absorptions, early, v->counts);

    mj_machine_find_late_fans(machine, !any_ordinary(program, v->counts));
    if (program->late_fans != 0) {
        read_counts(program, machine->registers, true, v->found);
        keep(program, true, kept, v);
        absorb(program->absorptions + early, program->n_absorptions - early, v->counts);
    }

    sum_up(program, machine->registers, v);
    mj_machine_finish(machine, v->totals);
    v->money = machine->registers[program->money];
    v->may_win = machine->registers[program->may_win] != 0;
    v->may_wait = machine->registers[program->may_wait] != 0;
}

/* ---- the best --------------------------------------------------------------------- */

/* Whether only the fans tell the verdict from the best so far. */
static bool is_tie(const mj_judgement *j, const verdict *v)
{
    const mj_result *best = j->result;
    return best->complete && v->may_win == (best->win != 0) && v->money == best->money
           && memcmp(v->totals, best->totals, sizeof v->totals) == 0
           && memcmp(v->counts, best->counts, j->program->n_fans * sizeof *v->counts) != 0;
}

/* Whether the verdict beats the best so far.  Of equals the earlier one stays. */
static bool is_better(const mj_judgement *j, const verdict *v)
{
    const mj_result *best = j->result;
    if (!best->complete)
        return true;
    if (v->may_win != (best->win != 0))
        return v->may_win;
    if (v->money != best->money)
        return v->money > best->money;
    for (unsigned unit = 0; unit < MJ_UNITS; unit++)
        if (v->totals[unit] != best->totals[unit])
            return v->totals[unit] > best->totals[unit];
    if (v->n_fans != j->best_n_fans)
        return v->n_fans < j->best_n_fans;
    for (uint32_t i = 0; i < j->program->n_fans; i++)
        if (v->counts[i] != best->counts[i])
            return v->counts[i] > best->counts[i];
    return false;
}

/* The truths of the probes, alone or added to those that were read before. */
static void read_probes(const mj_judgement *j, uint64_t *probes, bool alone)
{
    if (j->program->n_probes == 0)
        return;
    if (alone)
        memset(probes, 0, MJ_PROBE_WORDS * sizeof *probes);
    for (uint32_t i = 0; i < j->program->n_probes; i++)
        probes[i / 64] |= (uint64_t)(j->machine.registers[j->program->probes[i]] != 0) << i % 64;
}

static void accept(mj_judgement *j, const verdict *v, const mj_reading *reading)
{
    mj_result *best = j->result;
    const uint32_t n = j->program->n_fans;
    best->win = v->may_win;
    best->complete = 1;
    best->may_wait = v->may_wait;
    best->n_fans = v->n_fans > MAX_SHOWN_FANS ? MAX_SHOWN_FANS : (uint8_t)v->n_fans;
    best->money = v->money;
    memcpy(best->totals, v->totals, sizeof best->totals);
    memcpy(best->counts, v->counts, n * sizeof *v->counts);
    memcpy(best->found, v->found, n * sizeof *v->found);
    for (uint32_t i = 0; i < n; i++)
        best->values[i] = j->machine.registers[j->program->fans[i].value];
    read_probes(j, best->probes, true);
    best->reading = *reading;
    j->best_n_fans = v->n_fans;
}

bool mj_weigh(void *context, const mj_reading *reading)
{
    mj_judgement *j = context;
    const mj_program *program = j->program;
    if (!j->started)
        mj_machine_start(&j->machine, j->tables, program, j->hand);
    j->started = true;
    if (!mj_machine_allows(&j->machine, reading))
        return true;

    if (j->result->n_readings++ == 0)
        mj_machine_look(&j->machine);
    mj_machine_find_fans(&j->machine, reading);
    verdict v;
    choices c;
    open_choices(&c, program, read_counts(program, j->machine.registers, false, v.found));
    do {
        judge(program, &j->machine, kept_fans(&c), &v);
        const bool tie = is_tie(j, &v);
        if (v.may_win)
            read_probes(j, j->result->ever, false);
        if (is_better(j, &v)) {
            accept(j, &v, reading);
            j->result->tied = tie;
        } else if (tie) {
            j->result->tied = 1;
        }
    } while (next_choice(&c));
    return true;
}

void mj_begin_judgement(mj_judgement *j, const mj_tables *tables, const mj_program *program,
                        const mj_hand *hand, mj_result *result)
{
    memset(result, 0, sizeof *result);
    result->reading.shape = MJ_NONE;
    result->reading.win_group = MJ_NONE;
    j->tables = tables;
    j->program = program;
    j->hand = hand;
    j->result = result;
    j->best_n_fans = 0;
    j->started = false;
}

mj_status mj_score(const mj_tables *tables, const mj_program *program, const mj_hand *hand,
                   mj_result *result)
{
    if (tables == NULL || program == NULL || hand == NULL || result == NULL)
        return MJ_BAD_ARGUMENT;
    mj_judgement j;
    mj_begin_judgement(&j, tables, program, hand, result);
    const unsigned tiles = program->hand_size + 1u;
    const mj_status status = mj_check_hand(program, hand, tiles, tiles, true);
    if (status != MJ_OK)
        return status;
    mj_each_reading(tables, program, hand, mj_sees_places(program, hand), mj_weigh, &j);
    return MJ_OK;
}
