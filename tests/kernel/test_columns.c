/* Hands judged in columns are worth what each of them is by itself, whatever the program. */
#define _POSIX_C_SOURCE 200112L
#include <stdlib.h>

#include "book.h"

enum { ROWS = 300, FACTS = 384 * 32 };

/* ---- random programs ----------------------------------------------------------------- */

/* Registers that may be read at the stage at hand. */
typedef struct pool {
    book *b;
    uint16_t numbers[200], truths[200];
    unsigned n_numbers, n_truths;
} pool;

static uint16_t any_number(const pool *p)
{
    return p->numbers[random_below(p->n_numbers)];
}

static uint16_t any_truth(const pool *p)
{
    return p->truths[random_below(p->n_truths)];
}

static void put_feature(pool *p, unsigned stage)
{
    const unsigned kind = random_below(20) < 17 ? random_below(MJ_FEATURE_KINDS) : MJ_F_PATTERN;
    const bool of_waits = kind == MJ_F_WAITS || kind == MJ_F_WAITS_LEFT;
    const uint64_t all = (UINT64_C(1) << MJ_KINDS) - 1;
    if (p->b->spec.n_features == 32 || (of_waits && (stage == SHAPE || random_below(4) > 0)))
        return;
    const uint64_t tiles = ((uint64_t)random_below(1u << 31) << 20 ^ random_below(1u << 31)) & all;
    const uint16_t reg = feature(p->b, stage, (mj_feature){
        .kind = (uint8_t)kind, .tiles = random_below(3) ? tiles : all,
        .domain = (uint16_t)(random_below(2) ? 0x7ff : random_below(0x800)),
        .types = (uint16_t)random_below(kind == MJ_F_SUITS ? 16 : 0x800),
        .low = (uint8_t)(kind == MJ_F_GROUPS ? random_below(2) : kind == MJ_F_PATTERN ? random_below(3) : random_below(5)),
        .high = (uint8_t)(random_below(4) ? random_below(6) : 255)});
    if (kind == MJ_F_WIN_TILE_IN || kind == MJ_F_WIN_TILE_VOID || kind == MJ_F_PATTERN)
        p->truths[p->n_truths++] = reg;
    else
        p->numbers[p->n_numbers++] = reg;
}

static void put_op(pool *p, unsigned stage)
{
    const mj_opcode code = (mj_opcode)random_below(MJ_OPCODES);
    book *b = p->b;
    if (code == MJ_OP_FEATURE)
        put_feature(p, stage);
    else if (code == MJ_OP_FACT)
        p->numbers[p->n_numbers++] = op(b, stage, code, random_below(6), 0, 0);
    else if (code <= MJ_OP_MAX)
        p->numbers[p->n_numbers++] = op(b, stage, code, any_number(p), any_number(p), 0);
    else if (code <= MJ_OP_LE)
        p->truths[p->n_truths++] = op(b, stage, code, any_number(p), any_number(p), 0);
    else if (code <= MJ_OP_NOT)
        p->truths[p->n_truths++] = op(b, stage, code, any_truth(p), any_truth(p), 0);
    else if (random_below(2))
        p->truths[p->n_truths++] = op(b, stage, code, any_truth(p), any_truth(p), any_truth(p));
    else
        p->numbers[p->n_numbers++] = op(b, stage, code, any_truth(p), any_number(p), any_number(p));
}

static void put_code(pool *p, unsigned stage, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        put_op(p, stage);
}

static void put_fans(pool *p, unsigned n, bool late)
{
    for (unsigned i = 0; i < n; i++) {
        const uint16_t count = random_below(2) ? once(p->b, late ? LATE : FAN, any_truth(p)) : any_number(p);
        const unsigned f = fan(p->b, count, 0, random_below(MJ_UNITS), late);
        p->b->fans[f].value = any_number(p);
        p->b->fans[f].limit = random_below(6) == 0;
    }
}

/* The shapes that are usual, and some that have very many readings. */
static void put_shapes(pool *p)
{
    book *b = p->b;
    const uint64_t all = (UINT64_C(1) << MJ_KINDS) - 1;
    if (random_below(2))
        b->shapes[0] = (mj_shape){.n_melds = 2, .n_runs = 1, .n_triplets = 1, .n_pairs = 1, .when = MJ_NO_REGISTER};
    if (random_below(2))
        b->spec.n_shapes = 2;
    if (random_below(3) == 0)
        b->shapes[b->spec.n_shapes++] = (mj_shape){.n_melds = 3, .n_singles = 2, .singles = {2, 3},
                                                   .single_of = {all, all}, .when = MJ_NO_REGISTER};
    if (random_below(3) == 0)
        b->shapes[b->spec.n_shapes++] = (mj_shape){.n_pairs = 1, .n_twins = 6, .when = MJ_NO_REGISTER};
    for (unsigned i = 0; i < b->spec.n_shapes; i++)
        if (random_below(3) == 0)
            b->shapes[i].when = any_truth(p);
}

/* Patterns with groups that one group could be, and one for whose examples there is no room to be looked for at once. */
static void put_patterns(book *b)
{
    b->alternatives[0] = (mj_alternative){{{MJ_RUN, 0}, {MJ_RUN, 3}, {MJ_RUN, 9}}, 3, 0};
    b->alternatives[1] = (mj_alternative){{{MJ_RUN, 1}, {MJ_RUN, 1}}, 2, 0};
    b->alternatives[2] = (mj_alternative){{{MJ_TRIPLET, 4}, {MJ_DIRECT_KONG, 4}}, 2, 1};
    b->alternatives[3] = (mj_alternative){{{MJ_TRIPLET, 8}, {MJ_TRIPLET, 17}}, 2, 1};
    b->alternatives[4] = (mj_alternative){{{MJ_PAIR, 2}, {MJ_PAIR, 2}}, 2, 2};
    b->alternatives[5] = (mj_alternative){{{MJ_PAIR, 30}, {MJ_TRIPLET, 3}}, 2, 2};
    b->spec.n_alternatives = 6;
}

static mj_program *random_program(void)
{
    static book b;
    pool p = {.b = &b, .truths = {MJ_R_FALSE, MJ_R_TRUE}, .n_truths = 2};
    start(&b);
    b.constants[20] = mj_limit();
    b.constants[21] = -7;
    b.constants[22] = 40000;
    b.constants[23] = 10001;
    for (unsigned i = 0; i < CONSTANTS; i++)
        p.numbers[p.n_numbers++] = number(i);
    put_patterns(&b);
    put_code(&p, SHAPE, random_below(8));
    put_shapes(&p);
    put_code(&p, FAN, 10 + random_below(50));
    put_fans(&p, 1 + random_below(8), false);
    p.truths[p.n_truths++] = MJ_R_NO_OTHER;
    put_code(&p, LATE, random_below(6));
    if (random_below(2))
        put_fans(&p, 1 + random_below(3), true);
    for (unsigned i = 0; i + 1 < b.spec.n_fans && i < 4; i++)
        if (random_below(2) && !b.fans[i].late)
            absorb(&b, i, i + 1, random_below(3));
    for (unsigned i = random_below(3); i > 0; i--)
        pick(&b, 1 + random_below((1u << b.spec.n_fans) - 1));
    for (unsigned reg = MJ_R_FAN; reg <= MJ_R_BASE; reg++)
        p.numbers[p.n_numbers++] = (uint16_t)reg;
    put_code(&p, FINAL, random_below(12));
    if (random_below(2))
        b.spec.money = any_number(&p);
    b.spec.may_win = random_below(3) ? MJ_R_TRUE : any_truth(&p);
    b.spec.may_wait = random_below(2) ? MJ_R_TRUE : any_truth(&p);
    if (random_below(4) == 0)
        memset(b.spec.copies, 3, 9);
    return program_of(&b);
}

/* ---- random rows ------------------------------------------------------------------------ */

typedef struct rows {
    mj_batch batch;
    uint64_t words[2 * ROWS];
    uint8_t rows[ROWS * MJ_KINDS], seen[ROWS * MJ_KINDS];
    uint32_t melds[ROWS];
    uint8_t win[ROWS], voids[ROWS], by[ROWS], flags[ROWS];
    int32_t facts[FACTS];
} rows;

/* A complete hand, mostly; less one tile where it is to wait. */
static void put_hand(rows *r, unsigned i, unsigned kinds, bool waiting, bool melds)
{
    uint8_t *copies = r->rows + i * kinds;
    memset(copies, 0, kinds);
    r->melds[i] = 0;
    if (random_below(4) == 0) {
        for (unsigned n = 0; n < 7; n++)
            copies[random_below(kinds)] += 2;
    } else {
        for (unsigned n = 0; n < 4; n++) {
            const unsigned kind = random_below(kinds);
            const bool run = kind < 27 && kind % 9 < 7 && random_below(2);
            if (melds && random_below(4) == 0) {
                r->melds[i] = r->melds[i] << 8 | (1 + (run ? 0 : 1 + random_below(4)) * 34 + kind);
                continue;
            }
            for (unsigned k = 0; k < 3; k++)
                copies[run ? kind + k : kind] += 1;
        }
        copies[random_below(kinds)] += 2;
    }
    unsigned held = random_below(kinds);
    while (copies[held] == 0)
        held = (held + 1) % kinds;
    r->win[i] = (uint8_t)(random_below(4) ? held : MJ_NONE);
    copies[held] = (uint8_t)(copies[held] - waiting);
}

/* Rows of copies as words, also such as are none. */
static void pack_rows(rows *r, unsigned kinds)
{
    static const unsigned first[] = {0, 9, 18, 27, 34};
    for (unsigned i = 0; i < ROWS; i++) {
        for (unsigned suit = 0; suit < (kinds > 27 ? 4u : 3u); suit++) {
            uint64_t index = 0;
            for (unsigned kind = first[suit]; kind < first[suit + 1]; kind++)
                index = index * 5 + r->rows[i * kinds + kind];
            uint64_t *word = &r->words[kinds > 27 ? 2 * i + suit / 3 : i];
            *word = (suit % 3 == 0 ? 0 : *word) | index << 21 * (suit % 3);
        }
    }
}

static void spoil(rows *r, unsigned kinds)
{
    for (unsigned n = random_below(4); n > 0; n--) {
        const unsigned i = random_below(ROWS);
        switch (random_below(8)) {
        case 0: r->words[i] ^= UINT64_C(1) << random_below(32) << random_below(32); break;
        case 1: r->rows[i * kinds + random_below(kinds)] = (uint8_t)random_below(256); break;
        case 2: r->melds[i] = random_below(1u << 31); break;
        case 3: r->win[i] = (uint8_t)random_below(256); break;
        case 4: r->voids[i] = (uint8_t)random_below(256); break;
        case 5: r->by[i] = (uint8_t)random_below(256); break;
        case 6: r->flags[i] = (uint8_t)random_below(256); break;
        default: r->seen[i * kinds + random_below(kinds)] = (uint8_t)random_below(256);
        }
    }
}

static void put_rows(rows *r, bool waiting, bool spoilt)
{
    const unsigned kinds = random_below(2) ? 27 : 34;
    const bool melds = random_below(2);
    for (unsigned i = 0; i < ROWS; i++) {
        put_hand(r, i, kinds, waiting, melds);
        r->voids[i] = (uint8_t)(random_below(2) ? random_below(3) : MJ_NONE);
        r->by[i] = (uint8_t)random_below(3);
        r->flags[i] = (uint8_t)random_below(128);
    }
    for (unsigned i = 0; i < ROWS * kinds; i++)
        r->seen[i] = (uint8_t)random_below(5);
    for (unsigned i = 0; i < FACTS; i++)
        r->facts[i] = (int32_t)(i % 32 == 5 ? random_below(UINT32_MAX) : random_below(3));
    pack_rows(r, kinds);
    if (spoilt)
        spoil(r, kinds);
    r->batch = (mj_batch){
        .n = ROWS, .kinds = kinds, .unit = random_below(MJ_UNITS), .facts = r->facts,
        .all_win = MJ_NONE, .all_voids = MJ_NONE, .all_by = (uint8_t)random_below(3),
        .all_flags = (uint8_t)random_below(128),
        .words = random_below(2) ? r->words : NULL, .rows = r->rows, .melds = melds ? r->melds : NULL,
        .win = random_below(3) ? r->win : NULL, .voids = random_below(2) ? r->voids : NULL,
        .by = random_below(2) ? r->by : NULL, .flags = random_below(2) ? r->flags : NULL,
        .seen = random_below(2) ? r->seen : NULL,
    };
}

/* ---- all together, and each by itself ------------------------------------------------------- */

typedef struct scored {
    uint8_t win[ROWS];
    int32_t totals[ROWS];
    int64_t points[ROWS];
    uint64_t fans[ROWS];
} scored;

static mj_worths columns_of(scored *s)
{
    return (mj_worths){s->win, s->totals, s->points, s->fans};
}

/* A single row has no columns made for it.  Where a row is none, those before it are scored. */
static void check_scores(const mj_program *program, const rows *r)
{
    static scored together, alone;
    memset(&together, 0, sizeof together);
    memset(&alone, 0, sizeof alone);
    const mj_worths all = columns_of(&together), each = columns_of(&alone);
    uint64_t row = 0, end = 0;
    const mj_status status = mj_score_batch(tables, program, NULL, &r->batch, 0, ROWS, &all, &row);
    mj_status found = MJ_OK;
    for (uint64_t i = 0; i < ROWS && found == MJ_OK; i++, end += found == MJ_OK)
        found = mj_score_batch(tables, program, NULL, &r->batch, i, i + 1, &each, &row);
    CHECK(found == status && (status == MJ_OK || row == end));
    CHECK(memcmp(together.win, alone.win, end) == 0);
    CHECK(memcmp(together.totals, alone.totals, end * sizeof *alone.totals) == 0);
    CHECK(memcmp(together.points, alone.points, end * sizeof *alone.points) == 0);
    CHECK(memcmp(together.fans, alone.fans, end * sizeof *alone.fans) == 0);
}

static void check_values(const mj_program *program, const rows *r)
{
    static uint64_t kinds[ROWS];
    static int64_t together[ROWS * MJ_KINDS], alone[ROWS * MJ_KINDS];
    uint64_t row, end = 0;
    memset(kinds, 0, sizeof kinds);
    for (uint64_t i = 0; i < ROWS; i++)
        if (mj_waits_batch(tables, program, NULL, NULL, &r->batch, i, i + 1, kinds, &row) != MJ_OK)
            kinds[i] = 1 + random_below(1u << 27);   /* of a row that is none, whatever was said */
    const mj_status status = mj_values_batch(tables, program, NULL, &r->batch, 0, ROWS, kinds, together, &row);
    mj_status found = MJ_OK;
    for (uint64_t i = 0; i < ROWS && found == MJ_OK; i++, end += found == MJ_OK)
        found = mj_values_batch(tables, program, NULL, &r->batch, i, i + 1, kinds, alone, &row);
    CHECK(found == status && (status == MJ_OK || row == end));
    CHECK(memcmp(together, alone, end * r->batch.kinds * sizeof *alone) == 0);
}

void test_columns(void)
{
    static const char *const widths[] = {"", "avx2", "1"};
    static rows r;
    for (unsigned round = 0; round < 150; round++) {
        if (round % 3 == 0)
            unsetenv("RULESPEC_PORTABLE");
        else
            setenv("RULESPEC_PORTABLE", widths[round % 3], 1);
        mj_program *program = random_program();
        put_rows(&r, false, false);
        check_scores(program, &r);
        put_rows(&r, false, true);
        check_scores(program, &r);
        put_rows(&r, true, round % 2);
        check_values(program, &r);
        mj_program_free(program);
    }
    unsetenv("RULESPEC_PORTABLE");
}
