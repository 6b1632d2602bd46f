/* Is this spec a program at all?
 *
 * A spec is data from outside.  Whatever it says, either it is refused here or the rest of
 * the kernel can run it without a check of its own.
 */
#include "kernel.h"

enum {
    MAX_ALTERNATIVES = 1 << 16,
    MAX_ABSORPTIONS = MJ_MAX_FANS * MJ_MAX_FANS
};

/* What is known of the registers as the code is gone through. */
typedef struct checker {
    const mj_spec *spec;
    mj_usage *usage;
    uint32_t *where;
    uint8_t types[MJ_MAX_REGISTERS];
    uint8_t stages[MJ_MAX_REGISTERS];   /* from which on a register may be read */
} checker;

/* ---- sizes ------------------------------------------------------------------- */

static mj_status check_sizes(const mj_spec *spec)
{
    const struct {
        const void *array;
        uint32_t n, most;
    } arrays[] = {
        {spec->shapes, spec->n_shapes, MJ_MAX_SHAPES},
        {spec->features, spec->n_features, MJ_MAX_FEATURES},
        {spec->alternatives, spec->n_alternatives, MAX_ALTERNATIVES},
        {spec->constants, spec->n_constants, MJ_MAX_REGISTERS},
        {spec->shape_code, spec->n_shape_code, MJ_MAX_CODE},
        {spec->fan_code, spec->n_fan_code, MJ_MAX_CODE},
        {spec->late_code, spec->n_late_code, MJ_MAX_CODE},
        {spec->final_code, spec->n_final_code, MJ_MAX_CODE},
        {spec->fans, spec->n_fans, MJ_MAX_FANS},
        {spec->absorptions, spec->n_absorptions, MAX_ABSORPTIONS},
        {spec->picks, spec->n_picks, MJ_MAX_FANS},
        {spec->probes, spec->n_probes, MJ_MAX_PROBES},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].n > arrays[i].most)
            return MJ_BAD_LIMITS;
        if (arrays[i].array == NULL && arrays[i].n > 0)
            return MJ_BAD_ARGUMENT;
    }
    const uint32_t code = spec->n_shape_code + spec->n_fan_code + spec->n_late_code + spec->n_final_code;
    if (code > MJ_MAX_CODE || spec->n_registers > MJ_MAX_REGISTERS
        || spec->n_registers < MJ_R_CONSTANTS + spec->n_constants)
        return MJ_BAD_LIMITS;
    return MJ_OK;
}

static mj_status check_tile_set(checker *c)
{
    const mj_spec *spec = c->spec;
    for (uint32_t kind = 0; kind < MJ_KINDS; kind++) {
        *c->where = kind;
        if (spec->copies[kind] > MJ_MAX_COPIES)
            return MJ_BAD_TILE_SET;
    }
    *c->where = 0;
    const unsigned n = spec->hand_size;
    return n == 4 || n == 7 || n == 10 || n == 13 ? MJ_OK : MJ_BAD_TILE_SET;
}

static mj_status check_constants(checker *c)
{
    for (uint32_t i = 0; i < c->spec->n_constants; i++) {
        *c->where = i;
        if (c->spec->constants[i] < -MJ_LIMIT || c->spec->constants[i] > MJ_LIMIT)
            return MJ_BAD_LIMITS;
    }
    return MJ_OK;
}

/* ---- shapes, features, patterns -------------------------------------------------- */

static bool is_shape(const mj_shape *shape, unsigned hand_size)
{
    if (shape->n_pairs > 1 || shape->n_each > MJ_MAX_PARTS || shape->n_singles > MJ_MAX_PARTS)
        return false;
    unsigned tiles = 3u * shape->n_melds + 3u * shape->n_runs + 3u * shape->n_triplets
                     + 2u * shape->n_pairs + 2u * shape->n_twins;
    for (unsigned i = 0; i < shape->n_each; i++) {
        if (shape->each_of[i] == 0 || shape->each_of[i] & ~MJ_ALL_KINDS)
            return false;
        tiles += mj_size(shape->each_of[i]);
    }
    for (unsigned i = 0; i < shape->n_singles; i++) {
        if (shape->singles[i] == 0 || shape->single_of[i] == 0 || shape->single_of[i] & ~MJ_ALL_KINDS)
            return false;
        tiles += shape->singles[i];
    }
    return tiles == hand_size + 1;
}

static mj_status check_shapes(checker *c)
{
    for (uint32_t i = 0; i < c->spec->n_shapes; i++) {
        *c->where = i;
        if (!is_shape(&c->spec->shapes[i], c->spec->hand_size))
            return MJ_BAD_SHAPE;
    }
    return MJ_OK;
}

static bool is_example(const mj_alternative *a)
{
    if (a->n_groups == 0 || a->n_groups > MJ_MAX_MELDS + 1 || a->pattern >= MJ_MAX_PATTERNS)
        return false;
    for (unsigned i = 0; i < a->n_groups; i++) {
        const mj_group group = a->groups[i];
        const bool shows_run = group.type == MJ_RUN;
        if (!shows_run && group.type != MJ_TRIPLET && group.type != MJ_DIRECT_KONG && group.type != MJ_PAIR)
            return false;
        if (group.tile >= MJ_KINDS || (shows_run && !mj_starts_run(group.tile)))
            return false;
    }
    return true;
}

static mj_status check_alternatives(checker *c)
{
    unsigned last = 0;
    for (uint32_t i = 0; i < c->spec->n_alternatives; i++) {
        const mj_alternative *a = &c->spec->alternatives[i];
        *c->where = i;
        if (!is_example(a) || a->pattern < last)
            return MJ_BAD_PATTERN;
        last = a->pattern;
    }
    return MJ_OK;
}

static bool is_feature(const mj_feature *feature, unsigned n_patterns)
{
    if (feature->kind >= MJ_FEATURE_KINDS || feature->tiles & ~MJ_ALL_KINDS
        || feature->domain & ~MJ_ALL_TYPES || feature->types & ~MJ_ALL_TYPES)
        return false;
    switch (feature->kind) {
    case MJ_F_SUITS: return feature->types < 1 << MJ_SUITS;
    case MJ_F_GROUPS: return feature->low <= 1;
    case MJ_F_PATTERN: return feature->low < n_patterns;
    default: return true;
    }
}

static mj_status check_features(checker *c)
{
    const mj_spec *spec = c->spec;
    const unsigned n_patterns =
        spec->n_alternatives == 0 ? 0 : spec->alternatives[spec->n_alternatives - 1].pattern + 1u;
    for (uint32_t i = 0; i < spec->n_features; i++) {
        *c->where = i;
        if (!is_feature(&spec->features[i], n_patterns))
            return MJ_BAD_FEATURE;
    }
    return MJ_OK;
}

/* ---- code ---------------------------------------------------------------------------- */

/* Whether code of this stage may read the register as a value of this type. */
static mj_status check_read(const checker *c, unsigned reg, mj_type wanted, mj_stage stage)
{
    if (reg >= c->spec->n_registers || c->types[reg] == MJ_UNWRITTEN)
        return MJ_BAD_REGISTER;
    if (c->stages[reg] > stage)
        return MJ_BAD_STAGE;
    return c->types[reg] == wanted ? MJ_OK : MJ_BAD_TYPE;
}

static void set_register(checker *c, unsigned reg, mj_type written, mj_stage stage)
{
    c->types[reg] = (uint8_t)written;
    c->stages[reg] = (uint8_t)stage;
}

mj_signature mj_signature_of(mj_opcode op)
{
    static const mj_signature signatures[MJ_OPCODES] = {
        [MJ_OP_FEATURE] = {{MJ_UNWRITTEN}, MJ_NUMBER},
        [MJ_OP_FACT] = {{MJ_UNWRITTEN}, MJ_NUMBER},
        [MJ_OP_ADD] = {{MJ_NUMBER, MJ_NUMBER}, MJ_NUMBER},
        [MJ_OP_SUB] = {{MJ_NUMBER, MJ_NUMBER}, MJ_NUMBER},
        [MJ_OP_MUL] = {{MJ_NUMBER, MJ_NUMBER}, MJ_NUMBER},
        [MJ_OP_POW] = {{MJ_NUMBER, MJ_NUMBER}, MJ_NUMBER},
        [MJ_OP_MIN] = {{MJ_NUMBER, MJ_NUMBER}, MJ_NUMBER},
        [MJ_OP_MAX] = {{MJ_NUMBER, MJ_NUMBER}, MJ_NUMBER},
        [MJ_OP_EQ] = {{MJ_NUMBER, MJ_NUMBER}, MJ_TRUTH},
        [MJ_OP_NE] = {{MJ_NUMBER, MJ_NUMBER}, MJ_TRUTH},
        [MJ_OP_LT] = {{MJ_NUMBER, MJ_NUMBER}, MJ_TRUTH},
        [MJ_OP_LE] = {{MJ_NUMBER, MJ_NUMBER}, MJ_TRUTH},
        [MJ_OP_AND] = {{MJ_TRUTH, MJ_TRUTH}, MJ_TRUTH},
        [MJ_OP_OR] = {{MJ_TRUTH, MJ_TRUTH}, MJ_TRUTH},
        [MJ_OP_NOT] = {{MJ_TRUTH}, MJ_TRUTH},
        [MJ_OP_SELECT] = {{MJ_TRUTH, MJ_NUMBER, MJ_NUMBER}, MJ_NUMBER},
    };
    return signatures[op];
}

static mj_status check_op(checker *c, const mj_op *op, mj_stage stage)
{
    if (op->op >= MJ_OPCODES)
        return MJ_BAD_OPCODE;
    mj_signature s = mj_signature_of(op->op);
    const unsigned read[3] = {op->a, op->b, op->c};

    if (op->op == MJ_OP_FEATURE) {
        if (op->a >= c->spec->n_features)
            return MJ_BAD_FEATURE;
        const mj_feature_kind kind = c->spec->features[op->a].kind;
        if (stage == MJ_SHAPE_STAGE && (kind == MJ_F_WAITS || kind == MJ_F_WAITS_LEFT))
            return MJ_BAD_STAGE;
        s.writes = mj_feature_is_truth(kind) ? MJ_TRUTH : MJ_NUMBER;
        c->usage->used[op->a] = true;
        c->usage->by_shapes[op->a] |= stage == MJ_SHAPE_STAGE;
    } else if (op->op == MJ_OP_FACT) {
        if (op->a >= MJ_MAX_FACTS)
            return MJ_BAD_FEATURE;
    } else if (op->op == MJ_OP_SELECT && op->b < c->spec->n_registers && c->types[op->b] == MJ_TRUTH) {
        s.reads[1] = s.reads[2] = s.writes = MJ_TRUTH;
    }
    for (unsigned i = 0; i < 3; i++) {
        const mj_status status =
            s.reads[i] == MJ_UNWRITTEN ? MJ_OK : check_read(c, read[i], s.reads[i], stage);
        if (status != MJ_OK)
            return status;
    }
    if (op->dst >= c->spec->n_registers || c->types[op->dst] != MJ_UNWRITTEN)
        return MJ_BAD_REGISTER;
    set_register(c, op->dst, s.writes, stage);
    return MJ_OK;
}

static mj_status check_code(checker *c)
{
    const mj_spec *spec = c->spec;
    const mj_op *code[MJ_STAGES] = {spec->shape_code, spec->fan_code, spec->late_code, spec->final_code};
    const uint32_t n[MJ_STAGES] = {spec->n_shape_code, spec->n_fan_code, spec->n_late_code,
                                   spec->n_final_code};

    /* The kernel's registers and the constants are not for the code to write. */
    set_register(c, MJ_R_NO_OTHER, MJ_TRUTH, MJ_LATE_STAGE);
    for (unsigned reg = MJ_R_FAN; reg <= MJ_R_BASE; reg++)
        set_register(c, reg, MJ_NUMBER, MJ_FINAL_STAGE);
    set_register(c, MJ_R_FALSE, MJ_TRUTH, MJ_SHAPE_STAGE);
    set_register(c, MJ_R_TRUE, MJ_TRUTH, MJ_SHAPE_STAGE);
    for (uint32_t i = 0; i < spec->n_constants; i++)
        set_register(c, MJ_R_CONSTANTS + i, MJ_NUMBER, MJ_SHAPE_STAGE);

    *c->where = 0;
    for (unsigned stage = 0; stage < MJ_STAGES; stage++) {
        for (uint32_t i = 0; i < n[stage]; i++, ++*c->where) {
            const mj_status status = check_op(c, &code[stage][i], stage);
            if (status != MJ_OK)
                return status;
        }
    }
    return MJ_OK;
}

/* ---- what the code is for ------------------------------------------------------------- */

static mj_status check_conditions(checker *c)
{
    for (uint32_t i = 0; i < c->spec->n_shapes; i++) {
        *c->where = i;
        const uint16_t when = c->spec->shapes[i].when;
        const mj_status status =
            when == MJ_NO_REGISTER ? MJ_OK : check_read(c, when, MJ_TRUTH, MJ_SHAPE_STAGE);
        if (status != MJ_OK)
            return status;
    }
    return MJ_OK;
}

static mj_status check_fans(checker *c)
{
    for (uint32_t i = 0; i < c->spec->n_fans; i++) {
        const mj_fan *fan = &c->spec->fans[i];
        *c->where = i;
        if (fan->unit >= MJ_UNITS || fan->late > 1 || fan->limit > 1)
            return MJ_BAD_FAN;
        const mj_stage stage = fan->late ? MJ_LATE_STAGE : MJ_FAN_STAGE;
        mj_status status = check_read(c, fan->count, MJ_NUMBER, stage);
        if (status == MJ_OK)
            status = check_read(c, fan->value, MJ_NUMBER, stage);
        if (status != MJ_OK)
            return status;
    }
    return MJ_OK;
}

/* An entry takes away what is standing when its turn comes, so all that is taken from a fan
 * must be taken before the fan takes from others.  Late fans are judged in a second pass. */
static mj_status check_absorptions(checker *c)
{
    const mj_spec *spec = c->spec;
    uint64_t have_absorbed = 0;
    for (uint32_t i = 0; i < spec->n_absorptions; i++) {
        const mj_absorption *entry = &spec->absorptions[i];
        *c->where = i;
        if (entry->absorber >= spec->n_fans || entry->absorbed >= spec->n_fans)
            return MJ_BAD_ABSORPTION;
        if (spec->fans[entry->absorber].late && !spec->fans[entry->absorbed].late)
            return MJ_BAD_ABSORPTION;
        have_absorbed |= mj_bit(entry->absorber);
        if (have_absorbed >> entry->absorbed & 1)
            return MJ_BAD_ABSORPTION;
    }
    return MJ_OK;
}

static mj_status check_picks(checker *c)
{
    const uint32_t n_fans = c->spec->n_fans;
    const uint64_t all = n_fans == MJ_MAX_FANS ? UINT64_MAX : mj_bit(n_fans) - 1;
    uint32_t choices = 1;
    for (uint32_t i = 0; i < c->spec->n_picks; i++) {
        const uint64_t fans = c->spec->picks[i].fans;
        *c->where = i;
        if (fans == 0 || fans & ~all)
            return MJ_BAD_PICK;
        choices *= mj_size(fans);
        if (choices > MJ_MAX_CHOICES)
            return MJ_BAD_PICK;
    }
    return MJ_OK;
}

static mj_status check_results(checker *c)
{
    const mj_spec *spec = c->spec;
    *c->where = 0;
    mj_status status = check_read(c, spec->money, MJ_NUMBER, MJ_FINAL_STAGE);
    if (status == MJ_OK)
        status = check_read(c, spec->may_win, MJ_TRUTH, MJ_FINAL_STAGE);
    if (status == MJ_OK)
        status = check_read(c, spec->may_wait, MJ_TRUTH, MJ_FINAL_STAGE);
    for (uint32_t i = 0; i < spec->n_probes && status == MJ_OK; i++) {
        *c->where = i;
        status = check_read(c, spec->probes[i], MJ_TRUTH, MJ_FINAL_STAGE);
    }
    return status;
}

mj_status mj_verify(const mj_spec *spec, mj_usage *usage, uint32_t *where)
{
    /* In this order, since code reads features and everything else reads registers. */
    mj_status (*const checks[])(checker *) = {
        check_tile_set,   check_constants, check_shapes,      check_alternatives, check_features, check_code,
        check_conditions, check_fans,      check_absorptions, check_picks,        check_results,
    };
    checker c = {.spec = spec, .usage = usage, .where = where};
    mj_status status = check_sizes(spec);
    for (size_t i = 0; status == MJ_OK && i < sizeof checks / sizeof *checks; i++)
        status = checks[i](&c);
    return status;
}
