/* Rows of batches that are not looked up, judged in columns; the others, and few of them, one by one (batch.c). */
#include "columns.h"
#include "look.h"

enum { FEWEST = 16 };   /* rows that are judged in columns: as many as one by one take as long */

/* ---- made when needed --------------------------------------------------------------- */

static mj_status make_columns(mj_jury *jury, mj_columns **columns, const unsigned *situation)
{
    return *columns != NULL ? MJ_OK
                            : mj_columns_new(jury->tables, jury->program, jury->batch->facts, situation, columns);
}

void mj_start_jury(mj_jury *jury, const mj_tables *tables, const mj_program *program, const mj_batch *batch,
                    uint64_t n)
{
    *jury = (mj_jury){.tables = tables, .program = program, .batch = batch, .many = n >= MJ_FEWEST_IN_COLUMNS};
}

void mj_end_jury(mj_jury *jury)
{
    mj_columns_free(jury->columns);
    mj_columns_free(jury->own_draws);
}

/* ---- rows gathered ------------------------------------------------------------------- */

/* The columns of a batch for some rows of a block, and where they stand while they are judged. */
typedef struct gathered {
    mj_asked asked;
    uint64_t words[MJ_BLOCK];
    uint32_t honours[MJ_BLOCK], melds[MJ_BLOCK], rows[MJ_BLOCK];
    uint8_t win[MJ_BLOCK], voids[MJ_BLOCK], by[MJ_BLOCK], flags[MJ_BLOCK];
} gathered;

/* Adds a hand; what it holds, how it is won, and the row that it is of. */
static void gather_hand(gathered *g, const mj_batch *batch, const mj_block *block, unsigned row)
{
    const unsigned i = g->asked.n++;
    const uint64_t at = block->first + row;
    g->rows[i] = (uint32_t)row;
    g->words[i] = block->words[row];
    g->honours[i] = batch->kinds > MJ_NUMBER_KINDS ? block->honours[row] : 0;
    g->melds[i] = batch->melds == NULL ? 0 : batch->melds[at];
    g->voids[i] = batch->voids == NULL ? batch->all_voids : batch->voids[at];
    g->win[i] = batch->win == NULL ? batch->all_win : batch->win[at];
    g->by[i] = batch->by == NULL ? batch->all_by : batch->by[at];
    g->flags[i] = batch->flags == NULL ? batch->all_flags : batch->flags[at];
}

static void start_gathering(gathered *g, const mj_batch *batch, const mj_block *block)
{
    g->asked = (mj_asked){
        .words = g->words, .honours = g->honours, .melds = batch->melds == NULL ? NULL : g->melds,
        .win = g->win, .voids = g->voids, .by = g->by, .flags = g->flags,
        .seen = batch->seen == NULL ? NULL : batch->seen + block->first * batch->kinds,
        .rows = g->rows, .kinds = batch->kinds,
    };
}

/* No hands behind the last. */
static void end_gathering(gathered *g)
{
    for (unsigned i = g->asked.n; i < MJ_BLOCK; i++) {
        g->words[i] = MJ_NO_WORD;
        g->honours[i] = 0;
    }
}

/* ---- scores ------------------------------------------------------------------------ */

static void put_best(const mj_worths *worths, uint64_t row, const mj_verdict *best, unsigned unit)
{
    const bool win = best != NULL && best->may_win;
    mj_put_worth(worths, row, win, win ? best->totals[unit] : 0, win ? best->money : 0, win ? best->standing : 0);
}

mj_status mj_judge_rows(mj_jury *jury, const mj_block *block, const uint16_t *rows, unsigned n,
                        const mj_worths *worths, uint64_t *row)
{
    const mj_batch *batch = jury->batch;
    uint16_t others[MJ_BLOCK];
    if (jury->many && n >= FEWEST) {
        const unsigned situation = mj_situation(batch->all_by, batch->all_flags);
        const bool vary = batch->by != NULL || batch->flags != NULL || situation >= MJ_SITUATIONS;
        const mj_status status = make_columns(jury, &jury->columns, vary ? NULL : &situation);
        if (status != MJ_OK)
            return status;
        gathered g;
        start_gathering(&g, batch, block);
        for (unsigned i = 0; i < n; i++)
            gather_hand(&g, batch, block, rows[i]);
        end_gathering(&g);
        const unsigned n_others = mj_judge_hands(jury->columns, &g.asked, others);
        for (unsigned i = 0; i < n; i++)
            put_best(worths, block->first + rows[i], mj_best_of(jury->columns, i), batch->unit);
        for (unsigned i = 0; i < n_others; i++)
            others[i] = rows[others[i]];
        rows = others;
        n = n_others;
    }
    for (unsigned i = 0; i < n; i++) {
        *row = block->first + rows[i];
        const mj_status status = mj_score_row(jury->tables, jury->program, batch, worths, *row);
        if (status != MJ_OK)
            return status;
    }
    return MJ_OK;
}

/* ---- values of waits --------------------------------------------------------------------- */

/* Waits on their way: those of one block, as many as are judged at once. */
typedef struct waiting {
    mj_wait_at waits[MJ_BLOCK], others[MJ_BLOCK];   /* left to be judged, and not judged in columns */
    unsigned n, n_others;
} waiting;

/* Adds a hand with the tile that it waits for.  A fifth copy has no place in a word, and whether it would be a hand is
 * not found here. */
static void gather_wait(gathered *g, const mj_batch *batch, const mj_block *block, mj_wait_at wait, unsigned by)
{
    const unsigned i = g->asked.n, kind = wait.kind, suit = mj_suit_of(kind);
    gather_hand(g, batch, block, wait.row);
    const mj_indices index = mj_indices_of(g->words[i], g->honours[i]);
    if (index.of[suit] >= MJ_SUIT_INDICES || mj_copies_of(&index, kind) >= MJ_MAX_COPIES)
        g->words[i] = MJ_NO_WORD;
    else if (suit == MJ_HONOURS)
        g->honours[i] += mj_digits[kind];
    else
        g->words[i] += (uint64_t)mj_digits[kind] << suit * MJ_SUIT_BITS;
    g->win[i] = (uint8_t)kind;
    g->by[i] = (uint8_t)by;
    g->flags[i] = 0;
}

/* Judges waits as hands that are won in one way, and puts down what those are worth that win; the rest is left. */
static mj_status judge_waits(mj_jury *jury, const mj_block *block, unsigned by, waiting *w, int64_t *points)
{
    const mj_batch *batch = jury->batch;
    const unsigned situation = mj_situation(by, 0);
    mj_columns **columns = by == MJ_BY_DISCARD ? &jury->columns : &jury->own_draws;
    const mj_status status = make_columns(jury, columns, &situation);
    if (status != MJ_OK)
        return status;
    gathered g;
    start_gathering(&g, batch, block);
    for (unsigned i = 0; i < w->n; i++)
        gather_wait(&g, batch, block, w->waits[i], by);
    end_gathering(&g);
    uint16_t odd[MJ_BLOCK];
    const unsigned n = w->n, n_odd = mj_judge_hands(*columns, &g.asked, odd);
    w->n = 0;
    for (unsigned i = 0, next = 0; i < n; i++) {
        const mj_wait_at wait = w->waits[i];
        const mj_verdict *best = mj_best_of(*columns, i);
        if (next < n_odd && odd[next] == i) {
            w->others[w->n_others++] = wait;
            next += 1;
        } else if (best != NULL && best->may_win) {
            points[(block->first + wait.row) * batch->kinds + wait.kind] = best->may_wait ? best->money : -1;
        } else {
            w->waits[w->n++] = wait;
        }
    }
    return MJ_OK;
}

static mj_status value_some(mj_jury *jury, const mj_block *block, waiting *w, const uint64_t *kinds, int64_t *points,
                            uint64_t *row)
{
    const mj_batch *batch = jury->batch;
    mj_status status = MJ_OK;
    if (jury->many && w->n >= FEWEST) {
        /* An own draw is looked at only where a discard may not win. */
        status = judge_waits(jury, block, MJ_BY_DISCARD, w, points);
        if (status == MJ_OK && w->n > 0)
            status = judge_waits(jury, block, MJ_BY_OWN_DRAW, w, points);
        w->n = 0;
    }
    for (unsigned i = 0; i < w->n; i++)
        w->others[w->n_others++] = w->waits[i];
    for (unsigned i = 0; i < w->n_others && status == MJ_OK; i++) {
        *row = block->first + w->others[i].row;
        status = mj_value_row(jury->tables, jury->program, batch, *row, w->others[i].kind, kinds[*row],
                              points + *row * batch->kinds);
    }
    w->n = w->n_others = 0;
    return status;
}

mj_status mj_value_waits(mj_jury *jury, const mj_block *block, const mj_wait_at *waits, unsigned n,
                         const uint64_t *kinds, int64_t *points, uint64_t *row)
{
    const mj_batch *batch = jury->batch;
    waiting w = {.n = 0};
    mj_status status = MJ_OK;
    for (unsigned i = 0; i < n && status == MJ_OK; i++) {
        const uint64_t all = kinds[block->first + waits[i].row] & (mj_bit(batch->kinds) - 1);
        for (uint64_t rest = waits[i].kind == MJ_NONE ? all : mj_bit(waits[i].kind); rest != 0 && status == MJ_OK;
             rest &= rest - 1) {
            const mj_wait_at wait = {waits[i].row, (uint8_t)mj_lowest(rest)};
            points[(block->first + wait.row) * batch->kinds + wait.kind] = -1;
            w.waits[w.n++] = wait;
            if (w.n == MJ_BLOCK)
                status = value_some(jury, block, &w, kinds, points, row);
        }
    }
    return status == MJ_OK ? value_some(jury, block, &w, kinds, points, row) : status;
}
