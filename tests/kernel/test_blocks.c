/* Rows become words the same way by all registers that there are, and nothing beside them is read. */
#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "look.h"

static void check_rows(const uint8_t *rows, unsigned kinds, unsigned n)
{
    enum { ROOM = 48 };
    uint64_t words[ROOM], plain[ROOM];
    uint32_t honours[ROOM], plain_honours[ROOM];
    mj_take_rows(rows, kinds, n, MJ_PORTABLE, plain, plain_honours);
    for (mj_width width = MJ_AVX2; width <= mj_width_here(); width++) {
        mj_take_rows(rows, kinds, n, width, words, honours);
        CHECK(memcmp(words, plain, n * sizeof *words) == 0);
        CHECK(kinds == MJ_NUMBER_KINDS || memcmp(honours, plain_honours, n * sizeof *honours) == 0);
    }
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *row = rows + i * kinds;
        bool five = false;
        for (unsigned kind = 0; kind < kinds; kind++)
            five |= row[kind] > MJ_MAX_COPIES;
        CHECK((plain[i] == MJ_NO_WORD) == five);
        const mj_indices index = mj_indices_of(plain[i], kinds > MJ_NUMBER_KINDS ? plain_honours[i] : 0);
        for (unsigned kind = 0; kind < kinds && !five; kind++)
            CHECK(mj_copies_of(&index, kind) == row[kind]);
    }
}

/* The rows end where their memory ends, which the sanitizers watch. */
static void test_rows(void)
{
    for (unsigned n = 1; n <= 35; n++) {
        for (unsigned round = 0; round < 12; round++) {
            const unsigned kinds = round % 3 == 2 ? MJ_KINDS : MJ_NUMBER_KINDS;
            uint8_t *rows = malloc(n * kinds);
            CHECK(rows != NULL);
            for (unsigned i = 0; i < n * kinds; i++)
                rows[i] = (uint8_t)random_below(5);
            check_rows(rows, kinds, n);
            rows[random_below(n * kinds)] = (uint8_t)(5 + random_below(251));
            check_rows(rows, kinds, n);
            free(rows);
        }
    }
}

/* Pairs of words are taken apart the same way, too, whatever stands in them. */
static void test_pairs(void)
{
    enum { MOST = 40 };
    uint64_t pairs[2 * MOST];
    for (unsigned n = 1; n <= MOST; n++) {
        for (unsigned i = 0; i < 2 * n; i++) {
            pairs[i] = (uint64_t)random_below(UINT32_MAX) << 32 | random_below(UINT32_MAX);
            pairs[i] >>= i % 2 == 1 && i % 3 > 0 ? 48 : 0;   /* some numbers of honours are none */
        }
        const mj_batch batch = {.words = pairs, .kinds = MJ_KINDS, .n = n};
        mj_block plain, wide;
        mj_take_block(&batch, 0, n, MJ_PORTABLE, &plain);
        for (mj_width width = MJ_AVX2; width <= mj_width_here(); width++) {
            mj_take_block(&batch, 0, n, width, &wide);
            CHECK(memcmp(plain.words, wide.words, MJ_BLOCK * sizeof *plain.words) == 0);
            CHECK(memcmp(plain.honours, wide.honours, MJ_BLOCK * sizeof *plain.honours) == 0);
        }
        for (unsigned i = 0; i < n; i++)
            CHECK(plain.words[i] == (pairs[2 * i + 1] < MJ_HONOUR_INDICES ? pairs[2 * i] : MJ_NO_WORD));
    }
}

/* Digits by numbers with a point are those by whole numbers, whatever stands in the bits of an index. */
static void test_digits(void)
{
    unsigned wrong = 0;
    for (uint32_t index = 0; index < MJ_SUIT_SLOTS; index++)
        for (unsigned rank = 0; rank < MJ_RANKS; rank++)
            wrong += mj_digit_at(index, mj_places.inverse[rank]) != mj_digit(index, rank);
    for (uint32_t index = 0; index < MJ_HONOUR_INDICES; index++)
        for (unsigned i = 0; i < MJ_HONOUR_KINDS; i++)
            wrong += mj_digit_at(index, mj_places.inverse[MJ_NUMBER_KINDS + i]) != mj_digit(index, i + 2);
    for (unsigned kind = MJ_KINDS; kind < 256; kind++)
        wrong += mj_digit_at(MJ_SUIT_MASK, mj_places.inverse[kind]) != 0;
    for (unsigned kind = 0; kind < 256; kind++)
        wrong += mj_places.shift[kind] != (kind < MJ_NUMBER_KINDS ? kind / MJ_RANKS * MJ_SUIT_BITS : 63);
    CHECK(wrong == 0);
}

/* The columns end where their memory ends; results have room for a whole block. */
static void test_own(void)
{
    for (unsigned n = 1; n <= 35; n++) {
        uint64_t *words = malloc(n * sizeof *words);
        uint32_t *honours = malloc(n * sizeof *honours);
        uint8_t *win = malloc(n);
        CHECK(words != NULL && honours != NULL && win != NULL);
        for (unsigned i = 0; i < n; i++) {
            words[i] = 0;
            for (unsigned suit = 0; suit < MJ_HONOURS; suit++)
                words[i] |= (uint64_t)random_below(MJ_SUIT_INDICES) << suit * MJ_SUIT_BITS;
            honours[i] = random_below(MJ_HONOUR_INDICES);
            win[i] = (uint8_t)(i % 4 == 3 ? random_below(256) : random_below(MJ_KINDS));
        }
        for (mj_width width = MJ_PORTABLE; width <= mj_width_here(); width++) {
            for (unsigned with_honours = 0; with_honours < 2; with_honours++) {
                uint16_t own[MJ_BLOCK];
                mj_find_own(words, with_honours ? honours : NULL, win, n, own, width);
                for (unsigned i = 0; i < n; i++) {
                    const mj_indices index = mj_indices_of(words[i], with_honours ? honours[i] : 0);
                    CHECK(own[i] == (win[i] < MJ_KINDS ? mj_copies_of(&index, win[i]) : 0));
                }
            }
        }
        free(words);
        free(honours);
        free(win);
    }
}

static void test_lists(void)
{
    for (unsigned n = 1; n <= 70; n++) {
        uint32_t *asked = malloc(n * sizeof *asked);
        CHECK(asked != NULL);
        for (unsigned i = 0; i < n; i++)
            asked[i] = random_below(3) == 0 ? 1 + random_below(1 << 30) : 0;
        for (mj_width width = MJ_PORTABLE; width <= mj_width_here(); width++) {
            uint16_t rows[MJ_BLOCK];
            const unsigned n_rows = mj_list_rows(asked, n, rows, width);
            unsigned k = 0;
            for (unsigned i = 0; i < n; i++)
                if (asked[i] != 0)
                    CHECK(k < n_rows && rows[k++] == i);
            CHECK(k == n_rows);
        }
        free(asked);
    }
}

void test_blocks(void)
{
    test_rows();
    test_pairs();
    test_digits();
    test_own();
    test_lists();
}
