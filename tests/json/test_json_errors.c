/* test_json_errors.c: what is said about each mistake in a JSON text, pinned whole: all of its mistakes, at their
 * places. */
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static const struct {
    Str text;
    const char *said;
} cases[] = {
    {S("fals"), "text:1:1: error[E010]: expected a value, got \"fals\"\n"
                "    1 | fals\n"
                "      | ^~~~ did you mean false?\n"},
    {S("\"a\": 1"), "text:1:4: error[E010]: expected the end of the text after the value, got ':'\n"
                    "    1 | \"a\": 1\n"
                    "      |    ^\n"},
    {S(""), "text:1:1: error[E010]: expected a value, got the end of the text\n"
            "  hint: there is nothing in the text\n"},
    {S(" \n\t"), "text:2:2: error[E010]: expected a value, got the end of the text\n"
                 "    2 |\n"
                 "      |     ^ there is nothing in the text\n"},
    {S("// only a comment"), "text:1:1: error[E010]: JSON has no comments\n"
                             "    1 | // only a comment\n"
                             "      | ^~~~~~~~~~~~~~~~~ remove it\n"
                             "text:1:18: error[E010]: expected a value, got the end of the text\n"
                             "    1 | // only a comment\n"
                             "      |                  ^\n"},
    {S("nul"), "text:1:1: error[E010]: expected a value, got \"nul\"\n"
               "    1 | nul\n"
               "      | ^~~ did you mean null?\n"},
    {S("[1,2"), "text:1:1: error[E010]: this array is not closed: the text ends before its ']'\n"
                "    1 | [1,2\n"
                "      | ^\n"},
    {S("{\"a\": [{}"), "text:1:7: error[E010]: this array is not closed: the text ends before its ']'\n"
                       "    1 | {\"a\": [{}\n"
                       "      |       ^\n"},
    {S("{\"a\""), "text:1:1: error[E010]: this object is not closed: the text ends before its '}'\n"
                  "    1 | {\"a\"\n"
                  "      | ^\n"},
    {S("{\"a\":"), "text:1:1: error[E010]: this object is not closed: the text ends before its '}'\n"
                   "    1 | {\"a\":\n"
                   "      | ^\n"},
    {S("{\"a\":1,"), "text:1:1: error[E010]: this object is not closed: the text ends before its '}'\n"
                     "    1 | {\"a\":1,\n"
                     "      | ^\n"},
    {S("\"abc"), "text:1:1: error[E010]: this string is not closed: the text ends before its '\"'\n"
                 "    1 | \"abc\n"
                 "      | ^\n"},
    {S("\"abc\\"), "text:1:1: error[E010]: this string is not closed: the text ends before its '\"'\n"
                   "    1 | \"abc\\\n"
                   "      | ^\n"},
    {S("[\"ab\nc\"]"), "text:1:2: error[E010]: this string is not closed on its line\n"
                       "    1 | [\"ab\n"
                       "      |  ^~~ a line break in a string is written \\n\n"},
    {S("[1,]"), "text:1:3: error[E010]: trailing comma behind the last value of this array\n"
                "    1 | [1,]\n"
                "      |   ^ remove it\n"},
    {S("{\"a\": 1,}"), "text:1:8: error[E010]: trailing comma behind the last value of this object\n"
                       "    1 | {\"a\": 1,}\n"
                       "      |        ^ remove it\n"},
    {S("[,1]"), "text:1:2: error[E010]: expected a value or ']', got ','\n"
                "    1 | [,1]\n"
                "      |  ^\n"},
    {S("[1,,2]"), "text:1:4: error[E010]: expected a value after ',', got ','\n"
                  "    1 | [1,,2]\n"
                  "      |    ^\n"},
    {S("{,}"), "text:1:2: error[E010]: expected a key in double quotes or '}', got ','\n"
               "    1 | {,}\n"
               "      |  ^\n"},
    {S("{\"a\":}"), "text:1:6: error[E010]: expected a value after ':', got '}'\n"
                    "    1 | {\"a\":}\n"
                    "      |      ^\n"},
    {S("{\"a\": ,\"b\": 1}"), "text:1:7: error[E010]: expected a value after ':', got ','\n"
                              "    1 | {\"a\": ,\"b\": 1}\n"
                              "      |       ^\n"},
    {S("{\"a\"}"), "text:1:5: error[E010]: expected ':' after a key, got '}'\n"
                   "    1 | {\"a\"}\n"
                   "      |     ^\n"},
    {S("{\"a\",\"b\":1}"), "text:1:5: error[E010]: expected ':' after a key, got ','\n"
                           "    1 | {\"a\",\"b\":1}\n"
                           "      |     ^\n"},
    {S("{\"a\" 1}"), "text:1:6: error[E010]: expected ':' after a key, got a number\n"
                     "    1 | {\"a\" 1}\n"
                     "      |      ^\n"},
    {S("{\"a\"=1}"), "text:1:5: error[E010]: expected ':' after a key, got '='\n"
                     "    1 | {\"a\"=1}\n"
                     "      |     ^ write ':'\n"},
    {S("{\"a\";1}"), "text:1:5: error[E010]: expected ':' after a key, got ';'\n"
                     "    1 | {\"a\";1}\n"
                     "      |     ^\n"},
    {S("[1 2]"), "text:1:4: error[E010]: expected ',' or ']' after a value, got a number\n"
                 "    1 | [1 2]\n"
                 "      |    ^ is a comma missing before it?\n"},
    {S("{\"a\":1 \"b\":2}"), "text:1:8: error[E010]: expected ',' or '}' after a value, got a string\n"
                             "    1 | {\"a\":1 \"b\":2}\n"
                             "      |        ^ is a comma missing before it?\n"},
    {S("{\"a\":1 2:3}"), "text:1:8: error[E010]: expected ',' or '}' after a value, got a number\n"
                         "    1 | {\"a\":1 2:3}\n"
                         "      |        ^ is a comma missing before it?\n"
                         "text:1:8: error[E010]: expected a key in double quotes, got \"2\"\n"
                         "    1 | {\"a\":1 2:3}\n"
                         "      |        ^ write \"2\"\n"},
    {S("[1;2]"), "text:1:3: error[E010]: expected ',' or ']' after a value, got ';'\n"
                 "    1 | [1;2]\n"
                 "      |   ^\n"},
    {S("[1}"), "text:1:3: error[E010]: expected ',' or ']' after a value, got '}'\n"
               "    1 | [1}\n"
               "      |   ^\n"
               "text:1:1: note: the array begins here\n"},
    {S("{\"a\":1]"), "text:1:7: error[E010]: expected ',' or '}' after a value, got ']'\n"
                     "    1 | {\"a\":1]\n"
                     "      |       ^\n"
                     "text:1:1: note: the object begins here\n"},
    {S("]"), "text:1:1: error[E010]: expected a value, got ']'\n"
             "    1 | ]\n"
             "      | ^\n"},
    {S(":"), "text:1:1: error[E010]: expected a value, got ':'\n"
             "    1 | :\n"
             "      | ^\n"},
    {S("1 2"), "text:1:3: error[E010]: expected the end of the text after the value, got a number\n"
               "    1 | 1 2\n"
               "      |   ^\n"},
    {S("{} {}"), "text:1:4: error[E010]: expected the end of the text after the value, got '{'\n"
                 "    1 | {} {}\n"
                 "      |    ^ a text holds one value: put several into an array\n"},
    {S("[] ,"), "text:1:4: error[E010]: expected the end of the text after the value, got ','\n"
                "    1 | [] ,\n"
                "      |    ^\n"},
    {S("{a: 1}"), "text:1:2: error[E010]: expected a key in double quotes, got \"a\"\n"
                  "    1 | {a: 1}\n"
                  "      |  ^ write \"a\"\n"},
    {S("{'a': 1}"), "text:1:2: error[E010]: expected a key in double quotes, got a single quote\n"
                    "    1 | {'a': 1}\n"
                    "      |  ^~~ JSON has only double quotes\n"},
    {S("['a', \"b\"]"), "text:1:2: error[E010]: expected a value or ']', got a single quote\n"
                        "    1 | ['a', \"b\"]\n"
                        "      |  ^~~ JSON has only double quotes\n"},
    {S("['a]"), "text:1:2: error[E010]: expected a value or ']', got a single quote\n"
                "    1 | ['a]\n"
                "      |  ^ JSON has only double quotes\n"},
    {S("{1: 2}"), "text:1:2: error[E010]: expected a key in double quotes, got \"1\"\n"
                  "    1 | {1: 2}\n"
                  "      |  ^ write \"1\"\n"},
    {S("{true: 1}"), "text:1:2: error[E010]: expected a key in double quotes, got \"true\"\n"
                     "    1 | {true: 1}\n"
                     "      |  ^~~~ write \"true\"\n"},
    {S("{[]: 1}"), "text:1:2: error[E010]: expected a key in double quotes or '}', got '['\n"
                   "    1 | {[]: 1}\n"
                   "      |  ^\n"},
    {S("[/* c */ 1, # d\n 2 // e\n]"), "text:1:2: error[E010]: JSON has no comments\n"
                                       "    1 | [/* c */ 1, # d\n"
                                       "      |  ^~~~~~~ remove it\n"
                                       "text:1:13: error[E010]: JSON has no comments\n"
                                       "    1 | [/* c */ 1, # d\n"
                                       "      |             ^~~ remove it\n"
                                       "text:2:4: error[E010]: JSON has no comments\n"
                                       "    2 |  2 // e\n"
                                       "      |    ^~~~ remove it\n"},
    {S("/* open"), "text:1:1: error[E010]: JSON has no comments\n"
                   "    1 | /* open\n"
                   "      | ^~ and this one is not closed\n"
                   "text:1:8: error[E010]: expected a value, got the end of the text\n"
                   "    1 | /* open\n"
                   "      |        ^\n"},
    {S("[NaN, -Infinity, Infinity, inf, -nan]"),
     "text:1:2: error[E010]: JSON has no NaN: its numbers are finite\n"
     "    1 | [NaN, -Infinity, Infinity, inf, -nan]\n"
     "      |  ^~~ write null, or a string\n"
     "text:1:7: error[E010]: JSON has no -Infinity: its numbers are finite\n"
     "    1 | [NaN, -Infinity, Infinity, inf, -nan]\n"
     "      |       ^~~~~~~~~ write null, or a string\n"
     "text:1:18: error[E010]: JSON has no Infinity: its numbers are finite\n"
     "    1 | [NaN, -Infinity, Infinity, inf, -nan]\n"
     "      |                  ^~~~~~~~ write null, or a string\n"
     "text:1:28: error[E010]: JSON has no inf: its numbers are finite\n"
     "    1 | [NaN, -Infinity, Infinity, inf, -nan]\n"
     "      |                            ^~~ write null, or a string\n"
     "text:1:33: error[E010]: JSON has no -nan: its numbers are finite\n"
     "    1 | [NaN, -Infinity, Infinity, inf, -nan]\n"
     "      |                                 ^~~~ write null, or a string\n"},
    {S("[True, FALSE, None, undefined, yes]"),
     "text:1:2: error[E010]: expected a value or ']', got \"True\"\n"
     "    1 | [True, FALSE, None, undefined, yes]\n"
     "      |  ^~~~ JSON writes it true\n"
     "text:1:8: error[E010]: expected a value after ',', got \"FALSE\"\n"
     "    1 | [True, FALSE, None, undefined, yes]\n"
     "      |        ^~~~~ JSON writes it false\n"
     "text:1:15: error[E010]: expected a value after ',', got \"None\"\n"
     "    1 | [True, FALSE, None, undefined, yes]\n"
     "      |               ^~~~ JSON writes it null\n"
     "text:1:21: error[E010]: expected a value after ',', got \"undefined\"\n"
     "    1 | [True, FALSE, None, undefined, yes]\n"
     "      |                     ^~~~~~~~~ JSON writes it null\n"
     "text:1:32: error[E010]: expected a value after ',', got \"yes\"\n"
     "    1 | [True, FALSE, None, undefined, yes]\n"
     "      |                                ^~~ a string stands in double quotes\n"},
    {S("[01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]"),
     "text:1:2: error[E010]: 01 is not a number in JSON: it begins with 0\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |  ^~ remove the zeros in front\n"
     "text:1:6: error[E010]: -00 is not a number in JSON: it begins with 0\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |      ^~~ remove the zeros in front\n"
     "text:1:11: error[E010]: 1. is not a number in JSON: a digit stands after '.'\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |           ^~\n"
     "text:1:15: error[E010]: .5 is not a number in JSON: a digit stands before '.'\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |               ^~ write 0 before it\n"
     "text:1:19: error[E010]: +1 is not a number in JSON: a sign is only '-'\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |                   ^~ remove the '+'\n"
     "text:1:23: error[E010]: - is not a number in JSON: a digit stands after '-'\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |                       ^\n"
     "text:1:26: error[E010]: 1e is not a number in JSON: a digit stands in the exponent\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |                          ^~\n"
     "text:1:30: error[E010]: 1e+ is not a number in JSON: a digit stands in the exponent\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |                              ^~~\n"
     "text:1:35: error[E010]: 0x1F is not a number in JSON: there are only decimal ones\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |                                   ^~~~\n"
     "text:1:41: error[E010]: 1_000 is not a number in JSON: it ends in other characters\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |                                         ^~~~~\n"
     "text:1:48: error[E010]: 1.2.3 is not a number in JSON: it ends in other characters\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |                                                ^~~~~\n"
     "text:1:55: error[E010]: 1abc is not a number in JSON: it ends in other characters\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |                                                       ^~~~\n"
     "text:1:61: error[E010]: expected a value, got \"-a\"\n"
     "    1 | [01, -00, 1., .5, +1, -, 1e, 1e+, 0x1F, 1_000, 1.2.3, 1abc, -a]\n"
     "      |                                                             ^~ a string stands in double quotes\n"},
    {S("[+]"), "text:1:2: error[E010]: expected a value, got '+'\n"
               "    1 | [+]\n"
               "      |  ^\n"},
    {S("[.]"), "text:1:2: error[E010]: expected a value, got '.'\n"
               "    1 | [.]\n"
               "      |  ^\n"},
    {S("[1e999, -1e400]"), "text:1:2: error[E013]: the number 1e999 is out of range\n"
                           "    1 | [1e999, -1e400]\n"
                           "      |  ^~~~~ the largest is about 1.8e308\n"
                           "text:1:9: error[E013]: the number -1e400 is out of range\n"
                           "    1 | [1e999, -1e400]\n"
                           "      |         ^~~~~~ the largest is about 1.8e308\n"},
    {S("[\"\\x41\", \"\\'\", \"\\u12g4\", \"\\u12\"]"),
     "text:1:3: error[E010]: \\x is not an escape that JSON knows\n"
     "    1 | [\"\\x41\", \"\\'\", \"\\u12g4\", \"\\u12\"]\n"
     "      |   ^~ a backslash is written \\\\\n"
     "text:1:11: error[E010]: \\' is not an escape that JSON knows\n"
     "    1 | [\"\\x41\", \"\\'\", \"\\u12g4\", \"\\u12\"]\n"
     "      |           ^~ a single quote needs none\n"
     "text:1:17: error[E010]: expected four hexadecimal digits after \\u\n"
     "    1 | [\"\\x41\", \"\\'\", \"\\u12g4\", \"\\u12\"]\n"
     "      |                 ^~ as in \\u00e9\n"
     "text:1:27: error[E010]: expected four hexadecimal digits after \\u\n"
     "    1 | [\"\\x41\", \"\\'\", \"\\u12g4\", \"\\u12\"]\n"
     "      |                           ^~ as in \\u00e9\n"},
    {S("[\"\\ud800\", \"\\udc00\", \"\\ud800\\n\", \"\\ud800\\ud800\", \"\\u0000\"]"),
     "text:1:3: error[E004]: \\ud800 is the first half of a surrogate pair without the second\n"
     "    1 | [\"\\ud800\", \"\\udc00\", \"\\ud800\\n\", \"\\ud800\\ud800\", \"\\u0000\"]\n"
     "      |   ^~~~~~\n"
     "text:1:13: error[E004]: \\udc00 is the second half of a surrogate pair without the first\n"
     "    1 | [\"\\ud800\", \"\\udc00\", \"\\ud800\\n\", \"\\ud800\\ud800\", \"\\u0000\"]\n"
     "      |             ^~~~~~\n"
     "text:1:23: error[E004]: \\ud800 is the first half of a surrogate pair without the second\n"
     "    1 | [\"\\ud800\", \"\\udc00\", \"\\ud800\\n\", \"\\ud800\\ud800\", \"\\u0000\"]\n"
     "      |                       ^~~~~~\n"
     "text:1:35: error[E004]: \\ud800 is the first half of a surrogate pair without the second\n"
     "    1 | [\"\\ud800\", \"\\udc00\", \"\\ud800\\n\", \"\\ud800\\ud800\", \"\\u0000\"]\n"
     "      |                                   ^~~~~~\n"
     "text:1:41: error[E004]: \\ud800 is the first half of a surrogate pair without the second\n"
     "    1 | [\"\\ud800\", \"\\udc00\", \"\\ud800\\n\", \"\\ud800\\ud800\", \"\\u0000\"]\n"
     "      |                                         ^~~~~~\n"
     "text:1:51: error[E004]: a string holds a NUL character (\\u0000)\n"
     "    1 | [\"\\ud800\", \"\\udc00\", \"\\ud800\\n\", \"\\ud800\\ud800\", \"\\u0000\"]\n"
     "      |                                                   ^~~~~~\n"},
    {S("[\"a\tb\x01\"]"), "text:1:4: error[E010]: a string holds the control character U+0009\n"
                          "    1 | [\"a b\xe2\x90\x81\"]\n"
                          "      |    ^ write it \\t\n"
                          "text:1:6: error[E010]: a string holds the control character U+0001\n"
                          "    1 | [\"a b\xe2\x90\x81\"]\n"
                          "      |      ^ write it \\u0001\n"},
    {S("{\"a\": 1, \"b\": 2, \"a\": 3}"), "text:1:18: error[E011]: this object has the key \"a\" twice\n"
                                          "    1 | {\"a\": 1, \"b\": 2, \"a\": 3}\n"
                                          "      |                  ^~~\n"
                                          "text:1:2: note: it stands here first\n"},
    {S("{\"a\": {\"a\": 1}, \"\\u0061\": 2}"), "text:1:17: error[E011]: this object has the key \"a\" twice\n"
                                               "    1 | {\"a\": {\"a\": 1}, \"\\u0061\": 2}\n"
                                               "      |                 ^~~~~~~~\n"
                                               "text:1:2: note: it stands here first\n"},
    {S("\xef\xbb\xbf[1,]"), "text:1:3: error[E010]: trailing comma behind the last value of this array\n"
                            "    1 | [1,]\n"
                            "      |   ^ remove it\n"},
    {S("[\"\xff\"]"), "text:1:3: error[E004]: text is not valid UTF-8: byte 0xff\n"
                      "    1 | [\"\xef\xbf\xbd\"]\n"
                      "      |   ^ save the file as UTF-8\n"},
    {S("[1,\x00]"), "text:1:4: error[E004]: text has a NUL byte\n"
                    "    1 | [1,\xe2\x90\x80]\n"
                    "      |    ^ is this a text file?\n"},
    {S("[\xc2\xa0]"), "text:1:2: error[E010]: expected a value or ']', got the character U+00A0\n"
                      "    1 | [\xc2\xa0]\n"
                      "      |  ^\n"},
    {S("[\xe2\x80\xa8]"), "text:1:2: error[E010]: expected a value or ']', got the character U+2028\n"
                          "    1 | [\xef\xbf\xbd]\n"
                          "      |  ^\n"},
    {S("[\xc3\xa9]"), "text:1:2: error[E010]: expected a value or ']', got '\xc3\xa9'\n"
                      "    1 | [\xc3\xa9]\n"
                      "      |  ^\n"},
    {S("[\x0c"
       "1]"),
     "text:1:2: error[E010]: expected a value or ']', got the character U+000C\n"
     "    1 | [\xe2\x90\x8c"
     "1]\n"
     "      |  ^\n"},
    {S("[1, \"a\": 2]"), "text:1:8: error[E010]: expected ',' or ']' after a value, got ':'\n"
                         "    1 | [1, \"a\": 2]\n"
                         "      |        ^\n"},
    {S("{\"a\": \"b\": 1}"), "text:1:10: error[E010]: expected ',' or '}' after a value, got ':'\n"
                             "    1 | {\"a\": \"b\": 1}\n"
                             "      |          ^\n"},
    {S("[\xef\xbb\xbf"
       "1]"),
     "text:1:2: error[E010]: expected a value or ']', got the character U+FEFF\n"
     "    1 | [\xef\xbf\xbd"
     "1]\n"
     "      |  ^\n"},
    {S("{\"abc\": tru}"), "text:1:9: error[E010]: expected a value after ':', got \"tru\"\n"
                          "    1 | {\"abc\": tru}\n"
                          "      |         ^~~ did you mean true?\n"},
    {S("[<p>]"), "text:1:2: error[E010]: expected a value or ']', got '<'\n"
                 "    1 | [<p>]\n"
                 "      |  ^\n"},
    {S("[\"\\"), "text:1:2: error[E010]: this string is not closed: the text ends before its '\"'\n"
                 "    1 | [\"\\\n"
                 "      |  ^\n"},
    {S("[\"\\u00\"]"), "text:1:3: error[E010]: expected four hexadecimal digits after \\u\n"
                       "    1 | [\"\\u00\"]\n"
                       "      |   ^~ as in \\u00e9\n"},
    {S("\xff\xfe{\x00"), "text:1:1: error[E004]: text is not valid UTF-8: byte 0xff\n"
                         "    1 | \xef\xbf\xbd\xef\xbf\xbd{\xe2\x90\x80\n"
                         "      | ^ this looks like UTF-16: save it as UTF-8\n"},
    {S("{\"k\": \"\\q\", \"\\q\": 1}"), "text:1:8: error[E010]: \\q is not an escape that JSON knows\n"
                                        "    1 | {\"k\": \"\\q\", \"\\q\": 1}\n"
                                        "      |        ^~ a backslash is written \\\\\n"
                                        "text:1:14: error[E010]: \\q is not an escape that JSON knows\n"
                                        "    1 | {\"k\": \"\\q\", \"\\q\": 1}\n"
                                        "      |              ^~ a backslash is written \\\\\n"},
};

static const char *said(Arena *arena, Str text) {
    Diags diags;
    diags_init(&diags, arena);
    Names names;
    names_init(&names, arena);
    Source *source = source_new(arena, S("text"), text);
    assert_null(json_parse(arena, &names, source, &diags));
    assert_true(diags.errors > 0);
    Buf out;
    buf_init(&out, arena);
    diags_render(&diags, DIAG_TEXT, false, &out);
    return str_to_c(arena, buf_str(&out));
}

static void each_mistake_is_named(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Arena arena;
        arena_init(&arena);
        /* Behind the copy is nothing, so that a sanitizer sees a step over the end. */
        char *text = mem_alloc(cases[i].text.n);
        memcpy(text, cases[i].text.p, cases[i].text.n);
        assert_string_equal(said(&arena, str(text, cases[i].text.n)), cases[i].said);
        mem_free(text);
        arena_free(&arena);
    }
}

static void brackets_too_deep(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    Buf text;
    buf_init(&text, &arena);
    for (int i = 0; i < 100000; i++)
        buf_add(&text, i % 2 == 0 ? S("[\n") : S("{\"k\":"));
    assert_string_equal(said(&arena, buf_str(&text)),
                        "text:257:6: error[E012]: JSON is nested more than 512 levels deep\n"
                        "  257 | {\"k\":[\n"
                        "      |      ^ this bracket goes too deep\n");
    arena_free(&arena);
}

static void a_text_of_mistakes_ends_the_scan(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    Buf text;
    buf_init(&text, &arena);
    buf_char(&text, '[');
    for (int i = 0; i < 1000000; i++)
        buf_add(&text, S("tru,"));
    const char *all = said(&arena, buf_str(&text));
    int n = 0;
    for (const char *p = all; (p = strstr(p, "error[E010]: ")) != NULL; p++)
        n++;
    assert_int_equal(n, 100);
    arena_free(&arena);
}

static void long_numbers_are_shortened(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    Buf text;
    buf_init(&text, &arena);
    buf_fill(&text, '9', 1000);
    buf_add(&text, S(".5"));
    assert_non_null(
        strstr(said(&arena, buf_str(&text)),
               "text:1:1: error[E013]: the number 9999999999999999999999999999999999999999... is out of range\n"));
    arena_free(&arena);
}

/* In an object of any size, at the top or inside, with the key written in another way. */
static void keys_twice_in_large_objects(void **state) {
    (void)state;
    for (int n = 1; n < 600; n = n * 5 / 4 + 1) {
        Arena arena;
        arena_init(&arena);
        Buf text;
        buf_init(&text, &arena);
        buf_add(&text, S("[{\"k0\": {\"k0\": 0, \"k1\": 0}"));
        for (int i = 1; i < n; i++)
            buf_format(&text, ",\n \"k%d\": {\"k%d\": {}}", i, i);
        buf_format(&text, ",\n \"\\u006b%d\": 1}, {\"k%d\": 1}]", n - 1, n - 1);
        char want[100];
        snprintf(want, sizeof want, "text:%d:2: error[E011]: this object has the key \"k%d\" twice\n", n + 1, n - 1);
        const char *all = said(&arena, buf_str(&text));
        assert_non_null(strstr(all, want));
        assert_null(strstr(strstr(all, "error[") + 1, "error["));
        snprintf(want, sizeof want, "text:%d:%d: note: it stands here first\n", n, n == 1 ? 3 : 2);
        assert_non_null(strstr(all, want));
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_is_named),
        cmocka_unit_test(brackets_too_deep),
        cmocka_unit_test(a_text_of_mistakes_ends_the_scan),
        cmocka_unit_test(long_numbers_are_shortened),
        cmocka_unit_test(keys_twice_in_large_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
