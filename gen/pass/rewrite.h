/* rewrite.h: what the two files of the pass "rewrite" share; not for others. */
#ifndef OPGEN_PASS_REWRITE_H
#define OPGEN_PASS_REWRITE_H

#include "op/rewrite.h"
#include "pass/inner.h"

typedef struct Rewriting {
    Graph *graph;
    Arena *scratch;                 /* for one try */
    const bool *constant, *changed; /* by Tensor.number: known before a run; an operator takes its place */
    uint32_t known;                 /* tensors of these; others are neither */
    Rules rules;                    /* the graph's, in scratch, and nobody hears of what cannot be answered */
} Rewriting;

/* What a rule's names stand for in a graph. */
typedef struct Match {
    Rewriting *on;
    const Rewrite *rewrite;
    Node **nodes;     /* one a node of the rule */
    Tensor **tensors; /* one a tensor of the rule; NULL: left out, or not known yet */
    bool *left_out;
    RuleValue *values; /* one a name of a value */
    bool *valued;
    RuleCall call; /* of the rule's composite, once all is known */
} Match;

/* Whether the rule matches with this node as its last. *match lives in scratch. */
bool rewrite_matches(Rewriting *on, const Rewrite *rewrite, Node *node, Match *match);

#endif
