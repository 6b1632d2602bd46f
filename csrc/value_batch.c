/* What the waits of hands are worth, by looking up each completed hand.
 *
 * A wait is looked up if its tile is one more of what the suit tables hold; a fifth copy, and a tile of a
 * kind that was melded, go the plain way.
 */
#include <string.h>

#include "look.h"

enum { HAS_MELDS = 1, HAS_VOIDS = 2, HAS_HONOURS = 4, IN_HONOURS = 8 };

typedef struct looker {
    const mj_folds *folds;
    const mj_batch *batch;
    const mj_indices *hands;           /* of the block */
    uint64_t first;                    /* row of the block */
} looker;

/* A waiting hand: its parts' entries in the tables of suits, and what stands beside them. */
typedef struct waiting {
    mj_indices index;
    uint32_t parts[MJ_PARTS];
    mj_told_melds melds;
    uint32_t meld_class;
    unsigned void_suit;
} waiting;

MJ_ALWAYS_INLINE uint32_t entry_of(const mj_folds *folds, unsigned part, uint32_t index, unsigned void_suit)
{
    if (part == MJ_HONOURS)
        return folds->honour_classes[index];
    if (part == void_suit)
        return folds->voids[part][folds->states->id[index]];
    return folds->suits[part][index];
}

/* False where the row is no waiting hand for certain. */
MJ_ALWAYS_INLINE bool read_hand(const looker *l, unsigned i, waiting *w, unsigned has)
{
    const mj_folds *folds = l->folds;
    const mj_batch *batch = l->batch;
    w->index = l->hands[i];
    bool good = (has & IN_HONOURS) || w->index.of[MJ_HONOURS] == 0;
    w->void_suit = MJ_NONE;
    if (has & HAS_VOIDS) {
        const unsigned given = batch->voids == NULL ? batch->all_voids : batch->voids[l->first + i];
        good &= given < MJ_HONOURS || given == MJ_NONE;
        w->void_suit = folds->sees_void ? given : MJ_NONE;
    }
    unsigned tiles = 0;
    for (unsigned part = 0; part < MJ_PARTS; part++) {
        if (part == MJ_HONOURS && !(has & IN_HONOURS))
            break;
        w->parts[part] = entry_of(folds, part, w->index.of[part], w->void_suit);
        tiles += w->parts[part] >> MJ_CLASS_BITS;
    }
    w->melds = (mj_told_melds){.n = 0};
    if (has & HAS_MELDS) {
        const uint64_t held = mj_held_kinds(folds->states, &w->index, has & HAS_HONOURS);
        good &= mj_tell_melds(folds->states, batch->melds[l->first + i], &w->index, held, folds->in_set, &w->melds)
                && mj_melds_fold(folds, &w->melds, w->void_suit);
        w->meld_class = mj_melds_class(folds, &w->melds);
    }
    return good && tiles + 3 * w->melds.n + 1 == folds->tiles;
}

/* MJ_ODD_VALUE where the tile is not looked up. */
MJ_ALWAYS_INLINE int64_t value_of(const mj_folds *folds, const waiting *w, unsigned kind, unsigned has)
{
    const unsigned part = mj_suit_of(kind);
    const unsigned rank = part == MJ_HONOURS ? kind - MJ_NUMBER_KINDS + 2 : kind - part * MJ_RANKS;
    const unsigned held = mj_digit(w->index.of[part], rank);
    if (held == MJ_MAX_COPIES && !folds->fifth_counts)
        return -1;
    if (held == MJ_MAX_COPIES || (w->melds.kinds >> kind & 1) || (part == MJ_HONOURS && !(has & IN_HONOURS)))
        return MJ_ODD_VALUE;
    const uint32_t made = entry_of(folds, part, w->index.of[part] + mj_tile_at(kind), w->void_suit);
    const uint32_t a = part == 0 ? made : w->parts[0], b = part == 1 ? made : w->parts[1];
    const uint32_t c = part == 2 ? made : w->parts[2];
    uint32_t joined = folds->joins[1][(a & MJ_CLASS_MASK) * folds->n_classes[1] + (b & MJ_CLASS_MASK)];
    joined = folds->joins[2][joined * folds->n_classes[2] + (c & MJ_CLASS_MASK)];
    if (has & IN_HONOURS) {
        const uint32_t z = part == MJ_HONOURS ? made : w->parts[MJ_HONOURS];
        joined = folds->joins[3][joined * folds->n_classes[3] + (z & MJ_CLASS_MASK)];
    }
    if (has & HAS_MELDS)
        joined = folds->with_melds[joined * folds->n_all_melds + w->meld_class];
    else if (folds->uses & MJ_FOR_MELDS)
        joined = folds->with_melds[joined * folds->n_all_melds + folds->no_melds];
    return folds->values[joined * MJ_OWN_COPIES + held + 1];
}

/* Lists the waits that are not looked up by row and kind, and rows of which none is by MJ_NONE. */
typedef struct other {
    uint16_t row;
    uint8_t kind;
} other;

MJ_ALWAYS_INLINE unsigned look_up_block(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points,
                                        other *others, unsigned has)
{
    const unsigned width = l->batch->kinds;
    const uint64_t all = mj_bit(width) - 1;
    unsigned n_others = 0;
    for (unsigned i = 0; i < n; i++, points += width) {
        memset(points, 0xff, width * sizeof *points);   /* -1 everywhere */
        uint64_t rest = kinds[i] & all;
        if (rest == 0)
            continue;
        waiting w;
        if (!read_hand(l, i, &w, has)) {
            others[n_others++] = (other){(uint16_t)i, MJ_NONE};
            continue;
        }
        for (; rest != 0; rest &= rest - 1) {
            const unsigned kind = mj_lowest(rest);
            const int64_t value = value_of(l->folds, &w, kind, has);
            points[kind] = value;
            if (value == MJ_ODD_VALUE)
                others[n_others++] = (other){(uint16_t)i, (uint8_t)kind};
        }
    }
    return n_others;
}

static unsigned look_up_any(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points, other *others,
                            unsigned has)
{
    switch (has) {
    case 0: return look_up_block(l, n, kinds, points, others, 0);
    case HAS_MELDS: return look_up_block(l, n, kinds, points, others, HAS_MELDS);
    default: return look_up_block(l, n, kinds, points, others, has);
    }
}

static bool serves(const mj_folds *folds, unsigned has)
{
    return folds != NULL && folds->values != NULL && !folds->sees_win
           && !((has & HAS_MELDS) && !(folds->uses & MJ_FOR_MELDS))
           && !((has & HAS_VOIDS) && folds->sees_void && !(folds->uses & MJ_FOR_VOIDS));
}

mj_status mj_values_batch(const mj_tables *tables, const mj_program *program, const mj_folds *folds,
                          const mj_batch *batch, uint64_t start, uint64_t stop,
                          const uint64_t *kinds, int64_t *points, uint64_t *row)
{
    if (tables == NULL || program == NULL || row == NULL || !mj_is_batch(batch, start, stop)
        || batch->facts == NULL || ((kinds == NULL || points == NULL) && batch->n > 0))
        return MJ_BAD_ARGUMENT;
    unsigned has = batch->melds != NULL ? HAS_MELDS : 0;
    has |= batch->voids != NULL || batch->all_voids != MJ_NONE ? HAS_VOIDS : 0;
    has |= batch->kinds > MJ_NUMBER_KINDS ? HAS_HONOURS : 0;
    has |= folds != NULL && folds->honours ? IN_HONOURS : 0;
    const bool look = serves(folds, has);
    const mj_width width = mj_width_here();
    mj_indices hands[MJ_BLOCK];
    looker l = {.folds = folds, .batch = batch, .hands = hands};
    other others[MJ_BLOCK * MJ_KINDS];
    for (; start < stop; start += MJ_BLOCK) {
        const unsigned n = stop - start < MJ_BLOCK ? (unsigned)(stop - start) : MJ_BLOCK;
        unsigned n_others = 0;
        l.first = start;
        if (look) {
            mj_take_block(batch, start, stop, n, width, hands);
            n_others = look_up_any(&l, n, kinds + start, points + start * batch->kinds, others, has);
        }
        for (unsigned i = 0; i < n && !look; i++)
            others[n_others++] = (other){(uint16_t)i, MJ_NONE};
        for (unsigned i = 0; i < n_others; i++) {
            *row = start + others[i].row;
            const mj_status status =
                mj_value_row(tables, program, batch, *row, others[i].kind, kinds[*row], points + *row * batch->kinds);
            if (status != MJ_OK)
                return status;
        }
    }
    *row = stop;
    return MJ_OK;
}
