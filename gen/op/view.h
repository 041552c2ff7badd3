/* view.h: where the elements of a view are read, as Syms over its position.
 *
 * A view operator's rules (index, valid) are asked dim by dim; here is one question for all of them: which element of
 * which tensor stands at this position, and on what condition.
 */
#ifndef OPGEN_OP_VIEW_H
#define OPGEN_OP_VIEW_H

#include "op/rule.h"

/* One tensor of which a view may read. Of several sources the first whose condition holds is read. */
typedef struct ViewSource {
    uint32_t input, item; /* which declared input, and which of its tensors where it is a list */
    SymRef *index;        /* as many as the tensor has dims; within its shape where `valid` holds */
    SymRef valid;         /* 0, 1 or a condition */
} ViewSource;

typedef struct ViewSources {
    ViewSource *items;
    uint32_t n; /* sources that no position reads, and those behind one that is always valid, are left out */
} ViewSources;

/* For output number n (of all that the operator makes) at the position `at`, of as many Syms as it has dims. False
 * after adding findings: a rule needs to know more than sizes tell. */
bool view_sources(Rules *rules, const RuleCall *call, const RuleTensor *outputs, uint32_t n, const SymRef *at,
                  ViewSources *out);

/* The other way: where in the result the element of the view's one input stands that has this index. False where that
 * is not so for every element: a view that leaves some out, repeats some, or reads of several tensors. Nobody is told.
 */
bool view_inverse(Rules *rules, const RuleCall *call, const RuleTensor *outputs, uint32_t n, const SymRef *index,
                  SymRef *at);

/* The place in row-major order of an index in a shape. */
SymRef sym_ravel(Syms *syms, const SymRef *index, RuleShape shape);
/* The index in a shape of a place in row-major order; `index` has room for it. */
void sym_unravel(Syms *syms, SymRef place, RuleShape shape, SymRef *index);
/* Whether a position (sym_index) is anywhere in it. */
bool sym_has_index(SymRef a);

#endif
