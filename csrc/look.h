/* What look-ups of packed hands share: indices, kinds held, and melds beside them. */
#ifndef MJ_LOOK_H
#define MJ_LOOK_H

#include <stddef.h>
#include <string.h>

#include "fold.h"

#ifdef MJ_X86
#include <immintrin.h>
#endif

/* A loop is compiled once for each set of columns that is common. */
#define MJ_ALWAYS_INLINE static inline __attribute__((always_inline))

/* The indices of a hand's suits and honours. */
typedef struct mj_indices {
    uint32_t of[MJ_PARTS];
} mj_indices;

/* The bit above the suits is left out: whoever calls looks at it. */
MJ_ALWAYS_INLINE uint32_t mj_index_of(uint64_t word, unsigned suit)
{
    return (uint32_t)(word >> suit * MJ_SUIT_BITS) & MJ_SUIT_MASK;
}

MJ_ALWAYS_INLINE mj_indices mj_indices_of(uint64_t word, uint32_t honours)
{
    return (mj_indices){{mj_index_of(word, 0), mj_index_of(word, 1), mj_index_of(word, 2), honours}};
}

/* What tables say of each suit of each hand, by suit and hand; `n` is a multiple of eight.  Entries of eight hands are
 * put together in registers, which takes fewer stores. */
MJ_ALWAYS_INLINE void mj_look_up_suits(const uint64_t *words, unsigned n, const uint16_t *m, const uint16_t *p,
                                       const uint16_t *s, uint16_t (*parts)[MJ_BLOCK])
{
#ifdef MJ_X86
#define PUT(k)                                                                                                         \
    word = words[i + k];                                                                                               \
    a = _mm_insert_epi16(a, m[mj_index_of(word, 0)], k);                                                               \
    b = _mm_insert_epi16(b, p[mj_index_of(word, 1)], k);                                                               \
    c = _mm_insert_epi16(c, s[mj_index_of(word, 2)], k);

    for (unsigned i = 0; i < n; i += 8) {
        uint64_t word;
        __m128i a = _mm_setzero_si128(), b = a, c = a;
        PUT(0) PUT(1) PUT(2) PUT(3) PUT(4) PUT(5) PUT(6) PUT(7)
        _mm_storeu_si128((void *)&parts[0][i], a);
        _mm_storeu_si128((void *)&parts[1][i], b);
        _mm_storeu_si128((void *)&parts[2][i], c);
    }
#undef PUT
#else
    for (unsigned i = 0; i < n; i++) {
        parts[0][i] = m[mj_index_of(words[i], 0)];
        parts[1][i] = p[mj_index_of(words[i], 1)];
        parts[2][i] = s[mj_index_of(words[i], 2)];
    }
#endif
}

/* Lists the rows that are not looked up: those that have not so many tiles, nor up to so many more. */
MJ_ALWAYS_INLINE unsigned mj_list_others(const uint16_t *tiles, unsigned n, unsigned wanted, unsigned more,
                                         uint16_t *others)
{
    unsigned bad = 0, n_others = 0;
    for (unsigned i = 0; i < n; i++)
        bad |= (uint16_t)(tiles[i] - wanted) > more;
    for (unsigned i = 0; bad != 0 && i < n; i++) {
        others[n_others] = (uint16_t)i;
        n_others += (uint16_t)(tiles[i] - wanted) > more;
    }
    return n_others;
}

MJ_ALWAYS_INLINE unsigned mj_copies_of(const mj_indices *index, unsigned kind)
{
    return kind < MJ_NUMBER_KINDS ? mj_digit(index->of[kind / MJ_RANKS], kind % MJ_RANKS)
                                  : mj_digit(index->of[MJ_HONOURS], kind - MJ_NUMBER_KINDS + 2);
}

/* A column of a batch, or what stands for all of its rows. */
MJ_ALWAYS_INLINE const uint8_t *mj_column(const uint8_t *given, uint8_t all, uint64_t first, unsigned n, uint8_t *room)
{
    if (given != NULL)
        return given + first;
    memset(room, all, n);
    return room;
}

/* The indices of the parts that hold the winning tiles, and how often they hold them: 0 where one is told that is none.
 * `honours` is NULL for batches without any. */
MJ_ALWAYS_INLINE void mj_find_own(const uint64_t *words, const uint32_t *honours, const uint8_t *win, unsigned n,
                                  uint32_t *index, uint16_t *own)
{
    float place[MJ_BLOCK];
    for (unsigned i = 0; i < n; i++) {
        index[i] = (uint32_t)(words[i] >> mj_places.shift[win[i]]) & MJ_SUIT_MASK;
        if (honours != NULL)
            index[i] = win[i] < MJ_NUMBER_KINDS ? index[i] : honours[i];
        place[i] = mj_places.inverse[win[i]];
    }
    for (unsigned i = 0; i < n; i++)
        own[i] = (uint16_t)mj_digit_at(index[i], place[i]);
}

/* The kinds that are held concealed. */
MJ_ALWAYS_INLINE uint64_t mj_held_kinds(const mj_states *states, const mj_indices *index, bool honours)
{
    uint64_t held = 0;
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++)
        held |= (uint64_t)(states->held[index->of[suit]] & MJ_SUIT_HELD) << suit * MJ_RANKS;
    if (honours)
        held |= (uint64_t)states->honours_held[index->of[MJ_HONOURS]] << MJ_NUMBER_KINDS;
    return held;
}

/* The melds of a hand by code; a pung whose fourth tile is concealed is moved to a code of its own. */
typedef struct mj_told_melds {
    unsigned codes[MJ_MAX_MELDS];
    unsigned n;
    uint64_t kinds;
    bool crossing;      /* a kind of a chow is held besides, in the concealed part or in another meld */
    bool overlapping;   /* the fourth tile of a pung is concealed */
} mj_told_melds;

/* suits.c.  Looks at melds of which some kind is held besides; false where it is then held five times. */
bool mj_cross_melds(const mj_states *states, const mj_indices *index, mj_told_melds *melds);

/* False where the word is no melds of these kinds, or a kind is held five times with them. */
MJ_ALWAYS_INLINE bool mj_tell_melds(const mj_states *states, uint32_t word, const mj_indices *index, uint64_t held,
                                    uint64_t in_set, mj_told_melds *melds)
{
    *melds = (mj_told_melds){{word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24}, 0, 0, false, false};
    const unsigned *codes = melds->codes;
    const uint64_t a = states->meld_kinds[codes[0]], b = states->meld_kinds[codes[1]];
    const uint64_t c = states->meld_kinds[codes[2]], d = states->meld_kinds[codes[3]];
    const uint64_t left = a | b, right = c | d, twice = (a & b) | (c & d) | (left & right);
    melds->kinds = left | right;
    melds->n = (codes[0] > 0) + (codes[1] > 0) + (codes[2] > 0) + (codes[3] > 0);
    /* Kinds of the set, which the bits of a code that is none are not, and no gap between the melds. */
    if ((melds->kinds & ~in_set) != 0 || (uint64_t)word >> 8 * melds->n != 0)
        return false;
    return ((melds->kinds & held) | twice) == 0 || mj_cross_melds(states, index, melds);
}

/* Whether melds beside such a hand are only added up, as folds do. */
MJ_ALWAYS_INLINE bool mj_melds_fold(const mj_folds *folds, const mj_told_melds *melds, unsigned void_suit)
{
    const bool void_melds = void_suit < MJ_HONOURS && (melds->kinds >> void_suit * MJ_RANKS & MJ_SUIT_HELD) != 0;
    return !void_melds && !(melds->crossing && folds->sees_copies) && !(melds->overlapping && folds->overlap_sinks)
           && !(melds->n > 0 && folds->melds_mix);
}

MJ_ALWAYS_INLINE uint32_t mj_melds_class(const mj_folds *folds, const mj_told_melds *melds)
{
    const uint16_t *class_of = folds->code_class;
    const uint32_t first = folds->pair_melds[class_of[melds->codes[0]] * folds->n_codes + class_of[melds->codes[1]]];
    const uint32_t second = folds->pair_melds[class_of[melds->codes[2]] * folds->n_codes + class_of[melds->codes[3]]];
    return folds->all_melds[first * folds->n_pair_melds + second];
}

#ifdef MJ_X86

_Static_assert(offsetof(mj_worth, points) == 0 && offsetof(mj_worth, fans) == 8, "points and fans are loaded together");

/* Writes worths into their columns, four rows at once. */
MJ_FOR_AVX2 static inline void mj_put_worths_by_four(const mj_worth *worths, const uint16_t *found, unsigned n,
                                                      const mj_worths *out)
{
    unsigned i = 0;
    for (; i + 4 <= n; i += 4) {
        const mj_worth *a = worths + found[i], *b = worths + found[i + 1];
        const mj_worth *c = worths + found[i + 2], *d = worths + found[i + 3];
        const __m256i a_c = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)a)),
                                                    _mm_loadu_si128((const void *)c), 1);
        const __m256i b_d = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)b)),
                                                    _mm_loadu_si128((const void *)d), 1);
        _mm256_storeu_si256((void *)(out->points + i), _mm256_unpacklo_epi64(a_c, b_d));
        _mm256_storeu_si256((void *)(out->fans + i), _mm256_unpackhi_epi64(a_c, b_d));
        _mm_storeu_si128((void *)(out->totals + i), _mm_setr_epi32(a->total, b->total, c->total, d->total));
    }
    for (; i < n; i++) {
        out->totals[i] = worths[found[i]].total;
        out->points[i] = worths[found[i]].points;
        out->fans[i] = worths[found[i]].fans;
    }
}

#endif

/* Writes worths into their columns, but for whether the hands win. */
MJ_ALWAYS_INLINE void mj_put_worths(const mj_worth *worths, const uint16_t *found, unsigned n, const mj_worths *out,
                                    mj_width width)
{
#ifdef MJ_X86
    if (width != MJ_PORTABLE)
        mj_put_worths_by_four(worths, found, n, out);
#endif
    for (unsigned i = 0; width == MJ_PORTABLE && i < n; i++) {
        const mj_worth *worth = &worths[found[i]];
        out->totals[i] = worth->total;
        out->points[i] = worth->points;
        out->fans[i] = worth->fans;
    }
}

/* won_batch.c.  Scores hands that tell the winning tile, by folds with `won`, into the columns from the
 * block's first row on; rows that are not looked up are listed. */
unsigned mj_look_up_won(const mj_folds *folds, const mj_batch *batch, const mj_block *block, mj_width width,
                        const mj_worths *out, uint16_t *others);

#endif
