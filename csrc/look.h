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

/* Before a loop that does little but look up: counting and jumping would be half of its work. */
#if defined(__clang__)
#define MJ_UNROLLED _Pragma("clang loop unroll_count(8)")
#elif defined(__GNUC__)
#define MJ_UNROLLED _Pragma("GCC unroll 8")
#else
#define MJ_UNROLLED
#endif

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

#ifdef MJ_X86

MJ_FOR_AVX512 static inline unsigned mj_list_by_sixteen(const uint32_t *asked, unsigned n, uint16_t *rows)
{
    __m512i own = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    unsigned n_rows = 0;
    for (unsigned i = 0; i < n; i += 16) {
        const __mmask16 there = (__mmask16)(n - i < 16 ? (1u << (n - i)) - 1 : UINT16_MAX);
        const __m512i some = _mm512_maskz_loadu_epi32(there, asked + i);
        const __mmask16 listed = _mm512_test_epi32_mask(some, some);
        const __m512i found = _mm512_maskz_compress_epi32(listed, own);
        _mm256_storeu_si256((void *)(rows + n_rows), _mm512_cvtepi32_epi16(found));
        n_rows += mj_size(listed);
        own = _mm512_add_epi32(own, _mm512_set1_epi32(16));
    }
    return n_rows;
}

#endif

/* Lists the rows of a block where something is not 0; `rows` has room for a whole block. */
MJ_ALWAYS_INLINE unsigned mj_list_rows(const uint32_t *asked, unsigned n, uint16_t *rows, mj_width width)
{
    unsigned n_rows = 0;
#ifdef MJ_X86
    if (width == MJ_AVX512)
        return mj_list_by_sixteen(asked, n, rows);
#endif
    MJ_UNROLLED
    for (unsigned i = 0; i < n; i++) {
        rows[n_rows] = (uint16_t)i;
        n_rows += asked[i] != 0;
    }
    return n_rows;
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

#ifdef MJ_X86

/* Eight words shifted, as far as there are so many. */
MJ_FOR_AVX512 static inline __m256i mj_shift_eight(const uint64_t *words, __mmask8 there, __m256i shift)
{
    const __m512i word = _mm512_maskz_loadu_epi64(there, words);
    return _mm512_cvtepi64_epi32(_mm512_srlv_epi64(word, _mm512_cvtepu32_epi64(shift)));
}

/* As below, without a look-up for each hand: the powers of five stand in a register. */
MJ_FOR_AVX512 static inline void mj_find_own_by_sixteen(const uint64_t *words, const uint32_t *honours,
                                                        const uint8_t *win, unsigned n, uint16_t *own)
{
    const __m512 inverses = _mm512_loadu_ps(mj_places.inverse), half = _mm512_set1_ps(0.5f);
    const __m512i ranks = _mm512_set1_epi32(MJ_RANKS), first_z = _mm512_set1_epi32(MJ_NUMBER_KINDS);
    for (unsigned i = 0; i < n; i += 16) {
        const __mmask16 there = (__mmask16)(n - i < 16 ? (1u << (n - i)) - 1 : UINT16_MAX);
        const __m512i kind = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(there, win + i));
        const __m512i suit = _mm512_srli_epi32(_mm512_mullo_epi32(kind, _mm512_set1_epi32(57)), 9);   /* a ninth */
        const __m512i shift = _mm512_mullo_epi32(suit, _mm512_set1_epi32(MJ_SUIT_BITS));
        const __m256i low = mj_shift_eight(words + i, (__mmask8)there, _mm512_castsi512_si256(shift));
        const __m256i high = mj_shift_eight(words + i + 8, (__mmask8)(there >> 8), _mm512_extracti64x4_epi64(shift, 1));
        __m512i index = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        index = _mm512_and_si512(index, _mm512_set1_epi32(MJ_SUIT_MASK));
        __m512i rank = _mm512_sub_epi32(kind, _mm512_mullo_epi32(suit, ranks));
        /* Honours have seven digits: the first of them is the third of nine. */
        const __mmask16 in_z = _mm512_cmpge_epu32_mask(kind, first_z);
        rank = _mm512_mask_sub_epi32(rank, in_z, kind, _mm512_set1_epi32(MJ_KINDS - MJ_RANKS));
        if (honours != NULL)
            index = _mm512_mask_loadu_epi32(index, there & in_z, honours + i);
        const __mmask16 is_kind = _mm512_cmplt_epu32_mask(kind, _mm512_set1_epi32(MJ_KINDS));
        const __m512 inverse = _mm512_maskz_permutexvar_ps(is_kind, rank, inverses);
        /* mj_digit_at */
        const __m512 number = _mm512_add_ps(_mm512_cvtepi32_ps(index), half);
        const __m512i rest = _mm512_cvttps_epi32(_mm512_mul_ps(number, inverse));
        const __m512 fifth = _mm512_mul_ps(_mm512_add_ps(_mm512_cvtepi32_ps(rest), half), _mm512_set1_ps(0.2f));
        const __m512i fives = _mm512_mullo_epi32(_mm512_cvttps_epi32(fifth), _mm512_set1_epi32(5));
        _mm256_storeu_si256((void *)(own + i), _mm512_cvtepi32_epi16(_mm512_sub_epi32(rest, fives)));
    }
}

#endif

/* How often hands hold the winning tile: 0 where one is told that is none.  `honours` is NULL for batches without
 * any; `own` has room for a whole block. */
MJ_ALWAYS_INLINE void mj_find_own(const uint64_t *words, const uint32_t *honours, const uint8_t *win, unsigned n,
                                  uint16_t *own, mj_width width)
{
    uint32_t index[MJ_BLOCK];
    float place[MJ_BLOCK];
#ifdef MJ_X86
    if (width == MJ_AVX512) {
        mj_find_own_by_sixteen(words, honours, win, n, own);
        return;
    }
#endif
    MJ_UNROLLED
    for (unsigned i = 0; i < n; i++) {
        index[i] = (uint32_t)(words[i] >> mj_places.shift[win[i]]) & MJ_SUIT_MASK;
        if (honours != NULL)
            index[i] = win[i] < MJ_NUMBER_KINDS ? index[i] : honours[i];
        place[i] = mj_places.inverse[win[i]];
    }
    for (unsigned i = 0; i < n; i++)
        own[i] = (uint16_t)mj_digit_at(index[i], place[i]);
}

/* What a table says of each place; put together in registers as above. */
MJ_ALWAYS_INLINE void mj_look_up(const uint16_t *table, const uint32_t *places, unsigned n, uint16_t *found)
{
    unsigned i = 0;
#ifdef MJ_X86
#define PUT(k) entries = _mm_insert_epi16(entries, table[places[i + k]], k);
    for (; i + 8 <= n; i += 8) {
        __m128i entries = _mm_setzero_si128();
        PUT(0) PUT(1) PUT(2) PUT(3) PUT(4) PUT(5) PUT(6) PUT(7)
        _mm_storeu_si128((void *)&found[i], entries);
    }
#undef PUT
#endif
    for (; i < n; i++)
        found[i] = table[places[i]];
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

/* The kinds that may be held concealed, by the states of the suits: fewer and smaller tables tell them. */
MJ_ALWAYS_INLINE uint64_t mj_may_hold(const mj_states *states, const uint16_t (*ids)[MJ_BLOCK], unsigned i)
{
    uint64_t held = 0;
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++)
        held |= (uint64_t)states->may_hold[ids[suit][i]] << suit * MJ_RANKS;
    return held;
}

/* The melds of a hand by code, a byte for each; a pung whose fourth tile is concealed is moved to a code of its own. */
typedef struct mj_told_melds {
    uint64_t kinds;
    uint32_t codes;
    uint8_t n;
    bool crossing;      /* a kind of a chow is held besides, in the concealed part or in another meld */
    bool overlapping;   /* the fourth tile of a pung is concealed */
} mj_told_melds;

_Static_assert(MJ_ALL_MELD_CODES <= 256, "a code is a byte");

MJ_ALWAYS_INLINE unsigned mj_meld_code(uint32_t codes, unsigned i)
{
    return codes >> 8 * i & 255;
}

/* The melds behind which there is none in a word, but another after that. */
MJ_ALWAYS_INLINE uint32_t mj_gaps(uint32_t word)
{
    const uint32_t high = 0x80808080;
    const uint32_t some = ((word & ~high) + ~high) | word;   /* the high bit of a byte: it is not 0 */
    return (some >> 8 & ~some) & high;
}

/* suits.c.  Looks at melds of which these kinds may be held besides; false where one is then held five times. */
bool mj_cross_melds(const mj_states *states, const mj_indices *index, uint64_t besides, mj_told_melds *melds);

/* Takes a word of melds apart: the kinds that are held besides a meld, in the concealed part, of which the kinds are
 * told, or in another meld.  False where it is no melds of the set. */
MJ_ALWAYS_INLINE bool mj_read_melds(const mj_states *states, uint32_t word, uint64_t held, uint64_t in_set,
                                    mj_told_melds *melds, uint64_t *besides)
{
    const uint64_t *kinds_of = states->meld_kinds;
    const uint64_t a = kinds_of[mj_meld_code(word, 0)], b = kinds_of[mj_meld_code(word, 1)];
    const uint64_t c = kinds_of[mj_meld_code(word, 2)], d = kinds_of[mj_meld_code(word, 3)];
    const uint64_t left = a | b, right = c | d, twice = (a & b) | (c & d) | (left & right);
    const unsigned n = (word > 0) + (word >> 8 > 0) + (word >> 16 > 0) + (word >> 24 > 0);
    *melds = (mj_told_melds){left | right, word, (uint8_t)n, false, false};
    *besides = ((left | right) & held) | twice;
    /* Kinds of the set, which the bits of a code that is none are not, and no gap between the melds. */
    return (((left | right) & ~in_set) | mj_gaps(word)) == 0;
}

/* False where the word is no melds of these kinds, or a kind is held five times with them. */
MJ_ALWAYS_INLINE bool mj_tell_melds(const mj_states *states, uint32_t word, const mj_indices *index, uint64_t held,
                                    uint64_t in_set, mj_told_melds *melds)
{
    uint64_t besides;
    return mj_read_melds(states, word, held, in_set, melds, &besides)
           && (besides == 0 || mj_cross_melds(states, index, besides, melds));
}

/* The hands of a block that have melds, mostly the smaller part, and what is told of these. */
typedef struct mj_melded {
    unsigned n;
    uint16_t rows[MJ_BLOCK];
    bool good[MJ_BLOCK];      /* they are such as mj_tell_melds knows */
    mj_told_melds told[MJ_BLOCK];
} mj_melded;

/* Each step is a loop of its own, as in all look-ups; what is not common in one is listed for the next.  `ids` are
 * the states of the suits, or NULL. */
MJ_ALWAYS_INLINE void mj_tell_block(const mj_states *states, const mj_block *block, const uint16_t (*ids)[MJ_BLOCK],
                                    const uint32_t *melds, uint64_t in_set, bool honours, mj_width width,
                                    mj_melded *melded)
{
    mj_indices index[MJ_BLOCK];
    uint64_t held[MJ_BLOCK], besides[MJ_BLOCK];
    uint16_t crossed[MJ_BLOCK];
    unsigned n_crossed = 0;
    const unsigned n = melded->n = mj_list_rows(melds, block->n, melded->rows, width);
    for (unsigned k = 0; k < n; k++) {
        const unsigned i = melded->rows[k];
        index[k] = mj_indices_of(block->words[i], honours ? block->honours[i] : 0);
        held[k] = ids == NULL ? mj_held_kinds(states, &index[k], honours) : mj_may_hold(states, ids, i);
        if (ids != NULL && honours)
            held[k] |= (uint64_t)states->honours_held[block->honours[i]] << MJ_NUMBER_KINDS;
    }
    for (unsigned k = 0; k < n; k++) {
        mj_told_melds *told = &melded->told[k];
        melded->good[k] = mj_read_melds(states, melds[melded->rows[k]], held[k], in_set, told, &besides[k]);
        crossed[n_crossed] = (uint16_t)k;
        n_crossed += besides[k] != 0;
    }
    for (unsigned j = 0; j < n_crossed; j++) {
        const unsigned k = crossed[j];
        melded->good[k] = melded->good[k] && mj_cross_melds(states, &index[k], besides[k], &melded->told[k]);
    }
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
    const uint32_t codes = melds->codes, n = folds->n_codes;
    const uint32_t first = class_of[mj_meld_code(codes, 0)] * n + class_of[mj_meld_code(codes, 1)];
    const uint32_t second = class_of[mj_meld_code(codes, 2)] * n + class_of[mj_meld_code(codes, 3)];
    return folds->all_melds[folds->pair_melds[first] * folds->n_pair_melds + folds->pair_melds[second]];
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
