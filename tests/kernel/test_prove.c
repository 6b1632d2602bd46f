/* The space of hands as classes: exact counts, smallest hands, and callers that ask for nonsense. */
#include <stdlib.h>

#include "book.h"

enum { KONG = 1 << MJ_DIRECT_KONG, PUNG = 1 << MJ_PUNG, THREE = KONG | 1 << MJ_ADDED_KONG | 1 << MJ_CONCEALED_KONG };

static const int32_t no_facts[2 * 32];
static uint8_t legal[2 * MJ_KEYS];
static const uint8_t claimed[2] = {1, 0};

static mj_space_spec spec_of(const mj_program *program, uint32_t meld_types)
{
    memset(legal, 1, sizeof legal);
    return (mj_space_spec){.sides = {{program, no_facts}}, .n_sides = 1, .n_contexts = 1, .legal = legal,
                           .claimed = claimed, .meld_types = meld_types};
}

/* Hands of four melds and a pair, and of the other shapes of the book where these are kept. */
static mj_program *program_for(unsigned kinds, unsigned shapes)
{
    book b;
    start(&b);
    for (unsigned kind = kinds; kind < MJ_KINDS; kind++)
        b.spec.copies[kind] = 0;
    b.spec.n_shapes = shapes;
    return program_of(&b);
}

static uint64_t count(const mj_states *states, const mj_program *program, uint32_t meld_types, mj_hand_class *first)
{
    const mj_space_spec spec = spec_of(program, meld_types);
    mj_space *space = NULL;
    mj_space_info info;
    CHECK(mj_space_new(tables, states, &spec, &space, &info) == MJ_OK);
    CHECK(space != NULL && info.reason == MJ_FOLDED);
    if (space == NULL)
        return 0;
    mj_hand_class *classes = calloc(info.n_classes, sizeof *classes);
    CHECK(mj_space_classes(space, classes, info.n_classes - 1) == MJ_TOO_SMALL);
    CHECK(mj_space_classes(space, classes, info.n_classes) == MJ_OK);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < info.n_classes; i++)
        sum += classes[i].count;
    *first = classes[0];
    free(classes);
    mj_space_free(space);
    return sum;
}

static void test_counts_of_spaces(const mj_states *states)
{
    mj_counts counts;
    mj_hand_class first;
    CHECK(mj_count_hands(tables, &counts) == MJ_OK);
    mj_program *three_suits = program_for(27, 1), *honours = program_for(34, 1), *orphans_too = program_for(34, 3);
    CHECK(count(states, three_suits, 0, &first) == 5237550);
    CHECK(first.copies[0] == 4 && first.copies[1] == 4 && first.copies[2] == 4 && first.copies[3] == 2);
    CHECK(first.melds == 0 && first.void_suit == MJ_NONE && first.key == 0);
    CHECK(count(states, three_suits, PUNG | KONG, &first) == 86943600);
    CHECK(count(states, three_suits, PUNG | THREE, &first) == 444554628);
    CHECK(count(states, honours, 0, &first) == counts.standard_all_kinds);
    const uint64_t with_pairs = count(states, orphans_too, 0, &first);
    CHECK(with_pairs > counts.standard_all_kinds + 13);
    mj_program_free(three_suits);
    mj_program_free(honours);
    mj_program_free(orphans_too);
}

/* Hands written one by one are as many as the classes count. */
static void test_hands_one_by_one(const mj_states *states)
{
    mj_program *program = program_for(27, 1);
    mj_parts *parts = NULL;
    CHECK(mj_parts_new(tables, states, program, PUNG | KONG, &parts) == MJ_OK);
    uint64_t words[64], total = 0;
    uint32_t melds[64], n = 0;
    /* Suits of twins alone make up hands as well, whatever the shapes. */
    CHECK(mj_parts_hands(parts, 2, 0, 64, words, NULL, melds, &n, &total) == MJ_OK);
    CHECK(n == 64 && total == 28095264 + 711600);
    uint64_t again[64];
    uint32_t again_melds[64];
    CHECK(mj_parts_hands(parts, 2, 10, 54, again, NULL, again_melds, &n, &total) == MJ_OK);
    CHECK(n == 54 && memcmp(again, words + 10, 54 * sizeof *words) == 0);
    CHECK(mj_parts_hands(parts, 2, total, 1, words, NULL, melds, &n, &total) == MJ_OK && n == 0);
    CHECK(mj_parts_hands(parts, 2, 0, 1, NULL, NULL, melds, &n, &total) == MJ_BAD_ARGUMENT);
    CHECK(mj_parts_hands(NULL, 2, 0, 1, words, NULL, melds, &n, &total) == MJ_BAD_ARGUMENT);
    CHECK(mj_parts_new(NULL, states, program, 0, &parts) == MJ_BAD_ARGUMENT);
    mj_parts_free(parts);
    mj_program_free(program);
}

static void test_prints(const mj_states *states)
{
    mj_program *program = program_for(27, 1);
    mj_hand_class first;
    mj_space_spec spec = spec_of(program, 0);
    uint64_t sums[2] = {0};
    for (unsigned prints = 0; prints < 2; prints++) {
        spec.prints = prints;
        mj_space *space = NULL;
        mj_space_info info;
        CHECK(mj_space_new(tables, states, &spec, &space, &info) == MJ_OK && info.n_classes > 0);
        mj_hand_class *classes = calloc(info.n_classes, sizeof *classes);
        CHECK(mj_space_classes(space, classes, info.n_classes) == MJ_OK);
        first = classes[0];
        sums[prints] = first.prints[0] | first.prints[1];
        free(classes);
        mj_space_free(space);
    }
    CHECK(sums[0] == 0 && sums[1] != 0);

    const volatile uint32_t stop = 1;
    mj_space *stopped = NULL;
    mj_space_info info;
    spec.stop = &stop;
    CHECK(mj_space_new(tables, states, &spec, &stopped, &info) == MJ_OK && stopped == NULL);
    mj_program_free(program);
}

static void test_probes_and_verdicts(const mj_states *states)
{
    book b;
    start(&b);
    for (unsigned kind = 27; kind < MJ_KINDS; kind++)
        b.spec.copies[kind] = 0;
    b.spec.n_shapes = 1;
    const uint16_t suits = feature(&b, FAN, (mj_feature){.kind = MJ_F_SUITS, .types = 7});
    const uint16_t one = op(&b, FAN, MJ_OP_EQ, suits, number(1), 0);
    fan(&b, once(&b, FAN, one), 2, MJ_FAN, false);
    const uint16_t probes[] = {one, MJ_R_TRUE};
    b.spec.probes = probes;
    b.spec.n_probes = 2;
    mj_program *program = program_of(&b);
    mj_space_spec spec = spec_of(program, 0);
    spec.n_contexts = 2;
    memset(legal + MJ_KEYS, 0, MJ_KEYS);   /* the second way to win goes with no hand */
    mj_space *space = NULL;
    mj_space_info info;
    CHECK(mj_space_new(tables, states, &spec, &space, &info) == MJ_OK && info.n_classes == 4);   /* each suit alone, and more */
    mj_proof proofs[8];
    uint32_t numbers[8];
    CHECK(info.n_verdicts[0] <= 8);
    CHECK(mj_space_verdicts(space, 0, proofs, 1, numbers, 8) == MJ_TOO_SMALL);
    CHECK(mj_space_verdicts(space, 1, proofs, 8, numbers, 8) == MJ_BAD_ARGUMENT);
    CHECK(mj_space_verdicts(space, 0, proofs, 8, numbers, 8) == MJ_OK);
    unsigned flushes = 0;
    for (unsigned i = 0; i < 4; i++) {
        const mj_proof *proof = &proofs[numbers[2 * i]];
        const bool flush = proof->fans == 1;
        flushes += flush;
        CHECK(proof->win == 1 && proof->points == (flush ? 2 : 0));
        CHECK(proof->probes[0] == (flush ? 3 : 2) && proof->ever[0] == proof->probes[0]);
        CHECK(numbers[2 * i + 1] == 0);
    }
    CHECK(flushes == 3 && proofs[0].win == MJ_NONE);
    mj_space_free(space);
    mj_program_free(program);

    uint32_t where;
    b.spec.probes = (const uint16_t[]){number(1), 0};
    CHECK(make(&b, &program, &where) == MJ_BAD_TYPE);
    b.spec.n_probes = MJ_MAX_PROBES + 1;
    CHECK(make(&b, &program, &where) == MJ_BAD_LIMITS);
    b.spec.n_probes = 1;
    b.spec.probes = NULL;
    CHECK(make(&b, &program, &where) == MJ_BAD_ARGUMENT);
}

/* Hands with their winning tile: as many as they hold kinds, each with the groups of tiles left it can have. */
static void test_winning_tiles(const mj_states *states)
{
    book b;
    start(&b);
    for (unsigned kind = 27; kind < MJ_KINDS; kind++)
        b.spec.copies[kind] = 0;
    b.spec.n_shapes = 1;
    const uint16_t left = feature(&b, FAN, (mj_feature){.kind = MJ_F_WAITS_LEFT});
    const uint16_t waits = feature(&b, FAN, (mj_feature){.kind = MJ_F_WAITS});
    const uint16_t wait = feature(&b, FAN, (mj_feature){.kind = MJ_F_WAIT});
    const uint16_t hidden = feature(&b, FAN, (mj_feature){.kind = MJ_F_GROUPS, .tiles = ~UINT64_C(0) >> 30,
                                                          .domain = 1 << MJ_TRIPLET | 1 << MJ_CONCEALED_KONG});
    const uint16_t last = op(&b, FAN, MJ_OP_AND, op(&b, FAN, MJ_OP_EQ, left, number(1), 0),
                             op(&b, FAN, MJ_OP_EQ, wait, number(1), 0), 0);
    const uint16_t many = op(&b, FAN, MJ_OP_AND, op(&b, FAN, MJ_OP_LT, number(2), waits, 0),
                             op(&b, FAN, MJ_OP_LT, number(2), hidden, 0), 0);
    fan(&b, once(&b, FAN, last), 2, MJ_FAN, false);
    fan(&b, once(&b, FAN, many), 3, MJ_FAN, false);
    mj_program *program = program_of(&b), *blind = program_for(27, 1);
    CHECK(mj_program_asks(program) == 3 && mj_program_asks(blind) == 0);

    mj_space_spec spec = spec_of(program, 0);
    spec.n_contexts = 2;
    uint64_t sums[2] = {0};
    for (unsigned bare = 0; bare < 2; bare++) {
        spec.bare = bare;
        mj_space *space = NULL;
        mj_space_info info;
        CHECK(mj_space_new(tables, states, &spec, &space, &info) == MJ_OK && space != NULL);
        CHECK(info.told == 1 && info.n_groups == 2 && info.group_of[1] == 1 && info.group_of[76] == 0);
        const uint32_t cells = info.n_classes * 2 * 2;
        mj_hand_class *classes = calloc(info.n_classes, sizeof *classes);
        mj_proof *proofs = calloc(info.n_verdicts[0], sizeof *proofs);
        uint32_t *numbers = calloc(cells, sizeof *numbers);
        CHECK(mj_space_classes(space, classes, info.n_classes) == MJ_OK);
        CHECK(mj_space_verdicts(space, 0, proofs, info.n_verdicts[0], numbers, cells) == MJ_OK);
        for (uint32_t i = 0; i < info.n_classes; i++) {
            const mj_hand_class *class = &classes[i];
            sums[bare] += class->count;
            CHECK((class->win_tile == MJ_NONE) <= (bare == 1));
            if (class->win_tile != MJ_NONE)
                CHECK(class->copies[class->win_tile] > 0);
            for (unsigned context = 0; context < 2; context++)
                for (unsigned group = 0; group < 2; group++) {
                    const bool there = !class->left_matters   ? group == 0
                                       : group == 1           ? class->left_low == 1
                                                              : class->left_high > 1;
                    const mj_proof *proof = &proofs[numbers[(i * 2 + context) * 2 + group]];
                    CHECK(proof->win == (there ? 1 : MJ_NONE));
                    if (there && group == 0)
                        CHECK((proof->fans & 1) == 0);
                }
        }
        free(classes);
        free(proofs);
        free(numbers);
        mj_space_free(space);
    }
    CHECK(sums[1] == sums[0] + 5237550 && sums[0] > 5 * UINT64_C(5237550));

    /* Beside rules that do not ask, and told nothing: then it is as if nobody asked. */
    spec.sides[1] = (mj_side){.program = blind, .facts = no_facts};
    spec.n_sides = 2;
    for (unsigned untold = 0; untold < 2; untold++) {
        spec.sides[0].untold = untold;
        mj_space *space = NULL;
        mj_space_info info;
        CHECK(mj_space_new(tables, states, &spec, &space, &info) == MJ_OK && info.told == !untold);
        mj_space_free(space);
    }
    mj_program_free(program);
    mj_program_free(blind);
}

static void test_nonsense(const mj_states *states)
{
    mj_program *program = program_for(27, 1), *other = program_for(34, 1);
    mj_space *space = NULL;
    mj_space_info info;
    mj_space_spec spec = spec_of(program, 0);
    CHECK(mj_space_new(NULL, states, &spec, &space, &info) == MJ_BAD_ARGUMENT);
    spec.n_sides = 3;
    CHECK(mj_space_new(tables, states, &spec, &space, &info) == MJ_BAD_ARGUMENT);
    spec.n_sides = 2;
    CHECK(mj_space_new(tables, states, &spec, &space, &info) == MJ_BAD_ARGUMENT);   /* no second side */
    spec.sides[1] = (mj_side){.program = other, .facts = no_facts};
    CHECK(mj_space_new(tables, states, &spec, &space, &info) == MJ_BAD_TILE_SET);
    spec.n_sides = 1;
    spec.legal = NULL;
    CHECK(mj_space_new(tables, states, &spec, &space, &info) == MJ_BAD_ARGUMENT);
    spec.legal = legal;
    spec.claimed = NULL;
    CHECK(mj_space_new(tables, states, &spec, &space, &info) == MJ_BAD_ARGUMENT);
    spec.claimed = claimed;
    spec.n_contexts = 0;
    CHECK(mj_space_new(tables, states, &spec, &space, &info) == MJ_BAD_ARGUMENT);
    CHECK(mj_space_classes(NULL, NULL, 0) == MJ_BAD_ARGUMENT);
    mj_space_free(NULL);
    mj_parts_free(NULL);
    mj_program_free(program);
    mj_program_free(other);
}

void test_prove(void)
{
    mj_states *states = NULL;
    CHECK(mj_states_new(tables, &states) == MJ_OK);
    test_counts_of_spaces(states);
    test_hands_one_by_one(states);
    test_prints(states);
    test_probes_and_verdicts(states);
    test_winning_tiles(states);
    test_nonsense(states);
    mj_states_free(states);
}
