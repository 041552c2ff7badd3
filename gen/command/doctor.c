/* doctor.c: `opgen doctor`, what is here to build and run libraries with.
 *
 * Nothing is taken for working because it is there: programs are asked for their version, and the compiler of a backend
 * whose sources are C has to take a file of the runtime. What backends need is in their backend.json.
 */
#include "command/child.h"
#include "command/program.h"
#include "command/rows.h"

#include "base/folder.h"

#include <unistd.h>

enum { WAIT_MS = 20000 };

typedef struct Tool {
    Str name;
    Str path;    /* empty: it is not there */
    Str version; /* empty: it does not say */
    bool hidden; /* it is there, but not in PATH */
} Tool;

/* What a backend runs on, as its "device" says. */
typedef struct Device {
    const Json *about;
    Str maker;
    Str file;       /* that its driver makes */
    VEC(Str) found; /* their names; the maker's where nothing says more */
} Device;

typedef struct Health {
    const Backend *backend;
    Str name, compiler;
    Str trouble; /* why it cannot be built; empty: it can */
    bool has_device;
} Health;

typedef struct Doctor {
    Command *command;
    Arena *arena;
    Names names;
    VEC(Tool) tools;
    VEC(Health) health;
    VEC(Device) devices;
} Doctor;

/* ---- programs -----------------------------------------------------------------------------------------------------
 */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The first line that has a number with a point in it. */
static Str version_line(Str text) {
    while (text.n > 0) {
        size_t end = str_find_char(text, '\n');
        Str line = str_trim(end == STR_NONE ? text : str_sub(text, 0, end));
        text = end == STR_NONE ? S("") : str_sub(text, end + 1, text.n);
        for (size_t i = 1; i + 1 < line.n; i++) {
            if (line.p[i] == '.' && is_digit(line.p[i - 1]) && is_digit(line.p[i + 1])) return line;
        }
    }
    return S("");
}

static const Tool *look_for(Doctor *doctor, Str name, const Json *places) {
    for (uint32_t i = 0; i < doctor->tools.n; i++) {
        if (str_eq(doctor->tools.items[i].name, name)) return &doctor->tools.items[i];
    }
    Tool *tool = VEC_PUSH(doctor->arena, &doctor->tools);
    *tool = (Tool){.name = name};
    tool->path = program_find(doctor->arena, name, places, &tool->hidden);
    if (tool->path.n == 0) return tool;
    command_progress(doctor->command, "%S --version", name);
    const char *arguments[] = {str_to_c(doctor->arena, tool->path), "--version", NULL};
    ChildEnd end = child_run(doctor->arena, &(Child){.arguments = arguments, .wait_ms = WAIT_MS});
    if (end.error == 0 && end.status == 0) tool->version = version_line(end.output);
    return tool;
}

/* ---- devices ------------------------------------------------------------------------------------------------------
 */

/* "GPU 0: NVIDIA H200 (UUID: ...)": without the last part. */
static void take_devices(Doctor *doctor, Device *device, Str text) {
    while (text.n > 0) {
        size_t end = str_find_char(text, '\n');
        Str line = str_trim(end == STR_NONE ? text : str_sub(text, 0, end));
        text = end == STR_NONE ? S("") : str_sub(text, end + 1, text.n);
        size_t uuid = str_find(line, S(" (UUID"));
        if (uuid != STR_NONE) line = str_sub(line, 0, uuid);
        if (str_starts(line, S("GPU "))) *VEC_PUSH(doctor->arena, &device->found) = line;
    }
}

static Str text_of(const Json *json) { return json != NULL && json->kind == JSON_STRING ? json->as.s : S(""); }

static void look_at_device(Doctor *doctor, Device *device) {
    Arena *arena = doctor->arena;
    const Json *list = json_get(device->about, S("list"));
    if (device->file.n == 0 || access(str_to_c(arena, device->file), F_OK) != 0) return;
    if (list != NULL && list->kind == JSON_ARRAY && list->as.array.n > 0) {
        VEC(const char *) arguments = {0};
        for (uint32_t i = 0; i < list->as.array.n; i++)
            *VEC_PUSH(arena, &arguments) = str_to_c(arena, text_of(&list->as.array.items[i]));
        *VEC_PUSH(arena, &arguments) = NULL;
        command_progress(doctor->command, "%s", arguments.items[0]);
        ChildEnd end = child_run(arena, &(Child){.arguments = arguments.items, .wait_ms = WAIT_MS});
        if (end.error == 0 && end.status == 0) take_devices(doctor, device, end.output);
        if (end.error == 0 && end.status == 0) return;
    }
    *VEC_PUSH(arena, &device->found) = str_format(arena, "%S (%S)", device->maker, device->file);
}

/* Several backends may run on one. */
static const Device *device_of(Doctor *doctor, const Backend *backend) {
    const Json *about = backend_get(backend, S("device"));
    if (about == NULL || about->kind != JSON_OBJECT) return NULL;
    for (uint32_t i = 0; i < doctor->devices.n; i++)
        if (doctor->devices.items[i].about == about ||
            str_eq(doctor->devices.items[i].file, text_of(json_get(about, S("file")))))
            return &doctor->devices.items[i];
    Device *device = VEC_PUSH(doctor->arena, &doctor->devices);
    *device = (Device){
        .about = about, .maker = text_of(json_get(about, S("maker"))), .file = text_of(json_get(about, S("file")))};
    look_at_device(doctor, device);
    return device;
}

/* ---- backends -----------------------------------------------------------------------------------------------------
 */

/* Whether the compiler takes C that includes what every system should have; what it says if not. */
static Str try_compiler(Doctor *doctor, const Health *health, const Tool *tool) {
    Arena *arena = doctor->arena;
    Str runtime = command_data(doctor->command, "runtime");
    if (runtime.n == 0) return S("the runtime's sources are not found");
    VEC(const char *) arguments = {0};
    *VEC_PUSH(arena, &arguments) = str_to_c(arena, tool->path);
    const Json *flags = backend_compiler(health->backend, S("flags"));
    for (uint32_t i = 0; flags != NULL && flags->kind == JSON_ARRAY && i < flags->as.array.n; i++)
        *VEC_PUSH(arena, &arguments) = str_to_c(arena, text_of(&flags->as.array.items[i]));
    *VEC_PUSH(arena, &arguments) = "-fsyntax-only";
    *VEC_PUSH(arena, &arguments) = str_to_c(arena, path_join(arena, runtime, S("opgen_open.c")));
    *VEC_PUSH(arena, &arguments) = NULL;
    command_progress(doctor->command, "%S -fsyntax-only", tool->name);
    ChildEnd end = child_run(arena, &(Child){.arguments = arguments.items, .wait_ms = WAIT_MS});
    if (end.error == 0 && end.status == 0) return S("");
    Str line = str_trim(end.output);
    size_t first = str_find_char(line, '\n');
    if (first != STR_NONE) line = str_sub(line, 0, first);
    return str_format(arena, "%S does not compile C: %S", tool->name, line.n > 0 ? line : S("it cannot be run"));
}

static void look_at_backend(Doctor *doctor, Health *health) {
    Arena *arena = doctor->arena;
    const Backend *backend = health->backend;
    health->compiler = text_of(backend_compiler(backend, S("command")));
    const Tool *make = look_for(doctor, S("make"), NULL);
    bool has_make = make->path.n > 0;
    const Device *device = device_of(doctor, backend);
    health->has_device = device == NULL || device->found.n > 0;
    const Tool *compiler = look_for(doctor, health->compiler, backend_compiler(backend, S("places")));
    if (compiler->path.n == 0)
        health->trouble = str_format(arena, "%S is not found", health->compiler);
    else if (!has_make)
        health->trouble = S("make is not found");
    else if (str_eq(backend->ext, S(".c")))
        health->trouble = try_compiler(doctor, health, compiler);
}

/* Those that have a compiler: the others are parents alone. */
static void look_at_backends(Doctor *doctor) {
    Folders roots = {0}, names = {0};
    command_roots(doctor->command, &roots);
    command_backends(doctor->command, &roots, &names);
    for (uint32_t i = 0; i < names.n; i++) {
        const Backend *backend = backend_read(doctor->arena, &doctor->names, roots.items, roots.n, names.items[i],
                                              span(NULL, 0, 0), &doctor->command->diags);
        if (backend == NULL || text_of(backend_compiler(backend, S("command"))).n == 0) continue;
        Health health = {.backend = backend, .name = name_str(backend->name)};
        look_at_backend(doctor, &health);
        *VEC_PUSH(doctor->arena, &doctor->health) = health;
    }
}

/* ---- what it says -------------------------------------------------------------------------------------------------
 */

static Str verdict(Arena *arena, const Health *health) {
    if (health->trouble.n > 0) return str_format(arena, "cannot be built: %S", health->trouble);
    return health->has_device ? S("ready") : S("can be built; there is no device to run it on");
}

static void print_text(Doctor *doctor) {
    Arena *arena = doctor->arena;
    Rows tools = {0}, devices = {0}, backends = {0};
    for (uint32_t i = 0; i < doctor->tools.n; i++) {
        const Tool *tool = &doctor->tools.items[i];
        Str version = tool->path.n == 0 ? S("missing") : tool->version.n > 0 ? tool->version : S("no version");
        Str path = tool->hidden ? str_format(arena, "%S (not in PATH)", tool->path) : tool->path;
        *VEC_PUSH(arena, &tools) = (Row){{tool->name, version, path}};
    }
    for (uint32_t i = 0; i < doctor->devices.n; i++) {
        const Device *device = &doctor->devices.items[i];
        for (uint32_t k = 0; k < device->found.n; k++)
            *VEC_PUSH(arena, &devices) = (Row){{device->maker, device->found.items[k]}};
        if (device->found.n == 0) *VEC_PUSH(arena, &devices) = (Row){{device->maker, S("none")}};
    }
    for (uint32_t i = 0; i < doctor->health.n; i++)
        *VEC_PUSH(arena, &backends) = (Row){{doctor->health.items[i].name, verdict(arena, &doctor->health.items[i])}};
    Buf out;
    buf_init(&out, arena);
    buf_add(&out, S("programs\n"));
    rows_text(&out, &tools, 3, 2);
    buf_add(&out, S("devices\n"));
    rows_text(&out, &devices, 2, 2);
    buf_add(&out, S("backends\n"));
    rows_text(&out, &backends, 2, 2);
    command_print(doctor->command, buf_str(&out));
}

static void member(Buf *out, const char *name, Str text, bool last) {
    buf_format(out, "\"%s\": ", name);
    if (text.n > 0)
        buf_json(out, text);
    else
        buf_add(out, S("null"));
    buf_add(out, last ? S("}") : S(", "));
}

static void print_json(Doctor *doctor) {
    Buf out;
    const char *between = "";
    buf_init(&out, doctor->arena);
    buf_add(&out, S("{\"programs\": ["));
    for (uint32_t i = 0; i < doctor->tools.n; i++) {
        const Tool *tool = &doctor->tools.items[i];
        buf_add(&out, i > 0 ? S(",\n  {") : S("\n  {"));
        member(&out, "name", tool->name, false);
        member(&out, "path", tool->path, false);
        buf_format(&out, "\"in_path\": %s, ", tool->path.n > 0 && !tool->hidden ? "true" : "false");
        member(&out, "version", tool->version, true);
    }
    buf_add(&out, S("],\n \"devices\": ["));
    for (uint32_t i = 0; i < doctor->devices.n; i++) {
        const Device *device = &doctor->devices.items[i];
        for (uint32_t k = 0; k < device->found.n; k++, between = ",") {
            buf_format(&out, "%s\n  {", between);
            member(&out, "maker", device->maker, false);
            member(&out, "name", device->found.items[k], true);
        }
    }
    buf_add(&out, S("],\n \"backends\": ["));
    for (uint32_t i = 0; i < doctor->health.n; i++) {
        const Health *health = &doctor->health.items[i];
        buf_add(&out, i > 0 ? S(",\n  {") : S("\n  {"));
        member(&out, "name", health->name, false);
        member(&out, "compiler", health->compiler, false);
        buf_format(&out, "\"builds\": %s, \"device\": %s, ", health->trouble.n == 0 ? "true" : "false",
                   health->has_device ? "true" : "false");
        member(&out, "trouble", health->trouble, true);
    }
    buf_add(&out, S("]}\n"));
    command_print(doctor->command, buf_str(&out));
}

void command_doctor(Command *command) {
    static const char *const usual[] = {"make", "cc", "clang"};
    Doctor doctor = {.command = command, .arena = command->arena};
    names_init(&doctor.names, command->arena);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        look_for(&doctor, str_c(usual[i]), NULL);
    look_at_backends(&doctor);
    command_progress_end(command);
    if (command->options.values[OPT_JSON].given)
        print_json(&doctor);
    else
        print_text(&doctor);
    command->negative = true;
    for (uint32_t i = 0; i < doctor.health.n; i++) {
        const Health *health = &doctor.health.items[i];
        if (str_eq(health->name, S("cpu")) && health->trouble.n == 0) command->negative = false;
    }
}
