/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options.h"

#include "fail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <argp.h>
#include <unistd.h>

/* Options without a short form. */
enum {
    KEY_RAW = 256,
    KEY_NPY,
    KEY_JSON,
    KEY_THREADS
};

static const struct argp_option described[] = {
    {.doc = "Input:", .group = 1},
    {.name = "fields",
     .key = 'f',
     .arg = "LIST",
     .doc = "the input has records of these fields, without a header: "
            "NAME:TYPE,... TYPE is int8 to uint64, float16 to float64, bool, "
            "or bytesN for N bytes of anything else"},
    {.doc = "Output:", .group = 2},
    {.name = "output",
     .key = 'o',
     .arg = "[NAME=]FILE",
     .doc = "write the kept elements to FILE, not to standard output; with "
            "NAME, those of the input NAME"},
    {.name = "index", .key = 'i', .doc = "write the indices of the kept items (int64, from 0)"},
    {.name = "mask",
     .key = 'm',
     .doc = "write a byte for each item: 1 if it is kept, else 0"},
    {.name = "count", .key = 'c', .doc = "print the number of kept items"},
    {.name = "reduce",
     .key = 'r',
     .arg = "EXPRESSION",
     .doc = "print count, sum, mean, minimum and maximum of a column or an "
            "expression of the kept items; may be given several times"},
    {.name = "raw", .key = KEY_RAW, .doc = "write elements without a header"},
    {.name = "npy",
     .key = KEY_NPY,
     .doc = "write .npy, even if the input is not .npy and the output's "
            "name does not end in .npy"},
    {.name = "json",
     .key = KEY_JSON,
     .doc = "print a report of the run to standard output, as a JSON object"},
    {.doc = "Execution:", .group = 3},
    {.name = "device",
     .key = 'd',
     .arg = "N|host",
     .doc = "the number of a CUDA device, or host for the CPU [host]"},
    {.name = "threads", .key = KEY_THREADS, .arg = "N", .doc = "the number of CPU threads"},
    {.name = "quiet", .key = 'q', .doc = "show no progress on a terminal"},
    {0}};

static const char description[] =
    "Keep the items of arrays that meet a condition.\n"
    "\n"
    "FILE is a .npy file, or '-' for standard input, which is the default.\n"
    "CONDITION calls the elements of an array by NAME; without a NAME, those of\n"
    "a single array are x. Fields of records have their own names. Several\n"
    "files are the columns of one table. For CSV, Parquet and Arrow files use\n"
    "winnow-filter: pip install 'libwinnow[filter]'.\n"
    "\v"
    "  winnow 'x > 10' in.npy -o out.npy\n"
    "  winnow 'price < 24 and id in (4, 8)' price=a.npy id=b.npy -o id=c.npy\n"
    "  winnow 'y > 0' -f x:float32,y:float32,id:int64 events -o kept\n"
    "\n"
    "Exit status: 0: success; 2: a mistake in the command line or the\n"
    "condition; 3: an input cannot be read; 4: an input is malformed or too\n"
    "short; 5: an output cannot be written; 6: the output's pipe was closed; 7:\n"
    "there is no such device, or not enough memory.";

static unsigned number(const char *name, const char *text, const char *or_else, unsigned least,
                       unsigned most) {
    char *end;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 ||
        value < least || value > most)
        program_fail(PROGRAM_USAGE, "--%s: '%s' is not understood: wanted %s%u to %u",
                   name, text, or_else, least, most);
    return (unsigned)value;
}

static void choose(program_options *options, program_what what) {
    if (options->what != PROGRAM_ELEMENTS && options->what != what)
        program_fail(PROGRAM_USAGE, "--index, --mask, --count and --reduce exclude each "
                          "other");
    options->what = what;
}

static void append(const char **list,
                   unsigned *count_p, unsigned most, const char *text,
                   const char *what) {
    if (*count_p == most)
        program_fail(PROGRAM_USAGE, "more than %u %s", most, what);
    list[(*count_p)++] = text;
}

static void take_argument(struct argp_state *state, const char *text) {
    program_options *const options = state->input;
    if (options->condition == NULL)
        options->condition = text;
    else
        append(options->inputs, &options->input_count,
               WINNOW_PIPE_MOST_INPUTS, text, "inputs");
}

/* What only all arguments together show. */
static void check(struct argp_state *state) {
    program_options *const options = state->input;
    const bool is_text =
        options->what == PROGRAM_COUNT || options->what == PROGRAM_REDUCE;
    if (options->input_count == 0 && isatty(STDIN_FILENO) == 1)
        argp_usage(state);
    if (options->condition == NULL)
        program_fail(PROGRAM_USAGE, "no condition is given");
    if (options->input_count == 0)
        options->inputs[options->input_count++] = "-";
    if (options->fields != NULL && options->input_count > 1)
        program_fail(PROGRAM_USAGE, "--fields is of one input");
    if (options->raw && options->npy)
        program_fail(PROGRAM_USAGE, "--raw and --npy exclude each other");
    if (is_text && (options->output_count != 0 || options->raw || options->npy))
        program_fail(PROGRAM_USAGE, "--count and --reduce write text to standard output: "
                          "-o, --raw and --npy have no use");
}

static error_t parse(int key, char *text, struct argp_state *state) {
    program_options *const options = state->input;
    switch (key) {
    case 'f':
        if (options->fields != NULL)
            program_fail(PROGRAM_USAGE, "--fields is given twice");
        options->fields = text;
        break;
    case 'o':
        append(options->outputs, &options->output_count,
               WINNOW_PIPE_MOST_OUTPUTS, text, "outputs");
        break;
    case 'i':
        choose(options, PROGRAM_INDEX);
        break;
    case 'm':
        choose(options, PROGRAM_MASK);
        break;
    case 'c':
        choose(options, PROGRAM_COUNT);
        break;
    case 'r':
        choose(options, PROGRAM_REDUCE);
        append(options->reduce, &options->reduce_count,
               WINNOW_MOST_AGGREGATES, text, "expressions");
        break;
    case KEY_RAW:
        options->raw = true;
        break;
    case KEY_NPY:
        options->npy = true;
        break;
    case KEY_JSON:
        options->json = true;
        break;
    case 'd':
        options->device = strcmp(text, "host") == 0
                              ? WINNOW_DEVICE_HOST
                              : (int)number("device", text, "host, or ", 0,
                                            1023);
        break;
    case KEY_THREADS:
        options->threads = number("threads", text, "", 1, 256);
        break;
    case 'q':
        options->quiet = true;
        break;
    case ARGP_KEY_ARG:
        take_argument(state, text);
        break;
    case ARGP_KEY_END:
        check(state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void print_version(FILE *file, struct argp_state *state) {
    (void)state;
    fprintf(file, "winnow %s\n", winnow_version_string());
}

/* The first argument that is not as it is printed; NULL: there is none. */
static const char *find_odd(char **argv) {
    for (; *argv != NULL; argv++) {
        char *const copy = program_allocate(strlen(*argv) + 1, 1);
        const bool is_odd = !program_make_printable(strcpy(copy, *argv));
        free(copy);
        if (is_odd)
            return *argv;
    }
    return NULL;
}

void program_options_parse(program_options *options, int argc, char **argv) {
    const struct argp argp = {.options = described,
                              .parser = parse,
                              .args_doc = "CONDITION [[NAME=]FILE...]",
                              .doc = description};
    argp_program_version_hook = print_version;
    argp_err_exit_status = PROGRAM_USAGE;
    *options = (program_options){.device = WINNOW_DEVICE_HOST};
    /* What getopt() says of an option goes to the terminal as it is. */
    const char *const odd = find_odd(argv);
    const int error = argp_parse(&argp, argc, argv,
                                 odd != NULL ? ARGP_NO_ERRS : 0, NULL, options);
    if (error == EINVAL && odd != NULL)
        program_fail(PROGRAM_USAGE,
                     "an option is not understood, and '%s' has characters that "
                     "are not printed",
                     odd);
    if (error != 0)
        program_fail(error == ENOMEM ? PROGRAM_DEVICE : PROGRAM_USAGE,
                     "reading the options: %s", strerror(error));
}
