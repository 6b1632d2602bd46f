/* Is this a settlement program at all?  And its translation.
 *
 * A spec is data from outside.  Whatever it says, either it is refused here or it runs without a
 * check of its own.  The code of each event stands for itself: it is gone through once for every
 * event that it is for, and its registers are given places anew.  Loads need no code, since words
 * and constants have places already.
 */
#include <stdlib.h>
#include <string.h>

#include "settle.h"

typedef struct translator {
    const mj_flow_spec *spec;
    mj_flows *flows;
    uint32_t *where;
    /* translated so far */
    uint32_t n_code;
    uint32_t n_lines;
    /* registers of the present event */
    uint16_t n_sets;
    uint16_t n_rows;
    uint8_t types[MJ_MAX_REGISTERS];
    uint16_t places[MJ_MAX_REGISTERS];
} translator;

/* ---- sizes ---------------------------------------------------------------------- */

static const mj_firing *firing_of(const mj_flow_spec *spec, unsigned kind)
{
    return kind == MJ_IS_OVER       ? &spec->over
           : kind == MJ_NEXT_DEALER ? &spec->next_dealer
                                    : &spec->firings[kind];
}

static inline bool is_range(uint32_t first, uint32_t n, uint32_t size)
{
    return first <= size && n <= size - first;
}

static mj_status check_sizes(const mj_flow_spec *spec)
{
    const struct {
        const void *array;
        uint32_t n, most;
    } arrays[] = {
        {spec->constants, spec->n_constants, MJ_MAX_SEAT_NUMBERS},
        {spec->code, spec->n_code, MJ_MAX_CODE},
        {spec->lines, spec->n_lines, MJ_MAX_LINES},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].n > arrays[i].most)
            return MJ_BAD_LIMITS;
        if (arrays[i].array == NULL && arrays[i].n > 0)
            return MJ_BAD_ARGUMENT;
    }
    return spec->n_registers > MJ_MAX_REGISTERS ? MJ_BAD_LIMITS : MJ_OK;
}

/* Sums up what the events need; several may share code and lines. */
static mj_status check_firings(const mj_flow_spec *spec, uint32_t *where, uint32_t *n_code, uint32_t *n_lines)
{
    for (unsigned kind = 0; kind < MJ_FIRINGS; kind++) {
        const mj_firing *firing = firing_of(spec, kind);
        *where = kind;
        if (!is_range(firing->code, firing->n_code, spec->n_code)
            || !is_range(firing->lines, firing->n_lines, spec->n_lines))
            return MJ_BAD_LIMITS;
        if (kind >= MJ_EVENT_KINDS && firing->n_lines > 0)
            return MJ_BAD_LINE;
        uint64_t code = firing->n_code;
        for (uint32_t i = 0; i < firing->n_lines; i++)
            code += spec->lines[firing->lines + i].n_pair_code;
        if (code > MJ_MAX_CODE)
            return MJ_BAD_LIMITS;
        *n_code += (uint32_t)code;
        *n_lines += firing->n_lines;
    }
    return MJ_OK;
}

static mj_status check_constants(const mj_flow_spec *spec, uint32_t *where)
{
    for (uint32_t i = 0; i < spec->n_constants; i++) {
        *where = i;
        if (spec->constants[i] < -MJ_LIMIT || spec->constants[i] > MJ_LIMIT)
            return MJ_BAD_LIMITS;
    }
    return MJ_OK;
}

/* ---- code -------------------------------------------------------------------------- */

static mj_status check_read(const translator *t, unsigned reg, mj_type wanted)
{
    if (reg >= t->spec->n_registers || t->types[reg] == MJ_UNWRITTEN)
        return MJ_BAD_REGISTER;
    return t->types[reg] == wanted ? MJ_OK : MJ_BAD_TYPE;
}

static mj_status define(translator *t, unsigned reg, mj_type type, unsigned place)
{
    if (reg >= t->spec->n_registers || t->types[reg] != MJ_UNWRITTEN)
        return MJ_BAD_REGISTER;
    t->types[reg] = (uint8_t)type;
    t->places[reg] = (uint16_t)place;
    return MJ_OK;
}

static mj_status load_word(translator *t, const mj_op *op)
{
    if (op->a >= MJ_SEAT_WORDS)
        return MJ_BAD_FEATURE;
    if (op->a < MJ_W_KONG_KIND)
        return define(t, op->dst, MJ_TRUTH, op->a);
    if (op->a >= MJ_W_STANCE)
        t->flows->stances |= (uint8_t)(1u << (op->a - MJ_W_STANCE));
    return define(t, op->dst, MJ_NUMBER, op->a - MJ_W_KONG_KIND);
}

static mj_status load_constant(translator *t, const mj_op *op)
{
    if (op->a >= t->spec->n_constants)
        return MJ_BAD_FEATURE;
    return define(t, op->dst, MJ_NUMBER, MJ_ROW_CONSTANTS + op->a);
}

static bool is_truth(const translator *t, unsigned reg)
{
    return check_read(t, reg, MJ_TRUTH) == MJ_OK;
}

static mj_status translate_op(translator *t, const mj_op *op, bool of_pair)
{
    if (op->op == MJ_OP_FEATURE)
        return load_word(t, op);
    if (op->op == MJ_OP_FACT)
        return load_constant(t, op);
    mj_op to = {.op = op->op};
    mj_signature s;
    if (op->op < MJ_OPCODES) {
        s = mj_signature_of(op->op);
        if (op->op == MJ_OP_SELECT && is_truth(t, op->b)) {
            s.reads[1] = s.reads[2] = s.writes = MJ_TRUTH;
            to.op = MJ_OP_SELECT_SET;
        }
    } else if (op->op == MJ_OP_COUNT) {
        s = (mj_signature){{MJ_TRUTH}, MJ_NUMBER};
    } else if (op->op == MJ_OP_PAYER) {
        if (!of_pair)
            return MJ_BAD_STAGE;
        s = (mj_signature){{MJ_NUMBER}, MJ_NUMBER};
        if (is_truth(t, op->a)) {
            s.reads[0] = s.writes = MJ_TRUTH;
            to.op = MJ_OP_PAYER_SET;
        }
    } else {
        return MJ_BAD_OPCODE;
    }

    const uint16_t reads[3] = {op->a, op->b, op->c};
    uint16_t *const places[3] = {&to.a, &to.b, &to.c};
    for (unsigned i = 0; i < 3; i++) {
        if (s.reads[i] == MJ_UNWRITTEN)
            continue;
        const mj_status status = check_read(t, reads[i], s.reads[i]);
        if (status != MJ_OK)
            return status;
        *places[i] = t->places[reads[i]];
    }
    if (s.writes == MJ_NUMBER && t->n_rows == MJ_MAX_ROWS)
        return MJ_BAD_LIMITS;
    to.dst = s.writes == MJ_TRUTH ? t->n_sets++ : t->n_rows++;
    t->flows->code[t->n_code++] = to;
    return define(t, op->dst, s.writes, to.dst);
}

static mj_status translate_code(translator *t, uint32_t first, uint32_t n, bool of_pair)
{
    for (uint32_t i = first; i < first + n; i++) {
        *t->where = i;
        const mj_status status = translate_op(t, &t->spec->code[i], of_pair);
        if (status != MJ_OK)
            return status;
    }
    return MJ_OK;
}

/* ---- lines ------------------------------------------------------------------------------ */

static bool is_account(unsigned account)
{
    return account == MJ_NONE || account == MJ_OUTSIDE;
}

static bool is_line(const translator *t, const mj_line *line, unsigned kind)
{
    if (line->each_party > 1 || line->each_other > 1 || line->moved > 1 || line->evenly > 1)
        return false;
    if (line->verb != MJ_PAY && line->n_pair_code > 0)
        return false;
    switch (line->verb) {
    case MJ_PAY:
        return is_account(line->party_account) && is_account(line->other_account)
               && (line->party_account == MJ_NONE || line->other_account == MJ_NONE)
               && line->tag != MJ_THIS_KONG && is_range(line->pair_code, line->n_pair_code, t->spec->n_code);
    case MJ_REFUND: return line->party_account == MJ_NONE && line->tag != 0;
    case MJ_FORWARD:
        return line->party_account == MJ_NONE && is_account(line->other_account) && line->tag != 0;
    case MJ_MIRROR: return kind == MJ_E_HAND_OVER;
    default: return false;
    }
}

/* Puts the place of a register for it. */
static mj_status resolve(const translator *t, uint16_t *reg, mj_type wanted)
{
    const mj_status status = check_read(t, *reg, wanted);
    if (status == MJ_OK)
        *reg = t->places[*reg];
    return status;
}

static mj_status resolve_parties(const translator *t, mj_line *line)
{
    mj_status status = MJ_OK;
    if (line->verb != MJ_MIRROR && line->party_account == MJ_NONE)
        status = resolve(t, &line->party, MJ_TRUTH);
    if (status == MJ_OK && (line->verb == MJ_PAY || line->verb == MJ_FORWARD)
        && line->other_account == MJ_NONE)
        status = resolve(t, &line->other, MJ_TRUTH);
    return status;
}

static mj_status resolve_terms(const translator *t, mj_line *line)
{
    mj_status status = MJ_OK;
    if (line->when == MJ_NO_REGISTER)
        line->when = MJ_SET_ALWAYS;
    else
        status = resolve(t, &line->when, MJ_TRUTH);
    if (status == MJ_OK && line->verb == MJ_PAY)
        status = resolve(t, &line->amount, MJ_NUMBER);
    return status;
}

/* The parties are settled before pair code runs, so only the other terms may come from it; and
 * no other line sees what it writes. */
static mj_status translate_line(translator *t, uint32_t index, unsigned kind)
{
    const mj_line *line = &t->spec->lines[index];
    mj_line *to = &t->flows->lines[t->n_lines++];
    const uint16_t n_sets = t->n_sets, n_rows = t->n_rows;
    *t->where = index;
    if (!is_line(t, line, kind))
        return MJ_BAD_LINE;
    *to = *line;
    mj_status status = resolve_parties(t, to);
    if (status != MJ_OK)
        return status;
    to->pair_code = t->n_code;
    status = translate_code(t, line->pair_code, line->n_pair_code, true);
    if (status != MJ_OK)
        return status;
    to->n_pair_code = t->n_code - to->pair_code;
    *t->where = index;
    status = resolve_terms(t, to);
    for (uint32_t i = 0; i < line->n_pair_code; i++)
        t->types[t->spec->code[line->pair_code + i].dst] = MJ_UNWRITTEN;
    t->n_sets = n_sets;
    t->n_rows = n_rows;
    return status;
}

/* ---- events -------------------------------------------------------------------------------- */

static mj_status translate_firing(translator *t, unsigned kind)
{
    const mj_firing *firing = firing_of(t->spec, kind);
    mj_flow *flow = &t->flows->flows[kind];
    memset(t->types, MJ_UNWRITTEN, sizeof t->types);
    t->n_sets = MJ_SETS_FREE;
    t->n_rows = (uint16_t)(MJ_ROW_CONSTANTS + t->spec->n_constants);
    flow->code = t->n_code;
    mj_status status = translate_code(t, firing->code, firing->n_code, false);
    flow->n_code = t->n_code - flow->code;
    flow->first = firing->lines;
    flow->lines = t->n_lines;
    flow->n_lines = firing->n_lines;
    for (uint32_t i = 0; status == MJ_OK && i < firing->n_lines; i++)
        status = translate_line(t, firing->lines + i, kind);
    return status;
}

static mj_status translate(translator *t)
{
    mj_flows *flows = t->flows;
    for (unsigned kind = 0; kind < MJ_FIRINGS; kind++) {
        mj_status status = translate_firing(t, kind);
        if (status != MJ_OK)
            return status;
        *t->where = 0;
        if (kind == MJ_IS_OVER)
            status = resolve(t, &flows->is_over, MJ_TRUTH);
        if (kind == MJ_NEXT_DEALER && flows->names_dealer)
            status = resolve(t, &flows->next_dealer, MJ_TRUTH);
        if (status != MJ_OK)
            return status;
    }
    return MJ_OK;
}

/* ---- programs ---------------------------------------------------------------------------------- */

static mj_flows *make_room(const mj_flow_spec *spec, uint32_t n_code, uint32_t n_lines)
{
    mj_flows *flows = calloc(1, sizeof *flows);
    if (flows == NULL)
        return NULL;
    flows->code = malloc((n_code + 1) * sizeof *flows->code);
    flows->lines = malloc((n_lines + 1) * sizeof *flows->lines);
    flows->constants = malloc((spec->n_constants + 1) * sizeof *flows->constants);
    if (flows->code == NULL || flows->lines == NULL || flows->constants == NULL) {
        mj_flows_free(flows);
        return NULL;
    }
    flows->winners_stay = spec->winners_stay != 0;
    flows->first_win_ends = spec->first_win_ends != 0;
    flows->names_dealer = spec->dealer_next != MJ_NO_REGISTER;
    flows->is_over = spec->is_over;
    flows->next_dealer = spec->dealer_next;
    flows->n_constants = spec->n_constants;
    for (uint32_t i = 0; i < spec->n_constants; i++)
        for (unsigned seat = 0; seat < MJ_SEATS; seat++)
            flows->constants[i][seat] = spec->constants[i];
    return flows;
}

mj_status mj_flows_new(const mj_flow_spec *spec, mj_flows **out, uint32_t *where)
{
    if (spec == NULL || out == NULL || where == NULL)
        return MJ_BAD_ARGUMENT;
    *out = NULL;
    *where = 0;
    uint32_t n_code = 0, n_lines = 0;
    mj_status status = check_sizes(spec);
    if (status == MJ_OK)
        status = check_firings(spec, where, &n_code, &n_lines);
    if (status == MJ_OK)
        status = check_constants(spec, where);
    if (status != MJ_OK)
        return status;
    mj_flows *flows = make_room(spec, n_code, n_lines);
    if (flows == NULL)
        return MJ_NO_MEMORY;
    translator t = {.spec = spec, .flows = flows, .where = where};
    status = translate(&t);
    if (status != MJ_OK) {
        mj_flows_free(flows);
        return status;
    }
    *out = flows;
    return MJ_OK;
}

void mj_flows_free(mj_flows *flows)
{
    if (flows == NULL)
        return;
    free(flows->code);
    free(flows->lines);
    free(flows->constants);
    free(flows);
}
