/* A verified spec copied into the form that the kernel runs. */
#include <stdlib.h>
#include <string.h>

#include "groups.h"

/* A copy of an array, NULL for want of memory.  An empty one is memory as well. */
static void *copy_array(const void *array, uint32_t n, size_t size)
{
    void *copy = malloc(n > 0 ? n * size : 1);
    if (copy != NULL && n > 0)
        memcpy(copy, array, n * size);
    return copy;
}

static bool copy_code(mj_code *code, const mj_op *ops, uint32_t n)
{
    code->n = n;
    code->ops = copy_array(ops, n, sizeof *ops);
    return code->ops != NULL;
}

static mj_example example_of(const mj_alternative *a)
{
    mj_example e = {0};
    for (unsigned kongs = 2; kongs-- > 0;) {
        for (unsigned i = 0; i < a->n_groups; i++) {
            const mj_group group = a->groups[i];
            if ((group.type == MJ_DIRECT_KONG) != (kongs == 1))
                continue;
            uint64_t *tiles = group.type == MJ_RUN           ? &e.runs
                              : group.type == MJ_TRIPLET     ? &e.triplets
                              : group.type == MJ_DIRECT_KONG ? &e.kongs
                                                             : &e.pairs;
            *tiles |= mj_bit(group.tile);
            e.groups[e.n_groups++] = group;
        }
    }
    return e;
}

static bool copy_examples(mj_program *program, const mj_spec *spec)
{
    program->examples = malloc((spec->n_alternatives + 1) * sizeof *program->examples);
    if (program->examples == NULL)
        return false;
    uint32_t n = 0;
    for (unsigned pattern = 0; pattern < MJ_MAX_PATTERNS; pattern++) {
        program->pattern_first[pattern] = n;
        while (n < spec->n_alternatives && spec->alternatives[n].pattern == pattern) {
            program->examples[n] = example_of(&spec->alternatives[n]);
            n++;
        }
    }
    program->pattern_first[MJ_MAX_PATTERNS] = n;
    return true;
}

/* Puts the absorptions between ordinary fans first, otherwise in the order of the spec. */
static bool copy_absorptions(mj_program *program, const mj_spec *spec)
{
    program->absorptions = malloc((spec->n_absorptions + 1) * sizeof *program->absorptions);
    if (program->absorptions == NULL)
        return false;
    for (unsigned late = 0; late <= 1; late++) {
        for (uint32_t i = 0; i < spec->n_absorptions; i++)
            if (spec->fans[spec->absorptions[i].absorbed].late == late)
                program->absorptions[program->n_absorptions++] = spec->absorptions[i];
        if (late == 0)
            program->n_early_absorptions = program->n_absorptions;
    }
    return true;
}

static bool differ(unsigned types)
{
    return (types >> MJ_TRIPLET & 1) != (types >> MJ_TRIPLET_CLAIMED & 1);
}

/* Sorts the features in use by when they are needed, and notes what they can see. */
static bool copy_features(mj_program *program, const mj_spec *spec, const mj_usage *usage)
{
    program->features = copy_array(spec->features, spec->n_features, sizeof *spec->features);
    if (program->features == NULL)
        return false;
    for (unsigned list = 0; list < MJ_FEATURE_LISTS; list++) {
        program->lists[list].items = malloc((spec->n_features + 1) * sizeof(uint16_t));
        if (program->lists[list].items == NULL)
            return false;
    }
    for (uint32_t i = 0; i < spec->n_features; i++) {
        const mj_feature *feature = &spec->features[i];
        if (!usage->used[i])
            continue;
        const unsigned of_reading = mj_feature_is_of_reading(feature->kind);
        mj_feature_list *list =
            &program->lists[(usage->by_shapes[i] ? MJ_SHAPE_HAND : MJ_FAN_HAND) + of_reading];
        list->items[list->n++] = (uint16_t)i;
        if (feature->kind == MJ_F_WAIT)
            program->sees_wait = true;
        if (feature->kind == MJ_F_PATTERN)
            program->sees_claim |= differ(feature->domain);
        if (feature->kind == MJ_F_GROUPS)
            program->sees_claim |= differ(feature->domain) || differ(feature->domain & feature->types);
    }
    return true;
}

static void copy_small_parts(mj_program *program, const mj_spec *spec)
{
    memcpy(program->copies, spec->copies, sizeof program->copies);
    program->hand_size = spec->hand_size;
    program->n_shapes = spec->n_shapes;
    for (uint32_t i = 0; i < spec->n_shapes; i++) {
        const mj_shape *shape = program->shapes + i;
        program->shapes[i] = spec->shapes[i];
        for (unsigned p = 0; p < shape->n_each; p++)
            program->loose_kinds |= shape->each_of[p];
        for (unsigned p = 0; p < shape->n_singles; p++)
            program->loose_kinds |= shape->single_of[p];
    }
    program->n_fans = spec->n_fans;
    for (uint32_t i = 0; i < spec->n_fans; i++) {
        program->fans[i] = spec->fans[i];
        program->late_fans |= spec->fans[i].late ? mj_bit(i) : 0;
        program->limit_fans |= spec->fans[i].limit ? mj_bit(i) : 0;
    }
    program->n_constants = spec->n_constants;
    program->n_picks = spec->n_picks;
    program->money = spec->money;
    program->may_win = spec->may_win;
    program->may_wait = spec->may_wait;
    program->n_probes = spec->n_probes;
    for (uint32_t i = 0; i < spec->n_probes; i++)
        program->probes[i] = spec->probes[i];
}

static bool copy_spec(mj_program *program, const mj_spec *spec, const mj_usage *usage)
{
    copy_small_parts(program, spec);
    program->constants = copy_array(spec->constants, spec->n_constants, sizeof *spec->constants);
    program->picks = malloc((spec->n_picks + 1) * sizeof *program->picks);
    if (program->constants == NULL || program->picks == NULL)
        return false;
    for (uint32_t i = 0; i < spec->n_picks; i++)
        program->picks[i] = spec->picks[i].fans;
    return copy_features(program, spec, usage) && copy_examples(program, spec)
           && copy_absorptions(program, spec)
           && copy_code(&program->code[MJ_SHAPE_STAGE], spec->shape_code, spec->n_shape_code)
           && copy_code(&program->code[MJ_FAN_STAGE], spec->fan_code, spec->n_fan_code)
           && copy_code(&program->code[MJ_LATE_STAGE], spec->late_code, spec->n_late_code)
           && copy_code(&program->code[MJ_FINAL_STAGE], spec->final_code, spec->n_final_code)
           && (program->groups = mj_groups_new(program)) != NULL;
}

mj_status mj_program_new(const mj_spec *spec, mj_program **out, uint32_t *where)
{
    if (spec == NULL || out == NULL || where == NULL)
        return MJ_BAD_ARGUMENT;
    *out = NULL;
    *where = 0;
    mj_usage usage = {0};
    const mj_status status = mj_verify(spec, &usage, where);
    if (status != MJ_OK)
        return status;
    mj_program *program = calloc(1, sizeof *program);
    if (program == NULL || !copy_spec(program, spec, &usage)) {
        mj_program_free(program);
        return MJ_NO_MEMORY;
    }
    *out = program;
    return MJ_OK;
}

void mj_program_free(mj_program *program)
{
    if (program == NULL)
        return;
    for (unsigned list = 0; list < MJ_FEATURE_LISTS; list++)
        free(program->lists[list].items);
    for (unsigned stage = 0; stage < MJ_STAGES; stage++)
        free(program->code[stage].ops);
    mj_groups_free(program->groups);
    free(program->features);
    free(program->examples);
    free(program->constants);
    free(program->absorptions);
    free(program->picks);
    free(program);
}
