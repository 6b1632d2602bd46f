/* Packed words and rows of copies become hands.  Whatever stands in them, nothing is read or
 * written out of bounds; whether it is a hand is for mj_check_hand to say. */
#include <string.h>

#include "packed.h"

#define NINE(x) x, x, x, x, x, x, x, x, x
#define SIXTEEN(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x
#define NONE_64 SIXTEEN(63), SIXTEEN(63), SIXTEEN(63), SIXTEEN(63)
#define INVERSES 1 / 390625.f, 1 / 78125.f, 1 / 15625.f, 1 / 3125.f, 1 / 625.f, 1 / 125.f, 1 / 25.f, 1 / 5.f, 1

const mj_place_table mj_places = {
    {NINE(0), NINE(MJ_SUIT_BITS), NINE(2 * MJ_SUIT_BITS), 63, 63, 63, 63, 63,
     SIXTEEN(63), SIXTEEN(63), NONE_64, NONE_64, NONE_64},
    {INVERSES, INVERSES, INVERSES, 1 / 15625.f, 1 / 3125.f, 1 / 625.f, 1 / 125.f, 1 / 25.f, 1 / 5.f, 1},
};

static const uint8_t meld_types[] = {
    MJ_CHOW, MJ_PUNG, MJ_DIRECT_KONG, MJ_ADDED_KONG, MJ_CONCEALED_KONG,
};

/* ---- packing --------------------------------------------------------------- */

mj_status mj_pack(const uint8_t *rows, uint32_t kinds, uint64_t n, uint64_t *words, uint64_t *row)
{
    if ((rows == NULL || words == NULL) && n > 0)
        return MJ_BAD_ARGUMENT;
    if (row == NULL || (kinds != MJ_NUMBER_KINDS && kinds != MJ_KINDS))
        return MJ_BAD_ARGUMENT;
    const mj_width width = mj_width_here();
    const unsigned each = kinds > MJ_NUMBER_KINDS ? 2 : 1;
    for (uint64_t start = 0; start < n; start += MJ_BLOCK) {
        const unsigned size = n - start < MJ_BLOCK ? (unsigned)(n - start) : MJ_BLOCK;
        uint64_t suits[MJ_BLOCK];
        uint32_t honours[MJ_BLOCK];
        mj_take_rows(rows + start * kinds, kinds, size, width, suits, honours);
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

static bool has_five(const uint8_t *copies, unsigned kinds)
{
    bool five = false;
    for (unsigned kind = 0; kind < kinds; kind++)
        five |= copies[kind] > MJ_MAX_COPIES;
    return five;
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

uint32_t mj_word_of_melds(const mj_group *melds, unsigned n)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned sort = 0;
        while (meld_types[sort] != melds[i].type)
            sort++;
        word |= (1 + MJ_KINDS * sort + melds[i].tile) << 8 * i;
    }
    return word;
}

static mj_status read_melds(uint32_t word, mj_hand *hand)
{
    for (; word != 0; word >>= 8)
        if (!mj_meld_of_code(word & 255, &hand->melds[hand->n_melds++]))
            return MJ_BAD_MELD;
    return MJ_OK;
}

void mj_tell_seen(const uint8_t *told, unsigned kinds, mj_hand *hand)
{
    memset(hand->seen, 0, sizeof hand->seen);
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
    mj_tell_seen(batch->seen == NULL ? NULL : batch->seen + row * batch->kinds, batch->kinds, hand);
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
