/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/monitor/host.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/monitor/proc_text.h"
#include "agent/volume/volume.h"
#include "engine/counter.h"
#include "wire/points.h"

#define CGROUPS   "/sys/fs/cgroup/system.slice"
#define PARTITION "data"

enum { FILE_BYTES = 64 * 1024, PROCESS_FILE_BYTES = 1024, MOST_CHILDREN = 4096, USED_KINDS = 2 };

/* Processor time, and the same as a part of all processors there are. */
struct share {
    struct counter seconds;
    double part;
};

struct host_memory {
    struct share system[CPU_KINDS];
    struct share process[USED_KINDS]; /* CPU_USER and CPU_KERNEL */
    struct counter network_in, network_out;
    int64_t first_process;
    struct proc_disk disk;
    bool has_disk;
};

struct look {
    struct host_memory *memory;
    struct arena *arena;
    const struct host_member *member;
    struct points_writer *writer;
};

struct host_memory *
host_memory_new(void)
{
    return calloc(1, sizeof(struct host_memory));
}

void
host_memory_free(struct host_memory *memory)
{
    free(memory);
}

/* The beginning of a file of the kernel's; empty when there is none. */
static str
read_start(struct arena *arena, const char *path, size_t most_bytes)
{
    char *text = arena_alloc_unset(arena, most_bytes + 1);
    int file = text == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t got = file < 0 ? 0 : 1;
    while (got > 0 && length < most_bytes) {
        got = read(file, text + length, most_bytes - length);
        length += got > 0 ? (size_t)got : 0;
    }
    if (file >= 0)
        close(file);
    if (text != NULL)
        text[length] = '\0';
    return text == NULL ? STR_EMPTY : (str){ text, length };
}

static str
read_text(struct arena *arena, const char *path)
{
    return read_start(arena, path, FILE_BYTES);
}

static double
share_follow(struct share *share, double seconds, bool is_new, double cores)
{
    double before = share->seconds.total, now = counter_follow(&share->seconds, seconds, is_new);
    share->part += cores > 0 ? (now - before) / cores : 0;
    return now;
}

static void
add_share(struct look *look, const struct share *share, enum metric_number whole, enum metric_number part)
{
    points_add(look->writer, whole, share->seconds.total * 100);
    points_add(look->writer, part, share->part * 100);
}

/* ---- The host ---- */
/* The kernel's count of idle time falls now and then, so these are followed, not passed on. */
static double
add_processors(struct look *look)
{
    static const struct {
        enum metric_number whole, part;
    } metrics[CPU_KINDS] = {
        [CPU_USER] = { M_SYSTEM_CPU_USER, M_SYSTEM_NORMALIZED_CPU_USER },
        [CPU_KERNEL] = { M_SYSTEM_CPU_KERNEL, M_SYSTEM_NORMALIZED_CPU_KERNEL },
        [CPU_IOWAIT] = { M_SYSTEM_CPU_IOWAIT, M_SYSTEM_NORMALIZED_CPU_IOWAIT },
        [CPU_STEAL] = { M_SYSTEM_CPU_STEAL, M_SYSTEM_NORMALIZED_CPU_STEAL },
    };
    struct proc_cpu cpu;
    if (!proc_cpu(read_text(look->arena, "/proc/stat"), sysconf(_SC_CLK_TCK), &cpu))
        return 0;
    for (size_t i = 0; i < CPU_KINDS; i++) {
        share_follow(&look->memory->system[i], cpu.seconds[i], false, cpu.cores);
        add_share(look, &look->memory->system[i], metrics[i].whole, metrics[i].part);
    }
    return cpu.cores;
}

static void
add_memory(struct look *look)
{
    str text = read_text(look->arena, "/proc/meminfo");
    double total, available, swap, swap_free;
    if (proc_memory(text, "MemTotal", &total) && proc_memory(text, "MemAvailable", &available)) {
        points_add(look->writer, M_SYSTEM_MEMORY_USED, total - available);
        points_add(look->writer, M_SYSTEM_MEMORY_AVAILABLE, available);
    }
    if (proc_memory(text, "SwapTotal", &swap) && proc_memory(text, "SwapFree", &swap_free)) {
        points_add(look->writer, M_SWAP_USAGE_USED, swap - swap_free);
        points_add(look->writer, M_SWAP_USAGE_FREE, swap_free);
    }
}

/* A device that is gone takes its count with it. */
static void
add_network(struct look *look)
{
    double in, out;
    if (!proc_network(read_text(look->arena, "/proc/net/dev"), &in, &out))
        return;
    points_add(look->writer, M_SYSTEM_NETWORK_IN, counter_follow(&look->memory->network_in, in, false));
    points_add(look->writer, M_SYSTEM_NETWORK_OUT, counter_follow(&look->memory->network_out, out, false));
}

/* ---- The member's processes ---- */
struct use {
    bool has_cpu, has_memory, is_new;
    double user_s, kernel_s, resident_bytes;
};

/* From its control group, which counts also what has ended. It is another one after each start of the unit. */
static struct use
use_of_group(struct look *look)
{
    struct use use = { .is_new = true };
    double user_us, kernel_us, anonymous, shared;
    str path = str_format(look->arena, CGROUPS "/%s/cpu.stat", look->member->unit.data);
    str text = read_text(look->arena, path.data);
    if (proc_word(text, "user_usec", &user_us) && proc_word(text, "system_usec", &kernel_us)) {
        use.has_cpu = true;
        use.user_s = user_us / 1e6;
        use.kernel_s = kernel_us / 1e6;
    }
    path = str_format(look->arena, CGROUPS "/%s/memory.stat", look->member->unit.data);
    text = read_text(look->arena, path.data);
    if (proc_word(text, "anon", &anonymous) && proc_word(text, "shmem", &shared)) {
        use.has_memory = true;
        use.resident_bytes = anonymous + shared;
    }
    return use;
}

/* Its files could name any process: only those that run as the member count. */
static bool
is_of_member(const struct look *look, int64_t process)
{
    struct stat status;
    str path = str_format(look->arena, "/proc/%lld", (long long)process);
    return process > 0 && stat(path.data, &status) == 0 && status.st_uid == look->member->user;
}

static bool
add_process(struct look *look, int64_t process, bool is_first, struct use *use, double *most_shared)
{
    struct proc_process times;
    double ignored, resident, shared;
    str path = str_format(look->arena, "/proc/%lld/stat", (long long)process);
    if (!proc_process(read_start(look->arena, path.data, PROCESS_FILE_BYTES), sysconf(_SC_CLK_TCK), &times))
        return false;
    use->user_s += times.user_s + (is_first ? times.gone_user_s : 0);
    use->kernel_s += times.kernel_s + (is_first ? times.gone_kernel_s : 0);
    path = str_format(look->arena, "/proc/%lld/statm", (long long)process);
    if (proc_pages(read_start(look->arena, path.data, PROCESS_FILE_BYTES), &ignored, &resident, &shared)) {
        use->resident_bytes += (resident - shared) * (double)sysconf(_SC_PAGESIZE);
        *most_shared = shared > *most_shared ? shared : *most_shared;
    }
    return true;
}

/* Where there is no such control group: the first process, its children, and those that have ended. Shared memory counts once. */
static struct use
use_of_processes(struct look *look)
{
    int64_t first = look->member->first_process;
    struct use use = { .is_new = first != look->memory->first_process };
    double most_shared = 0;
    look->memory->first_process = first;
    if (!is_of_member(look, first) || !add_process(look, first, true, &use, &most_shared))
        return use;
    str path = str_format(look->arena, "/proc/%lld/task/%lld/children", (long long)first, (long long)first);
    str children = read_text(look->arena, path.data);
    for (int i = 0; children.len > 0 && i < MOST_CHILDREN; i++) {
        int64_t child;
        if (str_to_int(str_cut(&children, ' '), 1, INT32_MAX, &child) && is_of_member(look, child))
            (void)add_process(look, child, false, &use, &most_shared);
    }
    use.resident_bytes += most_shared * (double)sysconf(_SC_PAGESIZE);
    use.has_cpu = use.has_memory = true;
    return use;
}

static void
add_virtual(struct look *look)
{
    double size, resident, shared;
    str path = str_format(look->arena, "/proc/%lld/statm", (long long)look->member->first_process);
    if (is_of_member(look, look->member->first_process) &&
        proc_pages(read_start(look->arena, path.data, PROCESS_FILE_BYTES), &size, &resident, &shared))
        points_add(look->writer, M_MEMORY_VIRTUAL, size * (double)sysconf(_SC_PAGESIZE));
}

/* Memory is accounted for only where somebody has asked for that. */
static struct use
use_of_member(struct look *look)
{
    struct use use = use_of_group(look);
    if (use.has_cpu && use.has_memory)
        return use;
    struct use seen = use_of_processes(look);
    if (!use.has_cpu)
        return seen;
    use.has_memory = seen.has_memory;
    use.resident_bytes = seen.resident_bytes;
    return use;
}

static void
add_use(struct look *look, double cores)
{
    struct use use = use_of_member(look);
    struct share *user = &look->memory->process[CPU_USER], *kernel = &look->memory->process[CPU_KERNEL];
    double may_use = look->member->cpus > 0 && look->member->cpus < cores ? look->member->cpus : cores;
    if (use.has_cpu) {
        share_follow(user, use.user_s, use.is_new, may_use);
        share_follow(kernel, use.kernel_s, use.is_new, may_use);
        add_share(look, user, M_PROCESS_CPU_USER, M_PROCESS_NORMALIZED_CPU_USER);
        add_share(look, kernel, M_PROCESS_CPU_KERNEL, M_PROCESS_NORMALIZED_CPU_KERNEL);
    }
    if (use.has_memory)
        points_add(look->writer, M_MEMORY_RESIDENT, use.resident_bytes);
    add_virtual(look);
}

/* ---- The disk ---- */
static void
add_space(struct look *look)
{
    struct volume_space space = volume_space_at(look->member->folder);
    if (space.size_bytes == 0)
        return;
    double free_bytes = (double)space.free_bytes, used_bytes = (double)space.used_bytes, both = free_bytes + used_bytes;
    points_add(look->writer, M_DISK_PARTITION_SPACE_FREE, free_bytes);
    points_add(look->writer, M_DISK_PARTITION_SPACE_USED, used_bytes);
    if (both > 0) {
        points_add(look->writer, M_DISK_PARTITION_SPACE_PERCENT_FREE, 100 * free_bytes / both);
        points_add(look->writer, M_DISK_PARTITION_SPACE_PERCENT_USED, 100 * used_bytes / both);
    }
}

/* How long one took on average since the last look; nothing when there was none. */
static void
add_latency(struct look *look, enum metric_number metric, double count, double count_before, double ms,
            double ms_before)
{
    if (look->memory->has_disk && count > count_before && ms >= ms_before)
        points_add(look->writer, metric, (ms - ms_before) / (count - count_before));
}

/* File systems without a device of their own (overlays, btrfs) have space only. */
static void
add_device(struct look *look)
{
    struct stat status;
    struct proc_disk disk, before = look->memory->disk;
    if (stat(look->member->folder.data, &status) != 0 ||
        !proc_disk(read_text(look->arena, "/proc/diskstats"), major(status.st_dev), minor(status.st_dev), &disk))
        return;
    points_add(look->writer, M_DISK_PARTITION_IOPS_READ, disk.reads);
    points_add(look->writer, M_DISK_PARTITION_IOPS_WRITE, disk.writes);
    points_add(look->writer, M_DISK_PARTITION_IOPS_TOTAL, disk.reads + disk.writes);
    points_add(look->writer, M_DISK_PARTITION_THROUGHPUT_READ, disk.read_bytes);
    points_add(look->writer, M_DISK_PARTITION_THROUGHPUT_WRITE, disk.write_bytes);
    add_latency(look, M_DISK_PARTITION_LATENCY_READ, disk.reads, before.reads, disk.read_ms, before.read_ms);
    add_latency(look, M_DISK_PARTITION_LATENCY_WRITE, disk.writes, before.writes, disk.write_ms, before.write_ms);
    points_add(look->writer, M_DISK_PARTITION_UTILIZATION, disk.busy_ms / 10); /* ms in percent of a second */
    points_add(look->writer, M_DISK_QUEUE_DEPTH, disk.waiting_ms / 1000);
    look->memory->disk = disk;
    look->memory->has_disk = true;
}

void
host_measure(struct host_memory *memory, struct arena *arena, const struct host_member *member, int64_t time_ms,
             struct buf *out)
{
    struct points_writer writer = points_begin(out, member->id, time_ms, METRIC_PROCESS, STR_EMPTY);
    struct look look = { memory, arena, member, &writer };
    add_use(&look, add_processors(&look));
    add_memory(&look);
    add_network(&look);
    points_end(&writer);
    writer = points_begin(out, member->id, time_ms, METRIC_DISK, STR(PARTITION));
    add_space(&look);
    add_device(&look);
    points_end(&writer);
}
