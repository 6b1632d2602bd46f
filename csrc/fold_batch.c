/* Hands scored by looking up.
 *
 * A row is looked up only if it is a hand for certain; every other row, and one that the folds do not
 * know, is judged, which also finds what is wrong with it.
 */
#include <stddef.h>
#include <string.h>

#include "look.h"

/* Which columns a batch has: known when the loop is compiled, so that none is asked for row by row. */
enum { HAS_MELDS = 1, HAS_WIN = 2, HAS_VOIDS = 4, HAS_SITUATIONS = 8, HAS_HONOURS = 16,
       IN_HONOURS = 32, HAS_ODD = 64,   /* of the rule set; the first looks for the second in any case */
       WIN_ONLY = 128 };                /* of what is wanted */

typedef struct looker {
    const mj_folds *folds;
    const mj_batch *batch;
    mj_block block;
    unsigned context;                  /* of all hands, where they have no situations of their own */
    const uint16_t *plain_worths;      /* as in mj_folds, if all hands are such */
    mj_worths worths;                  /* from the block's first row on, all of them there */
} looker;

/* The hands of a block on their way through the tables.  Each step is a loop of its own: so the look-ups of many
 * hands are under way at once, and what is between them is done in wide registers. */
typedef struct steps {
    uint16_t parts[MJ_HONOURS][MJ_BLOCK];   /* classes and tiles */
    uint16_t tiles[MJ_BLOCK];               /* of the hand, or ODD_TILES and more: it is not looked up */
    uint16_t context[MJ_BLOCK];
    uint16_t place[MJ_BLOCK];               /* in the table of three suits */
    uint16_t joined[MJ_BLOCK];              /* classes */
    uint16_t found[MJ_BLOCK];               /* numbers of worths */
} steps;

enum { ODD_TILES = 256 };

MJ_ALWAYS_INLINE unsigned void_suit_of(const looker *l, unsigned i, unsigned has)
{
    if (!(has & HAS_VOIDS))
        return MJ_NONE;
    return l->batch->voids == NULL ? l->batch->all_voids : l->batch->voids[l->block.first + i];
}

/* Looks the void suits up again, as such; an entry that is no suit is one of no hand. */
MJ_ALWAYS_INLINE void look_up_voids(const looker *l, steps *s, unsigned n, unsigned has)
{
    const mj_folds *folds = l->folds;
    for (unsigned i = 0; i < n; i++) {
        const unsigned suit = void_suit_of(l, i, has);
        if (suit >= MJ_HONOURS)
            s->parts[0][i] |= suit != MJ_NONE ? MJ_NO_TILES << MJ_CLASS_BITS : 0;
        else if (folds->sees_void)
            s->parts[suit][i] = folds->voids[suit][folds->states->id[mj_index_of(l->block.words[i], suit)]];
    }
}

/* Counts the tiles, and finds where the class of all three suits stands. */
MJ_ALWAYS_INLINE void count_tiles(const looker *l, steps *s, unsigned n, unsigned has)
{
    const mj_folds *folds = l->folds;
    const uint32_t n_p = folds->n_classes[1], n_s = folds->n_classes[2];
    const uint64_t *words = l->block.words;
    uint64_t above = 0;
    for (unsigned i = 0; i < n; i++) {
        const unsigned a = s->parts[0][i], b = s->parts[1][i], c = s->parts[2][i];
        s->tiles[i] = (uint16_t)((a >> MJ_CLASS_BITS) + (b >> MJ_CLASS_BITS) + (c >> MJ_CLASS_BITS));
        /* No more than 16 bits are kept, nor needed, where there is such a table. */
        s->place[i] = (uint16_t)(((a & MJ_CLASS_MASK) * n_p + (b & MJ_CLASS_MASK)) * n_s + (c & MJ_CLASS_MASK));
    }
    for (unsigned i = 0; i < n; i++)
        above |= words[i];
    for (unsigned i = 0; above >> 3 * MJ_SUIT_BITS && i < n; i++)
        s->tiles[i] |= words[i] >> 3 * MJ_SUIT_BITS ? ODD_TILES : 0;
    for (unsigned i = 0; has & HAS_HONOURS && !(has & IN_HONOURS) && i < n; i++)
        s->tiles[i] |= l->block.honours[i] != 0 ? ODD_TILES : 0;
}

MJ_ALWAYS_INLINE void join_suits(const looker *l, steps *s, unsigned n, unsigned has)
{
    const mj_folds *folds = l->folds;
    const uint32_t n_p = folds->n_classes[1], n_s = folds->n_classes[2], n_z = folds->n_classes[3];
    uint32_t places[MJ_BLOCK];
    if (folds->three_suits != NULL) {
        for (unsigned i = 0; i < n; i++)
            places[i] = s->place[i];
        mj_look_up(folds->three_suits, places, n, s->joined);
    } else {
        for (unsigned i = 0; i < n; i++)
            places[i] = (s->parts[0][i] & MJ_CLASS_MASK) * n_p + (s->parts[1][i] & MJ_CLASS_MASK);
        mj_look_up(folds->joins[1], places, n, s->joined);
        for (unsigned i = 0; i < n; i++)
            places[i] = s->joined[i] * n_s + (s->parts[2][i] & MJ_CLASS_MASK);
        mj_look_up(folds->joins[2], places, n, s->joined);
    }
    if (!(has & IN_HONOURS))
        return;
    uint16_t entries[MJ_BLOCK];
    if (has & HAS_HONOURS)
        mj_look_up(folds->honour_classes, l->block.honours, n, entries);
    for (unsigned i = 0; !(has & HAS_HONOURS) && i < n; i++)
        entries[i] = folds->honour_classes[0];
    for (unsigned i = 0; i < n; i++)
        s->tiles[i] = (uint16_t)(s->tiles[i] + (entries[i] >> MJ_CLASS_BITS));
    for (unsigned i = 0; i < n; i++)
        places[i] = s->joined[i] * n_z + (entries[i] & MJ_CLASS_MASK);
    mj_look_up(folds->joins[3], places, n, s->joined);
}

/* Joins the melds; hands without any, mostly the greater part, are only told from the others. */
MJ_ALWAYS_INLINE void join_melds(const looker *l, steps *s, unsigned n, unsigned has, mj_width width)
{
    const mj_folds *folds = l->folds;
    const uint32_t *melds = l->batch->melds + l->block.first;
    mj_melded melded;
    mj_tell_block(folds->states, &l->block, NULL, melds, folds->in_set, has & HAS_HONOURS, width, &melded);
    uint32_t places[MJ_BLOCK];
    uint16_t class[MJ_BLOCK];
    for (unsigned i = 0; i < n; i++)
        class[i] = (uint16_t)folds->no_melds;
    for (unsigned k = 0; k < melded.n; k++) {
        const unsigned i = melded.rows[k];
        const mj_told_melds *told = &melded.told[k];
        const bool good = melded.good[k]
                          && mj_melds_fold(folds, told, folds->sees_void ? void_suit_of(l, i, has) : MJ_NONE);
        s->tiles[i] = (uint16_t)(good ? s->tiles[i] + 3 * told->n : ODD_TILES);
        class[i] = (uint16_t)mj_melds_class(folds, told);
    }
    const uint32_t n_joined = folds->n_joined;
    for (unsigned i = 0; i < n; i++)
        places[i] = class[i] * n_joined + s->joined[i];
    mj_look_up(folds->with_melds, places, n, s->joined);
}

/* How often the winning tiles are held; where one is told that is none or not held, the row is odd. */
MJ_ALWAYS_INLINE void find_own(const looker *l, steps *s, unsigned n, uint16_t *own, unsigned has, mj_width width)
{
    uint8_t room[MJ_BLOCK];
    const uint8_t *win = mj_column(l->batch->win, l->batch->all_win, l->block.first, n, room);
    mj_find_own(l->block.words, has & HAS_HONOURS ? l->block.honours : NULL, win, n, own, width);
    for (unsigned i = 0; i < n; i++)
        s->tiles[i] |= (own[i] == 0) & (win[i] != MJ_NONE) ? ODD_TILES : 0;
}

/* Finds the contexts of the wins. */
MJ_ALWAYS_INLINE void find_contexts(const looker *l, steps *s, unsigned n, unsigned has, mj_width width)
{
    const mj_folds *folds = l->folds;
    const mj_batch *batch = l->batch;
    uint8_t by_room[MJ_BLOCK], flags_room[MJ_BLOCK];
    const uint8_t *by = mj_column(batch->by, batch->all_by, l->block.first, n, by_room);
    const uint8_t *flags = mj_column(batch->flags, batch->all_flags, l->block.first, n, flags_room);
    uint16_t own[MJ_BLOCK];
    if (has & HAS_WIN)
        find_own(l, s, n, own, has, width);
    if (!(has & HAS_WIN) || !folds->sees_own)
        memset(own, 0, n * sizeof *own);
    uint32_t places[MJ_BLOCK];
    for (unsigned i = 0; i < n; i++) {
        const bool is_situation = (by[i] <= MJ_BY_ROBBED_KONG) & (flags[i] < MJ_FLAG_VALUES);
        s->tiles[i] |= is_situation ? 0 : ODD_TILES;
        places[i] = (is_situation ? mj_situation(by[i], flags[i]) : 0) * MJ_OWN_COPIES + own[i];
    }
    mj_look_up(&folds->context_of[0][0], places, n, s->context);
}

/* Scores the rows of a block into the columns of l->worths; those that are not looked up are listed. */
MJ_ALWAYS_INLINE unsigned look_up_block(const looker *l, uint16_t *others, unsigned has, mj_width width)
{
    enum { AT_ONCE = 32 };
    const mj_folds *folds = l->folds;
    const unsigned n = l->block.n, wanted = folds->tiles;
    const unsigned whole = (n + AT_ONCE - 1) / AT_ONCE * AT_ONCE;   /* there are no hands behind the last */
    const mj_worths out = l->worths;
    if (n == 0)
        return 0;
    steps s;
    mj_look_up_suits(l->block.words, whole, folds->suits[0], folds->suits[1], folds->suits[2], s.parts);
    if (has & HAS_VOIDS)
        look_up_voids(l, &s, n, has);
    count_tiles(l, &s, whole, has);
    if (l->plain_worths != NULL) {
        MJ_UNROLLED
        for (unsigned i = 0; i < n; i++)
            s.found[i] = l->plain_worths[s.place[i]];
    } else {
        join_suits(l, &s, whole, has);
        if (has & HAS_MELDS)
            join_melds(l, &s, n, has, width);
        for (unsigned i = 0; i < n; i++)
            s.context[i] = (uint16_t)l->context;
        if (has & (HAS_SITUATIONS | HAS_WIN))
            find_contexts(l, &s, n, has, width);
        const uint16_t *worth_of = has & HAS_MELDS ? folds->final_worth_of : folds->worth_of;
        const uint32_t n_contexts = folds->n_contexts;
        uint32_t places[MJ_BLOCK];
        for (unsigned i = 0; i < n; i++)
            places[i] = s.joined[i] * n_contexts + s.context[i];
        mj_look_up(worth_of, places, n, s.found);
    }
    for (unsigned i = 0; i < n; i++)
        out.win[i] = s.found[i] != MJ_NO_WIN;
    if (!(has & WIN_ONLY))
        mj_put_worths(folds->worths, s.found, n, &out, width);

    for (unsigned i = 0; has & (HAS_ODD | IN_HONOURS) && i < n; i++)
        s.tiles[i] |= s.found[i] == MJ_ODD_HAND ? ODD_TILES : 0;
    return mj_list_others(s.tiles, n, wanted, 0, others);
}

/* A loop is compiled for each set of columns that is common, and for each width of registers. */
MJ_ALWAYS_INLINE unsigned look_up_any(const looker *l, uint16_t *others, unsigned has, mj_width width)
{
    enum { TOLD = HAS_MELDS | HAS_WIN | HAS_SITUATIONS };
    switch (has) {
    case 0: return look_up_block(l, others, 0, width);
    case WIN_ONLY: return look_up_block(l, others, WIN_ONLY, width);
    case HAS_SITUATIONS: return look_up_block(l, others, HAS_SITUATIONS, width);
    case TOLD: return look_up_block(l, others, TOLD, width);
    case HAS_HONOURS | IN_HONOURS | HAS_ODD:
    case HAS_HONOURS | IN_HONOURS: return look_up_block(l, others, HAS_HONOURS | IN_HONOURS, width);
    default: return look_up_block(l, others, has, width);
    }
}

typedef unsigned look_up(const looker *l, uint16_t *others, unsigned has);

static unsigned look_up_portable(const looker *l, uint16_t *others, unsigned has)
{
    return look_up_any(l, others, has, MJ_PORTABLE);
}

#ifdef MJ_X86
MJ_FOR_AVX2 static unsigned look_up_avx2(const looker *l, uint16_t *others, unsigned has)
{
    return look_up_any(l, others, has, MJ_AVX2);
}

MJ_FOR_AVX512 static unsigned look_up_avx512(const looker *l, uint16_t *others, unsigned has)
{
    return look_up_any(l, others, has, MJ_AVX512);
}
#else
#define look_up_avx2 look_up_portable
#define look_up_avx512 look_up_portable
#endif

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
           && !((has & HAS_WIN) && folds->sees_win && folds->won == NULL);
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

mj_status mj_look_up_batch(mj_jury *jury, const mj_folds *folds, uint64_t start, uint64_t stop,
                           const mj_worths *worths, uint64_t *row)
{
    const mj_batch *batch = jury->batch;
    unsigned has = folds == NULL ? 0 : columns_of(batch, folds);
    const bool look = folds != NULL && serves(folds, batch, has);
    if (worths->totals == NULL && worths->points == NULL && worths->fans == NULL)
        has |= WIN_ONLY;
    uint16_t others[MJ_BLOCK];
    nowhere none;
    const mj_width width = mj_width_here();
    look_up *look_up_here =
        width == MJ_AVX512 ? look_up_avx512 : width == MJ_AVX2 ? look_up_avx2 : look_up_portable;
    looker l = {.folds = folds, .batch = batch};
    if (look)
        l.context = folds->context_of[mj_situation(batch->all_by, batch->all_flags)][0];
    const bool plain = !(has & (HAS_MELDS | HAS_WIN | HAS_SITUATIONS)) && batch->all_flags == 0;
    if (look && plain && batch->all_by <= MJ_BY_DISCARD)
        l.plain_worths = folds->plain_worths[batch->all_by];
    for (; start < stop; start += MJ_BLOCK) {
        mj_take_block(batch, start, stop, width, &l.block);
        l.worths = columns_from(worths, start, &none);
        unsigned n_others = 0;
        if (look && folds->won != NULL)
            n_others = mj_look_up_won(folds, batch, &l.block, width, &l.worths, others);
        else if (look)
            n_others = look_up_here(&l, others, has);
        while (!look && n_others < l.block.n) {
            others[n_others] = (uint16_t)n_others;
            n_others += 1;
        }
        const mj_status status = mj_judge_rows(jury, &l.block, others, n_others, worths, row);
        if (status != MJ_OK)
            return status;
    }
    *row = stop;
    return MJ_OK;
}
