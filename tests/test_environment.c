/*
 * What the caller's environment may be: the scenario is right in each of these.
 * A case is a process of its own, without a test framework, and its program has
 * 1 MB of thread-local storage.
 *
 * usage: test_environment [CASE]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* feenableexcept(), unshare() */
#endif
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "scenario/scenario.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum {
    SKIPPED = 77,
    LITTLE_STACK = (SANITIZED ? 512 : 64) << 10,
    STORAGE = 1 << 20,
    /* Kernels run slowly on the CPU device. */
#ifdef WINNOW_SIMT
    N = 1000
#else
    N = SCENARIO_MOST
#endif
};

/* Of each thread; kept in use by check_storage(). */
static _Thread_local volatile unsigned char storage[STORAGE];

static struct scenario scenario;
static bool gpu;

static void run_step(const struct scenario_step *step) {
    const winnow_status status = scenario_run(&scenario, step);
    if (status != WINNOW_OK)
        fprintf(stderr, "%s: %s\n", step->name, winnow_last_error());
    if (scenario.wrong[0] != '\0')
        fprintf(stderr, "%s: %s\n", step->name, scenario.wrong);
    if (status != WINNOW_OK || scenario.wrong[0] != '\0')
        _exit(1);
}

static void run_some(bool with_expressions) {
    const struct scenario_step *step;
    scenario_open(&scenario, gpu, N);
    for (size_t i = 0; (step = scenario_step_at(&scenario, i)) != NULL; i++)
        if (with_expressions || !step->expressions)
            run_step(step);
    scenario_close(&scenario);
}

static void run_all(void) {
    run_some(true);
}

static void must(bool ok, const char *what) {
    if (!ok) {
        perror(what);
        _exit(1);
    }
}

/* ---------------------------------------------------------------------- stacks
 */

static int threads(void) {
    DIR *const list = opendir("/proc/self/task");
    int number = -2; /* . and .. */
    must(list != NULL, "/proc/self/task");
    while (readdir(list) != NULL)
        number++;
    closedir(list);
    return number;
}

/* Threads of the library's are started although they need 1 MB each. */
static void storage_of_threads(void) {
    static int32_t x[1 << 20];
    winnow_context *context;
    winnow_reduction sum;
    storage[STORAGE - 1] = 1;
    must(winnow_context_create(&context, WINNOW_DEVICE_HOST) == WINNOW_OK &&
             winnow_context_set_threads(context, 3) == WINNOW_OK &&
             winnow_reduce_if(context, NULL, WINNOW_INT32, x, 1 << 20,
                              WINNOW_REDUCE_SUM, &sum, NULL) == WINNOW_OK,
         "a reduction");
    if (threads() < 3) {
        fprintf(stderr, "there are %d threads\n", threads());
        _exit(1);
    }
    winnow_context_destroy(context);
    run_all();
}

static void *run_in_thread(void *argument) {
    (void)argument;
    run_some(false);
    return NULL;
}

/* Expressions take more of it, as the manual says. Thread-local storage is
 * beside it. */
static void little_stack(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    must(pthread_attr_setstacksize(&attributes,
                                   STORAGE + LITTLE_STACK + (32 << 10)) == 0 &&
             pthread_create(&thread, &attributes, run_in_thread, NULL) == 0 &&
             pthread_join(thread, NULL) == 0,
         "a thread");
    pthread_attr_destroy(&attributes);
}

/* -------------------------------------------------------------- floating point
 */

static void traps(void) {
    feclearexcept(FE_ALL_EXCEPT);
#ifdef __GLIBC__
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    run_all();
    must(fegetexcept() == (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW),
         "the traps are left alone");
#endif
}

static void rounding(void) {
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        fesetround(modes[i]);
        run_all();
        must(fegetround() == modes[i], "the mode is left alone");
    }
}

static void flush(void) {
#ifdef __SSE2__
    const unsigned both = 0x8040;
    _mm_setcsr(_mm_getcsr() | both);
    run_all();
    must((_mm_getcsr() & both) == both, "the mode is left alone");
#endif
}

/* --------------------------------------------------------------------- locales
 */

/* glibc's file of LC_NUMERIC: a magic number, the bytes of the file, how many
 * strings there are, where each begins, and the strings. */
static void write_numeric(const char *path) {
    enum {
        FIELDS = 6,
        HEAD = (2 + FIELDS) * 4
    };
    static const char strings[] = ",\0\0\0" /* the decimal point */
                                  ".\0\0\0" /* between thousands */
                                  "\3\0\0\0"
                                  ",\0\0\0" /* as wide characters */
                                  ".\0\0\0"
                                  "UTF-8";
    uint32_t head[2 + FIELDS] = {0x20031115 ^ LC_NUMERIC, FIELDS};
    FILE *const file = fopen(path, "wb");
    for (uint32_t i = 0; i < FIELDS; i++)
        head[2 + i] = HEAD + 4 * i;
    must(file != NULL && fwrite(head, sizeof head, 1, file) == 1 &&
             fwrite(strings, sizeof strings, 1, file) == 1 && fclose(file) == 0,
         path);
}

/* Numbers are written with a point in any locale. */
static void parse_numbers(void) {
    const winnow_field field = {.name = "x", .type = WINNOW_FLOAT64};
    static const double x[] = {0.25, 1.5, 1500, 1e300};
    const winnow_in column = {.type = WINNOW_FLOAT64, .d_base = x};
    winnow_condition *condition;
    winnow_context *context;
    double kept[4];
    const winnow_move move = {.d_in = x, .d_out = kept, .element_bytes = 8};
    uint64_t count = 0;
    must(winnow_condition_parse(&condition, &field, 1,
                                "x >= 1.5 AND x IN (0.5, 1.5, 2.5e-1) OR "
                                "x::FLOAT64 * 0.5 = 750.0") == WINNOW_OK &&
             winnow_context_create(&context, WINNOW_DEVICE_HOST) == WINNOW_OK &&
             winnow_copy_where(context, condition, &column, 1, 4, &move, 1, 4,
                               &count, NULL) == WINNOW_OK,
         winnow_last_error());
    if (count != 2 || kept[0] != 1.5 || kept[1] != 1500) {
        fprintf(stderr, "%d numbers are kept\n", (int)count);
        _exit(1);
    }
    winnow_context_destroy(context);
    winnow_condition_destroy(condition);
}

static char folder[] = "/tmp/winnow environment\nXXXXXX";

static void comma(void) {
    char path[100];
    must(mkdtemp(folder) != NULL, folder);
    snprintf(path, sizeof path, "%s/comma", folder);
    must(mkdir(path, 0700) == 0, path);
    snprintf(path, sizeof path, "%s/comma/LC_NUMERIC", folder);
    write_numeric(path);
    setenv("LOCPATH", folder, 1);
    const bool set = setlocale(LC_NUMERIC, "comma") != NULL;
    remove(path);
    snprintf(path, sizeof path, "%s/comma", folder);
    remove(path);
    remove(folder);
    if (!set)
        _exit(SKIPPED); /* not glibc, or another format of it */
    must(strtod("1,5", NULL) == 1.5, "the locale has a comma");
    parse_numbers();
    run_all();
}

/* ----------------------------------------------------------------------- files
 */

/* Nothing can be made there, nor read. */
static void no_home(void) {
    unsetenv("WINNOW_CACHE");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "/proc/none", 1);
    run_all();
    unsetenv("HOME");
    run_all();
}

/* A directory whose name has a space and a newline, with a FIFO where a user's
 * own files would be. */
static void odd_home(void) {
    static const char *const below[] = {".config", ".cache"};
    char path[100];
    must(mkdtemp(folder) != NULL, folder);
    unsetenv("WINNOW_CACHE");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", folder, 1);
    run_all();
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, below[i]);
        must(mkfifo(path, 0600) == 0, path);
    }
    run_all();
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, below[i]);
        must(remove(path) == 0, path);
    }
    must(rmdir(folder) == 0, "nothing else is made");
}

/* Who may write anywhere becomes one who may not. */
static void become_nobody(void) {
    if (getuid() == 0 && setresuid(65534, 65534, 65534) != 0)
        _exit(SKIPPED);
}

/* Its owner may not write there either. */
static void read_only_home(void) {
    char path[100];
    must(mkdtemp(folder) != NULL && chmod(folder, 0555) == 0, folder);
    unsetenv("WINNOW_CACHE");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", folder, 1);
    const pid_t child = fork();
    int status = 0;
    must(child >= 0, "fork");
    if (child == 0) {
        become_nobody();
        snprintf(path, sizeof path, "%s/.cache", folder);
        must(mkdir(path, 0700) != 0 && errno == EACCES, "it is read-only");
        run_all();
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child, "waitpid");
    must(rmdir(folder) == 0, "nothing is made");
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

enum {
    REFUSED = 3
};

/* This program, at another path. */
static void copy_program(const char *path) {
    static char bytes[1 << 16];
    const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    ssize_t got;
    must(from >= 0 && to >= 0, path);
    while ((got = read(from, bytes, sizeof bytes)) > 0)
        must(write(to, bytes, (size_t)got) == got, path);
    close(from);
    close(to);
}

static int status_of(const char *program) {
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
        execl(program, program, "--tuned", (char *)NULL);
        _exit(1);
    }
    must(child > 0 && waitpid(child, &status, 0) == child, program);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* What status_of() runs: does the environment decide? */
static int is_tuned(void) {
    winnow_context *context;
    if (winnow_context_create(&context, 0) != WINNOW_OK)
        return REFUSED;
    winnow_context_destroy(context);
    return getauxval(AT_SECURE) ? 0 : SKIPPED;
}

/* A program with more rights than its caller does not read what the caller's
 * environment names. */
static void more_rights(void) {
    char path[100];
    if (!gpu || SANITIZED || getuid() != 0)
        _exit(SKIPPED); /* no files are named; another's program is needed */
    must(mkdtemp(folder) != NULL && chmod(folder, 0755) == 0, folder);
    setenv("WINNOW_TUNING", "/dev/null/none", 1);
    snprintf(path, sizeof path, "%s/program", folder);
    copy_program(path);
    const int plain = status_of(path);
    must(chown(path, 65534, 65534) == 0 && chmod(path, 04755) == 0, path);
    const int secure = status_of(path);
    must(remove(path) == 0 && rmdir(folder) == 0, path);
    if (plain != REFUSED || (secure != 0 && secure != SKIPPED)) {
        fprintf(stderr, "the statuses are %d and %d\n", plain, secure);
        _exit(1);
    }
    exit(secure);
}

/* Descriptors below 3 are free: the library's own must be no trap for what the
 * program writes to "standard error". */
static void closed(void) {
    const int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    run_all();
    must(dup2(saved, STDERR_FILENO) == STDERR_FILENO, "dup2");
}

/* What a child of exec() would have. */
struct inherited {
    char of[256][200]; /* by descriptor; "" where there is none */
};

static void look_at_files(struct inherited *all) {
    enum {
        MOST = sizeof all->of / sizeof all->of[0]
    };
    memset(all, 0, sizeof *all);
    for (int fd = 0; fd < MOST; fd++) {
        char link[64];
        const int flags = fcntl(fd, F_GETFD);
        if (flags < 0 || (flags & FD_CLOEXEC))
            continue;
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        must(readlink(link, all->of[fd], sizeof all->of[fd] - 1) > 0, link);
    }
}

/* The calls leave the inherited files as they were, and add none. The driver of
 * a GPU opens its devices as it likes. */
static void no_file_left(void) {
    static struct inherited before, after;
    look_at_files(&before);
    run_all();
    look_at_files(&after);
    for (size_t fd = 0; fd < sizeof before.of / sizeof before.of[0]; fd++)
        if (strcmp(before.of[fd], after.of[fd]) != 0 &&
            strncmp(after.of[fd], "/dev/nvidia", 11) != 0) {
            fprintf(stderr, "descriptor %zu: '%s', and '%s' after the calls\n",
                    fd, before.of[fd], after.of[fd]);
            _exit(1);
        }
}

/* --------------------------------------------------------------------- signals
 */

enum {
    MOST_SIGNALS = 300000 /* five minutes: something hangs */
};
static volatile sig_atomic_t signals, elsewhere;
static pthread_t receiver;

static void count_signal(int number) {
    (void)number;
    signals = signals + 1;
    if (!pthread_equal(pthread_self(), receiver))
        elsewhere = 1;
    if (signals > MOST_SIGNALS)
        _exit(1);
}

/* Every millisecond a handler interrupts the program's own thread, and what it
 * waits for; no thread of the library's runs it. */
static void interrupted(void) {
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    const struct itimerval never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = count_signal};
    receiver = pthread_self();
    must(sigaction(SIGALRM, &action, NULL) == 0 &&
             setitimer(ITIMER_REAL, &often, NULL) == 0,
         "a timer");
    while (signals < 20)
        run_all();
    must(setitimer(ITIMER_REAL, &never, NULL) == 0, "a timer");
    if (elsewhere) {
        fprintf(stderr, "a thread of the library's runs the handler\n");
        _exit(1);
    }
}

/* ---------------------------------------------------------------------- limits
 */

static uint64_t address_space(void) {
    FILE *const file = fopen("/proc/self/statm", "r");
    unsigned long long pages = 0;
    must(file != NULL && fscanf(file, "%llu", &pages) == 1, "statm");
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A stack grows only where there are addresses. */
static void __attribute__((noinline)) grow_stack(void) {
    volatile unsigned char room[1 << 20];
    for (size_t i = 0; i < sizeof room; i += 1024)
        room[i] = 1;
}

/* With little beyond what the process has, a call works or says that there is no
 * memory. */
static void little_memory(void) {
    const struct scenario_step *step;
    if (SANITIZED || gpu)
        _exit(SKIPPED); /* terabytes of addresses, a device that throws */
    grow_stack();
    scenario_open(&scenario, gpu, N);
    for (uint64_t more = 0; more <= 4 << 20; more += 1 << 20) {
        const struct rlimit limit = {.rlim_cur = address_space() + more,
                                     .rlim_max = RLIM_INFINITY};
        must(setrlimit(RLIMIT_AS, &limit) == 0, "RLIMIT_AS");
        for (size_t i = 0; (step = scenario_step_at(&scenario, i)) != NULL;
             i++) {
            const winnow_status status = scenario_run(&scenario, step);
            if (scenario.wrong[0] != '\0' ||
                (status != WINNOW_OK && status != WINNOW_ERR_MEMORY)) {
                fprintf(stderr, "%s: %s; %s\n", step->name, scenario.wrong,
                        winnow_last_error());
                _exit(1);
            }
        }
    }
    scenario_close(&scenario);
}

/* No thread can be started. */
static void no_threads(void) {
    const struct rlimit limit = {.rlim_cur = 0, .rlim_max = 0};
    if (SANITIZED || gpu)
        _exit(
            SKIPPED); /* the search for leaks, the CPU device: a thread each */
    setrlimit(RLIMIT_NPROC, &limit);
    become_nobody();
    run_all();
}

/* Process 1 of a namespace of its own. */
static void process_1(void) {
    if (SANITIZED || unshare(CLONE_NEWPID) != 0)
        _exit(SKIPPED); /* the search for leaks knows of one namespace */
    const pid_t child = fork();
    int status = 0;
    must(child >= 0, "fork");
    if (child == 0) {
        must(getpid() == 1, "process 1");
        run_all();
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child && status == 0, "process 1 fails");
}

/* ----------------------------------------------------------------------- cases
 */

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"as usual", run_all},
    {"thread-local storage", storage_of_threads},
    {"a little stack", little_stack},
    {"traps", traps},
    {"rounding", rounding},
    {"flush to zero", flush},
    {"a decimal comma", comma},
    {"no home", no_home},
    {"an odd home", odd_home},
    {"a read-only home", read_only_home},
    {"more rights", more_rights},
    {"closed descriptors", closed},
    {"no file left open", no_file_left},
    {"signals", interrupted},
    {"little memory", little_memory},
    {"no threads", no_threads},
    {"process 1", process_1},
};

static bool run_case(size_t i) {
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(300);
        cases[i].run();
        fflush(stdout);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("test_environment: a process");
        return false;
    }
    const bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;
    printf("%s: %s: %s\n", gpu ? "gpu" : "host", cases[i].name,
           skipped       ? "skipped"
           : status == 0 ? "passed"
                         : "failed");
    if (status != 0 && !skipped)
        printf("  its status is %#x\n", (unsigned)status);
    return status == 0 || skipped;
}

int main(int argc, char **argv) {
    bool ok = true;
#ifdef WINNOW_SIMT
    gpu = true;
#endif
    if (argc == 2 && strcmp(argv[1], "--tuned") == 0)
        return is_tuned();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (argc < 2 || strcmp(argv[1], cases[i].name) == 0)
            ok &= run_case(i);
    return ok ? 0 : 1;
}
