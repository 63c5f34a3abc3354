/* SPDX-License-Identifier: Apache-2.0 */
#include "base/line_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX_BYTES = 256 * 1024 };

void
line_file_complain(struct line_file *file, const char *format, ...)
{
    fprintf(file->problems, "%s:%u: ", file->path, file->line);
    va_list args;
    va_start(args, format);
    vfprintf(file->problems, format, args);
    va_end(args);
    fputc('\n', file->problems);
    file->mistakes++;
}

static void
read_lines(struct line_file *file, FILE *stream, size_t line_bytes, void (*each)(void *context, str line),
           void *context)
{
    char line[LINE_FILE_LONGEST];
    while (fgets(line, (int)line_bytes, stream) != NULL) {
        file->line++;
        size_t len = strlen(line);
        if (len + 1 == line_bytes && line[len - 1] != '\n') {
            line_file_complain(file, "the line is longer than %d bytes", (int)line_bytes - 2);
            return;
        }
        while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
            len--;
        str text = str_trim((str){ line, len });
        if (text.len > 0 && text.data[0] != '#')
            each(context, text);
    }
}

bool
line_file_read(struct line_file *file, size_t line_bytes, void (*each)(void *context, str line), void *context)
{
    FILE *stream = fopen(file->path, "re");
    struct stat facts;
    bool is_readable = stream != NULL && fstat(fileno(stream), &facts) == 0 && S_ISREG(facts.st_mode) &&
                       facts.st_size <= FILE_MAX_BYTES;
    if (is_readable) {
        read_lines(file, stream, line_bytes, each, context);
    } else {
        fprintf(file->problems, "%s: %s\n", file->path,
                stream == NULL ? strerror(errno) : "not a file of at most 256 KiB");
        file->mistakes++;
    }
    if (stream != NULL)
        (void)fclose(stream);
    return is_readable;
}
