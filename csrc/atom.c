/* The program cut in two: what depends on tiles alone becomes atoms, the rest is run on them.
 *
 * An atom is as large a piece of the program as its sums can be told apart within bounds; where they
 * cannot, the piece is cut again at its last instruction.  Code has no jumps and writes a register
 * once, so going through it backwards meets each value after everything that reads it.
 */
#include <stdlib.h>
#include <string.h>

#include "fold.h"

enum {
    OF_TILES = 1, OF_FACTS = 2, OF_READING = 4,   /* what a register depends on; the last is shape and totals */
    MAX_SUMS = 2048,
    MAX_SIZE = 1 << 16,
    MAX_VALUES = 4096
};

/* ---- what reads what ------------------------------------------------------------ */

static unsigned n_reads(const mj_op *op)
{
    const mj_signature s = mj_signature_of(op->op);
    unsigned n = 0;
    while (n < 3 && s.reads[n] != MJ_UNWRITTEN)
        n++;
    return n;
}

static unsigned read_of(const mj_op *op, unsigned i)
{
    return i == 0 ? op->a : i == 1 ? op->b : op->c;
}

void mj_mark_roots(const mj_program *program, bool waits, bool *live)
{
    for (uint32_t i = 0; i < program->n_shapes; i++)
        if (program->shapes[i].when != MJ_NO_REGISTER)
            live[program->shapes[i].when] = true;
    for (uint32_t i = 0; i < program->n_fans; i++) {
        live[program->fans[i].count] = true;
        live[program->fans[i].value] = true;
    }
    live[program->money] = true;
    live[program->may_win] = true;
    for (uint32_t i = 0; i < program->n_probes; i++)
        live[program->probes[i]] = true;
    if (waits)
        live[program->may_wait] = true;
}

void mj_mark_live(const mj_program *program, bool waits, bool *live)
{
    mj_mark_roots(program, waits, live);
    for (unsigned stage = MJ_STAGES; stage-- > 0;) {
        const mj_code *code = &program->code[stage];
        for (uint32_t i = code->n; i-- > 0;) {
            const mj_op *op = &code->ops[i];
            for (unsigned k = 0; live[op->dst] && k < n_reads(op); k++)
                live[read_of(op, k)] = true;
        }
    }
}

void mj_find_live(const mj_program *program, bool waits, bool *live_features)
{
    bool live[MJ_MAX_REGISTERS] = {false};
    mj_mark_live(program, waits, live);
    for (unsigned stage = 0; stage < MJ_STAGES; stage++)
        for (uint32_t i = 0; i < program->code[stage].n; i++) {
            const mj_op *op = &program->code[stage].ops[i];
            if (op->op == MJ_OP_FEATURE && live[op->dst])
                live_features[op->a] = true;
        }
}

/* ---- one atom ------------------------------------------------------------------------ */

typedef struct cutter {
    mj_cut *cut;
    const mj_program *program;
    const mj_sight *sight;
    const mj_generator *generators;
    unsigned n_generators;
    bool waits;
    uint8_t depends[MJ_MAX_REGISTERS];
    bool live[MJ_MAX_REGISTERS];
    bool wanted[MJ_MAX_REGISTERS];
    bool kept[MJ_MAX_REGISTERS];       /* run by the rest */
    bool conjunct[MJ_MAX_REGISTERS];   /* false means that the hand may not win */

    /* of the atom at hand */
    bool in_cone[MJ_MAX_REGISTERS];
    mj_op cone[MJ_MAX_CODE];
    mj_code cone_code;
    bool cone_features[MJ_MAX_FEATURES];
    int64_t features[MJ_MAX_FEATURES];
    int64_t registers[MJ_MAX_REGISTERS];
    uint8_t sums[MAX_SUMS][MJ_ATOM_COORDS];
    uint32_t places[MAX_SUMS];
    uint8_t tiles[MAX_SUMS];
    unsigned n_sums;
    uint16_t value_of[MAX_SIZE];       /* number of the value plus one */
    int64_t values[MAX_VALUES];
    unsigned n_values;
    uint16_t order[MAX_SUMS];
    uint8_t fewest[MAX_SIZE];          /* tiles that make the sum */
    uint32_t own_places[MAX_SUMS];     /* of the generators */
    uint8_t own_tiles[MAX_SUMS];
    unsigned n_own;
} cutter;

/* Gathers the instructions that a register depends on, and the coordinates that they see. */
static bool find_cone(cutter *c, unsigned reg, mj_atom *atom)
{
    memset(c->in_cone, 0, sizeof c->in_cone);
    memset(c->cone_features, 0, sizeof c->cone_features);
    c->in_cone[reg] = true;
    unsigned n = 0;
    for (unsigned stage = MJ_STAGES; stage-- > 0;) {
        const mj_code *code = &c->program->code[stage];
        for (uint32_t i = code->n; i-- > 0;) {
            const mj_op *op = &code->ops[i];
            if (!c->in_cone[op->dst])
                continue;
            c->cone[n++] = *op;
            for (unsigned k = 0; k < n_reads(op); k++)
                c->in_cone[read_of(op, k)] = true;
            if (op->op == MJ_OP_FEATURE)
                c->cone_features[op->a] = true;
        }
    }
    for (unsigned i = 0; i < n / 2; i++) {
        const mj_op swap = c->cone[i];
        c->cone[i] = c->cone[n - 1 - i];
        c->cone[n - 1 - i] = swap;
    }
    c->cone_code = (mj_code){c->cone, n};
    atom->reg = (uint16_t)reg;
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++) {
        if (!c->cone_features[f] || c->sight->first[f] == MJ_NONE)
            continue;
        for (unsigned k = 0; k < c->sight->n_of[f]; k++) {
            if (atom->n_coords == MJ_ATOM_COORDS)
                return false;
            atom->coords[atom->n_coords++] = (uint8_t)(c->sight->first[f] + k);
        }
    }
    return true;
}

static bool is_capped(const cutter *c, const mj_atom *atom, unsigned i)
{
    return c->sight->capped >> atom->coords[i] & 1;
}

static bool is_once(const cutter *c, const mj_atom *atom, unsigned i)
{
    return c->sight->once >> atom->coords[i] & 1;
}

/* Whether two sums both have what only one part of a hand may have. */
static bool clash(const cutter *c, const mj_atom *atom, const uint8_t *x, const uint8_t *y)
{
    for (unsigned i = 0; i < atom->n_coords; i++)
        if (x[i] > 0 && y[i] > 0 && is_once(c, atom, i))
            return true;
    return false;
}

static unsigned most_of(const cutter *c, unsigned coord)
{
    unsigned most = 0;
    for (unsigned g = 0; g < c->n_generators; g++) {
        const unsigned own = mj_coord(&c->generators[g].vector, coord);
        most = own > most ? own : most;
    }
    return most;
}

/* Lays out the table by sums: each coordinate as far as two sums together can go. */
static bool lay_out(cutter *c, mj_atom *atom)
{
    const unsigned most = c->program->hand_size + 1u;
    atom->size = 1;
    for (unsigned i = 0; i < atom->n_coords; i++) {
        unsigned best[MJ_MAX_TILES + 1] = {0};
        unsigned bound = 0;
        for (unsigned t = 1; t <= most; t++) {
            best[t] = best[t - 1];
            for (unsigned g = 0; g < c->n_generators; g++) {
                const unsigned tiles = c->generators[g].tiles;
                const unsigned own = mj_coord(&c->generators[g].vector, atom->coords[i]);
                if (tiles > 0 && tiles <= t && best[t - tiles] + own > best[t])
                    best[t] = best[t - tiles] + own;
            }
        }
        bound = is_capped(c, atom, i) ? 1 : is_once(c, atom, i) ? most_of(c, atom->coords[i]) : best[most];
        atom->strides[i] = atom->size;
        atom->size *= 2 * bound + 1;
        if (atom->size > MAX_SIZE)
            return false;
    }
    return true;
}

static uint32_t place_of(const mj_atom *atom, const uint8_t *sum)
{
    uint32_t place = 0;
    for (unsigned i = 0; i < atom->n_coords; i++)
        place += sum[i] * atom->strides[i];
    return place;
}

/* All sums that parts of a hand can have, by the fewest tiles that make them. */
static bool find_sums(cutter *c, mj_atom *atom)
{
    const unsigned most = c->program->hand_size + 1u;
    uint8_t own[MAX_SUMS][MJ_ATOM_COORDS];
    memset(c->fewest, MJ_NONE, atom->size);
    c->n_own = 0;
    for (unsigned g = 0; g < c->n_generators; g++) {
        uint8_t sum[MJ_ATOM_COORDS] = {0};
        for (unsigned i = 0; i < atom->n_coords; i++)
            sum[i] = (uint8_t)mj_coord(&c->generators[g].vector, atom->coords[i]);
        const uint32_t place = place_of(atom, sum);
        if (c->fewest[place] != MJ_NONE) {
            for (unsigned k = 0; k < c->n_own; k++)
                if (c->own_places[k] == place && c->generators[g].tiles < c->own_tiles[k])
                    c->own_tiles[k] = (uint8_t)c->generators[g].tiles;
            continue;
        }
        if (c->n_own == MAX_SUMS)
            return false;
        c->fewest[place] = 0;
        memcpy(own[c->n_own], sum, sizeof sum);
        c->own_places[c->n_own] = place;
        c->own_tiles[c->n_own++] = (uint8_t)c->generators[g].tiles;
    }

    memset(c->fewest, MJ_NONE, atom->size);
    memset(c->sums[0], 0, sizeof c->sums[0]);
    c->n_sums = 1;
    c->places[0] = 0;
    c->tiles[0] = 0;
    c->fewest[0] = 0;
    unsigned n_ordered = 0;
    for (unsigned level = 0; level <= most; level++) {
        for (unsigned x = 0; x < c->n_sums; x++) {
            if (c->fewest[c->places[x]] != level)
                continue;
            c->order[n_ordered++] = (uint16_t)x;
            for (unsigned g = 0; g < c->n_own; g++) {
                const unsigned tiles = level + c->own_tiles[g];
                if (tiles > most || tiles == level || clash(c, atom, c->sums[x], own[g]))
                    continue;
                uint8_t sum[MJ_ATOM_COORDS] = {0};
                for (unsigned i = 0; i < atom->n_coords; i++) {
                    sum[i] = (uint8_t)(c->sums[x][i] + own[g][i]);
                    if (sum[i] > 1 && is_capped(c, atom, i))
                        sum[i] = 1;
                }
                const uint32_t place = place_of(atom, sum);
                if (c->fewest[place] == MJ_NONE) {
                    if (c->n_sums == MAX_SUMS)
                        return false;
                    memcpy(c->sums[c->n_sums], sum, sizeof sum);
                    c->places[c->n_sums++] = place;
                }
                if (tiles < c->fewest[place])
                    c->fewest[place] = (uint8_t)tiles;
            }
        }
    }
    return true;
}

static unsigned value_at(cutter *c, const mj_atom *atom, uint32_t place)
{
    if (c->value_of[place] != 0)
        return c->value_of[place];
    mj_vector sum = {{0}};
    uint32_t rest = place;
    for (unsigned i = atom->n_coords; i-- > 0;) {
        mj_raise(&sum, atom->coords[i], rest / atom->strides[i]);
        rest %= atom->strides[i];
    }
    for (unsigned f = 0; f < MJ_MAX_FEATURES; f++)
        if (c->cone_features[f])
            c->features[f] = mj_feature_of_sum(c->sight, f, &sum);
    mj_run(&c->cone_code, c->features, NULL, c->registers);
    const int64_t value = c->registers[atom->reg];
    unsigned n = 0;
    while (n < c->n_values && c->values[n] != value)
        n++;
    if (n == MAX_VALUES)
        return 0;
    if (n == c->n_values)
        c->values[c->n_values++] = value;
    return c->value_of[place] = (uint16_t)(n + 1);
}

static bool has_once(const cutter *c, const mj_atom *atom, const uint8_t *sum)
{
    return clash(c, atom, sum, sum);
}

/* Whether y is like x: no further sum that can be added to y tells them apart, and all those can be added to x. */
static bool is_like(cutter *c, const mj_atom *atom, unsigned x, unsigned y)
{
    if (has_once(c, atom, c->sums[x]) && !has_once(c, atom, c->sums[y]))
        return false;
    for (unsigned z = 0; z < c->n_sums; z++)
        if (!clash(c, atom, c->sums[x], c->sums[z]) && !clash(c, atom, c->sums[y], c->sums[z])
            && value_at(c, atom, c->places[x] + c->places[z]) != value_at(c, atom, c->places[y] + c->places[z]))
            return false;
    return true;
}

static bool find_elements(cutter *c, mj_atom *atom)
{
    unsigned stands_for[MJ_ELEMENTS];
    memset(c->value_of, 0, atom->size * sizeof *c->value_of);
    c->n_values = 0;
    atom->n = 0;
    atom->element_of = malloc(atom->size);
    if (atom->element_of == NULL)
        return false;
    memset(atom->element_of, MJ_NONE, atom->size);
    /* Fewest tiles first, so that what stands for an element can go wherever a member can. */
    for (unsigned i = 0; i < c->n_sums; i++) {
        const unsigned x = c->order[i];
        unsigned e = 0;
        while (e < atom->n && !is_like(c, atom, stands_for[e], x))
            e++;
        if (e == MJ_ELEMENTS)
            return false;
        if (e == atom->n)
            stands_for[atom->n++] = x;
        atom->element_of[c->places[x]] = (uint8_t)e;
    }
    if (c->n_values == MAX_VALUES)
        return false;
    for (unsigned a = 0; a < atom->n; a++) {
        atom->values[a] = c->values[value_at(c, atom, c->places[stands_for[a]]) - 1];
        atom->dead[a] = c->conjunct[atom->reg];
        for (unsigned z = 0; z < c->n_sums && atom->dead[a]; z++)
            atom->dead[a] = clash(c, atom, c->sums[stands_for[a]], c->sums[z])
                            || c->values[value_at(c, atom, c->places[stands_for[a]] + c->places[z]) - 1] == 0;
        for (unsigned b = 0; b < atom->n; b++) {
            uint8_t sum[MJ_ATOM_COORDS] = {0};
            for (unsigned i = 0; i < atom->n_coords; i++) {
                sum[i] = (uint8_t)(c->sums[stands_for[a]][i] + c->sums[stands_for[b]][i]);
                if (sum[i] > 1 && is_capped(c, atom, i))
                    sum[i] = 1;
            }
            const bool both = clash(c, atom, c->sums[stands_for[a]], c->sums[stands_for[b]]);
            atom->sum[a][b] = both ? MJ_NONE : atom->element_of[place_of(atom, sum)];
        }
    }
    return true;
}

/* Whether the register could be made an atom. */
static bool make_atom(cutter *c, unsigned reg)
{
    if (c->cut->n_atoms == MJ_ATOMS)
        return false;
    mj_atom *atom = &c->cut->atoms[c->cut->n_atoms];
    memset(atom, 0, sizeof *atom);
    if (!find_cone(c, reg, atom) || !lay_out(c, atom) || !find_sums(c, atom) || !find_elements(c, atom)) {
        free(atom->element_of);
        atom->element_of = NULL;
        return false;
    }
    c->cut->n_atoms += 1;
    return true;
}

/* Pairs are not in the program: that a hand has but one is what makes it a hand. */
static bool make_pair_atom(mj_cut *cut, const mj_sight *sight)
{
    if (cut->n_atoms == MJ_ATOMS)
        return false;
    mj_atom *atom = &cut->atoms[cut->n_atoms++];
    memset(atom, 0, sizeof *atom);
    atom->reg = MJ_NO_REGISTER;
    atom->n_coords = 1;
    atom->coords[0] = (uint8_t)sight->pairs;
    atom->strides[0] = 1;
    atom->size = 3;
    atom->n = 3;
    atom->dead[2] = true;
    atom->element_of = malloc(3);
    if (atom->element_of == NULL)
        return false;
    for (unsigned a = 0; a < 3; a++) {
        atom->element_of[a] = (uint8_t)a;
        for (unsigned b = 0; b < 3; b++)
            atom->sum[a][b] = (uint8_t)(a + b > 2 ? 2 : a + b);
    }
    return true;
}

/* ---- the cut ----------------------------------------------------------------------------- */

/* What is told with the winning tile, as facts are: its copies, and where parts are marked all that is no
 * coordinate. */
static bool is_told(const mj_sight *sight, const mj_op *op)
{
    if (op->op != MJ_OP_FEATURE || sight->first[op->a] != MJ_NONE)
        return false;
    const unsigned kind = sight->program->features[op->a].kind;
    return kind == MJ_F_WIN_TILE_OWN || (sight->marks && mj_is_of_win(kind));
}

static void find_dependencies(cutter *c)
{
    c->depends[MJ_R_NO_OTHER] = OF_READING;
    for (unsigned reg = MJ_R_FAN; reg <= MJ_R_BASE; reg++)
        c->depends[reg] = OF_READING;
    for (unsigned stage = 0; stage < MJ_STAGES; stage++) {
        for (uint32_t i = 0; i < c->program->code[stage].n; i++) {
            const mj_op *op = &c->program->code[stage].ops[i];
            unsigned depends = 0;
            if (op->op == MJ_OP_FACT || is_told(c->sight, op))
                depends = OF_FACTS;
            else if (op->op == MJ_OP_FEATURE && c->program->features[op->a].kind == MJ_F_SHAPE)
                depends = OF_READING;
            else if (op->op == MJ_OP_FEATURE && c->sight->first[op->a] != MJ_NONE)
                depends = OF_TILES;
            for (unsigned k = 0; k < n_reads(op); k++)
                depends |= c->depends[read_of(op, k)];
            c->depends[op->dst] = (uint8_t)depends;
        }
    }
}

static mj_fold_reason find_atoms(cutter *c)
{
    mj_mark_live(c->program, c->waits, c->live);
    c->conjunct[c->program->may_win] = true;
    /* What is used as it is. */
    bool root[MJ_MAX_REGISTERS] = {false};
    mj_mark_roots(c->program, c->waits, root);
    for (unsigned reg = 0; reg < MJ_MAX_REGISTERS; reg++)
        c->wanted[reg] = root[reg] && c->depends[reg] == OF_TILES;

    for (unsigned stage = MJ_STAGES; stage-- > 0;) {
        const mj_code *code = &c->program->code[stage];
        for (uint32_t i = code->n; i-- > 0;) {
            const mj_op *op = &code->ops[i];
            if (!c->live[op->dst])
                continue;
            if (c->conjunct[op->dst] && op->op == MJ_OP_AND)
                c->conjunct[op->a] = c->conjunct[op->b] = true;
            if (c->depends[op->dst] == OF_TILES) {
                if (!c->wanted[op->dst] || make_atom(c, op->dst))
                    continue;
                if (op->op == MJ_OP_FEATURE)
                    return MJ_SEES_TOO_MUCH;
            }
            c->kept[op->dst] = true;
            for (unsigned k = 0; k < n_reads(op); k++)
                c->wanted[read_of(op, k)] |= c->depends[read_of(op, k)] == OF_TILES;
        }
    }
    return MJ_FOLDED;
}

static bool copy_rest(cutter *c)
{
    mj_cut *cut = c->cut;
    cut->rest = *c->program;
    for (unsigned list = 0; list < MJ_FEATURE_LISTS; list++)
        cut->rest.lists[list].n = 0;
    for (unsigned stage = 0; stage < MJ_STAGES; stage++)
        cut->rest.code[stage].ops = NULL;
    cut->context_registers = malloc(MJ_MAX_REGISTERS * sizeof *cut->context_registers);
    cut->context_code.ops = malloc(MJ_MAX_CODE * sizeof(mj_op));
    if (cut->context_registers == NULL || cut->context_code.ops == NULL)
        return false;

    bool read[MJ_MAX_REGISTERS] = {false};
    mj_mark_roots(c->program, c->waits, read);
    for (unsigned stage = 0; stage < MJ_STAGES; stage++) {
        const mj_code *code = &c->program->code[stage];
        mj_op *ops = malloc((code->n + 1) * sizeof *ops);
        if (ops == NULL)
            return false;
        uint32_t n = 0;
        for (uint32_t i = 0; i < code->n; i++) {
            const mj_op *op = &code->ops[i];
            if (!c->live[op->dst] || !c->kept[op->dst])
                continue;
            ops[n++] = *op;
            if ((c->depends[op->dst] & ~OF_FACTS) == 0)
                cut->context_code.ops[cut->context_code.n++] = *op;
            else
                for (unsigned k = 0; k < n_reads(op); k++)
                    read[read_of(op, k)] = true;
        }
        cut->rest.code[stage] = (mj_code){ops, n};
    }
    for (unsigned reg = 0; reg < MJ_MAX_REGISTERS; reg++)
        if (read[reg] && c->depends[reg] == OF_FACTS)
            cut->context_registers[cut->n_context_registers++] = (uint16_t)reg;
    return true;
}

mj_status mj_cut_program(mj_cut *cut, const mj_program *program, const mj_sight *sight, bool waits,
                         const mj_generator *generators, unsigned n_generators, mj_fold_reason *reason)
{
    memset(cut, 0, sizeof *cut);
    cutter *c = calloc(1, sizeof *c);
    cut->atoms = malloc(MJ_ATOMS * sizeof *cut->atoms);
    if (c == NULL || cut->atoms == NULL) {
        free(c);
        return MJ_NO_MEMORY;
    }
    c->cut = cut;
    c->program = program;
    c->sight = sight;
    c->waits = waits;
    c->generators = generators;
    c->n_generators = n_generators;
    c->registers[MJ_R_TRUE] = 1;
    memcpy(c->registers + MJ_R_CONSTANTS, program->constants, program->n_constants * sizeof(int64_t));
    find_dependencies(c);
    *reason = find_atoms(c);
    if (*reason == MJ_FOLDED && sight->pairs != MJ_NONE && !make_pair_atom(cut, sight))
        *reason = MJ_SEES_TOO_MUCH;
    cut->wait_is_told = (c->depends[program->may_wait] & ~OF_FACTS) == 0;
    const bool copied = copy_rest(c);
    free(c);
    return copied ? MJ_OK : MJ_NO_MEMORY;
}

void mj_free_cut(mj_cut *cut)
{
    for (unsigned i = 0; i < cut->n_atoms; i++)
        free(cut->atoms[i].element_of);
    free(cut->atoms);
    for (unsigned stage = 0; stage < MJ_STAGES; stage++)
        free(cut->rest.code[stage].ops);
    free(cut->context_code.ops);
    free(cut->context_registers);
    memset(cut, 0, sizeof *cut);
}
