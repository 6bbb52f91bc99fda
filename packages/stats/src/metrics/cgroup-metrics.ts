import type { DeviceCounts } from '../cgroup/block-devices.ts';
import type { CpuSample, MemorySample } from '../cgroup/cgroup-sample.ts';
import { workingSetBytes } from '../cgroup/cgroup-sample.ts';
import type { InterfaceCounts } from '../cgroup/net-dev.ts';
import type { CgroupEntry, CgroupMetric, EntryValues } from './cgroup-entry.ts';

/** Metrics of cgroups, with cAdvisor's names and texts. */
export const cgroupMetrics: readonly CgroupMetric[] = [
  ...cpuMetrics(),
  ...memoryMetrics(),
  ...pressureMetrics(),
  ...deviceMetrics(),
  ...networkMetrics(),
  ...processMetrics(),
  ...settings(),
];

function cpuMetrics(): CgroupMetric[] {
  const cpu = (name: string, help: string, read: (sample: CpuSample) => EntryValues): CgroupMetric => {
    return counter(`container_cpu_${name}`, help, ({ sample }) => sample.cpu && read(sample.cpu));
  };
  const limited = (name: string, help: string, read: (sample: CpuSample) => number): CgroupMetric =>
    counter(`container_cpu_cfs_${name}`, help, ({ sample, details }) =>
      details.cpuQuotaUs === undefined || sample.cpu === undefined ? undefined : read(sample.cpu),
    );
  return [
    cpu('user_seconds_total', 'Cumulative user cpu time consumed in seconds.', (it) => seconds(it.userNanoseconds)),
    cpu('system_seconds_total', 'Cumulative system cpu time consumed in seconds.', (it) =>
      seconds(it.systemNanoseconds),
    ),
    cpu('usage_seconds_total', 'Cumulative cpu time consumed in seconds.', ({ usageNanoseconds }) =>
      usageNanoseconds === 0 ? undefined : [{ labels: { cpu: 'total' }, value: seconds(usageNanoseconds) }],
    ),
    limited('periods_total', 'Number of elapsed enforcement period intervals.', (it) => it.throttling.periods),
    limited('throttled_periods_total', 'Number of throttled period intervals.', (it) => it.throttling.throttledPeriods),
    limited('throttled_seconds_total', 'Total time duration the container has been throttled.', (it) =>
      seconds(it.throttling.throttledNanoseconds),
    ),
    limited('burst_periods_total', 'Number of periods when burst occurs.', (it) => it.throttling.burstPeriods),
    limited('burst_seconds_total', 'Total time duration the container has been bursted.', (it) =>
      seconds(it.throttling.burstNanoseconds),
    ),
  ];
}

function memoryMetrics(): CgroupMetric[] {
  const memory = (name: string, help: string, read: (sample: MemorySample) => number): CgroupMetric =>
    gauge(`container_memory_${name}`, help, ({ sample }) => sample.memory && read(sample.memory));
  return [
    memory('cache', 'Number of bytes of page cache memory.', (it) => it.cacheBytes),
    memory('rss', 'Size of RSS in bytes.', (it) => it.rssBytes),
    memory('mapped_file', 'Size of memory mapped files in bytes.', (it) => it.mappedFileBytes),
    memory('swap', 'Container swap usage in bytes.', (it) => it.swapBytes),
    memory(
      'usage_bytes',
      'Current memory usage in bytes, including all memory regardless of when it was accessed',
      (it) => it.usageBytes,
    ),
    memory('working_set_bytes', 'Current working set in bytes.', workingSetBytes),
    memory('total_active_file_bytes', 'Current total active file in bytes.', (it) => it.activeFileBytes),
    memory('total_inactive_file_bytes', 'Current total inactive file in bytes.', (it) => it.inactiveFileBytes),
    gauge(
      'container_memory_kernel_usage',
      'Size of kernel memory allocated in bytes.',
      (it) => it.details.kernelMemoryBytes,
    ),
    gauge(
      'container_memory_max_usage_bytes',
      'Maximum memory usage recorded in bytes',
      (it) => it.details.memoryMaxUsageBytes,
    ),
    counter('container_memory_failcnt', 'Number of memory usage hits limits', (it) => it.details.memoryFailures),
    counter('container_memory_failures_total', 'Cumulative count of memory allocation failures.', ({ sample }) => {
      const { pageFaults = 0, majorPageFaults = 0 } = sample.memory ?? {};
      return ['container', 'hierarchy'].flatMap((scope) => [
        { labels: { failure_type: 'pgfault', scope }, value: pageFaults },
        { labels: { failure_type: 'pgmajfault', scope }, value: majorPageFaults },
      ]);
    }),
    counter(
      'container_oom_events_total',
      'Count of out of memory events observed for the container',
      (it) => it.details.outOfMemoryKills,
    ),
  ];
}

function pressureMetrics(): CgroupMetric[] {
  const kinds = [
    { name: 'cpu', title: 'CPU', of: (it: CgroupEntry) => it.sample.cpu?.psi },
    { name: 'memory', title: 'memory', of: (it: CgroupEntry) => it.sample.memory?.psi },
    { name: 'io', title: 'IO', of: (it: CgroupEntry) => it.ioPressure },
  ];
  return kinds.flatMap(({ name, title, of }) => [
    counter(
      `container_pressure_${name}_stalled_seconds_total`,
      `Total time duration no tasks in the container could make progress due to ${title} congestion.`,
      (it) => microseconds(of(it)?.full.total),
    ),
    counter(
      `container_pressure_${name}_waiting_seconds_total`,
      `Total time duration tasks in the container have waited due to ${title} congestion.`,
      (it) => microseconds(of(it)?.some.total),
    ),
  ]);
}

/** Metrics of the block devices that the kernel counts for a cgroup. What it does not count has no values. */
function deviceMetrics(): CgroupMetric[] {
  const device = (name: string, help: string, kind: keyof DeviceCounts, operation: string, divisor = 1): CgroupMetric =>
    counter(`container_fs_${name}`, help, ({ details, deviceNames }) =>
      [...details.devices].flatMap(([number, { [kind]: counts }]) =>
        counts.size === 0
          ? []
          : [
              {
                labels: { device: deviceNames.get(number) ?? number },
                value: (counts.get(operation) ?? 0) / divisor,
              },
            ],
      ),
    );
  return [
    device('reads_bytes_total', 'Cumulative count of bytes read', 'bytes', 'Read'),
    device('reads_total', 'Cumulative count of reads completed', 'operations', 'Read'),
    device('reads_merged_total', 'Cumulative count of reads merged', 'merged', 'Read'),
    device('read_seconds_total', 'Cumulative count of seconds spent reading', 'nanoseconds', 'Read', 1e9),
    device('writes_bytes_total', 'Cumulative count of bytes written', 'bytes', 'Write'),
    device('writes_total', 'Cumulative count of writes completed', 'operations', 'Write'),
    device('writes_merged_total', 'Cumulative count of writes merged', 'merged', 'Write'),
    device('write_seconds_total', 'Cumulative count of seconds spent writing', 'nanoseconds', 'Write', 1e9),
    { ...device('io_current', 'Number of I/Os currently in progress', 'queued', 'Total'), type: 'gauge' },
    device('io_time_seconds_total', 'Cumulative count of seconds spent doing I/Os', 'nanoseconds', 'Total', 1e9),
    counter('container_blkio_device_usage_total', 'Blkio Device bytes usage', ({ details, deviceNames }) =>
      [...details.devices].flatMap(([number, { bytes }]) => {
        const [major = '', minor = ''] = number.split(':');
        const labels = { device: deviceNames.get(number) ?? number, major, minor };
        return [...bytes].map(([operation, value]) => ({ labels: { ...labels, operation }, value }));
      }),
    ),
  ];
}

function networkMetrics(): CgroupMetric[] {
  const each = (name: string, help: string, read: (counts: InterfaceCounts) => number): CgroupMetric =>
    counter(`container_network_${name}_total`, `Cumulative count of ${help}`, ({ interfaces }) =>
      interfaces.map((counts) => ({ labels: { interface: counts.name }, value: read(counts) })),
    );
  return [
    each('receive_bytes', 'bytes received', (it) => it.rxBytes),
    each('receive_packets', 'packets received', (it) => it.rxPackets),
    each('receive_packets_dropped', 'packets dropped while receiving', (it) => it.rxDropped),
    each('receive_errors', 'errors encountered while receiving', (it) => it.rxErrors),
    each('transmit_bytes', 'bytes transmitted', (it) => it.txBytes),
    each('transmit_packets', 'packets transmitted', (it) => it.txPackets),
    each('transmit_packets_dropped', 'packets dropped while transmitting', (it) => it.txDropped),
    each('transmit_errors', 'errors encountered while transmitting', (it) => it.txErrors),
  ];
}

function processMetrics(): CgroupMetric[] {
  return [
    gauge('container_last_seen', 'Last time a container was seen by the exporter', ({ sample }) =>
      Math.trunc(sample.timeMs / 1000),
    ),
    gauge('container_processes', 'Number of processes running inside the container.', (it) => it.processes.processes),
    gauge(
      'container_file_descriptors',
      'Number of open file descriptors for the container.',
      (it) => it.processes.fileDescriptors,
    ),
    gauge('container_sockets', 'Number of open sockets for the container.', (it) => it.processes.sockets),
    gauge('container_threads', 'Number of threads running inside the container', (it) => it.details.threads),
    gauge(
      'container_threads_max',
      'Maximum number of threads allowed inside the container, infinity if value is zero',
      (it) => it.details.threadsMax ?? 0,
    ),
    gauge(
      'container_ulimits_soft',
      'Soft ulimit values for the container root process. Unlimited if -1, except priority and nice',
      ({ processes: { maxOpenFiles } }) =>
        maxOpenFiles === undefined ? undefined : [{ labels: { ulimit: 'max_open_files' }, value: maxOpenFiles }],
    ),
  ];
}

function settings(): CgroupMetric[] {
  const setting = (name: string, help: string, read: CgroupMetric['read']): CgroupMetric => {
    return { ...gauge(`container_${name}`, help, read), isSetting: true };
  };
  const limit = (name: string, help: string, read: CgroupMetric['read']): CgroupMetric =>
    setting(`spec_memory_${name}`, help, (it) => (it.sample.memory === undefined ? undefined : (read(it) ?? 0)));
  return [
    setting('start_time_seconds', 'Start time of the container since unix epoch in seconds.', ({ details }) =>
      Math.trunc(details.createdMs / 1000),
    ),
    setting('spec_cpu_period', 'CPU period of the container.', (it) => it.details.cpuPeriodUs),
    setting('spec_cpu_quota', 'CPU quota of the container.', (it) => it.details.cpuQuotaUs),
    setting('spec_cpu_shares', 'CPU share of the container.', (it) => it.details.cpuShares),
    limit('limit_bytes', 'Memory limit for the container.', (it) => it.sample.memory?.limitBytes),
    limit('swap_limit_bytes', 'Memory swap limit for the container.', (it) => it.sample.memory?.swapLimitBytes),
    limit(
      'reservation_limit_bytes',
      'Memory reservation limit for the container.',
      (it) => it.details.memoryReservationBytes,
    ),
  ];
}

function counter(name: string, help: string, read: CgroupMetric['read']): CgroupMetric {
  return { name, help, type: 'counter', read };
}

function gauge(name: string, help: string, read: CgroupMetric['read']): CgroupMetric {
  return { name, help, type: 'gauge', read };
}

function seconds(nanoseconds: number): number {
  return nanoseconds / 1e9;
}

function microseconds(total: number | undefined): number | undefined {
  return total === undefined ? undefined : total / 1e6;
}
