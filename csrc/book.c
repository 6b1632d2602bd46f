/* A book of play verified and copied.  After that its code is run without any check. */
#include <stdlib.h>
#include <string.h>

#include "play.h"

typedef struct verifier {
    const mj_book_spec *spec;
    bool sets[MJ_MAX_PLACES];
    bool numbers[MJ_MAX_PLACES];
} verifier;

/* ---- code ------------------------------------------------------------------------- */

bool mj_writes_set(unsigned op)
{
    switch (op) {
    case MJ_Q_TRUTH: case MJ_Q_WORD: case MJ_Q_WORD_OF: case MJ_Q_THIS_IN: case MJ_Q_WIN_IN:
    case MJ_Q_FROM: case MJ_Q_KONG_KIND: case MJ_Q_SOME: case MJ_Q_ALL: case MJ_Q_EQ: case MJ_Q_NE:
    case MJ_Q_LT: case MJ_Q_LE: case MJ_Q_AND: case MJ_Q_OR: case MJ_Q_NOT: case MJ_Q_SELECT_SET: case MJ_Q_AND_NOT:
        return true;
    default:
        return false;
    }
}

static bool has(const bool *written, unsigned place)
{
    return place < MJ_MAX_PLACES && written[place];
}

static bool reads_well(const verifier *v, const mj_op *op)
{
    const mj_book_spec *spec = v->spec;
    const bool seat = op->b < MJ_SEATS;
    switch (op->op) {
    case MJ_Q_NUMBER: return op->a < spec->n_constants;
    case MJ_Q_TRUTH: return op->a <= 1;
    case MJ_Q_WORD: return seat && op->a < MJ_T_TRUTHS;
    case MJ_Q_WORD_OF: return seat && op->a < MJ_T_TRUTHS && op->c < MJ_T_TRUTHS;
    case MJ_Q_SEATS: return op->a < MJ_T_TRUTHS;
    case MJ_Q_VALUE: return seat && op->a >= MJ_T_TRUTHS && op->a < MJ_TABLE_WORDS;
    case MJ_Q_VALUE_OF:
        return seat && op->a >= MJ_T_TRUTHS && op->a < MJ_TABLE_WORDS && op->c < MJ_T_TRUTHS;
    case MJ_Q_STANCE: return seat && op->a < spec->n_stances;
    case MJ_Q_STANCE_OF: return seat && op->a < spec->n_stances && op->c < MJ_T_TRUTHS;
    case MJ_Q_THIS_IN: case MJ_Q_WIN_IN: case MJ_Q_SOME: case MJ_Q_ALL: case MJ_Q_TILES: case MJ_Q_KINDS:
        return op->a < spec->n_classes;
    case MJ_Q_FROM: case MJ_Q_SUITS: return op->a < 8;
    case MJ_Q_KONG_KIND: return op->a < 16;
    case MJ_Q_COPIES: return op->a <= 1 && op->b < 6 && has(v->numbers, op->c);
    case MJ_Q_ADD: case MJ_Q_SUB: case MJ_Q_MUL: case MJ_Q_POW: case MJ_Q_MIN: case MJ_Q_MAX:
    case MJ_Q_EQ: case MJ_Q_NE: case MJ_Q_LT: case MJ_Q_LE:
        return has(v->numbers, op->a) && has(v->numbers, op->b);
    case MJ_Q_AND: case MJ_Q_OR: return has(v->sets, op->a) && has(v->sets, op->b);
    case MJ_Q_NOT: case MJ_Q_ONE: return has(v->sets, op->a);
    case MJ_Q_SELECT: return has(v->sets, op->a) && has(v->numbers, op->b) && has(v->numbers, op->c);
    case MJ_Q_SELECT_SET: return has(v->sets, op->a) && has(v->sets, op->b) && has(v->sets, op->c);
    default: return false;
    }
}

static mj_status verify_question(const mj_book_spec *spec, const mj_question *question, const uint16_t *numbers,
                                 unsigned n_numbers, uint32_t *where)
{
    if (question->code > spec->n_code || question->n_code > spec->n_code - question->code)
        return MJ_BAD_LIMITS;
    verifier v = {.spec = spec};
    for (uint32_t i = 0; i < question->n_code; i++) {
        const mj_op *op = &spec->code[question->code + i];
        *where = question->code + i;
        if (op->op >= MJ_ASKS)
            return MJ_BAD_OPCODE;
        bool *written = mj_writes_set(op->op) ? v.sets : v.numbers;
        if (op->dst >= MJ_MAX_PLACES || written[op->dst] || !reads_well(&v, op))
            return MJ_BAD_REGISTER;
        written[op->dst] = true;
    }
    if (question->set != MJ_NO_REGISTER && !has(v.sets, question->set))
        return MJ_BAD_REGISTER;
    for (unsigned i = 0; i < n_numbers; i++)
        if (!has(v.numbers, numbers[i]))
            return MJ_BAD_REGISTER;
    return MJ_OK;
}

/* ---- the rest ------------------------------------------------------------------------ */

static bool good_sizes(const mj_book_spec *spec, const mj_program *program)
{
    unsigned tiles = 0;
    for (unsigned kind = 0; kind < MJ_KINDS; kind++)
        tiles += program->copies[kind];
    if (spec->players < 2 || spec->players > MJ_SEATS || spec->swap > 2 || spec->horses > MJ_MAX_HORSES)
        return false;
    if ((unsigned)spec->players * program->hand_size + 1 + spec->horses > tiles || tiles > MJ_MAX_WALL)
        return false;
    if (spec->n_steps > MJ_MAX_STEPS || spec->n_stances > MJ_MAX_STANCES || spec->n_facts > MJ_MAX_FACTS
        || spec->n_static_facts > MJ_MAX_FACTS || spec->n_classes > MJ_MAX_TILE_CLASSES)
        return false;
    if (spec->n_directions < 1 || spec->n_directions > 3 || spec->n_constants > MJ_MAX_REGISTERS
        || spec->n_code > MJ_MAX_CODE)
        return false;
    for (unsigned i = 0; i < spec->n_directions; i++)
        if (spec->directions[i] < 1 || spec->directions[i] > 3)
            return false;
    for (unsigned i = 0; i < spec->n_steps; i++) {
        if (spec->steps[i] >= 2 + spec->n_stances)
            return false;
        if (spec->steps[i] >= 2) {
            const unsigned n = spec->n_values[spec->steps[i] - 2];
            if (n < 1 || n > MJ_MAX_VALUES)
                return false;
        }
    }
    return true;
}

static bool good_arrays(const mj_book_spec *spec)
{
    return (spec->classes != NULL || spec->n_classes == 0) && (spec->constants != NULL || spec->n_constants == 0)
        && (spec->code != NULL || spec->n_code == 0);
}

static mj_status verify(const mj_book_spec *spec, const mj_program *program, uint32_t *where)
{
    if (!good_arrays(spec))
        return MJ_BAD_ARGUMENT;
    if (!good_sizes(spec, program))
        return MJ_BAD_LIMITS;
    for (uint32_t i = 0; i < spec->n_classes; i++)
        if (spec->classes[i].kinds & ~MJ_ALL_KINDS)
            return MJ_BAD_FEATURE;
    for (uint32_t i = 0; i < spec->n_constants; i++)
        if (spec->constants[i] != mj_hold(spec->constants[i]))
            return MJ_BAD_AMOUNT;
    mj_status status = MJ_OK;
    for (unsigned act = 0; status == MJ_OK && act < MJ_ACTS; act++) {
        status = verify_question(spec, &spec->may[act], NULL, 0, where);
        if (status == MJ_OK)
            status = verify_question(spec, &spec->must[act], NULL, 0, where);
    }
    if (status == MJ_OK)
        status = verify_question(spec, &spec->scoring, spec->facts, spec->n_facts, where);
    if (status == MJ_OK)
        status = verify_question(spec, &spec->static_scoring, spec->static_facts, spec->n_static_facts, where);
    if (status == MJ_OK)
        status = verify_question(spec, &spec->hand_over, NULL, 0, where);
    if (status == MJ_OK)
        status = verify_question(spec, &spec->pig, NULL, 0, where);
    return status;
}

/* A shape's melds and pair, of which some may be declared. */
static void note_wants(mj_book *book, unsigned melds, unsigned pair)
{
    for (unsigned declared = 0; declared <= melds; declared++) {
        const unsigned wants = melds - declared + (pair ? MJ_MAX_MELDS + 1u : 0);
        uint8_t *known = book->wants[declared], *n = &book->n_wants[declared];
        if (memchr(known, (int)wants, *n) == NULL)
            known[(*n)++] = (uint8_t)wants;
    }
}

static void note_shapes(mj_book *book)
{
    const mj_program *program = book->program;
    book->plain = true;
    for (unsigned i = 0; i < program->n_shapes; i++) {
        const mj_shape *shape = &program->shapes[i];
        const unsigned melds = shape->n_melds + shape->n_runs + shape->n_triplets;
        const bool only_melds = !mj_is_special(shape) && shape->n_runs + shape->n_triplets == 0;
        const bool only_twins = shape->n_twins && shape->n_melds + shape->n_runs + shape->n_triplets == 0
            && shape->n_pairs + shape->n_each + shape->n_singles == 0;
        if (shape->when != MJ_NO_REGISTER || !(only_melds || only_twins))
            book->plain = false;
        if (shape->n_each)
            book->each[book->n_each++] = shape->each_of[0];
        else if (only_twins)
            book->twins[book->n_twins++] = shape->n_twins;
        else if (shape->n_twins)
            note_wants(book, 0, 0);
        else
            note_wants(book, melds < MJ_MAX_MELDS ? melds : MJ_MAX_MELDS, shape->n_pairs);
    }
}

static void note_classes(mj_book *book, const mj_book_spec *spec)
{
    for (uint32_t i = 0; i < spec->n_classes; i++)
        for (unsigned suit = 0; suit < MJ_VOIDS; suit++) {
            const mj_class *class = &spec->classes[i];
            const uint64_t voids = class->with_void && suit < MJ_HONOURS ? book->void_kinds[suit] : 0;
            book->class_kinds[i][suit] = class->kinds | voids | (class->with_drawn ? mj_bit(MJ_WITH_DRAWN) : 0);
        }
}

static bool asks_changing(const mj_book_spec *spec, const mj_question *question)
{
    for (uint32_t i = 0; i < question->n_code; i++) {
        const mj_op *op = &spec->code[question->code + i];
        const bool asks = op->op == MJ_Q_WORD || op->op == MJ_Q_WORD_OF || op->op == MJ_Q_SEATS;
        if (asks && op->a == MJ_T_CHANGES_WAITS)
            return true;
    }
    return false;
}

static void *copied(const void *from, size_t size)
{
    void *to = malloc(size ? size : 1);
    if (to != NULL && size)
        memcpy(to, from, size);
    return to;
}

mj_status mj_book_new(const mj_book_spec *spec, const mj_tables *tables, const mj_distances *distances,
                      const mj_program *program, const mj_program *static_program, const mj_flows *flows,
                      mj_book **out, uint32_t *where)
{
    if (spec == NULL || tables == NULL || distances == NULL || program == NULL || static_program == NULL
        || flows == NULL || out == NULL || where == NULL)
        return MJ_BAD_ARGUMENT;
    *out = NULL;
    *where = 0;
    const mj_status status = verify(spec, program, where);
    if (status != MJ_OK)
        return status;
    mj_book *book = calloc(1, sizeof *book);
    if (book == NULL)
        return MJ_NO_MEMORY;
    book->spec = *spec;
    book->tables = tables;
    book->distances = distances;
    book->program = program;
    book->static_program = static_program;
    book->flows = flows;
    book->class_kinds = malloc((spec->n_classes + 1u) * sizeof *book->class_kinds);
    book->constants = copied(spec->constants, spec->n_constants * sizeof *spec->constants);
    book->code = copied(spec->code, spec->n_code * sizeof *spec->code);
    for (unsigned kind = 0; kind < MJ_KINDS; kind++) {
        book->all_kinds |= program->copies[kind] ? mj_bit(kind) : 0;
        for (unsigned i = 0; i < program->copies[kind]; i++)
            book->tiles[book->n_tiles++] = (uint8_t)kind;
        if (kind < MJ_NUMBER_KINDS)
            book->void_kinds[kind / MJ_RANKS] |= mj_bit(kind);
    }
    note_shapes(book);
    bool shortened = book->class_kinds != NULL;
    if (shortened)
        note_classes(book, spec);
    for (unsigned act = 0; act < MJ_ACTS && shortened; act++)
        shortened = mj_shorten(spec, &spec->may[act], &book->may[act])
            && mj_shorten(spec, &spec->must[act], &book->must[act]);
    for (unsigned act = 0; act < MJ_ACTS; act++)
        book->asks_changing[act] = asks_changing(spec, &spec->may[act]) || asks_changing(spec, &spec->must[act]);
    if (!shortened || book->constants == NULL || book->code == NULL) {
        mj_book_free(book);
        return MJ_NO_MEMORY;
    }
    *out = book;
    return MJ_OK;
}

void mj_book_free(mj_book *book)
{
    if (book == NULL)
        return;
    free(book->class_kinds);
    for (unsigned act = 0; act < MJ_ACTS; act++) {
        mj_forget_rule(&book->may[act]);
        mj_forget_rule(&book->must[act]);
    }
    free(book->constants);
    free(book->code);
    free(book);
}
