/* What comes from outside is refused or runs; it never breaks the kernel. */
#include <stdlib.h>

#include "book.h"

/* ---- specs that are wrong in one place --------------------------------------------- */

/* A spec with something of everything. */
static void start_full(book *b)
{
    start(b);
    const uint16_t suits = feature(b, SHAPE, (mj_feature){.kind = MJ_F_SUITS, .types = 7});
    b->shapes[1].when = op(b, SHAPE, MJ_OP_LT, suits, number(4), 0);
    const uint16_t pattern = feature(b, FAN, (mj_feature){.kind = MJ_F_PATTERN, .domain = 0x7ff, .low = 1});
    const uint16_t waits = feature(b, FAN, (mj_feature){.kind = MJ_F_WAITS});
    const uint16_t left = feature(b, FAN, (mj_feature){.kind = MJ_F_WAITS_LEFT});
    const uint16_t wait = feature(b, FAN, (mj_feature){.kind = MJ_F_WAIT});
    const uint16_t runs = feature(b, FAN, (mj_feature){.kind = MJ_F_GROUPS, .domain = 1, .types = 1});
    b->alternatives[0] = (mj_alternative){{{MJ_RUN, 0}, {MJ_RUN, 3}, {MJ_RUN, 6}}, 3, 0};
    b->alternatives[1] = (mj_alternative){{{MJ_TRIPLET, 0}, {MJ_PAIR, 33}}, 2, 1};
    b->spec.n_alternatives = 2;
    fan(b, once(b, FAN, pattern), 2, MJ_TIMES, false);
    fan(b, waits, 1, MJ_FAN, false);
    fan(b, op(b, FAN, MJ_OP_POW, left, wait, 0), 3, MJ_POINT, false);
    fan(b, op(b, FAN, MJ_OP_FACT, 31, 0, 0), 3, MJ_BASE, false);
    fan(b, runs, 1, MJ_FAN, false);
    fan(b, once(b, LATE, MJ_R_NO_OTHER), 1, MJ_FAN, true);
    b->fans[3].limit = 1;
    absorb(b, 0, 1, 0);
    absorb(b, 1, 4, 2);
    absorb(b, 4, 5, 1);
    pick(b, 3);
    pick(b, 6);
    b->spec.may_win = op(b, FINAL, MJ_OP_LE, number(1), MJ_R_TIMES, 0);
}

typedef void spoil(book *b);

static void check_refused(spoil *spoiler, mj_status expected, uint32_t place)
{
    book b;
    start_full(&b);
    spoiler(&b);
    mj_program *program = NULL;
    uint32_t where = 99999;
    const mj_status status = make(&b, &program, &where);
    if (status != expected || where != place || program != NULL)
        printf("expected %s at %u, got %s at %u\n", mj_status_name(expected), place,
               mj_status_name(status), where);
    CHECK(status == expected && where == place && program == NULL);
    mj_program_free(program);
}

static mj_op *last_op(book *b, unsigned stage)
{
    const uint32_t sizes[] = {b->spec.n_shape_code, b->spec.n_fan_code, b->spec.n_late_code,
                              b->spec.n_final_code};
    return &b->code[stage][sizes[stage] - 1];
}

static void too_many_shapes(book *b) { b->spec.n_shapes = MJ_MAX_SHAPES + 1; }
static void too_much_code(book *b) { b->spec.n_late_code = UINT32_MAX; }
static void too_many_registers(book *b) { b->spec.n_registers = MJ_MAX_REGISTERS + 1; }
static void too_few_registers(book *b) { b->spec.n_registers = MJ_R_CONSTANTS; }
static void big_constant(book *b) { b->constants[3] = mj_limit() + 1; }
static void five_copies(book *b) { b->spec.copies[33] = 5; }
static void odd_size(book *b) { b->spec.hand_size = 12; }
static void short_shape(book *b) { b->shapes[0].n_melds = 3; }
static void wrapped_shape(book *b) { b->shapes[0].n_melds = 255; }
static void two_pairs(book *b) { b->shapes[1].n_pairs = 2, b->shapes[1].n_twins = 5; }
static void odd_each(book *b) { b->shapes[2].each_of[0] = UINT64_MAX; }
static void many_parts(book *b) { b->shapes[2].n_singles = 255; }
static void when_unwritten(book *b) { b->shapes[1].when = 4000; }
static void when_number(book *b) { b->shapes[1].when = number(0); }
static void when_late(book *b) { b->shapes[1].when = MJ_R_NO_OTHER; }
static void no_feature(book *b) { b->features[2].kind = MJ_FEATURE_KINDS; }
static void no_pattern(book *b) { b->features[1].low = 2; }
static void no_kinds(book *b) { b->features[0].tiles = UINT64_C(1) << 34; }
static void empty_example(book *b) { b->alternatives[1].n_groups = 0; }
static void long_example(book *b) { b->alternatives[1].n_groups = 6; }
static void run_of_honours(book *b) { b->alternatives[0].groups[1].tile = 30; }
static void falling_pattern(book *b) { b->alternatives[0].pattern = 9; }
static void odd_opcode(book *b) { last_op(b, FAN)->op = MJ_OPCODES; }
static void read_outside(book *b) { b->code[FAN][6].a = 65535; }
static void read_unwritten(book *b) { b->code[FAN][6].b = b->code[FAN][6].dst; }
static void write_twice(book *b) { last_op(b, FAN)->dst = last_op(b, SHAPE)->dst; }
static void write_constant(book *b) { last_op(b, FAN)->dst = MJ_R_TRUE; }
static void write_outside(book *b) { last_op(b, FAN)->dst = 5000; }
static void odd_fact(book *b) { *last_op(b, FAN) = (mj_op){MJ_OP_FACT, last_op(b, FAN)->dst, 32, 0, 0}; }
static void odd_feature(book *b) { *last_op(b, FAN) = (mj_op){MJ_OP_FEATURE, last_op(b, FAN)->dst, 6, 0, 0}; }
static void truth_as_number(book *b) { b->code[FINAL][0].b = MJ_R_TRUE; }
static void mixed_select(book *b) { b->code[LATE][0].c = MJ_R_TRUE; }
static void totals_in_late(book *b) { b->code[LATE][0].b = MJ_R_FAN; }
static void waits_in_shapes(book *b) { b->features[0].kind = MJ_F_WAITS; }
static void odd_unit(book *b) { b->fans[1].unit = MJ_UNITS; }
static void truth_as_count(book *b) { b->fans[1].count = MJ_R_TRUE; }
static void early_late_fan(book *b) { b->fans[5].late = 0; }
static void total_as_value(book *b) { b->fans[5].value = MJ_R_FAN; }
static void odd_absorber(book *b) { b->absorptions[0].absorber = 6; }
static void absorbs_itself(book *b) { b->absorptions[1].absorber = 4; }
static void wrong_order(book *b) { absorb(b, 3, 1, 1); }
static void late_absorbs_early(book *b) { b->absorptions[2] = (mj_absorption){5, 3, 1}; }
static void empty_pick(book *b) { b->picks[1].fans = 0; }
static void odd_pick(book *b) { b->picks[0].fans = 64; }
static void money_is_truth(book *b) { b->spec.money = MJ_R_TRUE; }
static void win_is_number(book *b) { b->spec.may_win = number(1); }
static void no_may_wait(book *b) { b->spec.may_wait = 65535; }

static void late_in_shapes(book *b)
{
    *last_op(b, SHAPE) = (mj_op){MJ_OP_NOT, last_op(b, SHAPE)->dst, MJ_R_NO_OTHER, 0, 0};
}

static void too_many_choices(book *b)
{
    for (unsigned i = 0; i < 5; i++)
        pick(b, 63);
}

static void test_refused(void)
{
    check_refused(too_many_shapes, MJ_BAD_LIMITS, 0);
    check_refused(too_much_code, MJ_BAD_LIMITS, 0);
    check_refused(too_many_registers, MJ_BAD_LIMITS, 0);
    check_refused(too_few_registers, MJ_BAD_LIMITS, 0);
    check_refused(big_constant, MJ_BAD_LIMITS, 3);
    check_refused(five_copies, MJ_BAD_TILE_SET, 33);
    check_refused(odd_size, MJ_BAD_TILE_SET, 0);
    check_refused(short_shape, MJ_BAD_SHAPE, 0);
    check_refused(wrapped_shape, MJ_BAD_SHAPE, 0);
    check_refused(two_pairs, MJ_BAD_SHAPE, 1);
    check_refused(odd_each, MJ_BAD_SHAPE, 2);
    check_refused(many_parts, MJ_BAD_SHAPE, 2);
    check_refused(when_unwritten, MJ_BAD_REGISTER, 1);
    check_refused(when_number, MJ_BAD_TYPE, 1);
    check_refused(when_late, MJ_BAD_STAGE, 1);
    check_refused(no_feature, MJ_BAD_FEATURE, 2);
    check_refused(no_pattern, MJ_BAD_FEATURE, 1);
    check_refused(no_kinds, MJ_BAD_FEATURE, 0);
    check_refused(empty_example, MJ_BAD_PATTERN, 1);
    check_refused(long_example, MJ_BAD_PATTERN, 1);
    check_refused(run_of_honours, MJ_BAD_PATTERN, 0);
    check_refused(falling_pattern, MJ_BAD_PATTERN, 1);
    check_refused(odd_opcode, MJ_BAD_OPCODE, 9);
    check_refused(read_outside, MJ_BAD_REGISTER, 8);
    check_refused(read_unwritten, MJ_BAD_REGISTER, 8);
    check_refused(write_twice, MJ_BAD_REGISTER, 9);
    check_refused(write_constant, MJ_BAD_REGISTER, 9);
    check_refused(write_outside, MJ_BAD_REGISTER, 9);
    check_refused(odd_fact, MJ_BAD_FEATURE, 9);
    check_refused(odd_feature, MJ_BAD_FEATURE, 9);
    check_refused(truth_as_number, MJ_BAD_TYPE, 11);
    check_refused(mixed_select, MJ_BAD_TYPE, 10);
    check_refused(late_in_shapes, MJ_BAD_STAGE, 1);
    check_refused(totals_in_late, MJ_BAD_STAGE, 10);
    check_refused(waits_in_shapes, MJ_BAD_STAGE, 0);
    check_refused(odd_unit, MJ_BAD_FAN, 1);
    check_refused(truth_as_count, MJ_BAD_TYPE, 1);
    check_refused(early_late_fan, MJ_BAD_STAGE, 5);
    check_refused(total_as_value, MJ_BAD_STAGE, 5);
    check_refused(odd_absorber, MJ_BAD_ABSORPTION, 0);
    check_refused(absorbs_itself, MJ_BAD_ABSORPTION, 1);
    check_refused(wrong_order, MJ_BAD_ABSORPTION, 3);
    check_refused(late_absorbs_early, MJ_BAD_ABSORPTION, 2);
    check_refused(empty_pick, MJ_BAD_PICK, 1);
    check_refused(odd_pick, MJ_BAD_PICK, 0);
    check_refused(too_many_choices, MJ_BAD_PICK, 5);
    check_refused(money_is_truth, MJ_BAD_TYPE, 0);
    check_refused(win_is_number, MJ_BAD_TYPE, 0);
    check_refused(no_may_wait, MJ_BAD_REGISTER, 0);

    book b;
    start_full(&b);
    mj_program *program = program_of(&b);
    uint32_t where;
    b.spec.fans = NULL;
    mj_program *none = program;
    CHECK(mj_program_new(&b.spec, &none, &where) == MJ_BAD_ARGUMENT && none == NULL);
    CHECK(mj_program_new(NULL, &none, &where) == MJ_BAD_ARGUMENT);
    CHECK(mj_tables_new(NULL) == MJ_BAD_ARGUMENT);
    mj_program_free(program);
    mj_program_free(NULL);
    mj_tables_free(NULL);
    CHECK_TEXT(mj_status_name(MJ_TOO_SMALL), "too small");
    CHECK_TEXT(mj_status_name((mj_status)9999), "unknown status");
}

/* ---- hands ------------------------------------------------------------------------------ */

static mj_status status_of(const mj_program *program, const mj_hand *hand)
{
    mj_result result;
    mj_reading reading[1];
    uint32_t n = 0;
    const mj_status status = mj_score(tables, program, hand, &result);
    const mj_status other = mj_readings(tables, program, hand, reading, 1, &n);
    CHECK(other == status || other == MJ_TOO_SMALL);
    return status;
}

static void test_hands(void)
{
    mj_program *program = plain_program();
    const mj_hand good = hand_of("123456789m123p11z", "1z");
    CHECK(status_of(program, &good) == MJ_OK);
    mj_hand bad = good;
    bad.concealed[5] = 255;
    CHECK(status_of(program, &bad) == MJ_BAD_SIZE);
    bad = good;
    bad.n_melds = 5;
    CHECK(status_of(program, &bad) == MJ_BAD_MELD);
    bad.n_melds = 255;
    CHECK(status_of(program, &bad) == MJ_BAD_MELD);
    bad = good;
    add_meld(&bad, MJ_PUNG, "9s");
    CHECK(status_of(program, &bad) == MJ_BAD_SIZE);
    const mj_group melds[] = {{MJ_CHOW, 7}, {MJ_CHOW, 27}, {MJ_CHOW, 255}, {MJ_PUNG, 34}, {MJ_RUN, 0},
                              {MJ_PAIR, 0}, {MJ_TRIPLET, 0}, {200, 0}, {MJ_GROUP_TYPES, 3}};
    for (size_t i = 0; i < sizeof melds / sizeof *melds; i++) {
        bad = hand_of("456789m123p11z", "1z");
        bad.melds[bad.n_melds++] = melds[i];
        CHECK(status_of(program, &bad) == MJ_BAD_MELD);
    }
    bad = good;
    bad.win_tile = 34;
    CHECK(status_of(program, &bad) == MJ_BAD_WIN_TILE);
    bad.win_tile = 20;
    CHECK(status_of(program, &bad) == MJ_BAD_WIN_TILE);
    bad = hand_of("11111m222333444p", "2p");
    CHECK(status_of(program, &bad) == MJ_BAD_COUNT);
    bad.win_tile = 0;
    CHECK(status_of(program, &bad) == MJ_OK);
    bad = hand_of("111111m22333444p", "1m");
    CHECK(status_of(program, &bad) == MJ_BAD_COUNT);
    bad = hand_of("11m222333444p", "1m");
    add_meld(&bad, MJ_CONCEALED_KONG, "1m");
    CHECK(status_of(program, &bad) == MJ_BAD_COUNT);
    bad = good;
    bad.void_suit = 3;
    CHECK(status_of(program, &bad) == MJ_BAD_SUIT);

    mj_result result;
    uint64_t kinds;
    uint32_t n;
    int shanten;
    CHECK(mj_score(tables, program, NULL, &result) == MJ_BAD_ARGUMENT);
    CHECK(mj_score(NULL, program, &good, &result) == MJ_BAD_ARGUMENT);
    CHECK(mj_readings(tables, program, &good, NULL, 1, &n) == MJ_BAD_ARGUMENT);
    CHECK(mj_waits(tables, program, &good, &kinds) == MJ_BAD_SIZE);
    CHECK(mj_waits(tables, NULL, &good, &kinds) == MJ_BAD_ARGUMENT);
    CHECK(mj_shanten(tables, program, &good, NULL) == MJ_BAD_ARGUMENT);
    bad = hand_of("123m", "");
    CHECK(mj_shanten(tables, program, &bad, &shanten) == MJ_BAD_SIZE);
    CHECK(mj_count_hands(tables, NULL) == MJ_BAD_ARGUMENT);
    CHECK(mj_closed_hands(tables, 0, 1, NULL, &n) == MJ_BAD_ARGUMENT);
    CHECK(mj_closed_hands(tables, UINT64_MAX, 0, NULL, &n) == MJ_OK && n == 0);
    mj_program_free(program);

    /* A kind that is not in the tile set cannot be asked about. */
    book b;
    start(&b);
    memset(b.spec.copies + 27, 0, 7);
    program = program_of(&b);
    CHECK(status_of(program, &good) == MJ_BAD_COUNT);
    bad = hand_of("123456789m1112p", "");
    CHECK(mj_waits(tables, program, &bad, &kinds) == MJ_OK && kinds == kinds_of("23p"));
    mj_program_free(program);
}

/* ---- garbage -------------------------------------------------------------------------------- */

static void random_bytes(void *memory, size_t n)
{
    for (uint8_t *byte = memory; n-- > 0; byte++)
        *byte = (uint8_t)random_below(256);
}

static void run_everything(const mj_program *program, const mj_hand *hand)
{
    mj_result result;
    mj_reading readings[2];
    uint32_t n;
    uint64_t kinds;
    int shanten;
    (void)mj_score(tables, program, hand, &result);
    (void)mj_readings(tables, program, hand, readings, 2, &n);
    (void)mj_waits(tables, program, hand, &kinds);
    (void)mj_shanten(tables, program, hand, &shanten);
}

/* Spoils some bytes of a good spec: it is refused, or it runs on any hand. */
static void test_garbage(void)
{
    static const char *const hands[][2] = {
        {"11122233344455m", "5m"}, {"11223344556677s", "1s"}, {"19m19p19s12345677z", "7z"},
        {"111123m456p78999s", "1m"}, {"1113456666788s", ""},
    };
    unsigned run = 0;
    for (unsigned i = 0; i < 20000; i++) {
        book b;
        start_full(&b);
        for (unsigned spoilt = 1 + random_below(3); spoilt > 0; spoilt--) {
            uint8_t *const blocks[] = {
                (uint8_t *)b.shapes, (uint8_t *)b.features, (uint8_t *)b.alternatives,
                (uint8_t *)b.code[SHAPE], (uint8_t *)b.code[FAN], (uint8_t *)b.code[LATE],
                (uint8_t *)b.code[FINAL], (uint8_t *)b.fans, (uint8_t *)b.absorptions,
                (uint8_t *)b.picks, b.spec.copies,
            };
            const size_t sizes[] = {
                3 * sizeof *b.shapes, 6 * sizeof *b.features, 2 * sizeof *b.alternatives,
                2 * sizeof(mj_op), 8 * sizeof(mj_op), sizeof(mj_op),
                sizeof(mj_op), 6 * sizeof *b.fans, 3 * sizeof *b.absorptions,
                2 * sizeof *b.picks, sizeof b.spec.copies,
            };
            const unsigned block = random_below(sizeof sizes / sizeof *sizes);
            const unsigned place = random_below((uint32_t)sizes[block]);
            blocks[block][place] = (uint8_t)random_below(random_below(2) ? 256 : 16);
        }
        mj_program *program = NULL;
        uint32_t where;
        if (make(&b, &program, &where) != MJ_OK)
            continue;
        run++;
        for (unsigned h = 0; h < 5; h++) {
            mj_hand hand = hand_of(hands[h][0], hands[h][1]);
            run_everything(program, &hand);
            ((uint8_t *)&hand)[random_below(sizeof hand)] = (uint8_t)random_below(random_below(2) ? 256 : 8);
            run_everything(program, &hand);
        }
        mj_program_free(program);
    }
    CHECK(run > 1000);

    mj_program *program = plain_program();
    for (unsigned i = 0; i < 20000; i++) {
        mj_hand hand;
        random_bytes(&hand, sizeof hand);
        run_everything(program, &hand);
    }
    mj_program_free(program);

    for (unsigned i = 0; i < 20000; i++) {
        book b;
        start_full(&b);
        random_bytes(b.features, sizeof b.features);
        random_bytes(b.code, sizeof b.code);
        random_bytes(b.fans, sizeof b.fans);
        uint32_t *const sizes[] = {
            &b.spec.n_shapes, &b.spec.n_features, &b.spec.n_alternatives, &b.spec.n_shape_code,
            &b.spec.n_fan_code, &b.spec.n_late_code, &b.spec.n_final_code, &b.spec.n_fans,
            &b.spec.n_absorptions, &b.spec.n_picks,
        };
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            *sizes[s] = random_below(8);
        mj_program *made = NULL;
        uint32_t where;
        CHECK(make(&b, &made, &where) != MJ_OK || made != NULL);
        mj_program_free(made);
    }
}

void test_hostile(void)
{
    test_refused();
    test_hands();
    test_garbage();
}
