/* The hands of a block as indices: how words and rows enter the look-ups.
 *
 * This is half of the work of looking hands up, so it is also written for wide registers, used where the
 * processor has them and the environment does not say RULESPEC_PORTABLE.  Whatever stands in a word or a
 * row, its indices stay within the tables: what is none for certain gets MJ_NO_INDEX, which no table takes
 * for part of a hand.
 */
#include <stdlib.h>
#include <string.h>

#include "packed.h"

#ifdef MJ_X86
#include <immintrin.h>
#endif

static const mj_indices no_hand = {{MJ_NO_INDEX, 0, 0, 0}};

/* ---- portable ---------------------------------------------------------------- */

static void take_words(const uint64_t *words, unsigned n, mj_indices *out)
{
    for (unsigned i = 0; i < n; i++) {
        const uint64_t word = words[i];
        const uint32_t m = word >> 3 * MJ_SUIT_BITS != 0 ? MJ_NO_INDEX : (uint32_t)word & MJ_SUIT_MASK;
        out[i] = (mj_indices){{m, (uint32_t)(word >> MJ_SUIT_BITS) & MJ_SUIT_MASK,
                               (uint32_t)(word >> 2 * MJ_SUIT_BITS) & MJ_SUIT_MASK, 0}};
    }
}

/* Words with a second one for honours. */
static void take_pairs(const uint64_t *words, unsigned n, mj_indices *out)
{
    for (unsigned i = 0; i < n; i++) {
        take_words(words + 2 * i, 1, &out[i]);
        if (words[2 * i + 1] < MJ_HONOUR_INDICES)
            out[i].of[MJ_HONOURS] = (uint32_t)words[2 * i + 1];
        else
            out[i] = no_hand;
    }
}

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

static void take_row(const uint8_t *row, unsigned kinds, mj_indices *out)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t over = 0;
    mj_indices index = {{0}};
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        const uint8_t *copies = row + suit * MJ_RANKS;
        const uint64_t bytes = load(copies);
        over |= bytes | (bytes + (127 - MJ_MAX_COPIES) * ones) | (copies[8] > MJ_MAX_COPIES ? 128 : 0);
        index.of[suit] = (uint32_t)eight_digits(bytes) * 5 + copies[8];
    }
    for (unsigned kind = MJ_NUMBER_KINDS; kind < kinds; kind++) {
        over |= row[kind] > MJ_MAX_COPIES ? 128 : 0;
        index.of[MJ_HONOURS] = index.of[MJ_HONOURS] * 5 + row[kind];
    }
    *out = over & 128 * ones ? no_hand : index;
}

static void take_rows(const uint8_t *rows, unsigned kinds, unsigned n, mj_indices *out)
{
    for (unsigned i = 0; i < n; i++)
        take_row(rows + i * kinds, kinds, &out[i]);
}

/* ---- two rows at once ----------------------------------------------------------- */

#ifdef MJ_X86

/* The sixteen bytes from here on of a row and of the next. */
MJ_FOR_AVX2 static inline __m256i load_two(const uint8_t *row)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)row)),
                                   _mm_loadu_si128((const void *)(row + MJ_NUMBER_KINDS)), 1);
}

/* Two rows by two; false where a row has more than four of a kind: the block is then to be taken otherwise.
 * Of each row the first sixteen bytes and the last are read, in one half of a register. */
MJ_FOR_AVX2 static bool take_rows_by_two(const uint8_t *rows, unsigned n, mj_indices *out)
{
    enum { O = 0x80, HEAD = 16, TAIL = MJ_NUMBER_KINDS - HEAD };
    /* Where the digits of m and p are in the first bytes; those of s, and the rest of p, in the last. */
    const __m256i mp_at = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, (char)O,
                                           0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, (char)O);
    const __m256i s_at = _mm256_setr_epi8(7, 8, 9, 10, 11, 12, 13, 14, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O,
                                          7, 8, 9, 10, 11, 12, 13, 14, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O);
    const __m256i m_last_at = _mm256_setr_epi8(8, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O,
                                               8, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O);
    const __m256i last_at = _mm256_setr_epi8((char)O, (char)O, (char)O, (char)O, 5, 6, (char)O, (char)O, (char)O, 15, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O,
                                             (char)O, (char)O, (char)O, (char)O, 5, 6, (char)O, (char)O, (char)O, 15, (char)O, (char)O, (char)O, (char)O, (char)O, (char)O);
    const __m256i by_five = _mm256_set1_epi16(1 << 8 | 5);
    const __m256i to_fours = _mm256_set1_epi32(1 << 16 | 25);
    const __m256i to_eights = _mm256_set1_epi32(5 << 16 | 3125);   /* five times what eight digits stand for */
    __m256i most = _mm256_setzero_si256();
    for (unsigned i = 0; i + 2 <= n; i += 2) {
        const __m256i head = load_two(rows + i * MJ_NUMBER_KINDS), tail = load_two(rows + i * MJ_NUMBER_KINDS + TAIL);
        most = _mm256_max_epu8(most, _mm256_max_epu8(head, tail));
        const __m256i mp = _mm256_maddubs_epi16(_mm256_shuffle_epi8(head, mp_at), by_five);
        const __m256i s = _mm256_maddubs_epi16(_mm256_shuffle_epi8(tail, s_at), by_five);
        const __m256i fours = _mm256_packus_epi32(_mm256_madd_epi16(mp, to_fours), _mm256_madd_epi16(s, to_fours));
        const __m256i last = _mm256_maddubs_epi16(_mm256_shuffle_epi8(tail, last_at), by_five);
        const __m256i rest = _mm256_or_si256(last, _mm256_shuffle_epi8(head, m_last_at));
        _mm256_storeu_si256((void *)&out[i], _mm256_add_epi32(_mm256_madd_epi16(fours, to_eights), rest));
    }
    if (n % 2 != 0)
        take_row(rows + (n - 1) * MJ_NUMBER_KINDS, MJ_NUMBER_KINDS, &out[n - 1]);
    const __m256i fits = _mm256_cmpeq_epi8(_mm256_subs_epu8(most, _mm256_set1_epi8(MJ_MAX_COPIES)), _mm256_setzero_si256());
    return _mm256_movemask_epi8(fits) == -1;
}

/* ---- four rows at once ------------------------------------------------------------ */

/* Bytes of a register that are to be read. */
static inline uint64_t first_bytes(unsigned n)
{
    return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* Where the digits of four rows are in two registers with two rows each: 64 and more is the second. */
typedef struct places {
    uint8_t mp[64], s[64], last[64];
    uint64_t has_s, has_last;
} places;

static places find_places(void)
{
    places p;
    memset(&p, 0, sizeof p);
    for (unsigned row = 0; row < 4; row++) {
        const unsigned first = row / 2 * 64 + row % 2 * MJ_NUMBER_KINDS, at = 16 * row;
        for (unsigned i = 0; i < 8; i++) {
            p.mp[at + i] = (uint8_t)(first + i);
            p.mp[at + 8 + i] = (uint8_t)(first + MJ_RANKS + i);
            p.s[at + i] = (uint8_t)(first + 2 * MJ_RANKS + i);
            p.has_s |= mj_bit(at + i);
        }
        for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
            p.last[at + 4 * suit] = (uint8_t)(first + suit * MJ_RANKS + 8);
            p.has_last |= mj_bit(at + 4 * suit);
        }
    }
    return p;
}

MJ_FOR_AVX512 static bool take_rows_by_four(const uint8_t *rows, unsigned n, mj_indices *out)
{
    enum { TWO = 2 * MJ_NUMBER_KINDS };
    const places p = find_places();
    const __m512i mp_at = _mm512_loadu_si512(p.mp), s_at = _mm512_loadu_si512(p.s), last_at = _mm512_loadu_si512(p.last);
    const __m512i to_fours = _mm512_set1_epi32(1 << 24 | 5 << 16 | 25 << 8 | 125);
    const __m512i to_eights = _mm512_set1_epi32(5 << 16 | 3125);   /* five times what eight digits stand for */
    __m512i most = _mm512_setzero_si512();
    for (unsigned i = 0; i < n; i += 4) {
        const uint8_t *row = rows + i * MJ_NUMBER_KINDS;
        const unsigned left = (n - i) * MJ_NUMBER_KINDS;
        const __mmask64 in_a = left < TWO ? first_bytes(left) : first_bytes(TWO);
        const __mmask64 in_b = left < TWO ? 0 : left < 2 * TWO ? first_bytes(left - TWO) : first_bytes(TWO);
        const __m512i a = _mm512_maskz_loadu_epi8(in_a, row);
        const __m512i b = _mm512_maskz_loadu_epi8(in_b, row + (left < TWO ? 0 : TWO));
        most = _mm512_max_epu8(most, _mm512_max_epu8(a, b));
        const __m512i zero = _mm512_setzero_si512();
        const __m512i mp = _mm512_dpbusd_epi32(zero, _mm512_permutex2var_epi8(a, mp_at, b), to_fours);
        const __m512i s = _mm512_dpbusd_epi32(zero, _mm512_maskz_permutex2var_epi8(p.has_s, a, s_at, b), to_fours);
        const __m512i last = _mm512_maskz_permutex2var_epi8(p.has_last, a, last_at, b);
        const __m512i index = _mm512_dpwssd_epi32(last, _mm512_packus_epi32(mp, s), to_eights);
        _mm512_storeu_si512((void *)&out[i], index);
    }
    return _mm512_cmpgt_epu8_mask(most, _mm512_set1_epi8(MJ_MAX_COPIES)) == 0;
}

MJ_FOR_AVX512 static void take_words_by_four(const uint64_t *words, unsigned n, mj_indices *out)
{
    const __m512i twice = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3), to_s = _mm512_setr_epi64(0, 42, 0, 42, 0, 42, 0, 42);
    const __m512i mask = _mm512_setr_epi32(MJ_SUIT_MASK, MJ_SUIT_MASK, MJ_SUIT_MASK, 0, MJ_SUIT_MASK, MJ_SUIT_MASK, MJ_SUIT_MASK, 0,
                                           MJ_SUIT_MASK, MJ_SUIT_MASK, MJ_SUIT_MASK, 0, MJ_SUIT_MASK, MJ_SUIT_MASK, MJ_SUIT_MASK, 0);
    for (unsigned i = 0; i < n; i += 4) {
        const __mmask8 in = n - i < 4 ? (__mmask8)((1 << (n - i)) - 1) : 15;
        const __m512i word = _mm512_permutexvar_epi64(twice, _mm512_maskz_loadu_epi64(in, words + i));
        const __m512i m_s = _mm512_srlv_epi64(word, to_s);
        const __m512i index = _mm512_mask_mov_epi32(m_s, 0x2222, _mm512_slli_epi64(word, 32 - MJ_SUIT_BITS));
        const __m512i bad = _mm512_srai_epi64(word, 63);   /* the bit above the suits: then all of them are none */
        _mm512_storeu_si512((void *)&out[i], _mm512_and_si512(_mm512_or_si512(index, bad), mask));
    }
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

void mj_take_rows(const uint8_t *rows, unsigned kinds, unsigned n, mj_width width, mj_indices *out)
{
    bool taken = false;
#ifdef MJ_X86
    if (kinds == MJ_NUMBER_KINDS && width != MJ_PORTABLE)
        taken = width == MJ_AVX512 ? take_rows_by_four(rows, n, out) : take_rows_by_two(rows, n, out);
#else
    (void)width;
#endif
    if (!taken)
        take_rows(rows, kinds, n, out);
}

static void take_any_words(const uint64_t *words, unsigned each, unsigned n, mj_width width, mj_indices *out)
{
    if (each > 1) {
        take_pairs(words, n, out);
        return;
    }
#ifdef MJ_X86
    if (width == MJ_AVX512) {
        take_words_by_four(words, n, out);
        return;
    }
#else
    (void)width;
#endif
    take_words(words, n, out);
}

/* Has this memory brought near, which the processor does not see coming from one block to the next. */
static void fetch(const void *start, size_t bytes)
{
    enum { LINE = 64 };
    for (size_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch((const char *)start + i, 0, 0);
}

void mj_take_block(const mj_batch *batch, uint64_t start, uint64_t stop, unsigned n, mj_width width, mj_indices *out)
{
    enum { AHEAD = 2 * MJ_BLOCK };
    const bool more = stop - start >= AHEAD + MJ_BLOCK;
    if (batch->words != NULL) {
        const unsigned each = mj_words_each(batch);
        const uint64_t *words = batch->words + start * each;
        if (more)
            fetch(words + AHEAD * each, MJ_BLOCK * each * sizeof *words);
        take_any_words(words, each, n, width, out);
    } else {
        const uint8_t *rows = batch->rows + start * batch->kinds;
        if (more)
            fetch(rows + AHEAD * batch->kinds, MJ_BLOCK * batch->kinds);
        mj_take_rows(rows, batch->kinds, n, width, out);
    }
    /* The end of a block that is not full holds no hands; look-ups may go through it. */
    for (unsigned i = n; i < MJ_BLOCK; i++)
        out[i] = no_hand;
}
