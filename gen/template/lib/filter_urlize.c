/* filter_urlize.c: addresses in a text become links.
 *
 * Jinja finds them with regular expressions; here each is a few scans over one word that never go back, which
 * recognise the same words. A word is head (opening brackets), middle and tail (punctuation behind it), and the
 * middle is what may be an address. */
#include "template/lib/lib.h"

typedef struct Urlize {
    Run *run;
    Buf *out;
    bool limited;
    int64_t limit;  /* of the text that is shown */
    Str attributes; /* ` rel="..." target="..."` */
    const List *schemes;
} Urlize;

/* ---- single characters, as a regular expression with IGNORECASE sees them */

static uint32_t next_code(Str s, size_t *at) {
    if (*at >= s.n) return 0;
    unsigned size;
    uint32_t c = str_decode(s.p + *at, s.p + s.n, &size);
    *at += size;
    return c;
}

/* The few letters beyond ASCII that are equal to ASCII ones but for their case. */
static uint32_t lower_ascii(uint32_t c) {
    if (c >= 'A' && c <= 'Z') return c + 32;
    if (c == 0x130 || c == 0x131) return 'i';
    if (c == 0x17f) return 's';
    if (c == 0x212a) return 'k';
    return c;
}

static bool is_host_char(uint32_t c) { return c == '%' || c == '-' || lib_is_word(c); }

/* Takes `word` at *at, in any case. */
static bool take_word(Str s, size_t *at, const char *word) {
    size_t i = *at;
    for (; *word != '\0'; word++)
        if (lower_ascii(next_code(s, &i)) != (unsigned char)*word) return false;
    *at = i;
    return true;
}

static bool take_scheme(Str s, size_t *at) {
    size_t i = *at;
    if (!take_word(s, &i, "http")) return false;
    (void)take_word(s, &i, "s");
    if (!take_word(s, &i, "://")) return false;
    *at = i;
    return true;
}

/* ---- hosts. Each takes a host to its very end; what may follow contains none of a host's characters. */

typedef struct Label {
    Str text;
    uint32_t n; /* code points */
} Label;

/* The next part of a host, up to a dot or its end; *at moves behind the dot. False: an empty one. */
static bool take_label(Str host, size_t *at, Label *label, bool *dot) {
    size_t from = *at, i = from;
    *label = (Label){{NULL, 0}, 0};
    *dot = false;
    while (i < host.n && !*dot) {
        size_t here = i;
        *dot = next_code(host, &i) == '.';
        label->text = str_sub(host, from, *dot ? here : i);
        label->n += !*dot;
    }
    *at = i;
    return label->n > 0;
}

static bool is_top_label(const Label *label) {
    size_t at = 0;
    if (take_word(label->text, &at, "xn--")) {
        uint32_t n = 0;
        bool fits = true;
        for (; at < label->text.n; n++) {
            uint32_t c = next_code(label->text, &at);
            fits = fits && (c == '%' || lib_is_word(c));
        }
        if (fits && n >= 2 && n <= 59) return true;
    }
    if (label->n < 2 || label->n > 63) return false;
    for (at = 0; at < label->text.n;) {
        uint32_t c = lower_ascii(next_code(label->text, &at));
        if (c < 'a' || c > 'z') return false;
    }
    return true;
}

static bool is_known_top(const Label *label) {
    static const char *const known[] = {"com", "net", "int", "edu", "gov", "org", "info", "mil"};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        size_t at = 0;
        if (take_word(label->text, &at, known[k]) && at == label->text.n) return true;
    }
    return false;
}

/* Behind http:// or www.: any labels, and one at the end that looks like a top level domain. */
static bool is_named_host(Str host) {
    Label label;
    bool dot;
    for (size_t at = 0; take_label(host, &at, &label, &dot);)
        if (!dot) return is_top_label(&label);
    return false;
}

/* With nothing in front: labels of 2 to 63, and a top level domain that everybody knows. */
static bool is_bare_host(Str host) {
    Label label;
    bool dot;
    uint32_t labels = 0;
    for (size_t at = 0; take_label(host, &at, &label, &dot); labels++) {
        if (!dot) return labels > 0 && is_known_top(&label);
        if (label.n < 2 || label.n > 63) return false;
    }
    return false;
}

static bool is_ipv4(Str host) {
    Label label;
    bool dot;
    uint32_t labels = 0;
    for (size_t at = 0; take_label(host, &at, &label, &dot);) {
        for (size_t i = 0; i < label.text.n;)
            if (unicode_decimal(next_code(label.text, &i)) < 0) return false;
        if (label.n > 3 || ++labels > 4) return false;
        if (!dot) return labels == 4;
    }
    return false;
}

/* "[...]": two groups of up to 4 hexadecimal digits with their colons, then one to six whose colon may be missing. */
static bool take_ipv6(Str s, size_t *at) {
    size_t i = *at;
    if (i >= s.n || s.p[i++] != '[') return false;
    for (uint32_t group = 0; group < 8; group++) {
        uint32_t digits = 0;
        for (; i < s.n && digits < 4; i++, digits++) {
            uint32_t c = (unsigned char)s.p[i], letter = c | 0x20;
            size_t behind = i;
            if (c >= 0x80) c = next_code(s, &behind);
            if (unicode_decimal(c) < 0 && !(c < 0x80 && letter >= 'a' && letter <= 'f')) break;
            if (behind > i) i = behind - 1;
        }
        bool colon = i < s.n && s.p[i] == ':';
        i += colon;
        if (group < 2 && !colon) return false;
        if (group >= 2 && i < s.n && s.p[i] == ']') {
            *at = i + 1;
            return true;
        }
    }
    return false;
}

/* An end, a port, a path: what may stand behind a host. */
static bool is_end_of_address(Str s, size_t at) {
    if (at < s.n && s.p[at] == ':') {
        uint32_t digits = 0;
        size_t i = ++at;
        while (digits < 5 && unicode_decimal(next_code(s, &i)) >= 0)
            at = i, digits++;
        if (digits == 0) return false;
    }
    return at == s.n || s.p[at] == '/' || s.p[at] == '?' || s.p[at] == '#';
}

static size_t host_end(Str s, size_t at) {
    for (size_t i = at; at < s.n; at = i) {
        uint32_t c = next_code(s, &i);
        if (c != '.' && !is_host_char(c)) break;
    }
    return at;
}

static bool is_web_address(Str s) {
    size_t at = 0;
    bool scheme = take_scheme(s, &at), www = !scheme && take_word(s, &at, "www.");
    size_t ipv6 = at, end = host_end(s, at);
    if (scheme && take_ipv6(s, &ipv6) && is_end_of_address(s, ipv6)) return true;
    if (!is_end_of_address(s, end)) return false;
    Str host = str_sub(s, at, end);
    if ((scheme || www) && is_named_host(host)) return true;
    if (scheme && is_ipv4(host)) return true;
    return !scheme && is_bare_host(str_sub(s, 0, end));
}

/* Something, the last '@', a word, and somewhere behind a dot that only a word follows. */
static bool is_mail_address(Str s) {
    const char *sign = s.n > 0 ? memrchr(s.p, '@', s.n) : NULL;
    if (sign == NULL || sign == s.p) return false;
    Str host = str_sub(s, (size_t)(sign - s.p) + 1, s.n);
    size_t dot = STR_NONE, at = 0;
    bool word_behind = false;
    while (at < host.n) {
        size_t here = at;
        uint32_t c = next_code(host, &at);
        if (here == 0 ? !lib_is_word(c) : c != '.' && c != '-' && !lib_is_word(c)) return false;
        if (c == '.') {
            dot = here;
            word_behind = true;
        }
        if (c == '-') word_behind = false;
    }
    return dot != STR_NONE && word_behind && dot + 1 < host.n;
}

/* ---- one word */

static size_t head_length(Str word) {
    size_t at = 0;
    while (at < word.n) {
        if (word.p[at] == '(' || word.p[at] == '<')
            at++;
        else if (str_starts(str_sub(word, at, word.n), S("&lt;")))
            at += 4;
        else
            break;
    }
    return at;
}

static size_t tail_start(Str word, size_t from) {
    size_t end = word.n;
    while (end > from) {
        char c = word.p[end - 1];
        if (c == ')' || c == '>' || c == '.' || c == ',')
            end--;
        else if (end - from >= 4 && memcmp(word.p + end - 4, "&gt;", 4) == 0)
            end -= 4;
        else
            break;
    }
    return end;
}

static size_t count(Str s, Str needle) {
    size_t n = 0;
    for (size_t at; (at = str_find(s, needle)) != STR_NONE; n++)
        s = str_sub(s, at + needle.n, s.n);
    return n;
}

/* Brackets that were opened in the middle take their closing ones back from the tail. */
static size_t balance(Str word, size_t from, size_t end) {
    static const Str brackets[][2] = {{{"(", 1}, {")", 1}}, {{"<", 1}, {">", 1}}, {{"&lt;", 4}, {"&gt;", 4}}};
    for (size_t k = 0; k < 3; k++) {
        Str middle = str_sub(word, from, end), close = brackets[k][1];
        size_t opened = count(middle, brackets[k][0]);
        if (opened <= count(middle, close)) continue;
        for (; opened > 0; opened--) {
            size_t at = str_find(str_sub(word, end, word.n), close);
            if (at == STR_NONE) break;
            end += at + close.n;
        }
    }
    return end;
}

static void add_shown(const Urlize *urlize, Str address) {
    int64_t n = (int64_t)str_count(address), limit = urlize->limit;
    if (!urlize->limited || n <= limit) {
        buf_add(urlize->out, address);
        return;
    }
    if (limit < 0) limit = n + limit < 0 ? 0 : n + limit; /* as a slice: so many off the end */
    buf_add(urlize->out, str_sub(address, 0, text_offset(address, (size_t)limit)));
    buf_add(urlize->out, S("..."));
}

static void add_middle(const Urlize *urlize, Str s) {
    Buf *out = urlize->out;
    if (is_web_address(s)) {
        bool scheme = str_starts(s, S("https://")) || str_starts(s, S("http://"));
        buf_format(out, "<a href=\"%s%S\"%S>", scheme ? "" : "https://", s, urlize->attributes);
        add_shown(urlize, s);
        buf_add(out, S("</a>"));
        return;
    }
    if (str_starts(s, S("mailto:")) && is_mail_address(str_sub(s, 7, s.n))) {
        buf_format(out, "<a href=\"%S\">%S</a>", s, str_sub(s, 7, s.n));
        return;
    }
    if (!str_starts(s, S("www.")) && str_find_char(s, ':') == STR_NONE && is_mail_address(s)) {
        buf_format(out, "<a href=\"mailto:%S\">%S</a>", s, s);
        return;
    }
    for (uint32_t i = 0; urlize->schemes != NULL && i < urlize->schemes->n; i++) {
        Str scheme = val_text(urlize->schemes->items[i]);
        if (s.n == scheme.n || !str_starts(s, scheme)) continue;
        buf_format(out, "<a href=\"%S\"%S>%S</a>", s, urlize->attributes, s);
        return;
    }
    buf_add(out, s);
}

static void add_word(const Urlize *urlize, Str word) {
    size_t from = head_length(word), end = balance(word, from, tail_start(word, from));
    buf_add(urlize->out, str_sub(word, 0, from));
    add_middle(urlize, str_sub(word, from, end));
    buf_add(urlize->out, str_sub(word, end, word.n));
}

/* ---- the parameters */

/* The words of rel and what Jinja adds to them, each once, sorted. */
static Str rel_words(Run *run, const char *who, Value rel, bool nofollow) {
    Dict *words = dict_new(run->arena, 0);
    dict_set(run, words, VS("noopener"), val_none());
    if (nofollow) dict_set(run, words, VS("nofollow"), val_none());
    Str s = lib_some(rel) ? lib_wants_str(run, who, "rel", rel) : S("");
    for (size_t from = 0, at = 0; from < s.n; from = at) {
        size_t stop = from;
        while (at < s.n && !unicode_is_space(next_code(s, &at)))
            stop = at;
        if (stop > from) dict_set(run, words, val_str(run, str_sub(s, from, stop)), val_none());
    }
    SortItem *items = lib_sort_items(run, words, SORT_PLAIN);
    Buf out;
    buf_init(&out, run->arena);
    for (uint32_t i = 0; i < words->live; i++) {
        if (i > 0) buf_char(&out, ' ');
        buf_add(&out, val_text(items[i].key));
    }
    return buf_str(&out);
}

static const List *read_schemes(Run *run, const char *who, Value schemes) {
    if (!lib_some(schemes)) return NULL;
    List *list = val_to_list(run, schemes);
    for (uint32_t i = 0; i < list->n; i++) {
        Str s = lib_wants_str(run, who, "each scheme", list->items[i]);
        size_t at = 0, n = 0, colon = 0;
        for (uint32_t c; at < s.n; n++) {
            colon = at;
            c = next_code(s, &at);
            if (c == ':' || (c != '.' && c != '+' && c != '-' && !lib_is_word(c))) break;
        }
        Str rest = str_sub(s, colon, s.n);
        if (n < 2 || !(str_eq(rest, S(":")) || str_eq(rest, S(":/")) || str_eq(rest, S("://"))))
            run_fail(run, "%s: %Q is no scheme, as \"tel:\" or \"ssh://\" is", who, s);
    }
    return list;
}

BUILTIN(filter_urlize) {
    const char *who = "filter \"urlize\"";
    Str s = val_text(text_escape(run, a[0]));
    Buf out, attributes;
    buf_init(&out, run->arena);
    buf_init(&attributes, run->arena);
    Str rel = rel_words(run, who, a[4], lib_flag(run, a[2], false));
    buf_format(&attributes, " rel=\"%S\"", val_text(text_escape(run, val_str(run, rel))));
    if (lib_given(a[3]) && val_truth(run, a[3]))
        buf_format(&attributes, " target=\"%S\"", val_text(text_escape(run, a[3])));
    Urlize urlize = {.run = run,
                     .out = &out,
                     .limited = lib_some(a[1]),
                     .limit = lib_some(a[1]) ? lib_int(run, who, "trim_url_limit", a[1]) : 0,
                     .attributes = buf_str(&attributes),
                     .schemes = read_schemes(run, who, a[5])};
    for (size_t at = 0; at < s.n;) {
        size_t word = at, next = at;
        bool space = unicode_is_space(next_code(s, &next));
        while (at = next, at < s.n && unicode_is_space(next_code(s, &next)) == space)
            continue;
        if (space)
            buf_add(&out, str_sub(s, word, at));
        else
            add_word(&urlize, str_sub(s, word, at));
    }
    return text_take(run, &out, run->autoescape ? VAL_SAFE : 0);
}
