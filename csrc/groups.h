/* What a program sees of a reading, group by group: the tables of groups.c. */
#ifndef MJ_GROUPS_H
#define MJ_GROUPS_H

#include "kernel.h"

enum {
    MJ_GROUP_CODES = MJ_GROUP_TYPES * MJ_KINDS,
    MJ_SEEN_BYTES = 2 * MJ_MAX_FEATURES   /* values of features, with room for whole words of counts */
};

/* A pattern that a feature asks for, and where its examples are among the needs. */
typedef struct mj_seen_pattern {
    uint16_t feature;
    uint16_t first;          /* bit; one of the pattern's words has no other's bits */
    uint16_t n;              /* of bits: 0 where there was no room, and it is looked for as in feature.c */
    bool ambiguous;          /* some example asks for two groups which one group could be */
} mj_seen_pattern;

struct mj_groups {
    uint16_t place[MJ_MAX_FEATURES];   /* of a feature of a reading among the values */
    unsigned n_counts, count_words;    /* counts are the first of the values */
    unsigned n_groups, need_words;     /* groups of an example; words of needs for each of them */
    unsigned stride;                   /* words of a row */
    mj_seen_pattern *patterns;
    unsigned n_patterns;
    bool has_large;                    /* for some pattern there was no room */
    uint16_t shape_place, wait_place, pattern_place;
    uint64_t *rows;                    /* by type and tile of a group */
    uint64_t *given;                   /* needs of groups that examples do not have */
};

/* Whether the program sees features of readings is no matter; NULL for want of memory. */
mj_groups *mj_groups_new(const mj_program *program);
void mj_groups_free(mj_groups *groups);

/* The features of a reading, each at its place. */
void mj_see_reading(const mj_program *program, const mj_reading *reading, uint64_t values[MJ_SEEN_BYTES / 8]);

#endif
