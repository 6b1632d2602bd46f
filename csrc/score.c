/* The best reading of a hand.
 *
 * Each reading is weighed once for every way to choose from the pick-one sets.  Ordinary
 * fans are settled first, choice and absorption, since late fans may ask whether any of
 * them is left; then the late ones; then what stands is summed up.  What becomes of fans
 * is told by verdict.c.
 */
#include <string.h>

#include "kernel.h"

enum { MAX_SHOWN_FANS = 255 };

/* ---- one reading under one choice ------------------------------------------------ */

/* Reads the counts of the ordinary or the late fans; which of them are found. */
static uint64_t read_counts(mj_judgement *j, bool late)
{
    const mj_program *program = j->program;
    uint64_t set = 0;
    for (uint32_t i = 0; i < program->n_fans; i++) {
        if (program->fans[i].late != late)
            continue;
        j->found[i] = mj_count_of(j->machine.registers[program->fans[i].count]);
        set |= (uint64_t)(j->found[i] > 0) << i;
    }
    return set;
}

/* Judges what the fan code found in a reading, of which these fans are kept. */
static void judge(mj_judgement *j, uint64_t found, uint64_t kept, mj_verdict *verdict)
{
    const mj_program *program = j->program;
    mj_machine *machine = &j->machine;
    mj_judge_fans(program, false, found, j->found, kept, verdict);
    mj_machine_find_late_fans(machine, !mj_stands_any(program, verdict));
    if (program->late_fans != 0)
        mj_judge_fans(program, true, read_counts(j, true), j->found, kept, verdict);

    int64_t values[MJ_MAX_FANS];
    for (uint64_t rest = verdict->standing; rest != 0; rest &= rest - 1)
        values[mj_lowest(rest)] = machine->registers[program->fans[mj_lowest(rest)].value];
    mj_sum_up(program, values, verdict);
    mj_machine_finish(machine, verdict->totals);
    verdict->money = machine->registers[program->money];
    verdict->may_win = machine->registers[program->may_win] != 0;
    verdict->may_wait = machine->registers[program->may_wait] != 0;
}

/* ---- the best --------------------------------------------------------------------- */

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

static void accept(mj_judgement *j, const mj_verdict *verdict, const mj_reading *reading)
{
    mj_result *best = j->result;
    best->win = verdict->may_win;
    best->complete = 1;
    best->may_wait = verdict->may_wait;
    best->n_fans = verdict->n_fans > MAX_SHOWN_FANS ? MAX_SHOWN_FANS : (uint8_t)verdict->n_fans;
    best->money = verdict->money;
    memcpy(best->totals, verdict->totals, sizeof best->totals);
    for (uint32_t i = 0; i < j->program->n_fans; i++) {
        best->counts[i] = mj_standing(verdict, i);
        best->found[i] = j->found[i];
        best->values[i] = j->machine.registers[j->program->fans[i].value];
    }
    read_probes(j, best->probes, true);
    best->reading = *reading;
    j->best = *verdict;
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
    const uint64_t found = read_counts(j, false);
    const uint32_t n_choices = mj_count_choices(program, found);
    for (uint32_t choice = 0; choice < n_choices; choice++) {
        mj_verdict verdict;
        judge(j, found, mj_kept_fans(program, found, choice), &verdict);
        const bool first = !j->result->complete;
        const int worths = first ? 1 : mj_compare_worths(&verdict, &j->best);
        const int fans = first ? 1 : mj_compare_fans(&verdict, &j->best);
        const bool tie = worths == 0 && fans != 0;   /* only the fans tell it from the best so far */
        if (verdict.may_win)
            read_probes(j, j->result->ever, false);
        if (worths > 0 || (worths == 0 && fans > 0)) {
            accept(j, &verdict, reading);
            j->result->tied = tie;
        } else if (tie) {
            j->result->tied = 1;
        }
    }
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
