/* Programs: arithmetic, features, and how fans become money. */
#include "book.h"

/* What the code makes of two numbers. */
static int64_t calculate(mj_opcode code, int64_t x, int64_t y)
{
    book b;
    start(&b);
    b.constants[0] = x;
    b.constants[1] = y;
    b.spec.money = op(&b, FINAL, code, number(0), number(1), 0);
    mj_program *program = program_of(&b);
    const mj_hand hand = hand_of("123456789m123p11z", "");
    const int64_t money = score(program, &hand).money;
    mj_program_free(program);
    return money;
}

static void test_arithmetic(void)
{
    const int64_t most = mj_limit();
    CHECK(calculate(MJ_OP_ADD, most, 1) == most);
    CHECK(calculate(MJ_OP_SUB, -most, 1) == -most);
    CHECK(calculate(MJ_OP_MUL, most, most) == most);
    CHECK(calculate(MJ_OP_MUL, most, -most) == -most);
    CHECK(calculate(MJ_OP_MUL, most, 0) == 0);
    CHECK(calculate(MJ_OP_POW, 2, 10) == 1024);
    CHECK(calculate(MJ_OP_POW, -3, 3) == -27);
    CHECK(calculate(MJ_OP_POW, 10, 15) == most);
    CHECK(calculate(MJ_OP_POW, 2, most) == most);
    CHECK(calculate(MJ_OP_POW, -2, most - 1) == -most);
    CHECK(calculate(MJ_OP_POW, -2, most) == most);
    CHECK(calculate(MJ_OP_POW, -1, most) == 1);
    CHECK(calculate(MJ_OP_POW, 1, -1) == 0);
    CHECK(calculate(MJ_OP_POW, 0, 0) == 1);
    CHECK(calculate(MJ_OP_POW, 0, 5) == 0);
    CHECK(calculate(MJ_OP_MIN, -1, 2) == -1);
    CHECK(calculate(MJ_OP_MAX, -1, 2) == 2);
}

/* The value of a feature, read for a hand with one reading. */
static int64_t value_of(mj_feature f, const mj_hand *hand)
{
    book b;
    start(&b);
    uint16_t reg = feature(&b, FAN, f);
    if (f.kind == MJ_F_WIN_TILE_IN || f.kind == MJ_F_WIN_TILE_VOID || f.kind == MJ_F_PATTERN)
        reg = once(&b, FAN, reg);
    b.alternatives[0] = (mj_alternative){{{MJ_RUN, 0}, {MJ_RUN, 0}}, 2, 0};
    b.alternatives[1] = (mj_alternative){{{MJ_TRIPLET, 30}, {MJ_DIRECT_KONG, 30}}, 2, 1};
    b.alternatives[2] = (mj_alternative){{{MJ_TRIPLET, 30}, {MJ_PAIR, 9}, {MJ_RUN, 3}}, 3, 2};
    b.spec.n_alternatives = 3;
    b.spec.money = reg;
    mj_program *program = program_of(&b);
    const mj_result result = score(program, hand);
    CHECK(result.win);
    mj_program_free(program);
    return result.money;
}

#define FEATURE(hand, ...) value_of((mj_feature){__VA_ARGS__}, &(hand))

static void test_features(void)
{
    const unsigned all = (1 << MJ_GROUP_TYPES) - 1;
    const uint64_t winds = kinds_of("1234z");
    mj_hand hand = hand_of("123456m11p", "6m");
    add_meld(&hand, MJ_CHOW, "1m");
    add_meld(&hand, MJ_ADDED_KONG, "4z");
    hand.void_suit = 0;
    hand.seen[kind_of('3', 'm')] = 3;
    hand.seen[kind_of('6', 'm')] = 200;

    CHECK(FEATURE(hand, .kind = MJ_F_TILES, .tiles = winds | 1) == 6);
    CHECK(FEATURE(hand, .kind = MJ_F_KINDS, .tiles = winds | 7, .low = 2, .high = 3) == 3);
    CHECK(FEATURE(hand, .kind = MJ_F_KINDS, .tiles = winds, .low = 4, .high = 255) == 1);
    CHECK(FEATURE(hand, .kind = MJ_F_KINDS_UNKONGED, .tiles = winds, .low = 4, .high = 4) == 0);
    CHECK(FEATURE(hand, .kind = MJ_F_KINDS_UNKONGED, .tiles = winds, .low = 0, .high = 0) == 1);
    CHECK(FEATURE(hand, .kind = MJ_F_SUITS, .types = 7) == 2);
    CHECK(FEATURE(hand, .kind = MJ_F_SUITS, .types = 15) == 3);
    CHECK(FEATURE(hand, .kind = MJ_F_CONCEALED) == 8);
    CHECK(FEATURE(hand, .kind = MJ_F_MELDS, .types = 1 << MJ_ADDED_KONG | 1 << MJ_PUNG) == 1);
    CHECK(FEATURE(hand, .kind = MJ_F_VOID_TILES) == 9);
    CHECK(FEATURE(hand, .kind = MJ_F_WIN_TILE_IN, .tiles = kinds_of("6m")) == 1);
    CHECK(FEATURE(hand, .kind = MJ_F_WIN_TILE_VOID) == 1);
    CHECK(FEATURE(hand, .kind = MJ_F_WIN_TILE_OWN) == 0);
    CHECK(FEATURE(hand, .kind = MJ_F_WAITS) == 2);        /* 36m */
    CHECK(FEATURE(hand, .kind = MJ_F_WAITS_LEFT) == 1);
    CHECK(FEATURE(hand, .kind = MJ_F_SHAPE) == 0);
    CHECK(FEATURE(hand, .kind = MJ_F_WAIT) == MJ_WAIT_OPEN);
    CHECK(FEATURE(hand, .kind = MJ_F_GROUPS, .domain = all, .types = 1 << MJ_RUN) == 2);
    CHECK(FEATURE(hand, .kind = MJ_F_GROUPS, .domain = all, .tiles = 7) == 2);
    CHECK(FEATURE(hand, .kind = MJ_F_GROUPS, .domain = all, .tiles = kinds_of("34m1p"), .low = 1) == 4);
    CHECK(FEATURE(hand, .kind = MJ_F_GROUPS, .domain = 1 << MJ_CHOW, .tiles = MJ_KINDS) == 0);
    CHECK(FEATURE(hand, .kind = MJ_F_PATTERN, .domain = all, .low = 0) == 1);
    CHECK(FEATURE(hand, .kind = MJ_F_PATTERN, .domain = 1 << MJ_RUN, .low = 0) == 0);
    CHECK(FEATURE(hand, .kind = MJ_F_PATTERN, .domain = all, .low = 1) == 0);
    CHECK(FEATURE(hand, .kind = MJ_F_PATTERN, .domain = all, .low = 2) == 1);

    hand = hand_of("11112355m", "1m");
    add_meld(&hand, MJ_PUNG, "1p");
    add_meld(&hand, MJ_PUNG, "2p");
    CHECK(FEATURE(hand, .kind = MJ_F_WIN_TILE_OWN) == 3);
    CHECK(FEATURE(hand, .kind = MJ_F_WAITS) == 3);        /* 145m */
    hand = hand_of("1111235m5m", "5m");
    add_meld(&hand, MJ_PUNG, "1p");
    add_meld(&hand, MJ_PUNG, "2p");
    CHECK(FEATURE(hand, .kind = MJ_F_WAITS) == 1);        /* 5m */
}

/* Fans absorb, choose, wait for the others, and cap, in that order. */
static void test_fans(void)
{
    const mj_hand hand = hand_of("123456789m111p22z", "");
    book b;
    start(&b);
    const unsigned a = fan(&b, number(2), 3, MJ_FAN, false);
    const unsigned c = fan(&b, number(5), 1, MJ_FAN, false);
    const unsigned times = fan(&b, number(3), 2, MJ_TIMES, false);
    const unsigned cap = fan(&b, number(1), 9, MJ_FAN, false);
    b.fans[cap].limit = 1;
    absorb(&b, a, c, 2);
    absorb(&b, c, times, 0);
    mj_program *program = program_of(&b);
    mj_result r = score(program, &hand);
    CHECK(r.win && r.complete && r.n_readings == 1);
    CHECK(r.found[c] == 5 && r.counts[a] == 2 && r.counts[c] == 1 && r.counts[times] == 0);
    CHECK(r.totals[MJ_FAN] == 9 && r.totals[MJ_TIMES] == 1 && r.totals[MJ_BASE] == 0);
    CHECK(r.values[a] == 3 && r.money == 9 && r.n_fans == 4);
    mj_program_free(program);

    /* A fallback fan is late; it is there when the choice leaves nothing else. */
    start(&b);
    const unsigned x = fan(&b, number(1), 2, MJ_FAN, false);
    const unsigned y = fan(&b, number(1), 3, MJ_FAN, false);
    const unsigned last = fan(&b, once(&b, LATE, MJ_R_NO_OTHER), 4, MJ_FAN, true);
    pick(&b, 1 << x | 1 << y);
    program = program_of(&b);
    r = score(program, &hand);
    CHECK(r.counts[x] == 0 && r.counts[y] == 1 && r.counts[last] == 0 && r.money == 3);
    mj_program_free(program);
    pick(&b, 1 << x | 1 << y | 1 << last);   /* with last chosen here, the first set keeps none */
    program = program_of(&b);
    r = score(program, &hand);
    CHECK(r.counts[x] == 0 && r.counts[y] == 0 && r.counts[last] == 1 && r.money == 4);
    mj_program_free(program);

    /* A late fan that is absorbed by an ordinary one, and one that absorbs a late one. */
    start(&b);
    const unsigned o = fan(&b, number(1), 1, MJ_POINT, false);
    const unsigned l = fan(&b, number(3), 1, MJ_POINT, true);
    const unsigned m = fan(&b, number(5), 1, MJ_POINT, true);
    absorb(&b, o, l, 1);
    absorb(&b, l, m, 1);
    program = program_of(&b);
    r = score(program, &hand);
    CHECK(r.counts[o] == 1 && r.counts[l] == 2 && r.counts[m] == 3 && r.money == 6);
    mj_program_free(program);
}

/* The best reading by money; of equal money the fewest fans, then the file, then the order. */
static void test_best(void)
{
    const uint16_t runs = 1 << MJ_RUN | 1 << MJ_CHOW;
    const mj_hand hand = hand_of("111222333m99p789s", "9s");
    book b;
    start(&b);
    uint16_t n = feature(&b, FAN, (mj_feature){.kind = MJ_F_GROUPS, .domain = runs, .types = runs});
    fan(&b, n, 1, MJ_FAN, false);
    mj_program *program = program_of(&b);
    mj_result r = score(program, &hand);
    CHECK(r.n_readings == 2 && r.money == 4 && r.reading.groups[0].type == MJ_RUN);
    mj_program_free(program);

    /* Equal money: the reading with fewer fans; nothing may win: the best is told all the same. */
    b.spec.money = number(1);
    b.fans[0].unit = MJ_BASE;
    b.fans[0].value = number(0);
    b.spec.may_win = b.spec.may_wait = MJ_R_FALSE;
    program = program_of(&b);
    r = score(program, &hand);
    CHECK(!r.win && r.complete && !r.may_wait && r.n_fans == 1 && r.reading.groups[0].type == MJ_TRIPLET);
    mj_program_free(program);

    /* A shape that is not allowed is no reading at all. */
    start(&b);
    n = feature(&b, SHAPE, (mj_feature){.kind = MJ_F_GROUPS, .domain = runs, .types = runs});
    b.shapes[0].when = op(&b, SHAPE, MJ_OP_LT, n, number(2), 0);
    program = program_of(&b);
    r = score(program, &hand);
    CHECK(r.win && r.n_readings == 1 && r.reading.groups[0].type == MJ_TRIPLET);
    mj_hand other = hand_of("123456m99p789s123m", "9s");
    r = score(program, &other);
    CHECK(!r.win && !r.complete && r.reading.shape == MJ_NONE && r.n_readings == 0);
    other = hand_of("111222333m99p78s", "");
    uint64_t waits = 0;
    CHECK(mj_waits(tables, program, &other, &waits) == MJ_OK && waits == kinds_of("69s"));
    other = hand_of("12345678m99p789s", "");
    CHECK(mj_waits(tables, program, &other, &waits) == MJ_OK && waits == 0);
    mj_program_free(program);
}

/* The place of the winning tile matters where a fan can see it, and only there. */
static void test_places(void)
{
    mj_hand hand = hand_of("11123m456789p99s", "1m");
    hand.concealed[0] = 4;
    book b;
    start(&b);
    mj_program *program = program_of(&b);
    mj_result r = score(program, &hand);
    CHECK(r.n_readings == 1 && r.reading.win_group == 0 && r.reading.wait == MJ_WAIT_OPEN);
    mj_program_free(program);

    start(&b);
    const uint16_t wait = feature(&b, FAN, (mj_feature){.kind = MJ_F_WAIT});
    fan(&b, once(&b, FAN, op(&b, FAN, MJ_OP_EQ, wait, number(MJ_WAIT_TWIN), 0)), 1, MJ_FAN, false);
    program = program_of(&b);
    r = score(program, &hand);
    CHECK(r.n_readings == 2 && r.money == 1 && r.reading.wait == MJ_WAIT_TWIN);
    mj_program_free(program);

    start(&b);
    const uint16_t own = 1 << MJ_TRIPLET;
    const uint16_t n = feature(&b, FAN, (mj_feature){.kind = MJ_F_GROUPS, .domain = own, .types = own});
    fan(&b, n, 1, MJ_FAN, false);
    program = program_of(&b);
    r = score(program, &hand);
    CHECK(r.n_readings == 1 && r.money == 1);
    hand.claimed = 1;
    r = score(program, &hand);
    CHECK(r.n_readings == 2 && r.money == 1 && r.reading.wait == MJ_WAIT_OPEN);
    mj_program_free(program);
}

void test_scoring(void)
{
    test_arithmetic();
    test_features();
    test_fans();
    test_best();
    test_places();
}
