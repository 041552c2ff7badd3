/* measure.h: `opgen run --profile` and `--trace`: a model is run again and again, and what its calls take is told. */
#ifndef OPGEN_COMMAND_MEASURE_H
#define OPGEN_COMMAND_MEASURE_H

#include "command/session.h"

/* Whether it is asked for; false after adding a finding, too: --repeat is for nothing else. */
bool measure_wanted(Command *command);
/* Runs a session that has run once, so that all is warm, and writes the trace if there is to be one. False after adding
 * findings. */
bool measure_runs(Session *session);
/* What was measured: by operators and by functions as tables; or as a member of an object. */
void measure_print(Buf *out, Session *session);
bool measure_print_json(Buf *out, Session *session);

#endif
