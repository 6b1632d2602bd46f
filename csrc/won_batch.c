/* Hands scored by looking up where the rules ask how the winning tile came in: the class of the part that
 * holds it is that of its mark, and what else is told of it chooses the context.
 *
 * The waits before it came are looked for last, and only in hands whose worth they can change.
 */
#include <string.h>

#include "near.h"

enum { HAS_MELDS = 1, HAS_VOIDS = 2, HAS_HONOURS = 4, IN_HONOURS = 8, HAS_ODD = 16 };

typedef struct looker {
    const mj_folds *folds;
    const mj_batch *batch;
    const mj_block *block;
    const uint8_t *win, *by, *flags, *voids;    /* columns of the block */
} looker;

/* The hands of a block on their way through the tables, as in fold_batch.c. */
typedef struct steps {
    uint16_t states[MJ_HONOURS][MJ_BLOCK];  /* of the suits */
    uint32_t places[MJ_HONOURS][MJ_BLOCK];  /* of these in the tables */
    uint16_t parts[MJ_PARTS][MJ_BLOCK];     /* classes and tiles */
    uint16_t tiles[MJ_BLOCK];               /* of the hand, or ODD_TILES and more: it is not looked up */
    uint16_t own[MJ_BLOCK], all[MJ_BLOCK];  /* copies of the winning tile: concealed, and with the melds */
    uint16_t seen[MJ_BLOCK];                /* of them, in melds or on the table */
    uint16_t melds[MJ_BLOCK];               /* classes */
    uint16_t joined[MJ_BLOCK];              /* classes */
    uint16_t situation[MJ_BLOCK];
    uint32_t base[MJ_BLOCK];                /* what is told beside the waits */
    uint16_t found[MJ_BLOCK];               /* numbers of worths */
} steps;

enum { ODD_TILES = 256 };

/* ---- classes ---------------------------------------------------------------------------- */

/* Where the suits stand in their tables: that with the winning tile by its mark, the others by state. */
MJ_ALWAYS_INLINE void find_places(const looker *l, steps *s, unsigned n)
{
    const unsigned variants = l->folds->won->variants, each = MJ_RANKS * variants;
    const uint8_t *win = l->win, *by = l->by;
    uint16_t part[MJ_BLOCK], mark[MJ_BLOCK];
    for (unsigned i = 0; i < n; i++) {
        part[i] = variants > 0 ? win[i] / MJ_RANKS : MJ_NONE;
        mark[i] = (uint16_t)(win[i] % MJ_RANKS * variants + (variants > 1 && by[i] != MJ_BY_OWN_DRAW));
    }
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        for (unsigned i = 0; i < n; i++) {
            const uint32_t state = s->states[suit][i];
            s->places[suit][i] = part[i] == suit ? MJ_STATES + state * each + mark[i] : state;
        }
    }
}

/* Looks the honours up, with the mark if they have it. */
MJ_ALWAYS_INLINE void look_up_honours(const looker *l, steps *s, unsigned n, unsigned has)
{
    const mj_folds *folds = l->folds;
    const mj_won *won = folds->won;
    for (unsigned i = 0; i < n; i++) {
        const uint32_t index = has & HAS_HONOURS ? l->block->honours[i] : 0;
        const unsigned rank = l->win[i] - MJ_NUMBER_KINDS;
        unsigned entry = folds->honour_classes[index];
        if (won->variants > 0 && rank < MJ_HONOUR_KINDS) {
            const bool claimed = won->variants > 1 && l->by[i] != MJ_BY_OWN_DRAW;
            const unsigned marked = won->honour_marks[(index * MJ_HONOUR_KINDS + rank) * won->variants + claimed];
            entry = (entry & ~MJ_CLASS_MASK) | marked;
        }
        s->parts[MJ_HONOURS][i] = (uint16_t)entry;
    }
}

/* Looks the parts up, and counts the tiles. */
MJ_ALWAYS_INLINE void look_up_parts(const looker *l, steps *s, unsigned n, unsigned has)
{
    const mj_folds *folds = l->folds;
    uint16_t *const *suits = folds->won->suits[0], *const *voids = folds->won->suits[1];
    const uint64_t *words = l->block->words;
    uint64_t above = 0;
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++)
        mj_look_up(suits[suit], s->places[suit], n, s->parts[suit]);
    for (unsigned i = 0; has & HAS_VOIDS && folds->sees_void && i < n; i++) {
        const unsigned suit = l->voids[i];
        if (suit < MJ_HONOURS)
            s->parts[suit][i] = voids[suit][s->places[suit][i]];
    }
    if (has & IN_HONOURS)
        look_up_honours(l, s, n, has);
    for (unsigned i = 0; i < n; i++) {
        s->tiles[i] = (uint16_t)((s->parts[0][i] >> MJ_CLASS_BITS) + (s->parts[1][i] >> MJ_CLASS_BITS)
                                 + (s->parts[2][i] >> MJ_CLASS_BITS));
        if (has & IN_HONOURS)
            s->tiles[i] = (uint16_t)(s->tiles[i] + (s->parts[MJ_HONOURS][i] >> MJ_CLASS_BITS));
    }
    for (unsigned i = 0; i < n; i++)
        above |= words[i];
    for (unsigned i = 0; above >> 3 * MJ_SUIT_BITS && i < n; i++)
        s->tiles[i] |= words[i] >> 3 * MJ_SUIT_BITS ? ODD_TILES : 0;
    for (unsigned i = 0; has & HAS_HONOURS && !(has & IN_HONOURS) && i < n; i++)
        s->tiles[i] |= l->block->honours[i] != 0 ? ODD_TILES : 0;
    for (unsigned i = 0; has & HAS_VOIDS && i < n; i++)
        s->tiles[i] |= l->voids[i] >= MJ_HONOURS && l->voids[i] != MJ_NONE ? ODD_TILES : 0;
}

/* Joins the classes of all parts. */
MJ_ALWAYS_INLINE void join_parts(const looker *l, const steps *s, unsigned n, uint16_t *joined, unsigned has)
{
    const mj_folds *folds = l->folds;
    const uint32_t n_p = folds->n_classes[1], n_s = folds->n_classes[2], n_z = folds->n_classes[3];
    const uint32_t n_joined = folds->n_joined;
    const bool at_once = folds->three_suits != NULL;
    uint32_t places[MJ_BLOCK];
    for (unsigned i = 0; i < n; i++)
        places[i] = (s->parts[0][i] & MJ_CLASS_MASK) * n_p + (s->parts[1][i] & MJ_CLASS_MASK);
    if (!at_once)
        mj_look_up(folds->joins[1], places, n, joined);
    for (unsigned i = 0; i < n; i++)
        places[i] = (at_once ? places[i] : joined[i]) * n_s + (s->parts[2][i] & MJ_CLASS_MASK);
    mj_look_up(at_once ? folds->three_suits : folds->joins[2], places, n, joined);
    if (has & IN_HONOURS) {
        for (unsigned i = 0; i < n; i++)
            places[i] = joined[i] * n_z + (s->parts[MJ_HONOURS][i] & MJ_CLASS_MASK);
        mj_look_up(folds->joins[3], places, n, joined);
    }
    if (has & HAS_MELDS) {
        for (unsigned i = 0; i < n; i++)
            places[i] = s->melds[i] * n_joined + joined[i];
        mj_look_up(folds->with_melds, places, n, joined);
    }
}

/* Finds the odd hands: they are known by their classes without a mark, whatever the context. */
MJ_ALWAYS_INLINE void find_odd(const looker *l, steps *s, unsigned whole, unsigned has)
{
    const mj_folds *folds = l->folds;
    const unsigned n = l->block->n;
    uint16_t plain[MJ_BLOCK];
    mj_look_up_suits(l->block->words, whole, folds->suits[0], folds->suits[1], folds->suits[2], s->parts);
    for (unsigned i = 0; has & IN_HONOURS && i < n; i++)
        s->parts[MJ_HONOURS][i] = folds->honour_classes[has & HAS_HONOURS ? l->block->honours[i] : 0];
    join_parts(l, s, n, plain, has);
    const uint16_t *worth_of = has & HAS_MELDS ? folds->final_worth_of : folds->worth_of;
    for (unsigned i = 0; i < n; i++)
        s->tiles[i] |= worth_of[plain[i] * folds->n_contexts] == MJ_ODD_HAND ? ODD_TILES : 0;
}

/* ---- melds ------------------------------------------------------------------------------- */

/* Copies of a kind in melds. */
static unsigned meld_copies(const mj_states *states, uint32_t melds, unsigned kind)
{
    unsigned copies = 0;
    for (; melds != 0; melds >>= 8) {
        const unsigned code = melds & 255;
        const unsigned each = code >= MJ_KONG_CODES ? 4 : code >= MJ_PUNG_CODES ? 3 : 1;
        copies += states->meld_kinds[code] >> kind & 1 ? each : 0;
    }
    return copies;
}

/* Finds the classes of melds, and the winning tile's copies in them; hands without any, mostly the greater part, are
 * only told from the others. */
MJ_ALWAYS_INLINE void look_up_melds(const looker *l, steps *s, unsigned n, unsigned has, mj_width width)
{
    const mj_folds *folds = l->folds;
    const uint32_t *melds = l->batch->melds + l->block->first;
    const uint16_t (*ids)[MJ_BLOCK] = (const uint16_t (*)[MJ_BLOCK])s->states;
    mj_melded melded;
    mj_tell_block(folds->states, l->block, ids, melds, folds->in_set, has & HAS_HONOURS, width, &melded);
    for (unsigned i = 0; i < n; i++)
        s->melds[i] = (uint16_t)folds->no_melds;
    for (unsigned k = 0; k < melded.n; k++) {
        const unsigned i = melded.rows[k], win = l->win[i];
        const unsigned void_suit = has & HAS_VOIDS && folds->sees_void ? l->voids[i] : MJ_NONE;
        const mj_told_melds *told = &melded.told[k];
        const bool good = melded.good[k] && mj_melds_fold(folds, told, void_suit);
        s->tiles[i] = (uint16_t)(good ? s->tiles[i] + 3 * told->n : ODD_TILES);
        s->melds[i] = (uint16_t)mj_melds_class(folds, told);
        if (good && win < MJ_KINDS && (told->kinds >> win & 1))
            s->seen[i] = (uint16_t)meld_copies(folds->states, melds[i], win);
        s->all[i] = (uint16_t)(s->own[i] + s->seen[i]);
    }
}

/* ---- what is told ------------------------------------------------------------------------- */

/* How often the winning tiles are held; where one is told that is none or not held, the row is odd. */
MJ_ALWAYS_INLINE void find_win(const looker *l, steps *s, unsigned n, unsigned has, mj_width width)
{
    mj_find_own(l->block->words, has & HAS_HONOURS ? l->block->honours : NULL, l->win, n, s->own, width);
    const uint8_t *win = l->win;
    for (unsigned i = 0; i < n; i++)
        s->tiles[i] |= (s->own[i] == 0) & (win[i] != MJ_NONE) ? ODD_TILES : 0;
    memcpy(s->all, s->own, n * sizeof *s->all);
    memset(s->seen, 0, n * sizeof *s->seen);
}

/* Adds what is told of a telling that the rules ask for. */
MJ_ALWAYS_INLINE void tell(const mj_won *won, unsigned telling, const uint16_t *told, unsigned n, uint32_t *base)
{
    if (!won->asks[telling])
        return;
    MJ_UNROLLED
    for (unsigned i = 0; i < n; i++)
        base[i] += won->place_of[telling][told[i]];
}

MJ_ALWAYS_INLINE void find_situations(const looker *l, steps *s, unsigned n)
{
    const uint8_t *by = l->by, *flags = l->flags;
    uint32_t told[MJ_BLOCK];
    for (unsigned i = 0; i < n; i++) {
        const bool is_situation = (by[i] <= MJ_BY_ROBBED_KONG) & (flags[i] < MJ_FLAG_VALUES);
        s->tiles[i] |= is_situation ? 0 : ODD_TILES;
        told[i] = is_situation ? mj_situation(by[i], flags[i]) : 0;
    }
    mj_look_up(l->folds->won->situation_of, told, n, s->situation);
}

/* Adds up what is told of the winning tile itself, and finds how many of its kind are seen. */
MJ_ALWAYS_INLINE void tell_tile(const looker *l, steps *s, unsigned n, unsigned has)
{
    const mj_won *won = l->folds->won;
    const uint8_t *seen = l->batch->seen, *win = l->win;
    const unsigned kinds = l->batch->kinds;
    uint16_t told[MJ_BLOCK];
    memset(s->base, 0, n * sizeof *s->base);
    tell(won, MJ_TELL_OWN, s->own, n, s->base);
    tell(won, MJ_TELL_ALL, s->all, n, s->base);
    for (unsigned i = 0; won->asks[MJ_TELL_KIND] && i < n; i++)
        told[i] = win[i] < MJ_KINDS ? win[i] + 1 : 0;
    tell(won, MJ_TELL_KIND, told, n, s->base);
    for (unsigned i = 0; won->asks[MJ_TELL_VOID] && i < n; i++)
        told[i] = has & HAS_VOIDS && l->voids[i] == mj_suit_of(win[i]);
    tell(won, MJ_TELL_VOID, told, n, s->base);
    for (unsigned i = 0; won->near != NULL && seen != NULL && i < n; i++) {
        const uint8_t lying = seen[(l->block->first + i) * kinds + (win[i] < kinds ? win[i] : 0)];
        s->seen[i] = lying > s->seen[i] ? lying : s->seen[i];
    }
}

/* Finds the worths by all but the waits. */
MJ_ALWAYS_INLINE void find_early(const looker *l, steps *s, unsigned n, unsigned has)
{
    const mj_won *won = l->folds->won;
    const uint8_t *win = l->win;
    const uint32_t most = won->n_lefts - 1, n_base = won->n_base, n_early = won->n_early, n_sets = won->n_sets;
    uint32_t places[MJ_BLOCK];
    uint16_t sets[MJ_BLOCK];
    for (unsigned i = 0; i < n; i++) {
        const uint32_t left = s->seen[i] < most ? most - s->seen[i] : 0;
        const uint32_t early = win[i] == MJ_NONE ? n_early - 1 : left * n_base + s->base[i];
        places[i] = s->situation[i] * n_early + early;
    }
    mj_look_up(won->early_of, places, n, sets);
    for (unsigned i = 0; i < n; i++)
        places[i] = s->joined[i] * n_sets + sets[i];
    mj_look_up(has & HAS_MELDS ? won->final_early_worth_of : won->early_worth_of, places, n, s->found);
}

/* ---- waits --------------------------------------------------------------------------------- */

#define NO_WAITS UINT64_MAX   /* in place of the waits of a hand that is not looked up */

/* The waits of hands of a block before the winning tile came. */
static void find_waits(const looker *l, const uint16_t *rows, unsigned n, mj_width width, uint64_t *kinds)
{
    const bool has_honours = l->batch->kinds > MJ_NUMBER_KINDS;
    uint16_t others[MJ_BLOCK];
    uint32_t melds[MJ_BLOCK];
    mj_block before;
    mj_batch batch = *l->batch;
    before.first = 0;
    before.n = n;
    before.words = before.word_room;
    batch.melds = l->batch->melds == NULL ? NULL : melds;
    for (unsigned k = 0; k < n; k++) {
        const unsigned i = rows[k], win = l->win[i];
        before.word_room[k] = l->block->words[i];
        before.honours[k] = has_honours ? l->block->honours[i] : 0;
        melds[k] = l->batch->melds == NULL ? 0 : l->batch->melds[l->block->first + i];
        if (win < MJ_NUMBER_KINDS)
            before.word_room[k] -= (uint64_t)mj_digits[win] << mj_suit_of(win) * MJ_SUIT_BITS;
        else
            before.honours[k] -= mj_digits[win];
    }
    const unsigned n_others =
        mj_near_waits(l->folds->won->near, l->folds->states, &l->folds->won->plan, &batch, &before, width, kinds, others);
    for (unsigned i = 0; i < n_others; i++)
        kinds[others[i]] = NO_WAITS;
}

/* The place of live waits, and of their tiles that are not seen. */
static uint32_t place_of_waits(const looker *l, unsigned i, uint64_t kinds)
{
    const mj_won *won = l->folds->won;
    const mj_batch *batch = l->batch;
    const uint64_t row = l->block->first + i;
    const uint32_t honours = batch->kinds > MJ_NUMBER_KINDS ? l->block->honours[i] : 0;
    const mj_indices index = mj_indices_of(l->block->words[i], honours);
    const uint8_t *seen = batch->seen == NULL ? NULL : batch->seen + row * batch->kinds;
    unsigned waits = 0, left = 0;
    for (; kinds != 0; kinds &= kinds - 1) {
        const unsigned kind = mj_lowest(kinds);
        if (mj_copies_of(&index, kind) - (kind == l->win[i]) >= MJ_MAX_COPIES)
            continue;
        unsigned lying = batch->melds == NULL ? 0 : meld_copies(l->folds->states, batch->melds[row], kind);
        if (seen != NULL && kind < batch->kinds && seen[kind] > lying)
            lying = seen[kind];
        waits += 1;
        left += lying < MJ_MAX_COPIES ? MJ_MAX_COPIES - lying : 0;
    }
    return won->place_of[MJ_TELL_WAITS][waits] + won->place_of[MJ_TELL_LEFT][left < MJ_TOLD ? left : MJ_TOLD - 1];
}

/* Finds the worths of the hands in which the waits matter. */
static void find_late(const looker *l, steps *s, const uint16_t *rows, unsigned n, mj_width width)
{
    const mj_folds *folds = l->folds;
    const mj_won *won = folds->won;
    const uint16_t *worth_of = l->batch->melds != NULL ? folds->final_worth_of : folds->worth_of;
    uint64_t kinds[MJ_BLOCK];
    find_waits(l, rows, n, width, kinds);
    for (unsigned k = 0; k < n; k++) {
        const unsigned i = rows[k];
        s->tiles[i] |= kinds[k] == NO_WAITS ? ODD_TILES : 0;
        const uint32_t place = s->base[i] + (kinds[k] == NO_WAITS ? 0 : place_of_waits(l, i, kinds[k]));
        const unsigned context = won->context_of[s->situation[i] * won->n_told + place];
        s->found[i] = worth_of[s->joined[i] * folds->n_contexts + context];
    }
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* Scores the rows of a block into the columns of `out`; those that are not looked up are listed. */
MJ_ALWAYS_INLINE unsigned look_up_block(const looker *l, const mj_worths *out, uint16_t *others, unsigned has,
                                        mj_width width)
{
    enum { AT_ONCE = 32 };
    const mj_folds *folds = l->folds;
    const unsigned n = l->block->n, wanted = folds->tiles;
    const unsigned whole = (n + AT_ONCE - 1) / AT_ONCE * AT_ONCE;   /* there are no hands behind the last */
    if (n == 0)
        return 0;
    steps s;
    mj_look_up_suits(l->block->words, whole, folds->states->id, folds->states->id, folds->states->id, s.states);
    find_places(l, &s, n);
    look_up_parts(l, &s, n, has);
    find_win(l, &s, n, has, width);
    if (has & HAS_MELDS)
        look_up_melds(l, &s, n, has, width);
    join_parts(l, &s, n, s.joined, has);
    find_situations(l, &s, n);
    tell_tile(l, &s, n, has);
    find_early(l, &s, n, has);
    if (has & HAS_ODD)
        find_odd(l, &s, whole, has);
    uint32_t is_late[MJ_BLOCK];
    uint16_t late[MJ_BLOCK];
    for (unsigned i = 0; i < n; i++)
        is_late[i] = s.found[i] == MJ_ODD_HAND && s.tiles[i] == wanted;
    const unsigned n_late = mj_list_rows(is_late, n, late, width);
    if (n_late > 0)
        find_late(l, &s, late, n_late, width);
    uint8_t *restrict win = out->win;   /* the compiler is to know that no table is written to */
    for (unsigned i = 0; i < n; i++)
        win[i] = s.found[i] != MJ_NO_WIN;
    mj_put_worths(folds->worths, s.found, n, out, width);
    return mj_list_others(s.tiles, n, wanted, 0, others);
}

/* A loop is compiled for each set of columns that is common, and for each width of registers. */
MJ_ALWAYS_INLINE unsigned look_up_any(const looker *l, const mj_worths *out, uint16_t *others, unsigned has,
                                      mj_width width)
{
    switch (has) {
    case 0: return look_up_block(l, out, others, 0, width);
    case HAS_MELDS: return look_up_block(l, out, others, HAS_MELDS, width);
    default: return look_up_block(l, out, others, has, width);
    }
}

static unsigned look_up_portable(const looker *l, const mj_worths *out, uint16_t *others, unsigned has)
{
    return look_up_any(l, out, others, has, MJ_PORTABLE);
}

#ifdef MJ_X86
MJ_FOR_AVX2 static unsigned look_up_avx2(const looker *l, const mj_worths *out, uint16_t *others, unsigned has)
{
    return look_up_any(l, out, others, has, MJ_AVX2);
}

MJ_FOR_AVX512 static unsigned look_up_avx512(const looker *l, const mj_worths *out, uint16_t *others, unsigned has)
{
    return look_up_any(l, out, others, has, MJ_AVX512);
}
#else
#define look_up_avx2 look_up_portable
#define look_up_avx512 look_up_portable
#endif

unsigned mj_look_up_won(const mj_folds *folds, const mj_batch *batch, const mj_block *block, mj_width width,
                        const mj_worths *out, uint16_t *others)
{
    uint8_t room[4][MJ_BLOCK];
    const looker l = {
        folds, batch, block,
        mj_column(batch->win, batch->all_win, block->first, block->n, room[0]),
        mj_column(batch->by, batch->all_by, block->first, block->n, room[1]),
        mj_column(batch->flags, batch->all_flags, block->first, block->n, room[2]),
        mj_column(batch->voids, batch->all_voids, block->first, block->n, room[3]),
    };
    unsigned has = batch->melds != NULL ? HAS_MELDS : 0;
    has |= batch->voids != NULL || batch->all_voids != MJ_NONE ? HAS_VOIDS : 0;
    has |= batch->kinds > MJ_NUMBER_KINDS ? HAS_HONOURS : 0;
    has |= folds->honours ? IN_HONOURS : 0;
    has |= folds->odd ? HAS_ODD : 0;
    switch (width) {
    case MJ_AVX512: return look_up_avx512(&l, out, others, has);
    case MJ_AVX2: return look_up_avx2(&l, out, others, has);
    default: return look_up_portable(&l, out, others, has);
    }
}
