/* Questions made short: what is the same at every table is worked out once, when the book is made.
 *
 * A set of a question is a literal: known, or that of a place, or what that leaves out.  So truths that are
 * known disappear, and `not` is no instruction but a mark on what it is about.  What asks first whether the
 * hand holds something of a class is shortened twice, for the hands that do and for those that do not.
 */
#include <stdlib.h>
#include <string.h>

#include "play.h"

typedef struct literal {
    bool known;
    bool negated;
    uint16_t place;
    uint64_t kinds;     /* where known */
} literal;

typedef struct shortener {
    literal sets[MJ_MAX_PLACES];
    mj_op *ops;
    uint32_t n;
    unsigned guard;     /* a class of which it is known whether hands hold anything, or MJ_NO_REGISTER */
    bool holds;
} shortener;

static void emit(shortener *s, unsigned op, unsigned dst, unsigned a, unsigned b, unsigned c)
{
    s->ops[s->n++] = (mj_op){(uint16_t)op, (uint16_t)dst, (uint16_t)a, (uint16_t)b, (uint16_t)c};
}

static literal known(uint64_t kinds)
{
    return (literal){.known = true, .kinds = kinds};
}

static literal negative(literal l)
{
    l.negated = !l.negated;
    l.kinds = ~l.kinds & MJ_ALL_KINDS;
    return l;
}

/* Known sets are every kind or none. */
static literal both(shortener *s, unsigned dst, literal a, literal b)
{
    if (a.known)
        return a.kinds ? b : a;
    if (b.known)
        return b.kinds ? a : b;
    if (a.negated && b.negated)
        emit(s, MJ_Q_OR, dst, a.place, b.place, 0);
    else if (a.negated)
        emit(s, MJ_Q_AND_NOT, dst, b.place, a.place, 0);
    else
        emit(s, b.negated ? MJ_Q_AND_NOT : MJ_Q_AND, dst, a.place, b.place, 0);
    return (literal){.place = (uint16_t)dst, .negated = a.negated && b.negated};
}

/* The place where a set stands as it is; that of the operation that told it is free for it. */
static unsigned place_of(shortener *s, unsigned set)
{
    literal *l = &s->sets[set];
    if (l->known)
        emit(s, MJ_Q_TRUTH, set, l->kinds != 0, 0, 0);
    else if (l->negated)
        emit(s, MJ_Q_NOT, set, l->place, 0, 0);
    else
        return l->place;
    *l = (literal){.place = (uint16_t)set};
    return set;
}

static void take(shortener *s, const mj_op *op)
{
    literal *dst = &s->sets[op->dst];
    switch (op->op) {
    case MJ_Q_TRUTH: *dst = known(op->a ? MJ_ALL_KINDS : 0); break;
    case MJ_Q_NOT: *dst = negative(s->sets[op->a]); break;
    case MJ_Q_AND: *dst = both(s, op->dst, s->sets[op->a], s->sets[op->b]); break;
    case MJ_Q_OR: *dst = negative(both(s, op->dst, negative(s->sets[op->a]), negative(s->sets[op->b]))); break;
    case MJ_Q_SELECT: emit(s, op->op, op->dst, place_of(s, op->a), op->b, op->c); break;
    case MJ_Q_ONE: emit(s, op->op, op->dst, place_of(s, op->a), 0, 0); break;
    case MJ_Q_SELECT_SET: {
        const unsigned a = place_of(s, op->a), b = place_of(s, op->b), c = place_of(s, op->c);
        emit(s, op->op, op->dst, a, b, c);
        *dst = (literal){.place = op->dst};
        break;
    }
    default:
        if (op->op == MJ_Q_SOME && op->a == s->guard) {
            *dst = known(s->holds ? MJ_ALL_KINDS : 0);
            break;
        }
        emit(s, op->op, op->dst, op->a, op->b, op->c);
        if (mj_writes_set(op->op))
            *dst = (literal){.place = op->dst};
    }
}

/* ---- what nobody reads --------------------------------------------------------------------- */

typedef struct wanted {
    bool sets[MJ_MAX_PLACES];
    bool numbers[MJ_MAX_PLACES];
} wanted;

static void want_operands(const mj_op *op, wanted *w)
{
    switch (op->op) {
    case MJ_Q_COPIES: w->numbers[op->c] = true; break;
    case MJ_Q_ADD: case MJ_Q_SUB: case MJ_Q_MUL: case MJ_Q_POW: case MJ_Q_MIN: case MJ_Q_MAX:
    case MJ_Q_EQ: case MJ_Q_NE: case MJ_Q_LT: case MJ_Q_LE:
        w->numbers[op->a] = w->numbers[op->b] = true;
        break;
    case MJ_Q_AND: case MJ_Q_OR: case MJ_Q_AND_NOT: w->sets[op->a] = w->sets[op->b] = true; break;
    case MJ_Q_NOT: case MJ_Q_ONE: w->sets[op->a] = true; break;
    case MJ_Q_SELECT: w->sets[op->a] = w->numbers[op->b] = w->numbers[op->c] = true; break;
    case MJ_Q_SELECT_SET: w->sets[op->a] = w->sets[op->b] = w->sets[op->c] = true; break;
    default: break;
    }
}

static void drop_unread(shortener *s, unsigned set)
{
    wanted w;
    memset(&w, 0, sizeof w);
    w.sets[set] = true;
    uint32_t kept = s->n;
    for (uint32_t i = s->n; i-- > 0;) {
        const mj_op op = s->ops[i];
        if (!(mj_writes_set(op.op) ? w.sets : w.numbers)[op.dst])
            continue;
        want_operands(&op, &w);
        s->ops[--kept] = op;
    }
    s->n -= kept;
    memmove(s->ops, s->ops + kept, s->n * sizeof *s->ops);
}

/* ---- a rule ---------------------------------------------------------------------------------- */

/* Shortens a question, for hands that hold something of class `guard` or nothing unless that is MJ_NO_REGISTER. */
static bool shorten(const mj_book_spec *spec, const mj_question *question, unsigned guard, bool holds, mj_rule *rule)
{
    shortener s = {.guard = guard, .holds = holds};
    /* Each instruction, and one for each place where a set has to stand after all. */
    s.ops = malloc((question->n_code + MJ_MAX_PLACES) * sizeof *s.ops);
    if (s.ops == NULL)
        return false;
    for (uint32_t i = 0; i < question->n_code; i++)
        take(&s, &spec->code[question->code + i]);
    const literal told = s.sets[question->set];
    if (told.known)
        s.n = 0;
    else
        drop_unread(&s, told.place);
    *rule = (mj_rule){.is_there = true, .ops = s.ops, .n = s.n, .set = told.place, .negated = told.negated,
                      .kinds = told.kinds};
    rule->is_class = s.n == 1 && s.ops[0].op == MJ_Q_THIS_IN;
    return true;
}

bool mj_shorten(const mj_book_spec *spec, const mj_question *question, mj_rule *rule)
{
    memset(rule, 0, sizeof *rule);
    if (question->set == MJ_NO_REGISTER)
        return true;
    if (!shorten(spec, question, MJ_NO_REGISTER, false, rule))
        return false;
    if (rule->n == 0 || rule->ops[0].op != MJ_Q_SOME)
        return true;
    const unsigned guard = rule->ops[0].a;
    free(rule->ops);
    rule->ops = NULL;
    mj_rule *without = calloc(1, sizeof *without);
    const bool made = without != NULL && shorten(spec, question, guard, true, rule)
        && shorten(spec, question, guard, false, without);
    rule->guard = (uint16_t)guard;
    rule->without = without;
    return made;
}

void mj_forget_rule(mj_rule *rule)
{
    if (rule->without != NULL)
        free(rule->without->ops);
    free(rule->without);
    free(rule->ops);
}
