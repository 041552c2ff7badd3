/* table.c: every command, operand and option that opgen has, one row each.
 *
 * The parser (options.c), --help and the manual page (help.c) and the completions (completion.c) are made from these
 * rows. Commands stand in the order in which help lists them, options in the order in which it shows them.
 */
#include "command/options.h"

#include "pass/pass.h"

const char opgen_summary[] = "opgen makes native libraries of models: it generates their sources from templates and "
                             "builds them";

#define MODELS                                                                                                         \
    { "MODEL", TAKES_FILE, NULL, false, "A model's JSON file; - reads it from standard input", true }
#define MODEL                                                                                                          \
    { "MODEL", TAKES_FILE, NULL, false, "A model's JSON file; - reads it from standard input", false }

const CommandRow command_rows[CMD_COUNT] = {
    [CMD_COMPILE] =
        {
            .name = "compile",
            .summary = "Make a model's library",
            .text = "Generates the sources of each MODEL in DIR/NAME, NAME being the model's, and builds them there "
                    "with make and the backend's compiler. What is up to date is not built again. The path of each "
                    "library is printed. The weights' file that a model names is put beside its library. Files that "
                    "an earlier run left there and that are no longer generated are removed.",
            .operands = {MODELS},
            .example = "opgen compile mlp.json -o build --arch native",
        },
    [CMD_GENERATE] =
        {
            .name = "generate",
            .summary = "Write a model's sources",
            .text = "Writes the sources of each MODEL into DIR/NAME, NAME being the model's: kernels, driver, header, "
                    "runtime, build files. They compile with nothing of opgen installed. Only files whose bytes "
                    "change are written. Files there that opgen did not write, or that were edited since, are left "
                    "alone and named, unless --force is given. With -o - the files of one model go to standard "
                    "output.",
            .operands = {MODELS},
            .example = "opgen generate mlp.json -o gen -MD --stamp gen/mlp.stamp",
        },
    [CMD_CHECK] =
        {
            .name = "check",
            .summary = "Say whether generated sources are up to date",
            .text = "Compares what generate would write with what is there, and writes nothing. Each file that "
                    "differs is named on standard output with what is wrong; then the exit status is 1. The options "
                    "have to be those that the sources were generated with.",
            .operands = {MODELS},
            .example = "opgen check mlp.json -o gen --diff",
        },
    [CMD_OUTPUTS] =
        {
            .name = "outputs",
            .summary = "List the paths that generate would write",
            .text = "Prints one path a line, in the order of the depfile, and writes nothing.",
            .operands = {MODELS},
            .example = "opgen outputs mlp.json -o gen",
        },
    [CMD_RUN] =
        {
            .name = "run",
            .summary = "Run a model or a library",
            .text = "Runs a library that opgen made, or compiles a model as compile does and runs that. Inputs that "
                    "are not given are random numbers; dims come from the inputs, from --dim, or are the least that "
                    "the model allows. Prints what each output is; --out writes it to a file. Where neither the "
                    "model nor --weights names a file of weights, they are random, too.",
            .operands = {{"MODEL|LIB", TAKES_FILE, NULL, false, "A model's JSON file, or a library: libNAME.so",
                          false}},
            .example = "opgen run mlp.json --in x=x.npy --out y=y.npy --dim batch=8",
        },
    [CMD_VERIFY] =
        {
            .name = "verify",
            .summary = "Compare a backend's results with the CPU's reference",
            .text =
                "Builds the model's library, and in DIR/NAME.reference one for the CPU in which nothing is fused or "
                "vectorised, runs both on the same random inputs, for small and large sizes, and compares each "
                "output element by element: |a - b| <= atol + rtol * |b|. The exit status is 1 if one differs.",
            .operands = {MODEL},
            .example = "opgen verify mlp.json --dim batch=64 --rtol 1e-5",
        },
    [CMD_BENCH] =
        {
            .name = "bench",
            .summary = "Measure what a model and its operators take",
            .text =
                "Builds the model's library as compile does, compares its results with the CPU's reference as verify "
                "does, and times it: the whole run and its calls by operators, with data that no cache has, until "
                "the times are steady. Each row has median, least and most, the bytes and operations a second, and "
                "what share they are of a copy and of a matrix product measured in the same process. --vs measures "
                "another library or backend in turns with it. Where results differ nothing is timed, the "
                "differences are shown, and the exit status is 1. Dims that are not given are the least that the "
                "model allows. A library by itself is checked against that of --vs.",
            .operands = {{"MODEL|LIB", TAKES_FILE, NULL, false, "A model's JSON file, or a library: libNAME.so",
                          false}},
            .example = "opgen bench mlp.json --dim batch=64 --vs old/libmlp.so",
        },
    [CMD_GRAPH] =
        {
            .name = "graph",
            .summary = "Show a model's graph, as text or as a picture",
            .text = "Shows the graph as opgen understands it: composites expanded, every type and shape known. One "
                    "line a node, or with --svg a picture. --passes shows what each pass makes of it and which nodes "
                    "become one function, --memory where tensors lie in a run's memory and from which call to which; "
                    "both as text, as a picture, or with --json for programs.",
            .operands = {MODEL},
            .example = "opgen graph mlp.json --svg -o mlp.svg",
        },
    [CMD_LINT] =
        {
            .name = "lint",
            .summary = "Check operators, templates and models",
            .text = "Checks files of operators, templates and models, told apart by what is in them; of a folder all "
                    "of them, and of those below it. Without PATH it checks the operators and templates that opgen "
                    "uses. Operators and models may name operators of the folders given with -I and opgen's own. "
                    "Other JSON files are checked for being JSON. What is found goes to standard output; the exit "
                    "status is 1 if there is "
                    "an error, 2 if a path cannot be read.",
            .operands = {{"PATH", TAKES_FILE, NULL, true, "A file or folder to check", true}},
            .example = "opgen lint opdefs/map_unary.json my-operators",
        },
    [CMD_LIST] =
        {
            .name = "list",
            .summary = "List operators, backends, templates, passes",
            .text =
                "Lists operators with their kind, inputs and what they are; backends with their compiler; profiles of "
                "them; templates with the backend they are for; kernels with the backends that have them and the "
                "operators that "
                "use them, all of the folders given with -I and opgen's own; and the passes over a model's graph, in "
                "their order.",
            .operands = {{"WHAT", TAKES_CHOICE, "ops|backends|profiles|templates|kernels|passes", false,
                          "What to list: ops, backends, profiles, templates, kernels or passes", false}},
            .example = "opgen list ops",
        },
    [CMD_SHOW] =
        {
            .name = "show",
            .summary = "Show all about one operator",
            .text = "Shows an operator: its inputs, attributes and outputs, what it requires, how it is computed, and "
                    "the file it comes from.",
            .operands = {{"WHAT", TAKES_CHOICE, "op", false, "What to show: op", false},
                         {"NAME", TAKES_NAME, NULL, false, "Its name", false}},
            .example = "opgen show op gelu",
        },
    [CMD_RENDER] =
        {
            .name = "render",
            .summary = "Render a template with JSON data",
            .text =
                "Renders a Jinja template. The members of the JSON object are the template's variables. The text "
                "goes to standard output, or to a file with -o; when anything fails, nothing is written. "
                "Templates that it includes, imports or extends are looked up in the folders given with -I, in "
                "order, in the template's own folder, and among opgen's own templates; files outside of these are not "
                "read. TEMPLATE itself may be one of opgen's own: models/bert.json.j2 makes a model of a Hugging "
                "Face config. raise_exception(message) in a template ends it with a message.",
            .operands = {{"TEMPLATE", TAKES_FILE, NULL, false, "The template; - reads it from standard input", false},
                         {"DATA", TAKES_FILE, NULL, true, "A JSON file that holds an object; - reads standard input",
                          false}},
            .example = "opgen render kernel.j2 op.json -I templates -o kernel.cu",
        },
    [CMD_DOCTOR] =
        {
            .name = "doctor",
            .summary = "Say which backends can be built and run here",
            .text = "Looks for the programs that the backends need, their versions, and for devices, and says for each "
                    "backend what is missing. The exit status is 1 if the CPU's backend cannot be built.",
            .operands = {{NULL, TAKES_NONE, NULL, false, NULL, false}},
            .example = "opgen doctor",
        },
    [CMD_HELP] =
        {
            .name = "help",
            .summary = "Show what opgen or one of its commands does",
            .text = "Shows the same text as --help, for opgen or for one command.",
            .operands = {{"COMMAND", TAKES_COMMAND, NULL, true, "The command to explain", false}},
            .example = "opgen help render",
        },
    [CMD_COMPLETION] =
        {
            .name = "completion",
            .summary = "Print the completion script of a shell",
            .text = "Prints a script that makes the shell complete opgen's commands, options and their values. "
                    "make install puts it where the shells look.",
            .operands = {{"SHELL", TAKES_CHOICE, "bash|zsh|fish", false, "The shell: bash, zsh or fish", false}},
            .example = "eval \"$(opgen completion bash)\"",
        },
};

#define RENDER OPTION_OF(CMD_RENDER)
#define OPERATORS (OPTION_OF(CMD_LINT) | OPTION_OF(CMD_LIST) | OPTION_OF(CMD_SHOW))
#define GENERATE OPTION_OF(CMD_GENERATE)
#define GRAPH OPTION_OF(CMD_GRAPH)
#define DOCTOR OPTION_OF(CMD_DOCTOR)
#define RUN OPTION_OF(CMD_RUN)
#define VERIFY OPTION_OF(CMD_VERIFY)
#define BENCH OPTION_OF(CMD_BENCH)
/* What builds a library. */
#define BUILDS (OPTION_OF(CMD_COMPILE) | RUN | VERIFY | BENCH)
/* What decides the bytes of generated files. */
#define FILES (BUILDS | GENERATE | OPTION_OF(CMD_CHECK) | OPTION_OF(CMD_OUTPUTS))
#define SOURCES (GENERATE | OPTION_OF(CMD_CHECK) | OPTION_OF(CMD_OUTPUTS))
#define RUNS (RUN | VERIFY | BENCH)

const OptionRow option_rows[OPT_COUNT] = {
    [OPT_BACKEND] = {"backend", 'b', TAKES_BACKEND, "NAME", NULL, "cpu", 0, FILES | GRAPH, false,
                     "The backend: opgen list backends", false},
    [OPT_INCLUDE] = {"include", 'I', TAKES_FOLDER, "DIR", NULL, NULL, 0, RENDER | OPERATORS | FILES | GRAPH | DOCTOR,
                     true,
                     "Look for templates, and for operators where they are used, in DIR first; may be given several "
                     "times",
                     false},
    [OPT_OUTPUT] = {"output", 'o', TAKES_FILE, "FILE", NULL, NULL, 0, RENDER | GRAPH, false,
                    "Write to FILE, and only if its bytes change; - is standard output", false},
    [OPT_FOLDER] = {"output", 'o', TAKES_FOLDER, "DIR", NULL, "gen", 0, FILES, false,
                    "The folder in which each model has a folder of its own", false},
    [OPT_PROFILE] = {"profile", 0, TAKES_TEXT, "NAME", NULL, NULL, 0, SOURCES, false,
                     "A form of the backend's code for machines of another kind; embedded: C without a C library, for "
                     "machines without an operating system",
                     false},
    [OPT_SINGLE] = {"single-file", 0, TAKES_NONE, NULL, NULL, NULL, 0, SOURCES, false,
                    "With --profile: put all sources into one file", false},
    [OPT_EMBED_WEIGHTS] = {"embed-weights", 0, TAKES_NONE, NULL, NULL, NULL, 0, FILES, false,
                           "Put the weights into the sources, instead of reading their file at run time", false},
    [OPT_FREEZE] = {"freeze", 0, TAKES_NONE, NULL, NULL, NULL, 0, SOURCES | OPTION_OF(CMD_COMPILE), false,
                    "Compute now, with the system's C compiler, what depends on the weights alone: they are those that "
                    "the model names, and will not be replaced. What is left of them is a file of its own, or, with "
                    "--embed-weights, in the sources",
                    false},
    [OPT_WITHOUT] = {"without", 0, TAKES_CHOICE, "PASS", pass_names, NULL, 0, FILES | GRAPH, true,
                     "Leave a pass over the graph out (see: opgen list passes); may be given several times", false},
    [OPT_USE] =
        {"use", 0, TAKES_TEXT, "TEMPLATE", NULL, NULL, 0, FILES, true,
         "Make operators that have this kernel template among their candidates with it; may be given several times",
         false},
    [OPT_FORCE] = {"force", 0, TAKES_NONE, NULL, NULL, NULL, 0, BUILDS | GENERATE, false,
                   "Overwrite files that opgen did not write or that were edited since", false},
    [OPT_PRUNE] = {"prune", 0, TAKES_NONE, NULL, NULL, NULL, 0, GENERATE, false,
                   "Remove files of earlier runs that are no longer generated", false},
    [OPT_STAMP] = {"stamp", 0, TAKES_FILE, "FILE", NULL, NULL, 0, GENERATE, false,
                   "Touch FILE at the end, for makefiles: files whose bytes stay keep their times", false},
    [OPT_DEPFILE] = {"MD", 0, TAKES_NONE, NULL, NULL, NULL, 0, GENERATE, false,
                     "Write a depfile for Make and Ninja: DIR/NAME.d, or that of -MF", true},
    [OPT_DEPFILE_FILE] = {"MF", 0, TAKES_FILE, "FILE", NULL, NULL, 0, GENERATE, false, "With -MD: write it to FILE",
                          true},
    [OPT_DEPFILE_TARGET] = {"MT", 0, TAKES_TEXT, "TARGET", NULL, NULL, 0, GENERATE, true,
                            "With -MD: what the rule makes, in place of the stamp or of all files; may be given "
                            "several times",
                            true},
    [OPT_DEPFILE_PHONY] = {"MP", 0, TAKES_NONE, NULL, NULL, NULL, 0, GENERATE, false,
                           "With -MD: an empty rule for each input, so that make goes on when one was removed", true},
    [OPT_DIFF] = {"diff", 0, TAKES_NONE, NULL, NULL, NULL, 0, OPTION_OF(CMD_CHECK), false,
                  "Show what generate would change, as a patch", false},
    [OPT_ARCH] = {"arch", 0, TAKES_TEXT, "ARCH[,ARCH]", NULL, NULL, 0, BUILDS, false,
                  "Build for these architectures, as the backend's compiler names them; native is what is here", false},
    [OPT_OPENMP] = {"threads", 0, TAKES_NONE, NULL, NULL, NULL, 0, OPTION_OF(CMD_COMPILE), false,
                    "Build a library whose runs can use several threads", false},
    [OPT_CC] = {"cc", 0, TAKES_PROGRAM, "COMMAND", NULL, NULL, 0, BUILDS, false,
                "The compiler, in place of the backend's", false},
    [OPT_LAUNCHER] = {"launcher", 0, TAKES_PROGRAM, "COMMAND", NULL, NULL, 0, BUILDS, false,
                      "What starts each compiler: ccache, sccache, distcc", false},
    [OPT_JOBS] = {"jobs", 'j', TAKES_COUNT, "N", NULL, NULL, 4096, BUILDS, false,
                  "Compile N files at once; as many as there are processors if not given", false},
    [OPT_IN] = {"in", 0, TAKES_NAMED, "NAME=FILE", NULL, NULL, 0, RUN | BENCH, true,
                "Read an input from FILE.npy, or from FILE.npz:ARRAY; FILE.npz alone gives every input that it has "
                "an array for; may be given several times",
                false},
    [OPT_OUT] = {"out", 0, TAKES_NAMED, "NAME=FILE", NULL, NULL, 0, RUN, true,
                 "Write an output to FILE.npy; FILE.npz alone takes all of them; may be given several times", false},
    [OPT_DIM] = {"dim", 0, TAKES_PAIR, "NAME=SIZE", NULL, NULL, 0, RUNS, true,
                 "The size of a dim; may be given several times", false},
    [OPT_WEIGHTS] = {"weights", 0, TAKES_FILE, "FILE", NULL, NULL, 0, RUNS, false,
                     "Read the weights from this safetensors file", false},
    [OPT_SEED] = {"seed", 0, TAKES_COUNT, "N", NULL, "1", UINT64_C(1) << 62, RUNS, false, "Which random numbers",
                  false},
    [OPT_THREADS] = {"threads", 0, TAKES_COUNT, "N", NULL, "1", 1024, RUNS, false, "Run with up to N threads", false},
    [OPT_MODEL] = {"model", 0, TAKES_TEXT, "NAME", NULL, NULL, 0, RUN, false,
                   "Which model of a library that has several", false},
    [OPT_REPLAY] = {"replay", 0, TAKES_FOLDER, "DIR", NULL, NULL, 0, RUN, false,
                    "Do a run again that OPGEN_LOG=4 wrote to DIR, but for what is given otherwise, and compare what "
                    "comes out bit by bit; the exit status is 1 if it differs",
                    false},
    [OPT_MEASURE] = {"profile", 0, TAKES_NONE, NULL, NULL, NULL, 0, RUN, false,
                     "Run it some more times and show what each operator and function takes", false},
    [OPT_TRACE] = {"trace", 0, TAKES_FILE, "FILE", NULL, NULL, 0, RUN, false,
                   "The same, written to FILE for chrome://tracing and Perfetto", false},
    [OPT_REPEAT] = {"repeat", 0, TAKES_COUNT, "N", NULL, NULL, UINT64_C(1) << 32, RUN | BENCH, false,
                    "Measure N runs; run does with --profile or --trace, 10 if not given, bench as many as it takes",
                    false},
    [OPT_VS] = {"vs", 0, TAKES_FILE, "LIB|BACKEND", NULL, NULL, 0, BENCH, false,
                "Measure this library, or the model on this backend, in turns with it, and show both", false},
    [OPT_TIME] = {"time", 0, TAKES_REAL, "SECONDS", NULL, "1", 0, BENCH, false,
                  "Measure for about so long at most, the whole and its parts each", false},
    [OPT_RTOL] = {"rtol", 0, TAKES_REAL, "X", NULL, NULL, 0, VERIFY | BENCH, false,
                  "The relative difference that is allowed; 1e-4 for f32 if not given, by dtype", false},
    [OPT_ATOL] = {"atol", 0, TAKES_REAL, "X", NULL, NULL, 0, VERIFY | BENCH, false,
                  "The absolute difference that is allowed; 1e-5 for f32 if not given, by dtype, and less where values "
                  "are small",
                  false},
    [OPT_PASSES] = {"passes", 0, TAKES_NONE, NULL, NULL, NULL, 0, GRAPH, false,
                    "Show the graph after each pass over it, and last the functions with their nodes", false},
    [OPT_MEMORY] = {"memory", 0, TAKES_NONE, NULL, NULL, NULL, 0, GRAPH, false,
                    "Show what lies where in the memory of a run, from call to call", false},
    [OPT_SVG] = {"svg", 0, TAKES_NONE, NULL, NULL, NULL, 0, GRAPH, false, "Draw a picture, in SVG", false},
    [OPT_SET] = {"set", 0, TAKES_PAIR, "NAME=VALUE", NULL, NULL, 0, RENDER, true,
                 "Give the template a variable that holds the text VALUE, whatever the data says of it; may be given "
                 "several times",
                 false},
    [OPT_UNDEFINED] = {"undefined", 0, TAKES_CHOICE, "MODE", "strict|lenient|chainable", "strict", 0, RENDER, false,
                       "Take undefined variables as errors, as empty text, or as empty text whose attributes are "
                       "undefined in turn",
                       false},
    [OPT_TRIM_BLOCKS] = {"trim-blocks", 0, TAKES_NONE, NULL, NULL, NULL, 0, RENDER, false,
                         "Remove the line break behind a {% %} tag", false},
    [OPT_LSTRIP_BLOCKS] = {"lstrip-blocks", 0, TAKES_NONE, NULL, NULL, NULL, 0, RENDER, false,
                           "Remove the blanks before a {% %} tag that begins its line", false},
    [OPT_KEEP_TRAILING_NEWLINE] = {"keep-trailing-newline", 0, TAKES_NONE, NULL, NULL, NULL, 0, RENDER, false,
                                   "Keep the line break at the end of the template", false},
    [OPT_MAX_LOOPS] = {"max-loops", 0, TAKES_COUNT, "N", NULL, "100000000", UINT64_C(1) << 62, RENDER, false,
                       "Stop after N iterations of all loops together", false},
    [OPT_MAX_OUTPUT] = {"max-output", 0, TAKES_SIZE, "SIZE", NULL, "1G", UINT64_C(1) << 40, RENDER, false,
                        "Stop when the text grows past SIZE bytes; K, M and G are powers of 1024", false},
    [OPT_MAX_MEMORY] = {"max-memory", 0, TAKES_SIZE, "SIZE", NULL, "1G", UINT64_C(1) << 40, RENDER, false,
                        "Stop when the template's values take more than SIZE bytes", false},
    [OPT_MAX_DEPTH] = {"max-depth", 0, TAKES_COUNT, "N", NULL, "1000", 100000, RENDER, false,
                       "Stop when macros, includes and blocks are N deep within each other", false},
    [OPT_JSON] = {"json", 0, TAKES_NONE, NULL, NULL, NULL, 0,
                  OPTION_OF(CMD_LIST) | OPTION_OF(CMD_SHOW) | RUNS | DOCTOR | GRAPH, false, "Print JSON, for programs",
                  false},
    [OPT_CSV] = {"csv", 0, TAKES_NONE, NULL, NULL, NULL, 0, BENCH, false, "Print CSV, for programs", false},
    [OPT_MAN] = {"man", 0, TAKES_NONE, NULL, NULL, NULL, 0, OPTION_OF(CMD_HELP), false,
                 "Print the manual page, in roff", false},
    [OPT_VERBOSE] = {"verbose", 'v', TAKES_NONE, NULL, NULL, NULL, 0, BUILDS | GENERATE, false,
                     "Say what is done, and show the compiler's commands", false},
    [OPT_DIAGNOSTICS] = {"diagnostics", 0, TAKES_CHOICE, "FORMAT", "text|json|github|sarif", "text", 0, OPTION_GLOBAL,
                         false, "How errors are written on standard error", false},
    [OPT_COLOR] = {"color", 0, TAKES_CHOICE, "WHEN", "auto|always|never", "auto", 0, OPTION_GLOBAL, false,
                   "Colour errors; auto: on a terminal, unless NO_COLOR is set", false},
    [OPT_HELP] = {"help", 'h', TAKES_NONE, NULL, NULL, NULL, 0, OPTION_GLOBAL, false, "Show help and exit", false},
    [OPT_VERSION] = {"version", 0, TAKES_NONE, NULL, NULL, NULL, 0, OPTION_GLOBAL, false, "Show the version and exit",
                     false},
};
