/* What joined classes are worth: each judged once in each context and group of numbers of tiles left. */
#include <stdlib.h>
#include <string.h>

#include "prove_build.h"

enum {
    CANNOT_BE = 0,            /* the number of the verdict of a win that cannot be */
    NO_WIN = 1
};

static void weigh_tuple(const mj_aspect *a, mj_judgement *j, const mj_won_tuple *tuple)
{
    mj_reading reading = {.win_group = MJ_NONE};
    for (unsigned i = 0; i < a->cut.n_atoms; i++)
        if (a->cut.atoms[i].reg != MJ_NO_REGISTER)
            j->machine.registers[a->cut.atoms[i].reg] = a->cut.atoms[i].values[tuple->of_tiles.elements[i]];
    mj_tell_win(&a->win, tuple->win, j->machine.features);
    for (unsigned shape = 0; shape < a->program->n_shapes; shape++) {
        if (a->manners[shape] != tuple->of_tiles.manner)
            continue;
        reading.shape = (uint8_t)shape;
        for (unsigned i = 0; i < a->n_shape_features; i++)
            j->machine.features[a->shape_features[i]] = shape;
        mj_weigh(j, &reading);
    }
}

static mj_proof proof_of(const mj_program *program, const mj_result *result)
{
    mj_proof proof;
    memset(&proof, 0, sizeof proof);
    if (!result->win)
        return proof;
    proof.win = 1;
    proof.tied = result->tied;
    proof.points = result->money;
    memcpy(proof.totals, result->totals, sizeof proof.totals);
    memcpy(proof.probes, result->probes, sizeof proof.probes);
    memcpy(proof.ever, result->ever, sizeof proof.ever);
    for (uint32_t i = 0; i < program->n_fans; i++) {
        proof.fans |= result->counts[i] > 0 ? mj_bit(i) : 0;
        proof.found |= result->found[i] > 0 ? mj_bit(i) : 0;
    }
    return proof;
}

static const mj_node *node_of(const mj_proving *b, const mj_made *m)
{
    return mj_pool_get(&b->lasts[(uint8_t)(m->void_suit + 1)].nodes, m->node);
}

uint32_t mj_class_waits(const mj_proving *b, const mj_made *m)
{
    for (unsigned side = 0; side < b->spec->n_sides && !m->odd; side++)
        if (b->aspects[side].win.n_left > 0 && node_of(b, m)->waits[side] != MJ_NO_OUTCOME)
            return node_of(b, m)->waits[side];
    return MJ_NO_OUTCOME;
}

/* Whether some number of tiles that a class may have left is of a group. */
static bool may_have_left(const mj_proving *b, uint32_t waits, unsigned group)
{
    if (waits == MJ_NO_OUTCOME)
        return group == 0;
    bool found = false;
    for (unsigned left = waits >> 8 & 255; left <= (waits & 255) && !found; left++)
        found = b->info->group_of[left] == group;
    return found;
}

static mj_status judge_odd(const mj_proving *b, const mj_made *m, unsigned side, uint32_t context, mj_proof *proof)
{
    const mj_aspect *a = &b->aspects[side];
    mj_hand hand;
    mj_result result;
    memset(&hand, 0, sizeof hand);
    memcpy(hand.concealed, mj_pool_get(&b->odd, m->node), MJ_KINDS);
    memcpy(hand.facts, b->spec->sides[side].facts + (size_t)context * MJ_FACTS_SIZE, sizeof hand.facts);
    hand.win_tile = a->win.is_seen ? m->tally.win : (uint8_t)MJ_NONE;
    hand.claimed = b->spec->claimed[context];
    hand.void_suit = m->void_suit;
    const mj_status status = mj_score(b->tables, a->program, &hand, &result);
    *proof = proof_of(a->program, &result);
    return status;
}

static mj_proof judge(const mj_proving *b, mj_court *c, const mj_made *m, unsigned side, uint32_t context, unsigned left)
{
    const mj_aspect *a = &b->aspects[side];
    const mj_node *n = node_of(b, m);
    const mj_set *set = &n->sets[b->view_of[side][b->spec->claimed[context] != 0]];
    memcpy(c->hand.facts, b->spec->sides[side].facts + (size_t)context * MJ_FACTS_SIZE, sizeof c->hand.facts);
    const bool waits = n->waits[side] != MJ_NO_OUTCOME;
    mj_tell_waits(&a->win, waits ? n->waits[side] >> 16 : 0, waits ? left : 0, c->judgement.machine.features);
    mj_begin_judgement(&c->judgement, b->tables, &a->cut.rest, &c->hand, &c->result);
    c->judgement.started = true;
    for (unsigned k = 0; k < set->n; k++)
        weigh_tuple(a, &c->judgement, mj_pool_get(&a->tuples, set->tuples[k]));
    return proof_of(a->program, &c->result);
}

mj_status mj_judge_classes(mj_proving *b, unsigned side)
{
    mj_space *space = b->space;
    mj_pool *proofs = &space->proofs[side];
    const mj_proof cannot = {.win = MJ_NONE}, no_win = {.win = 0};
    uint32_t *number = space->numbers[side] = malloc(((size_t)b->n_made * space->n_cells + 1) * sizeof *number);
    mj_court *c = mj_open_court(b->aspects[side].tables, &b->aspects[side].cut.rest);
    mj_status status = MJ_OK;
    if (number == NULL || c == NULL || !mj_pool_start(proofs, sizeof(mj_proof))
        || mj_pool_put(proofs, &cannot) != CANNOT_BE || mj_pool_put(proofs, &no_win) != NO_WIN)
        status = MJ_NO_MEMORY;
    for (uint32_t i = 0; i < b->n_made && status == MJ_OK && mj_proves(b); i++) {
        const mj_made *m = &b->made[i];
        const uint32_t waits = mj_class_waits(b, m);
        for (uint32_t context = 0; context < b->spec->n_contexts && status == MJ_OK; context++) {
            const bool legal = b->spec->legal[(size_t)context * MJ_KEYS + m->key];
            for (unsigned group = 0; group < b->info->n_groups && status == MJ_OK; group++, number++) {
                *number = CANNOT_BE;
                if (!legal || !may_have_left(b, waits, group))
                    continue;
                mj_proof proof;
                if (m->odd)
                    status = judge_odd(b, m, side, context, &proof);
                else
                    proof = judge(b, c, m, side, context, b->left_of[group]);
                *number = mj_pool_put(proofs, &proof);
                if (*number == UINT32_MAX)
                    status = MJ_NO_MEMORY;
            }
        }
    }
    b->info->n_verdicts[side] = proofs->n;
    free(c);
    return status;
}
