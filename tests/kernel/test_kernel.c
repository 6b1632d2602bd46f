/* The kernel by itself: every hand, readings, waits, shanten; then scoring, settlement and what
 * must be refused, which are in the files beside.
 *
 * gcc -std=c11 -O1 -g -Wall -Wextra -Wpedantic -Werror -fsanitize=address,undefined \
 *     -fno-sanitize-recover=undefined -Icsrc tests/kernel/[a-z]*.c csrc/[a-z]*.c \
 *     -o /tmp/test_kernel && /tmp/test_kernel
 */
#include <stdlib.h>

#include "book.h"

/* ---- every hand there is ------------------------------------------------------------- */

static void test_counts(void)
{
    mj_counts counts;
    CHECK(mj_count_hands(tables, &counts) == MJ_OK);
    CHECK(counts.suit_vectors == 405350);
    CHECK(counts.suit_complete == 21743);
    CHECK(counts.standard == 1849491);
    CHECK(counts.seven_pairs == 716472);
    CHECK(counts.closed == 2561091);
    CHECK(counts.merged_kongs == 28095264);
    CHECK(counts.standard_all_kinds == 11498658);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Every closed hand comes once, wherever reading starts, and is complete. */
static void test_closed_hands(void)
{
    enum { ALL = 2561091, CHUNK = 65536 };
    uint8_t *rows = malloc((size_t)CHUNK * 27);
    uint64_t *words = malloc(ALL * sizeof *words);
    mj_program *program = plain_program();
    uint32_t total = 0, n = 0, complete = 0, tried = 0;
    for (;; total += n) {
        CHECK(mj_closed_hands(tables, total, CHUNK, rows, &n) == MJ_OK);
        if (n == 0 || total + n > ALL)
            break;
        for (uint32_t i = 0; i < n; i++) {
            uint64_t word = 0;
            for (unsigned k = 0; k < 27; k++)
                word = word * 5 + rows[i * 27 + k];
            words[total + i] = word;
        }
        for (uint32_t i = 0; i < n; i += 101) {
            mj_hand hand = hand_of("", "");
            memcpy(hand.concealed, rows + i * 27, 27);
            mj_result result;
            complete += mj_score(tables, program, &hand, &result) == MJ_OK && result.win;
            tried++;
        }
    }
    CHECK(total == ALL);
    CHECK(complete == tried);
    uint8_t row[27];
    CHECK(mj_closed_hands(tables, 1234567, 1, row, &n) == MJ_OK && n == 1);
    uint64_t word = 0;
    for (unsigned k = 0; k < 27; k++)
        word = word * 5 + row[k];
    CHECK(word == words[1234567]);
    qsort(words, ALL, sizeof *words, by_value);
    uint32_t doubles = 0;
    for (uint32_t i = 1; i < ALL; i++)
        doubles += words[i] == words[i - 1];
    CHECK(doubles == 0);
    mj_program_free(program);
    free(words);
    free(rows);
}

/* ---- readings --------------------------------------------------------------------------- */

/* The readings of a hand as text, a line each: "123m 55p! single", with ! at the winning
 * tile's group, c at a claimed triplet and t at a twin; the number of the shape stands before
 * all but the first shape's. */
static const char *readings_of(const mj_program *program, const mj_hand *hand)
{
    static char text[4096];
    static const char *const waits[] = {"", " edge", " closed", " open", " single", " twin"};
    mj_reading readings[64];
    uint32_t n = 0;
    char *p = text;
    *p = '\0';
    const mj_status status = mj_readings(tables, program, hand, readings, 64, &n);
    if (status != MJ_OK)
        return mj_status_name(status);
    for (uint32_t i = 0; i < n; i++) {
        const mj_reading *r = &readings[i];
        if (r->shape > 0)
            p += sprintf(p, "%u: ", r->shape);
        for (unsigned g = 0; g < r->n_groups; g++) {
            const mj_group group = r->groups[g];
            const unsigned type = group.type;
            const int rank = group.tile % 9 + 1;
            const char suit = suit_letters[group.tile / 9];
            p += sprintf(p, "%s", g > 0 ? " " : "");
            if (type == MJ_RUN || type == MJ_CHOW)
                p += sprintf(p, "%d%d%d%c", rank, rank + 1, rank + 2, suit);
            else if (type == MJ_SINGLE)
                p += sprintf(p, "%d%c", rank, suit);
            else if (type == MJ_PAIR || type == MJ_TWIN)
                p += sprintf(p, "%d%d%c", rank, rank, suit);
            else
                p += sprintf(p, "%d%d%d%c", rank, rank, rank, suit);
            p += sprintf(p, "%s%s", type == MJ_TRIPLET_CLAIMED ? "c" : type == MJ_TWIN ? "t" : "",
                         g == r->win_group ? "!" : "");
        }
        p += sprintf(p, "%s\n", waits[r->wait]);
    }
    return text;
}

static void check_readings(const mj_program *program, const char *tiles, const char *win,
                           const char *expected)
{
    const mj_hand hand = hand_of(tiles, win);
    CHECK_TEXT(readings_of(program, &hand), expected);
}

static void test_readings(void)
{
    mj_program *program = plain_program();
    check_readings(program, "222234m444666p88p", "2m",
                   "234m! 222m 444p 666p 88p open\n234m 222m! 444p 666p 88p twin\n");
    check_readings(program, "11122233344s222p", "",
                   "222p 111s 222s 333s 44s\n222p 123s 123s 123s 44s\n222p 123s 11s 234s 234s\n");
    check_readings(program, "11122233344s222p", "3s",
                   "222p 111s 222s 333s! 44s twin\n222p 123s! 123s 123s 44s edge\n"
                   "222p 123s! 11s 234s 234s edge\n222p 123s 11s 234s! 234s closed\n");
    check_readings(program, "11223344556677s", "7s",
                   "123s 123s 456s 456s 77s! single\n123s 123s 44s 567s! 567s open\n"
                   "11s 234s 234s 567s! 567s open\n"
                   "1: 11st 22st 33st 44st 55st 66st 77st!\n");
    check_readings(program, "22223333444455m", "",
                   "234m 222m 333m 444m 55m\n234m 234m 234m 234m 55m\n234m 234m 22m 345m 345m\n"
                   "1: 22mt 22mt 33mt 33mt 44mt 44mt 55mt\n");
    check_readings(program, "1111m2233p5577s66z", "1m", "1: 11mt! 11mt 22pt 33pt 55st 77st 66zt\n");
    check_readings(program, "19m19p19s12345677z", "7z",
                   "2: 1m 9m 1p 9p 1s 9s 1z 2z 3z 4z 5z 6z 7z! 7z\n");
    check_readings(program, "123m789m123p789p11z", "7m",
                   "123m 789m! 123p 789p 11z edge\n");
    check_readings(program, "123m456m789m55566z", "6z", "123m 456m 789m 555z 66z! single\n");
    check_readings(program, "123m456m789m123z44z", "", "");
    mj_program_free(program);
}

static void test_readings_with_melds(void)
{
    mj_program *program = plain_program();
    mj_hand hand = hand_of("234m55p", "4m");
    add_meld(&hand, MJ_PUNG, "9s");
    add_meld(&hand, MJ_CHOW, "1p");
    add_meld(&hand, MJ_CONCEALED_KONG, "7z");
    CHECK_TEXT(readings_of(program, &hand), "999s 123p 777z 234m! 55p open\n");
    hand = hand_of("22m33m44m55m66m77m88m", "");
    CHECK(mj_readings(tables, program, &hand, NULL, 0, &(uint32_t){0}) == MJ_TOO_SMALL);
    /* A triplet that another's tile completed is not concealed; elsewhere it is. */
    hand = hand_of("111123m99p456s", "1m");
    add_meld(&hand, MJ_PUNG, "7p");
    hand.claimed = 1;
    CHECK_TEXT(readings_of(program, &hand),
               "777p 123m! 111m 99p 456s open\n777p 123m 111mc! 99p 456s twin\n");
    mj_program_free(program);
}

/* A wait for a tile of which all are held is asked about with five of a kind. */
static void test_five_of_a_kind(void)
{
    mj_program *program = plain_program();
    check_readings(program, "111112233m44p555p", "1m",
                   "123m! 123m 111m 44p 555p open\n123m 123m 111m! 44p 555p twin\n");
    mj_hand hand = hand_of("11111m", "1m");
    add_meld(&hand, MJ_PUNG, "2m");
    add_meld(&hand, MJ_PUNG, "3m");
    add_meld(&hand, MJ_PUNG, "4m");
    CHECK_TEXT(readings_of(program, &hand),
               "222m 333m 444m 111m! 11m twin\n222m 333m 444m 111m 11m! single\n");
    hand.win_tile = MJ_NONE;
    CHECK_TEXT(readings_of(program, &hand), "bad count");
    /* The fifth tile may also be beside a kong or a pung. */
    hand = hand_of("11z", "1z");
    add_meld(&hand, MJ_PUNG, "1z");
    add_meld(&hand, MJ_PUNG, "3m");
    add_meld(&hand, MJ_PUNG, "4m");
    add_meld(&hand, MJ_PUNG, "5m");
    CHECK_TEXT(readings_of(program, &hand), "111z 333m 444m 555m 11z! single\n");
    mj_program_free(program);
}

/* Shapes that count runs and triplets apart, mix parts, or choose single tiles. */
static void test_special_shapes(void)
{
    book b;
    start(&b);
    b.spec.n_shapes = 3;
    b.shapes[0] = (mj_shape){.n_triplets = 4, .n_pairs = 1, .when = MJ_NO_REGISTER};
    b.shapes[1] = (mj_shape){.n_melds = 2, .n_twins = 3, .n_pairs = 1, .when = MJ_NO_REGISTER};
    b.shapes[2] = (mj_shape){.n_melds = 3, .n_runs = 1, .n_pairs = 1, .when = MJ_NO_REGISTER};
    mj_program *program = program_of(&b);
    check_readings(program, "111222333m44455p", "", "111m 222m 333m 444p 55p\n"
                   "1: 123m 11m 22mt 33mt 444p 55pt\n1: 123m 11mt 22m 33mt 444p 55pt\n"
                   "1: 123m 11mt 22mt 33m 444p 55pt\n1: 123m 11mt 22mt 33mt 444p 55p\n"
                   "2: 123m 123m 123m 444p 55p\n");
    check_readings(program, "11112222m333444p", "",
                   "1: 11m 11mt 22mt 22mt 333p 444p\n1: 11mt 11mt 22m 22mt 333p 444p\n");
    mj_program_free(program);

    start(&b);
    b.spec.n_shapes = 1;
    /* 1m 2m to one part and 2m 3m to the other: several ways, one reading each set of tiles */
    b.shapes[0] = (mj_shape){.n_melds = 3, .n_pairs = 1, .n_singles = 2, .singles = {2, 1},
                             .single_of = {3, 6}, .when = MJ_NO_REGISTER};
    program = program_of(&b);
    check_readings(program, "122m123456s999p11z", "2m", "1m 2m! 2m 999p 123s 456s 11z\n");
    check_readings(program, "223m123456s999p11z", "", "2m 2m 3m 999p 123s 456s 11z\n");
    check_readings(program, "133m123456s999p11z", "", "");
    mj_program_free(program);
}

/* ---- waits and shanten ------------------------------------------------------------------ */

static uint64_t waits_of(const mj_program *program, const char *tiles)
{
    const mj_hand hand = hand_of(tiles, "");
    uint64_t kinds = 0;
    CHECK(mj_waits(tables, program, &hand, &kinds) == MJ_OK);
    return kinds;
}

static void test_waits(void)
{
    mj_program *program = plain_program();
    CHECK(waits_of(program, "1113456666788s") == kinds_of("2578s"));
    CHECK(waits_of(program, "1112345678999m") == kinds_of("123456789m"));
    CHECK(waits_of(program, "19m19p19s1234567z") == kinds_of("19m19p19s1234567z"));
    CHECK(waits_of(program, "19m19p19s1134567z") == kinds_of("2z"));
    CHECK(waits_of(program, "1122m3344p5566s7z") == kinds_of("7z"));
    CHECK(waits_of(program, "1111m222333444p") == kinds_of("1m"));
    CHECK(waits_of(program, "12m456p789s11122z") == kinds_of("3m"));
    CHECK(waits_of(program, "147m258p369s1234z") == 0);
    mj_program_free(program);
}

/* Targets of a shape, one by one, and the least that the hand lacks of one. */
static unsigned least_missing(const mj_shape *s, unsigned melds, unsigned runs, unsigned triplets,
                              unsigned pairs, unsigned singles, const uint8_t *copies,
                              const uint8_t *held, uint8_t *target)
{
    unsigned best = 255;
    if (melds + pairs + singles == 0) {
        if (runs < s->n_runs || triplets < s->n_triplets)
            return best;
        int missing = 0;
        for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
            if (target[kind] > copies[kind])
                return best;
            missing += target[kind] > held[kind] ? target[kind] - held[kind] : 0;
        }
        return (unsigned)missing;
    }
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        if (copies[kind] == 0)
            continue;
        unsigned n = 255;
        if (melds > 0 && kind < 27 && kind % 9 < 7) {
            for (unsigned i = 0; i < 3; i++)
                target[kind + i] += 1;
            n = least_missing(s, melds - 1, runs + 1, triplets, pairs, singles, copies, held, target);
            for (unsigned i = 0; i < 3; i++)
                target[kind + i] -= 1;
            best = n < best ? n : best;
        }
        const bool single = melds + pairs == 0;
        if (single && !(s->single_of[0] >> kind & 1))
            continue;
        const uint8_t tiles = melds > 0 ? 3 : single ? 1 : 2;
        target[kind] = (uint8_t)(target[kind] + tiles);
        n = melds > 0 ? least_missing(s, melds - 1, runs, triplets + 1, pairs, singles, copies, held, target)
            : single ? least_missing(s, 0, runs, triplets, 0, singles - 1, copies, held, target)
                     : least_missing(s, 0, runs, triplets, pairs - 1, singles, copies, held, target);
        target[kind] = (uint8_t)(target[kind] - tiles);
        best = n < best ? n : best;
    }
    return best;
}

static int plain_shanten(const book *b, const mj_hand *hand)
{
    unsigned best = 255;
    for (unsigned i = 0; i < b->spec.n_shapes; i++) {
        const mj_shape *s = &b->shapes[i];
        const unsigned melds = s->n_melds + s->n_runs + s->n_triplets;
        if (hand->n_melds > 0 && s->n_twins + s->n_each + s->n_singles > 0)
            continue;
        unsigned runs = 0;
        for (unsigned m = 0; m < hand->n_melds; m++)
            runs += hand->melds[m].type == MJ_CHOW;
        uint8_t target[MJ_KINDS] = {0};
        for (unsigned kind = 0; s->n_each > 0 && kind < MJ_KINDS; kind++)
            target[kind] = s->each_of[0] >> kind & 1;
        const unsigned n =
            least_missing(s, melds - hand->n_melds, runs, hand->n_melds - runs, s->n_pairs + s->n_twins,
                          s->n_singles > 0 ? s->singles[0] : 0, b->spec.copies, hand->concealed, target);
        best = n < best ? n : best;
    }
    return best == 255 ? MJ_NONE : (int)best - 1;
}

/* On a small tile set the kernel agrees with trying every target, shape by shape and together. */
static void test_shanten(void)
{
    const uint64_t ends = kinds_of("19m12z");
    const mj_shape shapes[] = {
        {.n_melds = 2, .n_pairs = 1, .when = MJ_NO_REGISTER},
        {.n_twins = 4, .when = MJ_NO_REGISTER},
        {.n_melds = 1, .n_each = 1, .each_of = {ends}, .n_singles = 1, .singles = {1},
         .single_of = {ends}, .when = MJ_NO_REGISTER},
        {.n_runs = 1, .n_triplets = 1, .n_pairs = 1, .when = MJ_NO_REGISTER},
        {.n_runs = 2, .n_pairs = 1, .when = MJ_NO_REGISTER},
    };
    for (unsigned set = 0; set < 6; set++) {
        book b;
        start(&b);
        memset(b.spec.copies, 0, sizeof b.spec.copies);
        memset(b.spec.copies, 4, 9);
        b.spec.copies[27] = b.spec.copies[28] = 4;
        b.spec.copies[4] = 2;
        b.spec.hand_size = 7;
        memcpy(b.shapes, set < 5 ? &shapes[set] : shapes, set < 5 ? sizeof *shapes : sizeof shapes);
        b.spec.n_shapes = set < 5 ? 1 : 5;
        mj_program *program = program_of(&b);
        unsigned agree = 0;
        enum { HANDS = 40 };
        for (unsigned i = 0; i < HANDS; i++) {
            mj_hand hand = hand_of("", "");
            if (i % 4 == 1)
                add_meld(&hand, MJ_PUNG, "3m");
            if (i % 4 == 2)
                add_meld(&hand, MJ_CHOW, "7m");
            uint8_t room[MJ_KINDS];
            memcpy(room, b.spec.copies, sizeof room);
            for (unsigned k = 2; hand.n_melds > 0 && k < 9; k++)
                room[k] = (uint8_t)(room[k] - (i % 4 == 1 ? 3 * (k == 2) : k >= 6));
            for (unsigned tiles = 7 + i / 4 % 2 - 3u * hand.n_melds; tiles > 0;) {
                const unsigned kind = random_below(11), k = kind < 9 ? kind : kind + 18;
                if (room[k] > 0) {
                    room[k]--;
                    hand.concealed[k]++;
                    tiles--;
                }
            }
            int shanten = 99;
            const mj_status status = mj_shanten(tables, program, &hand, &shanten);
            agree += status == MJ_OK && shanten == plain_shanten(&b, &hand);
        }
        CHECK(agree == HANDS);
        mj_program_free(program);
    }
}

/* A hand is waiting just when some tile completes it, a fifth of a kind left aside. */
static void test_shanten_and_waits(void)
{
    mj_program *program = plain_program();
    unsigned agree = 0, ready = 0;
    enum { HANDS = 3000 };
    for (unsigned i = 0; i < HANDS; i++) {
        mj_hand hand = hand_of("", "");
        for (unsigned tiles = 0; tiles < 13;) {
            /* mostly one suit, so that many hands are ready */
            const unsigned kind = random_below(i % 3 == 0 ? 34 : 11);
            if (hand.concealed[kind] < 4) {
                hand.concealed[kind] += 1;
                tiles++;
            }
        }
        uint64_t waits = 0;
        int shanten = 99;
        CHECK(mj_waits(tables, program, &hand, &waits) == MJ_OK);
        CHECK(mj_shanten(tables, program, &hand, &shanten) == MJ_OK);
        bool live = false;
        for (unsigned kind = 0; kind < MJ_KINDS; kind++)
            live |= (waits >> kind & 1) && hand.concealed[kind] < 4;
        ready += live;
        agree += live == (shanten == 0);
    }
    CHECK(agree == HANDS);
    CHECK(ready > 100);
    int shanten = 99;
    mj_hand hand = hand_of("1112345678999m5m", "");
    CHECK(mj_shanten(tables, program, &hand, &shanten) == MJ_OK && shanten == -1);
    hand = hand_of("1111m222333444p", "");   /* waits for a fifth 1m, which is not there */
    CHECK(mj_shanten(tables, program, &hand, &shanten) == MJ_OK && shanten == 1);
    mj_program_free(program);
}

int main(void)
{
    mj_tables *made = NULL;
    CHECK(mj_tables_new(&made) == MJ_OK);
    tables = made;
    test_counts();
    test_closed_hands();
    test_readings();
    test_readings_with_melds();
    test_five_of_a_kind();
    test_special_shapes();
    test_waits();
    test_shanten();
    test_shanten_and_waits();
    test_scoring();
    test_hostile();
    test_settle();
    test_words();
    test_blocks();
    test_columns();
    test_hostile_settle();
    test_prove();
    mj_tables_free(made);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
