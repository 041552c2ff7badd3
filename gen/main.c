/* main.c: the program. Everything it does is in command/. */
#include "command/command.h"

int main(int argc, char **argv) {
    process_prepare();
    return command_main(argc, argv);
}
