/* run_file: opening what the user named as RUN. */
#pragma once
#include "cli/command.h"
#include "store/store.h"

/* Opens for reading; prints why not. EXIT_CODE_DONE and *ret_store, or the exit code. */
enum exit_code run_file_open(const char *path, struct store **ret_store);
/* The runs that `words` name, the same measurement only once; prints why not. The caller closes what is in
 * stores (all NULL before), also after a failure. */
enum exit_code run_files_open(const char *const *words, uint32_t count, struct store **stores);
/* Writes bytes to the file (base/output.h) or, "-", to standard output; prints why not. */
enum exit_code result_write(const char *path, const char *bytes, size_t count);
