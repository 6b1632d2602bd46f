/* Packed words and rows of copies become hands.  Whatever stands in them, nothing is read or
 * written out of bounds; whether it is a hand is for mj_check_hand to say.
 *
 * Packing rows is most of the work of scoring them, so it is also written for wide registers, used where
 * the processor has them and the environment does not say RULESPEC_PORTABLE. */
#include <stdlib.h>
#include <string.h>

#include "packed.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define MJ_WIDE
#include <immintrin.h>
#endif

static const uint8_t meld_types[] = {
    MJ_CHOW, MJ_PUNG, MJ_DIRECT_KONG, MJ_ADDED_KONG, MJ_CONCEALED_KONG,
};

/* ---- packing --------------------------------------------------------------- */

static uint64_t honour_index(const uint8_t *copies)
{
    uint64_t index = 0;
    for (unsigned i = 0; i < MJ_HONOUR_KINDS; i++)
        index = index * 5 + copies[i];
    return index;
}

static bool has_five(const uint8_t *copies, unsigned kinds)
{
    bool five = false;
    for (unsigned kind = 0; kind < kinds; kind++)
        five |= copies[kind] > MJ_MAX_COPIES;
    return five;
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

static uint64_t pack_suits(const uint8_t *row)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word = 0, over = 0;
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        const uint8_t *copies = row + suit * MJ_RANKS;
        const uint64_t bytes = load(copies);
        over |= bytes | (bytes + (127 - MJ_MAX_COPIES) * ones) | (copies[8] > MJ_MAX_COPIES ? 128 : 0);
        word |= (eight_digits(bytes) * 5 + copies[8]) << suit * MJ_SUIT_BITS;
    }
    return over & 128 * ones ? MJ_NO_WORD : word;
}

#ifdef MJ_WIDE

/* A row's suits without their last digits, as three numbers of 32 bits, become a word. */
static inline uint64_t join_suits(const uint8_t *row, uint64_t m_and_p, uint64_t s, bool over)
{
    const unsigned m_last = row[8], p_last = row[17], s_last = row[26];
    const unsigned room = 7 - MJ_MAX_COPIES;   /* what may be added to each without a fourth bit */
    over |= (((m_last + room) | (p_last + room) | (s_last + room)) & ~7u) != 0;
    const uint64_t last = m_last | (uint64_t)p_last << MJ_SUIT_BITS | (uint64_t)s_last << 2 * MJ_SUIT_BITS;
    const uint64_t word = (m_and_p & UINT32_MAX) + (m_and_p >> 32 << MJ_SUIT_BITS) + (s << 2 * MJ_SUIT_BITS) + last;
    return over ? MJ_NO_WORD : word;
}

/* Two rows at once, one in each half of a register. */
__attribute__((target("avx2"))) static void pack_two(const uint8_t *a, const uint8_t *b, uint64_t *words)
{
    const __m128i a_mp = _mm_unpacklo_epi64(_mm_loadl_epi64((const void *)a), _mm_loadl_epi64((const void *)(a + 9)));
    const __m128i b_mp = _mm_unpacklo_epi64(_mm_loadl_epi64((const void *)b), _mm_loadl_epi64((const void *)(b + 9)));
    const __m256i mp = _mm256_set_m128i(b_mp, a_mp);
    const __m256i s = _mm256_set_m128i(_mm_loadl_epi64((const void *)(b + 18)), _mm_loadl_epi64((const void *)(a + 18)));

    const __m256i most = _mm256_set1_epi8(MJ_MAX_COPIES);
    const __m256i over = _mm256_or_si256(_mm256_subs_epu8(mp, most), _mm256_subs_epu8(s, most));
    const unsigned fine = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(over, _mm256_setzero_si256()));

    /* Neighbours are joined to twos, fours and eights, which are five times what they stand for. */
    const __m256i to_twos = _mm256_set1_epi16(1 << 8 | 5);
    const __m256i to_fours = _mm256_set1_epi32(1 << 16 | 25);
    const __m256i to_eights = _mm256_set1_epi32(5 << 16 | 3125);
    const __m256i mp_fours = _mm256_madd_epi16(_mm256_maddubs_epi16(mp, to_twos), to_fours);
    const __m256i s_fours = _mm256_madd_epi16(_mm256_maddubs_epi16(s, to_twos), to_fours);
    const __m256i eights = _mm256_madd_epi16(_mm256_packus_epi32(mp_fours, s_fours), to_eights);

    words[0] = join_suits(a, (uint64_t)_mm256_extract_epi64(eights, 0), (uint64_t)_mm256_extract_epi64(eights, 1),
                          (fine & 0xffff) != 0xffff);
    words[1] = join_suits(b, (uint64_t)_mm256_extract_epi64(eights, 2), (uint64_t)_mm256_extract_epi64(eights, 3),
                          fine >> 16 != 0xffff);
}

__attribute__((target("avx2"))) static unsigned pack_pairs(const uint8_t *rows, unsigned n, uint64_t *words)
{
    unsigned i = 0;
    for (; i + 2 <= n; i += 2)
        pack_two(rows + i * MJ_NUMBER_KINDS, rows + (i + 1) * MJ_NUMBER_KINDS, words + i);
    return i;
}

bool mj_is_wide(void)
{
    return getenv("RULESPEC_PORTABLE") == NULL && __builtin_cpu_supports("avx2");
}

#else

static unsigned pack_pairs(const uint8_t *rows, unsigned n, uint64_t *words)
{
    (void)rows, (void)n, (void)words;
    return 0;
}

bool mj_is_wide(void)
{
    return false;
}

#endif

void mj_pack_rows(const uint8_t *rows, unsigned kinds, unsigned n, bool wide, uint64_t *words, uint64_t *honours)
{
    unsigned i = wide && kinds == MJ_NUMBER_KINDS ? pack_pairs(rows, n, words) : 0;
    for (rows += i * kinds; i < n; i++, rows += kinds) {
        words[i] = pack_suits(rows);
        if (kinds > MJ_NUMBER_KINDS) {
            const bool five = has_five(rows + MJ_NUMBER_KINDS, MJ_HONOUR_KINDS);
            words[i] = five ? MJ_NO_WORD : words[i];
            honours[i] = five ? 0 : honour_index(rows + MJ_NUMBER_KINDS);
        }
    }
}

mj_status mj_pack(const uint8_t *rows, uint32_t kinds, uint64_t n, uint64_t *words, uint64_t *row)
{
    if ((rows == NULL || words == NULL) && n > 0)
        return MJ_BAD_ARGUMENT;
    if (row == NULL || (kinds != MJ_NUMBER_KINDS && kinds != MJ_KINDS))
        return MJ_BAD_ARGUMENT;
    enum { BLOCK = 256 };
    const bool wide = mj_is_wide();
    const unsigned each = kinds > MJ_NUMBER_KINDS ? 2 : 1;
    for (uint64_t start = 0; start < n; start += BLOCK) {
        const unsigned size = n - start < BLOCK ? (unsigned)(n - start) : BLOCK;
        uint64_t suits[BLOCK], honours[BLOCK];
        mj_pack_rows(rows + start * kinds, kinds, size, wide, suits, honours);
        for (unsigned i = 0; i < size; i++) {
            *row = start + i;
            if (suits[i] == MJ_NO_WORD)
                return MJ_BAD_COUNT;
            words[*row * each] = suits[i];
            if (each > 1)
                words[*row * each + 1] = honours[i];
        }
    }
    *row = n;
    return MJ_OK;
}

/* ---- reading a batch ---------------------------------------------------------- */

static bool unpack(uint64_t index, uint8_t *copies, unsigned digits)
{
    for (unsigned i = digits; i-- > 0; index /= 5)
        copies[i] = (uint8_t)(index % 5);
    return index == 0;
}

static mj_status read_words(const uint64_t *words, unsigned n_words, uint8_t *copies)
{
    if (words[0] >> 3 * MJ_SUIT_BITS != 0)
        return MJ_BAD_WORD;
    for (unsigned suit = 0; suit < MJ_HONOURS; suit++) {
        const uint64_t index = words[0] >> suit * MJ_SUIT_BITS & MJ_SUIT_MASK;
        if (!unpack(index, copies + suit * MJ_RANKS, MJ_RANKS))
            return MJ_BAD_WORD;
    }
    if (n_words > 1 && !unpack(words[1], copies + MJ_NUMBER_KINDS, MJ_HONOUR_KINDS))
        return MJ_BAD_WORD;
    return MJ_OK;
}

bool mj_meld_of_code(unsigned code, mj_group *meld)
{
    if (code == 0 || code >= MJ_MELD_CODES)
        return false;
    *meld = (mj_group){meld_types[(code - 1) / MJ_KINDS], (uint8_t)((code - 1) % MJ_KINDS)};
    return meld->type != MJ_CHOW || mj_starts_run(meld->tile);
}

static mj_status read_melds(uint32_t word, mj_hand *hand)
{
    for (; word != 0; word >>= 8)
        if (!mj_meld_of_code(word & 255, &hand->melds[hand->n_melds++]))
            return MJ_BAD_MELD;
    return MJ_OK;
}

/* What lies on the table: what was told, and the own melds in any case. */
static void read_seen(const uint8_t *told, unsigned kinds, mj_hand *hand)
{
    for (unsigned i = 0; i < hand->n_melds; i++) {
        const mj_group meld = hand->melds[i];
        for (unsigned k = 0; k < (meld.type == MJ_CHOW ? 3u : 1u); k++) {
            const unsigned copies = meld.type == MJ_CHOW ? 1 : mj_is_a(meld, MJ_KONGS) ? 4 : 3;
            hand->seen[meld.tile + k] = (uint8_t)(hand->seen[meld.tile + k] + copies);
        }
    }
    for (unsigned kind = 0; told != NULL && kind < kinds; kind++)
        if (told[kind] > hand->seen[kind])
            hand->seen[kind] = told[kind];
}

mj_status mj_read_row(const mj_batch *batch, uint64_t row, mj_hand *hand)
{
    memset(hand, 0, sizeof *hand);
    if (batch->words != NULL) {
        const unsigned each = mj_words_each(batch);
        const mj_status status = read_words(batch->words + row * each, each, hand->concealed);
        if (status != MJ_OK)
            return status;
    } else {
        memcpy(hand->concealed, batch->rows + row * batch->kinds, batch->kinds);
        if (has_five(hand->concealed, batch->kinds))
            return MJ_BAD_COUNT;
    }
    if (batch->melds != NULL) {
        const mj_status status = read_melds(batch->melds[row], hand);
        if (status != MJ_OK)
            return status;
    }
    read_seen(batch->seen == NULL ? NULL : batch->seen + row * batch->kinds, batch->kinds, hand);
    hand->win_tile = MJ_NONE;
    hand->void_suit = batch->voids == NULL ? batch->all_voids : batch->voids[row];
    return MJ_OK;
}

mj_status mj_read_win(const mj_batch *batch, uint64_t row, mj_hand *hand)
{
    const unsigned by = batch->by == NULL ? batch->all_by : batch->by[row];
    const unsigned flags = batch->flags == NULL ? batch->all_flags : batch->flags[row];
    if (by > MJ_BY_ROBBED_KONG || flags >= MJ_FLAG_VALUES)
        return MJ_BAD_SITUATION;
    hand->win_tile = batch->win == NULL ? batch->all_win : batch->win[row];
    hand->claimed = by != MJ_BY_OWN_DRAW;
    memcpy(hand->facts, batch->facts + mj_situation(by, flags) * MJ_FACTS_SIZE, sizeof hand->facts);
    return MJ_OK;
}

bool mj_is_batch(const mj_batch *batch, uint64_t start, uint64_t stop)
{
    if (batch == NULL || batch->unit >= MJ_UNITS)
        return false;
    if (batch->kinds != MJ_NUMBER_KINDS && batch->kinds != MJ_KINDS)
        return false;
    return start <= stop && stop <= batch->n && (batch->n == 0 || batch->words != NULL || batch->rows != NULL);
}

void mj_take_block(const mj_batch *batch, uint64_t start, unsigned n, bool wide, uint64_t *words, uint64_t *honours,
                   const uint64_t **taken, const uint64_t **taken_honours, unsigned *step)
{
    if (batch->words != NULL) {
        *step = mj_words_each(batch);
        *taken = batch->words + start * *step;
        *taken_honours = *taken + 1;
        return;
    }
    mj_pack_rows(batch->rows + start * batch->kinds, batch->kinds, n, wide, words, honours);
    *step = 1;
    *taken = words;
    *taken_honours = honours;
}
