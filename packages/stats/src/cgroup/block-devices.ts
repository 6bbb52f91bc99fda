/** Counts of a device by their operation: `Read`, `Write`, `Total` and others. Empty where the kernel has none. */
export type OperationCounts = ReadonlyMap<string, number>;

/** Block I/O of a cgroup on one device. */
export interface DeviceCounts {
  readonly bytes: OperationCounts;
  readonly operations: OperationCounts;
  readonly merged: OperationCounts;
  readonly queued: OperationCounts;
  readonly nanoseconds: OperationCounts;
}

/** Devices by their number, such as `8:0`. */
export type DevicesByNumber = ReadonlyMap<string, DeviceCounts>;

type Kind = keyof DeviceCounts;
type Collected = Map<string, Record<Kind, Map<string, number>>>;

/** Keys of `io.stat` of cgroup v2, with the names of cgroup v1. */
const IO_STAT: Readonly<Record<string, readonly [Kind, operation: string]>> = {
  rbytes: ['bytes', 'Read'],
  wbytes: ['bytes', 'Write'],
  dbytes: ['bytes', 'Discard'],
  rios: ['operations', 'Read'],
  wios: ['operations', 'Write'],
  dios: ['operations', 'Discard'],
};

/** Parses `io.stat` of cgroup v2, whose lines are `8:0 rbytes=4096 wbytes=0`. */
export function parseIoStat(text: string | undefined): DevicesByNumber {
  const devices: Collected = new Map();
  for (const line of (text ?? '').split('\n')) {
    const [device = '', ...fields] = line.trim().split(/\s+/);
    if (!isDeviceNumber(device)) continue;
    for (const field of fields) {
      const [key = '', value] = field.split('=');
      const known = Object.hasOwn(IO_STAT, key) ? IO_STAT[key] : undefined;
      if (known !== undefined) add(devices, device, known, value);
    }
  }
  return devices;
}

/**
 * Files of cgroup v1's controller `blkio`, by what the kernel and the scheduler of the disk offer: the scheduler's own counts are more exact than those of the throttling, which
 * do not include what was merged. The files of the first entry that has counts are used, as in a kubelet.
 */
const BLKIO_FILES: readonly (readonly (readonly [Kind, file: string])[])[] = [
  [
    ['operations', 'bfq.io_serviced_recursive'],
    ['bytes', 'bfq.io_service_bytes_recursive'],
    ['merged', 'bfq.io_merged_recursive'],
    ['queued', 'bfq.io_queued_recursive'],
    ['nanoseconds', 'bfq.io_service_time_recursive'],
  ],
  [
    ['operations', 'io_serviced_recursive'],
    ['bytes', 'io_service_bytes_recursive'],
    ['merged', 'io_merged_recursive'],
    ['queued', 'io_queued_recursive'],
    ['nanoseconds', 'io_service_time_recursive'],
  ],
  [
    ['operations', 'throttle.io_serviced_recursive'],
    ['bytes', 'throttle.io_service_bytes_recursive'],
  ],
  [
    ['operations', 'throttle.io_serviced'],
    ['bytes', 'throttle.io_service_bytes'],
  ],
];

/** Reads the block I/O of a cgroup of version 1. `read` returns the text of a file of its controller `blkio`. */
export function readBlkio(read: (file: string) => string | undefined): DevicesByNumber {
  for (const [first, ...others] of BLKIO_FILES) {
    const devices: Collected = new Map();
    const take = ([kind, file]: readonly [Kind, string]): void => parseBlkio(devices, kind, read(`blkio.${file}`));
    take(first!);
    if (devices.size === 0) continue;
    others.forEach(take);
    return devices;
  }
  return new Map();
}

/** Takes the lines of a file, which are `8:0 Read 4096`; the last one is the total of all devices. */
function parseBlkio(devices: Collected, kind: Kind, text: string | undefined): void {
  for (const line of (text ?? '').split('\n')) {
    const [device = '', operation = '', value] = line.trim().split(/\s+/);
    if (value !== undefined && isDeviceNumber(device)) add(devices, device, [kind, operation], value);
  }
}

function isDeviceNumber(text: string): boolean {
  return /^\d+:\d+$/.test(text);
}

function add(
  devices: Collected,
  device: string,
  [kind, operation]: readonly [Kind, string],
  text: string | undefined,
): void {
  const value = Number(text);
  if (text === undefined || !Number.isFinite(value)) return;
  let counts = devices.get(device);
  if (counts === undefined) {
    counts = { bytes: new Map(), operations: new Map(), merged: new Map(), queued: new Map(), nanoseconds: new Map() };
    devices.set(device, counts);
  }
  counts[kind].set(operation, value);
}
