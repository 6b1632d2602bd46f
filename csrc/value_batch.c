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
    mj_block block;
} looker;

/* The waiting hands of a block and their waits on their way through the tables.  Each step is a loop of its own: so
 * the look-ups of many waits are under way at once, and what is between them is done in wide registers. */
typedef struct steps {
    uint16_t rows[MJ_BLOCK];              /* of the waiting hands: all else is by their places in this list */
    uint64_t kinds[MJ_BLOCK];             /* that they wait for */
    uint16_t parts[MJ_PARTS][MJ_BLOCK];   /* classes and tiles */
    uint16_t tiles[MJ_BLOCK];             /* of the melds, or ODD_TILES and more: it is not looked up */
    uint8_t voids[MJ_BLOCK];
    uint16_t meld_class[MJ_BLOCK];
    uint64_t meld_kinds[MJ_BLOCK];
    uint16_t waits[MJ_BLOCK * MJ_KINDS];  /* hands and kinds, as AT_HAND */
} steps;

enum { ODD_TILES = 256, AT_HAND = 64 };

MJ_ALWAYS_INLINE mj_indices hand_of(const looker *l, unsigned i, unsigned has)
{
    return mj_indices_of(l->block.words[i], has & HAS_HONOURS ? l->block.honours[i] : 0);
}

/* Looks up the parts beside which there are waits.  A part that alone has waits is looked up with each of them only:
 * such parts are many, and their entries not near. */
MJ_ALWAYS_INLINE void look_up_parts(const looker *l, steps *s, unsigned n, unsigned has)
{
    enum { AT_ONCE = 8 };
    const mj_folds *folds = l->folds;
    const mj_batch *batch = l->batch;
    const unsigned whole = (n + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
    uint64_t beside[MJ_BLOCK];
    for (unsigned k = 0; k < n; k++)
        beside[k] = l->block.words[s->rows[k]];
    for (unsigned k = 0; k < n; k++) {
        s->tiles[k] = beside[k] >> 3 * MJ_SUIT_BITS ? ODD_TILES : 0;
        uint64_t wanted = 0;
        for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
            const uint64_t others = s->kinds[k] & ~((uint64_t)MJ_SUIT_HELD << suit * MJ_RANKS);
            wanted |= -(uint64_t)(others != 0) & (uint64_t)MJ_SUIT_MASK << suit * MJ_SUIT_BITS;
        }
        beside[k] &= wanted;
    }
    for (unsigned k = n; k < whole; k++)
        beside[k] = 0;
    mj_look_up_suits(beside, whole, folds->suits[0], folds->suits[1], folds->suits[2], s->parts);
    for (unsigned k = 0; has & HAS_VOIDS && k < n; k++) {
        const unsigned suit = batch->voids == NULL ? batch->all_voids : batch->voids[l->block.first + s->rows[k]];
        s->voids[k] = (uint8_t)suit;
        if (suit >= MJ_HONOURS)
            s->tiles[k] |= suit != MJ_NONE ? ODD_TILES : 0;
        else if (folds->sees_void)
            s->parts[suit][k] = folds->voids[suit][folds->states->id[mj_index_of(beside[k], suit)]];
    }
    for (unsigned k = 0; has & IN_HONOURS && k < n; k++)
        s->parts[MJ_HONOURS][k] = folds->honour_classes[has & HAS_HONOURS ? l->block.honours[s->rows[k]] : 0];
    for (unsigned k = 0; !(has & IN_HONOURS) && has & HAS_HONOURS && k < n; k++)
        s->tiles[k] |= l->block.honours[s->rows[k]] != 0 ? ODD_TILES : 0;
}

MJ_ALWAYS_INLINE void look_up_melds(const looker *l, steps *s, unsigned n, unsigned has)
{
    const mj_folds *folds = l->folds;
    for (unsigned k = 0; k < n; k++) {
        const unsigned i = s->rows[k];
        const mj_indices hand = hand_of(l, i, has);
        const uint64_t held = mj_held_kinds(folds->states, &hand, has & HAS_HONOURS);
        const unsigned void_suit = has & HAS_VOIDS && folds->sees_void ? s->voids[k] : MJ_NONE;
        mj_told_melds told;
        const bool good = mj_tell_melds(folds->states, l->batch->melds[l->block.first + i], &hand, held,
                                        folds->in_set, &told)
                          && mj_melds_fold(folds, &told, void_suit);
        s->tiles[k] = (uint16_t)(good ? s->tiles[k] + 3 * told.n : ODD_TILES);
        s->meld_kinds[k] = told.kinds;
        s->meld_class[k] = (uint16_t)mj_melds_class(folds, &told);
    }
}

/* Lists the waits of the hands. */
MJ_ALWAYS_INLINE unsigned list_waits(steps *s, unsigned n)
{
    uint16_t hands[MJ_BLOCK];
    uint64_t rest[MJ_BLOCK];
    unsigned n_waits = 0;
    for (unsigned k = 0; k < n; k++) {
        hands[k] = (uint16_t)k;
        rest[k] = s->kinds[k];
    }
    /* One wait of each hand that has any left, again and again: how many each has need not be guessed. */
    while (n > 0) {
        unsigned n_left = 0;
        for (unsigned k = 0; k < n; k++) {
            const unsigned hand = hands[k];
            const uint64_t left = rest[k];
            s->waits[n_waits++] = (uint16_t)(hand * AT_HAND + mj_lowest(left));
            hands[n_left] = (uint16_t)hand;
            rest[n_left] = left & (left - 1);
            n_left += rest[n_left] != 0;
        }
        n = n_left;
    }
    return n_waits;
}

/* The final classes of hands by the classes of their parts. */
MJ_ALWAYS_INLINE void join_parts(const looker *l, const steps *s, const uint16_t *waits, unsigned n,
                                 uint16_t (*parts)[MJ_BLOCK], uint32_t *joined, unsigned has)
{
    const mj_folds *folds = l->folds;
    const uint32_t n_p = folds->n_classes[1], n_s = folds->n_classes[2], n_z = folds->n_classes[3];
    const uint32_t n_joined = folds->n_joined, no_melds = folds->no_melds;
    const uint16_t *three_suits = folds->three_suits, *join_p = folds->joins[1], *join_s = folds->joins[2];
    const uint16_t *join_z = folds->joins[3], *with_melds = folds->with_melds;
    const bool at_once = !(has & (HAS_MELDS | IN_HONOURS)) && folds->three_finals != NULL;
    if (at_once)
        three_suits = folds->three_finals;
    for (unsigned k = 0; k < n; k++)
        joined[k] = (parts[0][k] & MJ_CLASS_MASK) * n_p + (parts[1][k] & MJ_CLASS_MASK);
    for (unsigned k = 0; three_suits == NULL && k < n; k++)
        joined[k] = join_p[joined[k]];
    for (unsigned k = 0; k < n; k++)
        joined[k] = joined[k] * n_s + (parts[2][k] & MJ_CLASS_MASK);
    const uint16_t *join = three_suits == NULL ? join_s : three_suits;
    for (unsigned k = 0; k < n; k++)
        joined[k] = join[joined[k]];
    for (unsigned k = 0; has & IN_HONOURS && k < n; k++)
        joined[k] = join_z[joined[k] * n_z + (parts[MJ_HONOURS][k] & MJ_CLASS_MASK)];
    for (unsigned k = 0; !at_once && folds->uses & MJ_FOR_MELDS && k < n; k++)
        joined[k] = with_melds[(has & HAS_MELDS ? s->meld_class[waits[k] / AT_HAND] : no_melds) * n_joined + joined[k]];
}

/* The entries of parts with one tile more. */
MJ_ALWAYS_INLINE void look_up_made(const looker *l, const steps *s, const uint16_t *waits, unsigned n,
                                   const uint32_t *index, uint16_t *made, unsigned has)
{
    const mj_folds *folds = l->folds;
    const uint16_t *m = folds->suits[0], *p = folds->suits[1], *z = folds->suits[2];
    const bool alike = m == p && m == z && !(has & (HAS_VOIDS | HAS_HONOURS));
    for (unsigned k = 0; alike && k < n; k++)
        made[k] = m[index[k]];
    for (unsigned k = 0; !alike && k < n; k++) {
        const unsigned hand = waits[k] / AT_HAND, part = mj_suit_of(waits[k] % AT_HAND);
        if (part == MJ_HONOURS)
            made[k] = has & IN_HONOURS ? folds->honour_classes[index[k]] : (uint16_t)(MJ_NO_TILES << MJ_CLASS_BITS);
        else if (has & HAS_VOIDS && folds->sees_void && s->voids[hand] == part)
            made[k] = folds->voids[part][folds->states->id[index[k]]];
        else
            made[k] = folds->suits[part][index[k]];
    }
}

/* What so many waits are worth, at most a block; MJ_ODD_VALUE where one is not looked up. */
MJ_ALWAYS_INLINE void value_waits(const looker *l, const steps *s, const uint16_t *waits, unsigned n, int64_t *values,
                                  unsigned has)
{
    const mj_folds *folds = l->folds;
    const uint64_t *words = l->block.words;
    const unsigned wanted = folds->tiles;
    uint32_t index[MJ_BLOCK], tile[MJ_BLOCK], joined[MJ_BLOCK];
    uint16_t held[MJ_BLOCK], made[MJ_BLOCK], parts[MJ_PARTS][MJ_BLOCK], tiles[MJ_BLOCK];
    float place[MJ_BLOCK];
    for (unsigned k = 0; k < n; k++) {
        const unsigned row = s->rows[waits[k] / AT_HAND], kind = waits[k] % AT_HAND;
        index[k] = (uint32_t)(words[row] >> mj_places.shift[kind]) & MJ_SUIT_MASK;
        if (has & HAS_HONOURS)
            index[k] = kind < MJ_NUMBER_KINDS ? index[k] : l->block.honours[row];
        place[k] = mj_places.inverse[kind];
        tile[k] = mj_digits[kind];
    }
    for (unsigned k = 0; k < n; k++) {
        const uint32_t copies = mj_digit_at(index[k], place[k]);
        held[k] = (uint16_t)copies;
        index[k] += copies < MJ_MAX_COPIES && index[k] < MJ_SUIT_INDICES ? tile[k] : 0;
    }
    look_up_made(l, s, waits, n, index, made, has);
    for (unsigned k = 0; k < n; k++) {
        const unsigned hand = waits[k] / AT_HAND;
        for (unsigned part = 0; part < (has & IN_HONOURS ? MJ_PARTS : MJ_HONOURS); part++)
            parts[part][k] = s->parts[part][hand];
        tiles[k] = s->tiles[hand];
    }
    /* The tiles are those of a complete hand, unless the last is a fifth and was not added. */
    for (unsigned k = 0; k < n; k++) {
        const unsigned kind = waits[k] % AT_HAND;
        parts[0][k] = kind < MJ_RANKS ? made[k] : parts[0][k];
        parts[1][k] = kind >= MJ_RANKS && kind < 2 * MJ_RANKS ? made[k] : parts[1][k];
        parts[2][k] = kind >= 2 * MJ_RANKS && kind < MJ_NUMBER_KINDS ? made[k] : parts[2][k];
        const unsigned sum = (parts[0][k] >> MJ_CLASS_BITS) + (parts[1][k] >> MJ_CLASS_BITS)
                             + (parts[2][k] >> MJ_CLASS_BITS) + (held[k] == MJ_MAX_COPIES);
        tiles[k] = (uint16_t)(tiles[k] + sum);
    }
    for (unsigned k = 0; has & HAS_HONOURS && k < n; k++) {
        const bool is_honour = waits[k] % AT_HAND >= MJ_NUMBER_KINDS;
        if (has & IN_HONOURS)
            parts[MJ_HONOURS][k] = is_honour ? made[k] : parts[MJ_HONOURS][k];
        else
            tiles[k] |= is_honour ? ODD_TILES : 0;
    }
    for (unsigned k = 0; has & IN_HONOURS && k < n; k++)
        tiles[k] = (uint16_t)(tiles[k] + (parts[MJ_HONOURS][k] >> MJ_CLASS_BITS));
    join_parts(l, s, waits, n, parts, joined, has);
    const int64_t fifth = folds->fifth_counts ? MJ_ODD_VALUE : -1;
    const int64_t *value_of = folds->values;
    for (unsigned k = 0; k < n; k++) {
        const int64_t value = value_of[joined[k] * MJ_OWN_COPIES + held[k] + 1];
        const int64_t known = held[k] < MJ_MAX_COPIES ? value : fifth;
        values[k] = tiles[k] == wanted ? known : MJ_ODD_VALUE;
    }
    for (unsigned k = 0; has & HAS_MELDS && k < n; k++) {
        const unsigned hand = waits[k] / AT_HAND, kind = waits[k] % AT_HAND;
        values[k] = s->meld_kinds[hand] >> kind & 1 && held[k] < MJ_MAX_COPIES ? MJ_ODD_VALUE : values[k];
    }
}

MJ_ALWAYS_INLINE unsigned look_up_block(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points,
                                        mj_wait_at *others, unsigned has)
{
    const unsigned width = l->batch->kinds;
    const uint64_t all = mj_bit(width) - 1;
    steps s;
    unsigned n_hands = 0, n_others = 0;
    for (unsigned i = 0; i < n; i++) {
        s.rows[n_hands] = (uint16_t)i;
        s.kinds[n_hands] = kinds[i] & all;
        n_hands += (kinds[i] & all) != 0;
    }
    look_up_parts(l, &s, n_hands, has);
    if (has & HAS_MELDS)
        look_up_melds(l, &s, n_hands, has);
    const unsigned n_waits = list_waits(&s, n_hands);
    memset(points, 0xff, (size_t)n * width * sizeof *points);   /* -1 everywhere */
    for (unsigned first = 0; first < n_waits; first += MJ_BLOCK) {
        const unsigned some = n_waits - first < MJ_BLOCK ? n_waits - first : MJ_BLOCK;
        const uint16_t *waits = s.waits + first;
        int64_t values[MJ_BLOCK];
        bool odd = false;
        value_waits(l, &s, waits, some, values, has);
        for (unsigned k = 0; k < some; k++) {
            points[s.rows[waits[k] / AT_HAND] * width + waits[k] % AT_HAND] = values[k];
            odd |= values[k] == MJ_ODD_VALUE;
        }
        for (unsigned k = 0; odd && k < some; k++) {
            others[n_others] = (mj_wait_at){s.rows[waits[k] / AT_HAND], (uint8_t)(waits[k] % AT_HAND)};
            n_others += values[k] == MJ_ODD_VALUE;
        }
    }
    return n_others;
}

/* A loop is compiled for each set of columns that is common, and for each width of registers. */
MJ_ALWAYS_INLINE unsigned look_up_any(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points,
                                      mj_wait_at *others, unsigned has)
{
    switch (has) {
    case 0: return look_up_block(l, n, kinds, points, others, 0);
    case HAS_MELDS: return look_up_block(l, n, kinds, points, others, HAS_MELDS);
    default: return look_up_block(l, n, kinds, points, others, has);
    }
}

typedef unsigned look_up(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points, mj_wait_at *others,
                         unsigned has);

static unsigned look_up_portable(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points, mj_wait_at *others,
                                 unsigned has)
{
    return look_up_any(l, n, kinds, points, others, has);
}

#ifdef MJ_X86
MJ_FOR_AVX2 static unsigned look_up_avx2(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points,
                                         mj_wait_at *others, unsigned has)
{
    return look_up_any(l, n, kinds, points, others, has);
}

MJ_FOR_AVX512 static unsigned look_up_avx512(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points,
                                             mj_wait_at *others, unsigned has)
{
    return look_up_any(l, n, kinds, points, others, has);
}
#else
#define look_up_avx2 look_up_portable
#define look_up_avx512 look_up_portable
#endif

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
    looker l = {.folds = folds, .batch = batch};
    look_up *look_up_here = width == MJ_AVX512 ? look_up_avx512 : width == MJ_AVX2 ? look_up_avx2 : look_up_portable;
    mj_wait_at others[MJ_BLOCK * (1 + MJ_KINDS)];
    mj_jury jury;
    mj_start_jury(&jury, tables, program, batch, stop - start);
    mj_status status = MJ_OK;
    for (; start < stop && status == MJ_OK; start += MJ_BLOCK) {
        unsigned n_others = 0;
        mj_take_block(batch, start, stop, width, &l.block);
        const unsigned n = l.block.n;
        if (look)
            n_others = look_up_here(&l, n, kinds + start, points + start * batch->kinds, others, has);
        else
            memset(points + start * batch->kinds, 0xff, (size_t)n * batch->kinds * sizeof *points);   /* -1 everywhere */
        while (!look && n_others < n) {
            others[n_others] = (mj_wait_at){(uint16_t)n_others, MJ_NONE};
            n_others += 1;
        }
        status = mj_value_waits(&jury, &l.block, others, n_others, kinds, points, row);
    }
    mj_end_jury(&jury);
    if (status == MJ_OK)
        *row = stop;
    return status;
}
