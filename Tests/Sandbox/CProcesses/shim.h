#ifndef ORCHARD_CPROCESSES_SHIM_H
#define ORCHARD_CPROCESSES_SHIM_H
/* Linux calls that Swift's Glibc module leaves out. The headers hide some without _GNU_SOURCE, with which modules disagree
   on other types, and spawn.h would take types from the Glibc module: declared here. */
#include <sys/syscall.h>

extern int pipe2(int descriptors[2], int flags);
extern long syscall(long number, ...);

/* For a posix_spawn_file_actions_t: the child gets no open file from this number on, and works in this folder. */
extern int orchard_spawn_close_from(void *actions, int first)
    __asm__("posix_spawn_file_actions_addclosefrom_np");
extern int orchard_spawn_change_directory(void *actions, const char *path)
    __asm__("posix_spawn_file_actions_addchdir_np");

/* A descriptor that can be read when the process has ended; no other program inherits it. */
static inline int orchard_pidfd_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }
#endif
