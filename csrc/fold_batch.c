/* Hands scored by looking up.
 *
 * A row is looked up only if it is a hand for certain; every other row, and one that the folds do not
 * know, goes the plain way, which also finds what is wrong with it.
 */
#include "look.h"

/* Which columns a batch has: known when the loop is compiled, so that none is asked for row by row. */
enum { HAS_MELDS = 1, HAS_WIN = 2, HAS_VOIDS = 4, HAS_SITUATIONS = 8, HAS_HONOURS = 16,
       IN_HONOURS = 32, HAS_ODD = 64,   /* of the rule set; the first looks for the second in any case */
       WIN_ONLY = 128 };                /* of what is wanted */

typedef struct looker {
    const mj_folds *folds;
    const mj_batch *batch;
    const mj_indices *hands;           /* of the block */
    uint64_t first;                    /* row of the block */
    unsigned context;                  /* of all hands, where they have no situations of their own */
    mj_worths worths;                  /* from the block's first row on, all of them there */
} looker;

/* Scores rows of a block into the columns of l->worths; those that are not looked up are listed. */
MJ_ALWAYS_INLINE unsigned look_up_block(const looker *l, unsigned n, uint16_t *others, unsigned has)
{
    const mj_folds *folds = l->folds;
    const mj_batch *batch = l->batch;
    const mj_states *states = folds->states;
    const uint16_t *m_suit = folds->suits[0], *p_suit = folds->suits[1], *s_suit = folds->suits[2];
    const uint16_t *join_p = folds->joins[1], *join_s = folds->joins[2], *join_z = folds->joins[3];
    const uint16_t *worth_of = has & HAS_MELDS ? folds->final_worth_of : folds->worth_of;
    const mj_worth *worths = folds->worths;
    const uint32_t n_p = folds->n_classes[1], n_s = folds->n_classes[2], n_z = folds->n_classes[3];
    const uint32_t n_contexts = folds->n_contexts;
    const unsigned all_tiles = folds->tiles;
    const bool sees_void = folds->sees_void, sees_own = folds->sees_own;
    const uint32_t no_honours = has & IN_HONOURS ? folds->honour_classes[0] : 0;
    const mj_worths out = l->worths;
    unsigned n_others = 0;

    for (unsigned i = 0; i < n; i++) {
        const mj_indices index = l->hands[i];
        unsigned bad = has & IN_HONOURS ? 0 : index.of[MJ_HONOURS];   /* any bit: the row is not looked up */
        uint32_t m = m_suit[index.of[0]], p = p_suit[index.of[1]], s = s_suit[index.of[2]];
        unsigned void_suit = MJ_NONE;
        if (has & HAS_VOIDS) {
            const unsigned given = batch->voids == NULL ? batch->all_voids : batch->voids[l->first + i];
            bad |= given >= MJ_HONOURS && given != MJ_NONE;
            void_suit = sees_void ? given : MJ_NONE;
            m = void_suit == 0 ? folds->voids[0][states->id[index.of[0]]] : m;
            p = void_suit == 1 ? folds->voids[1][states->id[index.of[1]]] : p;
            s = void_suit == 2 ? folds->voids[2][states->id[index.of[2]]] : s;
        }
        unsigned tiles = (m + p + s) >> MJ_CLASS_BITS;
        uint32_t joined = join_p[(m & MJ_CLASS_MASK) * n_p + (p & MJ_CLASS_MASK)];
        joined = join_s[joined * n_s + (s & MJ_CLASS_MASK)];
        if (has & IN_HONOURS) {
            const uint32_t z = has & HAS_HONOURS ? folds->honour_classes[index.of[MJ_HONOURS]] : no_honours;
            tiles += z >> MJ_CLASS_BITS;
            joined = join_z[joined * n_z + (z & MJ_CLASS_MASK)];
        }
        unsigned wanted = all_tiles;
        const uint64_t held = has & (HAS_MELDS | HAS_WIN) ? mj_held_kinds(states, &index, has & HAS_HONOURS) : 0;
        if (has & HAS_MELDS) {
            mj_told_melds melds;
            bad |= !mj_tell_melds(states, batch->melds[l->first + i], &index, held, folds->in_set, &melds)
                   || !mj_melds_fold(folds, &melds, void_suit);
            wanted -= 3 * melds.n;
            joined = folds->with_melds[joined * folds->n_all_melds + mj_melds_class(folds, &melds)];
        }
        bad |= tiles ^ wanted;
        unsigned context = l->context;
        if (has & (HAS_SITUATIONS | HAS_WIN)) {
            unsigned by = batch->all_by, flags = batch->all_flags, own = 0;
            if (has & HAS_SITUATIONS) {
                by = batch->by == NULL ? by : batch->by[l->first + i];
                flags = batch->flags == NULL ? flags : batch->flags[l->first + i];
                const bool is_situation = by <= MJ_BY_ROBBED_KONG && flags < MJ_FLAG_VALUES;
                bad |= !is_situation;
                by = is_situation ? by : 0;
                flags = is_situation ? flags : 0;
            }
            if (has & HAS_WIN) {
                const unsigned win = batch->win == NULL ? batch->all_win : batch->win[l->first + i];
                const bool is_held = win < MJ_KINDS && (held >> win & 1);
                bad |= !is_held && win != MJ_NONE;
                own = sees_own && is_held ? mj_copies_of(&index, win) : 0;
            }
            context = folds->context_of[mj_situation(by, flags)][own];
        }
        const uint32_t found = worth_of[joined * n_contexts + context];
        out.win[i] = found != MJ_NO_WIN;
        if (!(has & WIN_ONLY)) {
            out.totals[i] = worths[found].total;
            out.points[i] = worths[found].points;
            out.fans[i] = worths[found].fans;
        }
        if (has & (HAS_ODD | IN_HONOURS))
            bad |= found == MJ_ODD_HAND;
        others[n_others] = (uint16_t)i;
        n_others += bad != 0;
    }
    return n_others;
}

static unsigned look_up_any(const looker *l, unsigned n, uint16_t *others, unsigned has)
{
    enum { TOLD = HAS_MELDS | HAS_WIN | HAS_SITUATIONS };
    switch (has) {
    case 0: return look_up_block(l, n, others, 0);
    case WIN_ONLY: return look_up_block(l, n, others, WIN_ONLY);
    case HAS_VOIDS: return look_up_block(l, n, others, HAS_VOIDS);
    case HAS_SITUATIONS: return look_up_block(l, n, others, HAS_SITUATIONS);
    case HAS_MELDS: return look_up_block(l, n, others, HAS_MELDS);
    case TOLD: return look_up_block(l, n, others, TOLD);
    case TOLD | HAS_VOIDS: return look_up_block(l, n, others, TOLD | HAS_VOIDS);
    case HAS_HONOURS | IN_HONOURS | HAS_ODD:
    case HAS_HONOURS | IN_HONOURS: return look_up_block(l, n, others, HAS_HONOURS | IN_HONOURS);
    case HAS_HONOURS | IN_HONOURS | HAS_ODD | TOLD:
    case HAS_HONOURS | IN_HONOURS | TOLD: return look_up_block(l, n, others, HAS_HONOURS | IN_HONOURS | TOLD);
    default: return look_up_block(l, n, others, has);
    }
}

static unsigned columns_of(const mj_batch *batch, const mj_folds *folds)
{
    unsigned has = 0;
    has |= batch->melds != NULL ? HAS_MELDS : 0;
    has |= batch->win != NULL || batch->all_win != MJ_NONE ? HAS_WIN : 0;
    has |= batch->voids != NULL || batch->all_voids != MJ_NONE ? HAS_VOIDS : 0;
    has |= batch->by != NULL || batch->flags != NULL ? HAS_SITUATIONS : 0;
    has |= batch->kinds > MJ_NUMBER_KINDS ? HAS_HONOURS : 0;
    has |= folds->honours ? IN_HONOURS : 0;
    has |= folds->odd ? HAS_ODD : 0;
    return has;
}

/* Whether the folds were made for such a batch. */
static bool serves(const mj_folds *folds, const mj_batch *batch, unsigned has)
{
    return (batch->by != NULL || batch->all_by <= MJ_BY_ROBBED_KONG)
           && (batch->flags != NULL || batch->all_flags < MJ_FLAG_VALUES)
           && !((has & HAS_MELDS) && !(folds->uses & MJ_FOR_MELDS))
           && !((has & HAS_VOIDS) && folds->sees_void && !(folds->uses & MJ_FOR_VOIDS))
           && !((has & HAS_WIN) && folds->sees_win);
}

/* Where the rows of a block go; columns that are not wanted go nowhere else. */
typedef struct nowhere {
    uint8_t win[MJ_BLOCK];
    int32_t totals[MJ_BLOCK];
    int64_t points[MJ_BLOCK];
    uint64_t fans[MJ_BLOCK];
} nowhere;

static mj_worths columns_from(const mj_worths *worths, uint64_t row, nowhere *none)
{
    return (mj_worths){
        worths->win == NULL ? none->win : worths->win + row,
        worths->totals == NULL ? none->totals : worths->totals + row,
        worths->points == NULL ? none->points : worths->points + row,
        worths->fans == NULL ? none->fans : worths->fans + row,
    };
}

mj_status mj_look_up_batch(const mj_tables *tables, const mj_program *program, const mj_folds *folds,
                           const mj_batch *batch, uint64_t start, uint64_t stop, const mj_worths *worths,
                           mj_score_row *otherwise, uint64_t *row)
{
    unsigned has = columns_of(batch, folds);
    const bool look = serves(folds, batch, has);
    if (worths->totals == NULL && worths->points == NULL && worths->fans == NULL)
        has |= WIN_ONLY;
    mj_indices hands[MJ_BLOCK];
    uint16_t others[MJ_BLOCK];
    nowhere none;
    const mj_width width = mj_width_here();
    looker l = {.folds = folds, .batch = batch, .hands = hands};
    if (look)
        l.context = folds->context_of[mj_situation(batch->all_by, batch->all_flags)][0];
    for (; start < stop; start += MJ_BLOCK) {
        const unsigned n = stop - start < MJ_BLOCK ? (unsigned)(stop - start) : MJ_BLOCK;
        l.first = start;
        l.worths = columns_from(worths, start, &none);
        if (look)
            mj_take_block(batch, start, stop, n, width, hands);
        const unsigned n_others = look ? look_up_any(&l, n, others, has) : n;
        for (unsigned i = 0; i < n_others; i++) {
            *row = start + (look ? others[i] : i);
            const mj_status status = otherwise(tables, program, batch, worths, *row);
            if (status != MJ_OK)
                return status;
        }
    }
    *row = stop;
    return MJ_OK;
}
