/* The hands of a block as words: how rows enter the look-ups.
 *
 * This is half of the work of looking rows up, so it is also written for wide registers, used where the
 * processor has them and the environment does not say RULESPEC_PORTABLE.
 */
#include <stdlib.h>
#include <string.h>

#include "packed.h"

#ifdef MJ_X86
#include <immintrin.h>
#endif

/* ---- one row at a time ---------------------------------------------------------- */

/* Eight bytes with the first as the lowest, whatever the machine's order. */
static inline uint64_t load(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Eight digits, each a byte, as a number of base 5, the first the highest: neighbours are joined to twos,
 * fours and eights by one multiplication each. */
static inline uint64_t eight_digits(uint64_t bytes)
{
    const uint64_t twos = (bytes * (5 * 256 + 1) >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    const uint64_t fours = (twos * (25 * 65536 + 1) >> 16) & UINT64_C(0x0000ffff0000ffff);
    return fours * (UINT64_C(625) << 32 | 1) >> 32;
}

/* Not 0 where some byte is more than four. */
static inline uint64_t over_four(uint64_t bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    return (bytes | (bytes + (127 - MJ_MAX_COPIES) * ones)) & 128 * ones;
}

static uint64_t take_suits(const uint8_t *row)
{
    uint64_t word = 0, over = 0;
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        const uint8_t *copies = row + suit * MJ_RANKS;
        const uint64_t bytes = load(copies);
        over |= over_four(bytes) | (copies[8] > MJ_MAX_COPIES);
        word |= (eight_digits(bytes) * 5 + copies[8]) << suit * MJ_SUIT_BITS;
    }
    return over != 0 ? MJ_NO_WORD : word;
}

/* The seven digits that end a row of 34, after one that is not theirs. */
static inline uint64_t honour_bytes(const uint8_t *row)
{
    return load(row + MJ_KINDS - 8) & ~UINT64_C(255);
}

static void take_rows(const uint8_t *rows, unsigned kinds, unsigned n, uint64_t *words, uint32_t *honours)
{
    for (unsigned i = 0; i < n; i++, rows += kinds) {
        words[i] = take_suits(rows);
        if (kinds == MJ_NUMBER_KINDS)
            continue;
        const uint64_t bytes = honour_bytes(rows);
        words[i] = over_four(bytes) != 0 ? MJ_NO_WORD : words[i];
        honours[i] = words[i] == MJ_NO_WORD ? 0 : (uint32_t)eight_digits(bytes);
    }
}

#ifdef MJ_X86

/* The honours of rows without five of a kind; false where a row has them. */
static bool take_honours(const uint8_t *rows, unsigned n, uint32_t *honours)
{
    uint64_t over = 0;
    for (unsigned i = 0; i < n; i++, rows += MJ_KINDS) {
        const uint64_t bytes = honour_bytes(rows);
        over |= over_four(bytes);
        honours[i] = (uint32_t)eight_digits(bytes);
    }
    return over == 0;
}

/* ---- two rows at once ----------------------------------------------------------- */

enum { HEAD = 16, TAIL = MJ_NUMBER_KINDS - HEAD };   /* a row's first sixteen bytes, and where its last begin */

#define NOT 0x80   /* no byte at all */
#define NOT_4 NOT, NOT, NOT, NOT
#define TWICE(...) {__VA_ARGS__, __VA_ARGS__}

/* Where the digits are: eight of m and seven of p in the first bytes, eight of s in the last, and what is left: of m
 * the last rank, of p the last two, of s the last. */
static const uint8_t head_m_p[2 * HEAD] = TWICE(0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, NOT);
static const uint8_t tail_s[2 * HEAD] = TWICE(7, 8, 9, 10, 11, 12, 13, 14, NOT_4, NOT_4);
static const uint8_t head_rest[2 * HEAD] = TWICE(8, NOT, NOT, NOT, NOT_4, NOT_4, NOT_4);
static const uint8_t tail_rest[2 * HEAD] = TWICE(NOT_4, 5, 6, NOT, NOT, NOT, 15, NOT, NOT, NOT_4);

/* The sixteen bytes from here on of a row and of the next. */
MJ_FOR_AVX2 static inline __m256i load_two(const uint8_t *row, unsigned kinds)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)row)),
                                   _mm_loadu_si128((const void *)(row + kinds)), 1);
}

MJ_FOR_AVX2 static inline __m256i take(__m256i bytes, const uint8_t *places)
{
    return _mm256_shuffle_epi8(bytes, _mm256_loadu_si256((const void *)places));
}

/* False where a row has more than four of a kind: the rows are then to be taken otherwise. */
MJ_FOR_AVX2 static bool take_rows_by_two(const uint8_t *rows, unsigned kinds, unsigned n, uint64_t *words)
{
    const __m256i to_twos = _mm256_set1_epi16(1 << 8 | 5), to_fours = _mm256_set1_epi32(1 << 16 | 25);
    const __m256i to_eights = _mm256_set1_epi32(5 << 16 | 3125);   /* five times what eight digits stand for */
    const __m256i low = _mm256_set1_epi64x(MJ_SUIT_MASK);
    __m256i most = _mm256_setzero_si256();
    unsigned i = 0;
    for (; i + 2 <= n; i += 2, rows += 2 * kinds) {
        const __m256i head = load_two(rows, kinds), tail = load_two(rows + TAIL, kinds);
        most = _mm256_max_epu8(most, _mm256_max_epu8(head, tail));
        const __m256i m_p = _mm256_madd_epi16(_mm256_maddubs_epi16(take(head, head_m_p), to_twos), to_fours);
        const __m256i s = _mm256_madd_epi16(_mm256_maddubs_epi16(take(tail, tail_s), to_twos), to_fours);
        const __m256i rest = _mm256_or_si256(take(head, head_rest),
                                             _mm256_maddubs_epi16(take(tail, tail_rest), to_twos));
        /* In each half m, p and s, each of 32 bits. */
        const __m256i suits = _mm256_add_epi32(_mm256_madd_epi16(_mm256_packus_epi32(m_p, s), to_eights), rest);
        const __m256i p_only = _mm256_andnot_si256(low, _mm256_srli_epi64(suits, 32 - MJ_SUIT_BITS));
        const __m256i s_only = _mm256_slli_epi64(_mm256_bsrli_epi128(suits, 8), 2 * MJ_SUIT_BITS);
        const __m256i word = _mm256_or_si256(_mm256_or_si256(_mm256_and_si256(suits, low), p_only), s_only);
        _mm_storeu_si128((void *)(words + i), _mm256_castsi256_si128(_mm256_permute4x64_epi64(word, 2 << 2)));
    }
    if (i < n)
        words[i] = take_suits(rows);
    const __m256i over = _mm256_subs_epu8(most, _mm256_set1_epi8(MJ_MAX_COPIES));
    return _mm256_testz_si256(over, over) && (i == n || words[i] != MJ_NO_WORD);
}

/* ---- eight rows at once ------------------------------------------------------------ */

#define EIGHT(at) at, at + 1, at + 2, at + 3, at + 4, at + 5, at + 6, at + 7
#define FOUR_ROWS(OF) {OF(0), OF(MJ_NUMBER_KINDS), OF(64), OF(64 + MJ_NUMBER_KINDS)}
#define M_AND_S(at) EIGHT(at), EIGHT(at + 2 * MJ_RANKS)
#define P(at) EIGHT(at + MJ_RANKS), 0, 0, 0, 0, 0, 0, 0, 0
#define LAST(at) at + 8, 0, 0, 0, at + 26, 0, 0, 0, at + 17, 0, 0, 0, 0, 0, 0, 0

/* Where the digits are in two registers with two rows each; 64 and more is in the second. */
static const uint8_t m_and_s_at[64] = FOUR_ROWS(M_AND_S), p_at[64] = FOUR_ROWS(P), last_at[64] = FOUR_ROWS(LAST);

/* Four rows, which stand in two registers: in each quarter m, then s as in the upper half of a word, then p. */
MJ_FOR_AVX512 static inline __m512i take_four(__m512i a, __m512i b)
{
    const uint64_t has_p = UINT64_C(0x00ff00ff00ff00ff), has_last = UINT64_C(0x0111011101110111);
    const __m512i to_fours = _mm512_set1_epi32(1 << 24 | 5 << 16 | 25 << 8 | 125);
    const __m512i to_eights = _mm512_set1_epi32(5 << 16 | 3125);   /* five times what eight digits stand for */
    const __m512i s_up = _mm512_set1_epi64((int64_t)(2 * MJ_SUIT_BITS - 32) << 32);
    const __m512i zero = _mm512_setzero_si512();
    const __m512i m_s = _mm512_permutex2var_epi8(a, _mm512_loadu_si512(m_and_s_at), b);
    const __m512i p = _mm512_maskz_permutex2var_epi8(has_p, a, _mm512_loadu_si512(p_at), b);
    const __m512i last = _mm512_maskz_permutex2var_epi8(has_last, a, _mm512_loadu_si512(last_at), b);
    const __m512i fours = _mm512_packus_epi32(_mm512_dpbusd_epi32(zero, m_s, to_fours),
                                              _mm512_dpbusd_epi32(zero, p, to_fours));
    return _mm512_sllv_epi32(_mm512_dpwssd_epi32(last, fours, to_eights), s_up);
}

/* The words of eight such rows. */
MJ_FOR_AVX512 static inline __m512i join_eight(__m512i x, __m512i y)
{
    const __m512i m_s = _mm512_permutex2var_epi64(x, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), y);
    const __m512i p = _mm512_permutex2var_epi64(x, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), y);
    return _mm512_or_si512(m_s, _mm512_slli_epi64(p, MJ_SUIT_BITS));
}

/* The same as two by two; room for whole eights of words is needed. */
MJ_FOR_AVX512 static bool take_rows_by_eight(const uint8_t *rows, unsigned n, uint64_t *words)
{
    enum { TWO = 2 * MJ_NUMBER_KINDS };
    const uint64_t whole = (UINT64_C(1) << TWO) - 1;   /* bytes of two rows: no other may be read behind the last */
    __m512i most = _mm512_setzero_si512();
    for (unsigned i = 0; i < n; i += 8, rows += 4 * TWO) {
        uint64_t in[4] = {whole, whole, whole, whole};
        for (unsigned k = 0; n - i < 8 && k < 4; k++)
            in[k] = n - i > 2 * k + 1 ? whole : n - i > 2 * k ? whole >> MJ_NUMBER_KINDS : 0;
        const __m512i a = _mm512_maskz_loadu_epi8(in[0], rows), b = _mm512_maskz_loadu_epi8(in[1], rows + TWO);
        const __m512i c = _mm512_maskz_loadu_epi8(in[2], rows + 2 * TWO);
        const __m512i d = _mm512_maskz_loadu_epi8(in[3], rows + 3 * TWO);
        most = _mm512_max_epu8(most, _mm512_max_epu8(_mm512_max_epu8(a, b), _mm512_max_epu8(c, d)));
        _mm512_storeu_si512(words + i, join_eight(take_four(a, b), take_four(c, d)));
    }
    return _mm512_cmpgt_epu8_mask(most, _mm512_set1_epi8(MJ_MAX_COPIES)) == 0;
}

#endif

/* ---- blocks ------------------------------------------------------------------------- */

mj_width mj_width_here(void)
{
#ifdef MJ_X86
    const char *asked = getenv("RULESPEC_PORTABLE");
    if (asked != NULL && strcmp(asked, "avx2") != 0)
        return MJ_PORTABLE;
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
                        && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni");
    if (avx2)
        return avx512 && asked == NULL ? MJ_AVX512 : MJ_AVX2;
#endif
    return MJ_PORTABLE;
}

void mj_take_rows(const uint8_t *rows, unsigned kinds, unsigned n, mj_width width, uint64_t *words, uint32_t *honours)
{
    bool taken = false;
#ifdef MJ_X86
    if (kinds == MJ_KINDS && width != MJ_PORTABLE)
        taken = take_honours(rows, n, honours) && take_rows_by_two(rows, kinds, n, words);
    else if (width != MJ_PORTABLE)
        taken = width == MJ_AVX512 ? take_rows_by_eight(rows, n, words) : take_rows_by_two(rows, kinds, n, words);
#else
    (void)width;
#endif
    if (!taken)
        take_rows(rows, kinds, n, words, honours);
}

#ifdef MJ_X86

/* Eight pairs taken apart at once; how many pairs were taken. */
MJ_FOR_AVX512 static unsigned take_pairs_by_eight(const uint64_t *pairs, unsigned n, uint64_t *words, uint32_t *honours)
{
    const __m512i firsts = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i seconds = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const __m512i no_word = _mm512_set1_epi64((int64_t)MJ_NO_WORD), end = _mm512_set1_epi64(MJ_HONOUR_INDICES);
    unsigned i = 0;
    for (; i + 8 <= n; i += 8, pairs += 16) {
        const __m512i a = _mm512_loadu_si512(pairs), b = _mm512_loadu_si512(pairs + 8);
        const __m512i index = _mm512_permutex2var_epi64(a, seconds, b);
        const __mmask8 is_index = _mm512_cmplt_epu64_mask(index, end);
        const __m512i word = _mm512_permutex2var_epi64(a, firsts, b);
        _mm512_storeu_si512(words + i, _mm512_mask_blend_epi64(is_index, no_word, word));
        _mm256_storeu_si256((void *)(honours + i), _mm512_maskz_cvtepi64_epi32(is_index, index));
    }
    return i;
}

#endif

/* Takes words with a second one for honours apart. */
static void take_pairs(const uint64_t *pairs, unsigned n, mj_width width, uint64_t *words, uint32_t *honours)
{
    unsigned i = 0;
#ifdef MJ_X86
    if (width == MJ_AVX512)
        i = take_pairs_by_eight(pairs, n, words, honours);
#else
    (void)width;
#endif
    for (; i < n; i++) {
        const bool is_index = pairs[2 * i + 1] < MJ_HONOUR_INDICES;
        words[i] = is_index ? pairs[2 * i] : MJ_NO_WORD;
        honours[i] = is_index ? (uint32_t)pairs[2 * i + 1] : 0;
    }
}

/* Has this memory brought near, which the processor does not see coming from one block to the next. */
static void fetch(const void *start, size_t bytes)
{
    enum { LINE = 64 };
    for (size_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch((const char *)start + i, 0, 0);
}

void mj_take_block(const mj_batch *batch, uint64_t start, uint64_t stop, mj_width width, mj_block *block)
{
    enum { AHEAD = 2 * MJ_BLOCK };
    const unsigned n = block->n = stop - start < MJ_BLOCK ? (unsigned)(stop - start) : MJ_BLOCK;
    const bool more = stop - start >= AHEAD + MJ_BLOCK;
    uint64_t *room = block->word_room;
    block->first = start;
    block->words = room;
    if (batch->words != NULL) {
        const unsigned each = mj_words_each(batch);
        const uint64_t *words = batch->words + start * each;
        if (more)
            fetch(words + AHEAD * each, MJ_BLOCK * each * sizeof *words);
        if (each > 1)
            take_pairs(words, n, width, room, block->honours);
        else if (n < MJ_BLOCK)
            memcpy(room, words, n * sizeof *words);
        else
            block->words = words;
    } else {
        const uint8_t *rows = batch->rows + start * batch->kinds;
        if (more)
            fetch(rows + AHEAD * batch->kinds, MJ_BLOCK * batch->kinds);
        mj_take_rows(rows, batch->kinds, n, width, room, block->honours);
    }
    for (unsigned i = n; i < MJ_BLOCK; i++) {
        room[i] = MJ_NO_WORD;
        block->honours[i] = 0;
    }
}
