/* See book.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"

unsigned passed, failed;
const mj_tables *tables;

uint32_t random_below(uint32_t n)
{
    static uint64_t seed = 20240607;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 32) % n);
}

/* ---- hands as text ------------------------------------------------------------- */

const char suit_letters[] = "mpsz";

unsigned kind_of(char rank, char suit)
{
    return (unsigned)(strchr(suit_letters, suit) - suit_letters) * 9 + (unsigned)(rank - '1');
}

mj_hand hand_of(const char *tiles, const char *win)
{
    mj_hand hand = {.win_tile = MJ_NONE, .void_suit = MJ_NONE};
    for (const char *start = tiles; *start != '\0';) {
        const char *suit = start + strspn(start, "123456789");
        for (; start < suit; start++)
            hand.concealed[kind_of(*start, *suit)] += 1;
        start++;
    }
    if (*win != '\0')
        hand.win_tile = (uint8_t)kind_of(win[0], win[1]);
    return hand;
}

void add_meld(mj_hand *hand, mj_group_type type, const char *tile)
{
    hand->melds[hand->n_melds++] = (mj_group){(uint8_t)type, (uint8_t)kind_of(tile[0], tile[1])};
}

uint64_t kinds_of(const char *tiles)
{
    const mj_hand hand = hand_of(tiles, "");
    uint64_t kinds = 0;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++)
        kinds |= hand.concealed[kind] > 0 ? UINT64_C(1) << kind : 0;
    return kinds;
}

/* ---- specs by hand --------------------------------------------------------------- */

uint16_t number(unsigned n)
{
    return (uint16_t)(MJ_R_CONSTANTS + n);
}

uint16_t op(book *b, unsigned stage, mj_opcode code, unsigned x, unsigned y, unsigned z)
{
    uint32_t *sizes[] = {&b->spec.n_shape_code, &b->spec.n_fan_code, &b->spec.n_late_code,
                         &b->spec.n_final_code};
    const uint16_t dst = (uint16_t)b->spec.n_registers++;
    b->code[stage][(*sizes[stage])++] =
        (mj_op){(uint16_t)code, dst, (uint16_t)x, (uint16_t)y, (uint16_t)z};
    return dst;
}

uint16_t feature(book *b, unsigned stage, mj_feature f)
{
    b->features[b->spec.n_features++] = f;
    return op(b, stage, MJ_OP_FEATURE, b->spec.n_features - 1, 0, 0);
}

uint16_t once(book *b, unsigned stage, uint16_t truth)
{
    return op(b, stage, MJ_OP_SELECT, truth, number(1), number(0));
}

unsigned fan(book *b, uint16_t count, unsigned value, mj_unit unit, bool late)
{
    b->fans[b->spec.n_fans] = (mj_fan){count, number(value), (uint8_t)unit, late, 0};
    return b->spec.n_fans++;
}

void absorb(book *b, unsigned absorber, unsigned absorbed, unsigned count)
{
    b->absorptions[b->spec.n_absorptions++] =
        (mj_absorption){(uint8_t)absorber, (uint8_t)absorbed, (uint16_t)count};
}

void pick(book *b, uint64_t fans)
{
    b->picks[b->spec.n_picks++].fans = fans;
}

mj_shape plain_shape(void)
{
    return (mj_shape){.n_melds = 4, .n_pairs = 1, .when = MJ_NO_REGISTER};
}

const uint64_t orphans =
    UINT64_C(0x3f8000000) | 1 << 0 | 1 << 8 | 1 << 9 | 1 << 17 | 1 << 18 | 1 << 26;

void start(book *b)
{
    memset(b, 0, sizeof *b);
    memset(b->spec.copies, 4, sizeof b->spec.copies);
    b->spec.hand_size = 13;
    b->shapes[0] = plain_shape();
    b->shapes[1] = (mj_shape){.n_twins = 7, .when = MJ_NO_REGISTER};
    b->shapes[2] = (mj_shape){.n_each = 1, .each_of = {orphans}, .n_singles = 1, .singles = {1},
                              .single_of = {orphans}, .when = MJ_NO_REGISTER};
    b->spec.n_shapes = 3;
    for (unsigned i = 0; i < CONSTANTS; i++)
        b->constants[i] = i;
    b->spec.n_constants = CONSTANTS;
    b->spec.n_registers = MJ_R_CONSTANTS + CONSTANTS;
    b->spec.money = MJ_NO_REGISTER;
    b->spec.may_win = b->spec.may_wait = MJ_R_TRUE;
}

mj_status make(book *b, mj_program **program, uint32_t *where)
{
    if (b->spec.money == MJ_NO_REGISTER)
        b->spec.money = op(b, FINAL, MJ_OP_ADD, MJ_R_FAN, MJ_R_POINT, 0);
    b->spec.shapes = b->shapes;
    b->spec.features = b->features;
    b->spec.alternatives = b->alternatives;
    b->spec.constants = b->constants;
    b->spec.shape_code = b->code[SHAPE];
    b->spec.fan_code = b->code[FAN];
    b->spec.late_code = b->code[LATE];
    b->spec.final_code = b->code[FINAL];
    b->spec.fans = b->fans;
    b->spec.absorptions = b->absorptions;
    b->spec.picks = b->picks;
    return mj_program_new(&b->spec, program, where);
}

mj_program *program_of(book *b)
{
    mj_program *program = NULL;
    uint32_t where = 0;
    const mj_status status = make(b, &program, &where);
    if (status != MJ_OK) {
        printf("a good spec was refused: %s at %u\n", mj_status_name(status), where);
        exit(1);
    }
    return program;
}

mj_program *plain_program(void)
{
    book b;
    start(&b);
    return program_of(&b);
}

mj_result score(const mj_program *program, const mj_hand *hand)
{
    mj_result result;
    CHECK(mj_score(tables, program, hand, &result) == MJ_OK);
    return result;
}
