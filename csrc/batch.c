/* Many hands, each by itself: what every rule file can do, and what look-ups are tested against. */
#include "packed.h"

/* ---- scores ------------------------------------------------------------------ */

void mj_put_worth(const mj_worths *worths, uint64_t row, bool win, int64_t total, int64_t money, uint64_t fans)
{
    if (worths->win != NULL)
        worths->win[row] = win;
    if (worths->totals != NULL)
        worths->totals[row] = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : (int32_t)total;
    if (worths->points != NULL)
        worths->points[row] = money;
    if (worths->fans != NULL)
        worths->fans[row] = fans;
}

static mj_status judge_row(const mj_tables *tables, const mj_program *program, const mj_batch *batch, uint64_t row,
                           mj_result *result)
{
    mj_hand hand;
    mj_status status = mj_read_row(batch, row, &hand);
    const unsigned tiles = program->hand_size + 1u;
    if (status == MJ_OK)
        status = mj_check_hand(program, &hand, tiles, tiles, false);
    if (status == MJ_OK)
        status = mj_read_win(batch, row, &hand);
    if (status == MJ_OK)
        status = mj_score(tables, program, &hand, result);
    return status;
}

mj_status mj_score_row(const mj_tables *tables, const mj_program *program, const mj_batch *batch,
                       const mj_worths *worths, uint64_t row)
{
    mj_result result;
    const mj_status status = judge_row(tables, program, batch, row, &result);
    if (status != MJ_OK)
        return status;
    uint64_t fans = 0;
    for (unsigned i = 0; i < program->n_fans; i++)
        fans |= (uint64_t)(result.counts[i] > 0) << i;
    if (result.win)
        mj_put_worth(worths, row, true, result.totals[batch->unit], result.money, fans);
    else
        mj_put_worth(worths, row, false, 0, 0, 0);
    return MJ_OK;
}

mj_status mj_score_batch(const mj_tables *tables, const mj_program *program, const mj_folds *folds,
                         const mj_batch *batch, uint64_t start, uint64_t stop, const mj_worths *worths, uint64_t *row)
{
    if (tables == NULL || program == NULL || worths == NULL || row == NULL || !mj_is_batch(batch, start, stop)
        || batch->facts == NULL)
        return MJ_BAD_ARGUMENT;
    mj_jury jury;
    mj_start_jury(&jury, tables, program, batch, stop - start);
    const mj_status status = mj_look_up_batch(&jury, folds, start, stop, worths, row);
    mj_end_jury(&jury);
    return status;
}

mj_status mj_count_batch(const mj_tables *tables, const mj_program *program, const mj_batch *batch,
                         const uint64_t *rows, uint64_t n, int32_t *counts, uint64_t *row)
{
    if (tables == NULL || program == NULL || row == NULL || batch == NULL || !mj_is_batch(batch, 0, batch->n)
        || batch->facts == NULL || (n > 0 && (rows == NULL || counts == NULL)))
        return MJ_BAD_ARGUMENT;
    for (uint64_t i = 0; i < n; i++) {
        *row = rows[i];
        if (*row >= batch->n)
            return MJ_BAD_ARGUMENT;
        mj_result result;
        const mj_status status = judge_row(tables, program, batch, *row, &result);
        if (status != MJ_OK)
            return status;
        for (uint32_t fan = 0; fan < program->n_fans; fan++)
            counts[i * program->n_fans + fan] = result.win ? result.counts[fan] : 0;
    }
    return MJ_OK;
}

/* ---- waits and distances --------------------------------------------------------- */

static mj_status read_waiting(const mj_program *program, const mj_batch *batch, uint64_t row, mj_hand *hand)
{
    const mj_status status = mj_read_row(batch, row, hand);
    if (status != MJ_OK)
        return status;
    return mj_check_hand(program, hand, program->hand_size, program->hand_size, false);
}

mj_status mj_wait_row(const mj_tables *tables, const mj_program *program, const mj_batch *batch, uint64_t row,
                      uint64_t *kinds)
{
    mj_hand hand;
    const mj_status status = read_waiting(program, batch, row, &hand);
    if (status == MJ_OK)
        kinds[row] = mj_completing_kinds(tables, program, &hand);
    return status;
}

/* The worth of a hand by its last tile, or -1.  An own draw is looked at only where a discard
 * may not win. */
static mj_status value_wait(const mj_tables *tables, const mj_program *program, const mj_batch *batch,
                            mj_hand *hand, int64_t *points)
{
    *points = -1;
    for (unsigned by = 2; by-- > 0;) {
        hand->claimed = by == MJ_BY_DISCARD;
        const int32_t *facts = batch->facts + mj_situation(by, 0) * MJ_FACTS_SIZE;
        for (unsigned i = 0; i < MJ_FACTS_SIZE; i++)
            hand->facts[i] = facts[i];
        mj_result result;
        const mj_status status = mj_score(tables, program, hand, &result);
        if (status != MJ_OK)
            return status;
        if (result.win) {
            *points = result.may_wait ? result.money : -1;
            return MJ_OK;
        }
    }
    return MJ_OK;
}

mj_status mj_value_row(const mj_tables *tables, const mj_program *program, const mj_batch *batch, uint64_t row,
                       unsigned only, uint64_t kinds, int64_t *points)
{
    mj_hand hand;
    mj_status status = read_waiting(program, batch, row, &hand);
    for (unsigned kind = 0; status == MJ_OK && kind < batch->kinds; kind++) {
        if (only != MJ_NONE && kind != only)
            continue;
        points[kind] = -1;
        if (!(kinds >> kind & 1))
            continue;
        hand.win_tile = (uint8_t)kind;
        hand.concealed[kind] += 1;
        status = value_wait(tables, program, batch, &hand, &points[kind]);
        hand.concealed[kind] -= 1;
    }
    return status;
}

mj_status mj_shanten_row(const mj_tables *tables, const mj_program *program, const mj_batch *batch, uint64_t row,
                         int8_t *shanten)
{
    mj_hand hand;
    int distance = 0;
    mj_status status = mj_read_row(batch, row, &hand);
    if (status == MJ_OK)
        status = mj_shanten(tables, program, &hand, &distance);
    if (status == MJ_OK)
        shanten[row] = distance == MJ_NONE ? 127 : (int8_t)distance;
    return status;
}
