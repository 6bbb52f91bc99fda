import type { Labels } from '@rxlet/component-base/metrics';
import type { CgroupDetails, CgroupSample } from '../cgroup/cgroup-sample.ts';
import type { InterfaceCounts } from '../cgroup/net-dev.ts';
import type { MetricSample } from './exposition.ts';

/** A measured cgroup, with the labels of its metrics. */
export interface CgroupEntry {
  readonly labels: Labels;
  readonly sample: CgroupSample;
  readonly details: CgroupDetails;
  readonly interfaces: readonly InterfaceCounts[];
  /** Pressure of block I/O; `undefined` when the kernel has none. */
  readonly ioPressure:
    { readonly full: { readonly total: number }; readonly some: { readonly total: number } } | undefined;
  readonly processes: ProcessCounts;
  /** Names of devices by their number, such as `8:0`. */
  readonly deviceNames: ReadonlyMap<string, string>;
}

/** Counts of the processes of a cgroup. */
export interface ProcessCounts {
  readonly processes: number;
  readonly fileDescriptors: number;
  readonly sockets: number;
  /** Soft limit of open files of the first process; -1 for none, `undefined` without a process. */
  readonly maxOpenFiles: number | undefined;
}

/** Values of one metric of a cgroup, without its labels and time. */
export type EntryValues = number | undefined | readonly MetricSample[];

/** A metric of every cgroup. */
export interface CgroupMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** Returns the value, or values with their further labels. */
  read(entry: CgroupEntry): EntryValues;
  /** Whether the value has no time, because it is a setting and not a measurement. */
  readonly isSetting?: boolean;
}
