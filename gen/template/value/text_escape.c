/* text_escape.c: text made safe for HTML, as markupsafe does it: & < > ' and " become entities, and the result is
 * marked so that it is not done twice. */
#include "template/value/text.h"

static Str entity(char c) {
    switch (c) {
    case '&':
        return S("&amp;");
    case '<':
        return S("&lt;");
    case '>':
        return S("&gt;");
    case '\'':
        return S("&#39;");
    case '"':
        return S("&#34;");
    default:
        return (Str){0};
    }
}

/* By how many bytes each character grows. */
static const unsigned char growth[256] = {['&'] = 4, ['<'] = 3, ['>'] = 3, ['\''] = 4, ['"'] = 4};

Value text_escape(Run *run, Value v) {
    if (v.kind != V_STR) v = val_to_str(run, v);
    if ((v.flags & VAL_SAFE) != 0) return v;
    Str s = val_text(v);
    size_t more = 0;
    for (size_t i = 0; i < s.n; i++)
        more += growth[(unsigned char)s.p[i]];
    if (more == 0) {
        v.flags |= VAL_SAFE;
        return v;
    }
    char *to = arena_alloc(run->arena, s.n + more), *p = to;
    for (size_t i = 0; i < s.n; i++) {
        if (growth[(unsigned char)s.p[i]] == 0) {
            *p++ = s.p[i];
            continue;
        }
        Str e = entity(s.p[i]);
        memcpy(p, e.p, e.n);
        p += e.n;
    }
    v = val_str(run, str(to, s.n + more));
    v.flags |= VAL_SAFE;
    return v;
}
