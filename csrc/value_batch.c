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
    uint64_t parts[MJ_BLOCK];             /* classes and tiles, PART_BITS for each part */
    uint16_t tiles[MJ_BLOCK];             /* of the hand, or ODD_TILES and more: it is not looked up */
    uint8_t voids[MJ_BLOCK];
    uint16_t meld_class[MJ_BLOCK];
    uint64_t meld_kinds[MJ_BLOCK];
    uint16_t waits[MJ_BLOCK * MJ_KINDS];  /* rows and kinds, as AT_ROW */
} steps;

enum { ODD_TILES = 256, AT_ROW = 64, PART_BITS = 16 };

/* A wait that is not looked up, or with MJ_NONE all of a row. */
typedef struct other {
    uint16_t row;
    uint8_t kind;
} other;

MJ_ALWAYS_INLINE uint16_t entry_of(const mj_folds *folds, unsigned part, uint32_t index, unsigned void_suit)
{
    if (part == MJ_HONOURS)
        return folds->honour_classes[index];
    if (part == void_suit)
        return folds->voids[part][folds->states->id[index]];
    return folds->suits[part][index];
}

MJ_ALWAYS_INLINE mj_indices hand_of(const looker *l, unsigned i, unsigned has)
{
    return mj_indices_of(l->block.words[i], has & HAS_HONOURS ? l->block.honours[i] : 0);
}

/* Looks up these rows. */
MJ_ALWAYS_INLINE void look_up_parts(const looker *l, steps *s, const uint16_t *rows, unsigned n, unsigned has)
{
    const mj_folds *folds = l->folds;
    const mj_batch *batch = l->batch;
    for (unsigned k = 0; k < n; k++) {
        const unsigned i = rows[k];
        const mj_indices hand = hand_of(l, i, has);
        if (has & HAS_VOIDS)
            s->voids[i] = batch->voids == NULL ? batch->all_voids : batch->voids[l->block.first + i];
        const unsigned void_suit = has & HAS_VOIDS && folds->sees_void ? s->voids[i] : MJ_NONE;
        uint64_t parts = 0;
        unsigned tiles = l->block.words[i] >> 3 * MJ_SUIT_BITS ? ODD_TILES : 0;
        for (unsigned part = 0; part < (has & IN_HONOURS ? MJ_PARTS : MJ_HONOURS); part++) {
            const uint64_t entry = entry_of(folds, part, hand.of[part], void_suit);
            parts |= entry << part * PART_BITS;
            tiles += (unsigned)entry >> MJ_CLASS_BITS;
        }
        s->parts[i] = parts;
        s->tiles[i] = (uint16_t)tiles;
        if (!(has & IN_HONOURS) && has & HAS_HONOURS)
            s->tiles[i] |= hand.of[MJ_HONOURS] != 0 ? ODD_TILES : 0;
        if (has & HAS_VOIDS)
            s->tiles[i] |= s->voids[i] >= MJ_HONOURS && s->voids[i] != MJ_NONE ? ODD_TILES : 0;
    }
}

MJ_ALWAYS_INLINE void look_up_melds(const looker *l, steps *s, const uint16_t *rows, unsigned n, unsigned has)
{
    const mj_folds *folds = l->folds;
    for (unsigned k = 0; k < n; k++) {
        const unsigned i = rows[k];
        const mj_indices hand = hand_of(l, i, has);
        const uint64_t held = mj_held_kinds(folds->states, &hand, has & HAS_HONOURS);
        const unsigned void_suit = has & HAS_VOIDS && folds->sees_void ? s->voids[i] : MJ_NONE;
        mj_told_melds told;
        const bool good = mj_tell_melds(folds->states, l->batch->melds[l->block.first + i], &hand, held,
                                        folds->in_set, &told)
                          && mj_melds_fold(folds, &told, void_suit);
        s->tiles[i] = (uint16_t)(good ? s->tiles[i] + 3 * told.n : ODD_TILES);
        s->meld_kinds[i] = told.kinds;
        s->meld_class[i] = (uint16_t)mj_melds_class(folds, &told);
    }
}

/* Lists the waits of these rows, and those of them that are not looked up. */
MJ_ALWAYS_INLINE unsigned list_waits(const looker *l, steps *s, uint16_t *rows, unsigned n, const uint64_t *kinds,
                                     other *others, unsigned *n_others)
{
    const uint64_t all = mj_bit(l->batch->kinds) - 1;
    const unsigned wanted = l->folds->tiles - 1;
    uint64_t rest[MJ_BLOCK];
    unsigned n_rows = 0, n_waits = 0;
    *n_others = 0;
    for (unsigned k = 0; k < n; k++) {
        const unsigned row = rows[k];
        const bool good = s->tiles[row] == wanted;
        others[*n_others] = (other){(uint16_t)row, MJ_NONE};
        *n_others += !good;
        rows[n_rows] = (uint16_t)row;
        rest[n_rows] = kinds[row] & all;
        n_rows += good;
    }
    /* One wait of each row that has any left, again and again: how many each has need not be guessed. */
    while (n_rows > 0) {
        unsigned n_left = 0;
        for (unsigned k = 0; k < n_rows; k++) {
            const unsigned row = rows[k];
            const uint64_t left = rest[k];
            s->waits[n_waits++] = (uint16_t)(row * AT_ROW + mj_lowest(left));
            rows[n_left] = (uint16_t)row;
            rest[n_left] = left & (left - 1);
            n_left += rest[n_left] != 0;
        }
        n_rows = n_left;
    }
    return n_waits;
}

/* What so many waits are worth, at most a block; MJ_ODD_VALUE where one is not looked up. */
MJ_ALWAYS_INLINE void value_waits(const looker *l, const steps *s, const uint16_t *waits, unsigned n, int64_t *values,
                                  unsigned has)
{
    const mj_folds *folds = l->folds;
    const uint32_t n_p = folds->n_classes[1], n_s = folds->n_classes[2], n_z = folds->n_classes[3];
    const uint16_t *three_suits = folds->three_suits;
    uint32_t index[MJ_BLOCK], tile[MJ_BLOCK];
    uint16_t made[MJ_BLOCK], held[MJ_BLOCK];
    float place[MJ_BLOCK];
    for (unsigned k = 0; k < n; k++) {
        const unsigned row = waits[k] / AT_ROW, kind = waits[k] % AT_ROW;
        index[k] = (uint32_t)(l->block.words[row] >> mj_places.shift[kind]) & MJ_SUIT_MASK;
        if (has & HAS_HONOURS)
            index[k] = kind < MJ_NUMBER_KINDS ? index[k] : l->block.honours[row];
        place[k] = mj_places.inverse[kind];
        tile[k] = mj_digits[kind];
    }
    for (unsigned k = 0; k < n; k++) {
        const uint32_t copies = mj_digit_at(index[k], place[k]);
        held[k] = (uint16_t)copies;
        index[k] += copies < MJ_MAX_COPIES ? tile[k] : 0;
    }
    for (unsigned k = 0; k < n; k++) {
        const unsigned row = waits[k] / AT_ROW, kind = waits[k] % AT_ROW, part = mj_suit_of(kind);
        const unsigned void_suit = has & HAS_VOIDS && folds->sees_void ? s->voids[row] : MJ_NONE;
        const bool known = part < MJ_HONOURS || has & IN_HONOURS;
        made[k] = known ? entry_of(folds, part, index[k], void_suit) : 0;
    }
    for (unsigned k = 0; k < n; k++) {
        const unsigned row = waits[k] / AT_ROW, kind = waits[k] % AT_ROW, part = mj_suit_of(kind);
        const uint64_t others = s->parts[row] & ~(UINT64_C(0xffff) << part * PART_BITS);
        const uint64_t parts = others | (uint64_t)made[k] << part * PART_BITS;
        const uint32_t a = parts & MJ_CLASS_MASK, b = parts >> PART_BITS & MJ_CLASS_MASK;
        const uint32_t c = parts >> 2 * PART_BITS & MJ_CLASS_MASK;
        uint32_t joined = three_suits == NULL ? folds->joins[2][folds->joins[1][a * n_p + b] * n_s + c]
                                              : three_suits[(a * n_p + b) * n_s + c];
        if (has & IN_HONOURS)
            joined = folds->joins[3][joined * n_z + (parts >> 3 * PART_BITS & MJ_CLASS_MASK)];
        const uint32_t melds = has & HAS_MELDS ? s->meld_class[row] : folds->no_melds;
        if (folds->uses & MJ_FOR_MELDS)
            joined = folds->with_melds[joined * folds->n_all_melds + melds];
        int64_t value = folds->values[joined * MJ_OWN_COPIES + held[k] + 1];
        const bool melded = has & HAS_MELDS && (s->meld_kinds[row] >> kind & 1);
        value = melded || (part == MJ_HONOURS && !(has & IN_HONOURS)) ? MJ_ODD_VALUE : value;
        values[k] = held[k] < MJ_MAX_COPIES ? value : folds->fifth_counts ? MJ_ODD_VALUE : -1;
    }
}

MJ_ALWAYS_INLINE unsigned look_up_block(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points,
                                        other *others, unsigned has)
{
    const unsigned width = l->batch->kinds;
    const uint64_t all = mj_bit(width) - 1;
    steps s;
    uint16_t rows[MJ_BLOCK];   /* with waits: the others are not looked at */
    unsigned n_rows = 0, n_others;
    for (unsigned i = 0; i < n; i++) {
        rows[n_rows] = (uint16_t)i;
        n_rows += (kinds[i] & all) != 0;
    }
    look_up_parts(l, &s, rows, n_rows, has);
    if (has & HAS_MELDS)
        look_up_melds(l, &s, rows, n_rows, has);
    const unsigned n_waits = list_waits(l, &s, rows, n_rows, kinds, others, &n_others);
    memset(points, 0xff, (size_t)n * width * sizeof *points);   /* -1 everywhere */
    for (unsigned first = 0; first < n_waits; first += MJ_BLOCK) {
        const unsigned some = n_waits - first < MJ_BLOCK ? n_waits - first : MJ_BLOCK;
        int64_t values[MJ_BLOCK];
        value_waits(l, &s, s.waits + first, some, values, has);
        for (unsigned k = 0; k < some; k++) {
            const unsigned row = s.waits[first + k] / AT_ROW, kind = s.waits[first + k] % AT_ROW;
            points[row * width + kind] = values[k];
            others[n_others] = (other){(uint16_t)row, (uint8_t)kind};
            n_others += values[k] == MJ_ODD_VALUE;
        }
    }
    return n_others;
}

/* A loop is compiled for each set of columns that is common, and for each width of registers. */
MJ_ALWAYS_INLINE unsigned look_up_any(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points,
                                      other *others, unsigned has)
{
    switch (has) {
    case 0: return look_up_block(l, n, kinds, points, others, 0);
    case HAS_MELDS: return look_up_block(l, n, kinds, points, others, HAS_MELDS);
    default: return look_up_block(l, n, kinds, points, others, has);
    }
}

typedef unsigned look_up(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points, other *others,
                         unsigned has);

static unsigned look_up_portable(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points, other *others,
                                 unsigned has)
{
    return look_up_any(l, n, kinds, points, others, has);
}

#ifdef MJ_X86
MJ_FOR_AVX2 static unsigned look_up_avx2(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points,
                                         other *others, unsigned has)
{
    return look_up_any(l, n, kinds, points, others, has);
}

MJ_FOR_AVX512 static unsigned look_up_avx512(const looker *l, unsigned n, const uint64_t *kinds, int64_t *points,
                                             other *others, unsigned has)
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
    other others[MJ_BLOCK * (1 + MJ_KINDS)];
    for (; start < stop; start += MJ_BLOCK) {
        unsigned n_others = 0;
        mj_take_block(batch, start, stop, width, &l.block);
        const unsigned n = l.block.n;
        if (look) {
            n_others = look_up_here(&l, n, kinds + start, points + start * batch->kinds, others, has);
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
