import { describe, expect, it } from 'vitest';
import { parseIoStat, readBlkio } from './block-devices.ts';

const counts = (values: Readonly<Record<string, number>>) => new Map(Object.entries(values));

describe('io.stat of cgroup v2', () => {
  it('has bytes and operations by device, and nothing for lines and keys of other forms', () => {
    const devices = parseIoStat('8:0 rbytes=1 wbytes=2 rios=3 wios=4 cost.usage=9 toString=1\n253:0 \nmax\n\n');
    expect([...devices.keys()]).toEqual(['8:0']);
    expect(devices.get('8:0')).toMatchObject({
      bytes: counts({ Read: 1, Write: 2 }),
      operations: counts({ Read: 3, Write: 4 }),
    });
  });
});

describe('blkio of cgroup v1', () => {
  const empty = 'Total 0\n';
  const throttle = {
    'blkio.throttle.io_serviced_recursive': '8:0 Read 4\n8:0 Write 5\n8:0 Total 9\nTotal 9\n',
    'blkio.throttle.io_service_bytes_recursive': '8:0 Read 40\n8:0 Write 50\n8:0 Total 90\nTotal 90\n',
  };
  const devicesOf = (files: Readonly<Record<string, string>>) => readBlkio((file) => files[file]);

  it('is that of the throttling where the scheduler of the disk counts nothing', () => {
    const devices = devicesOf({
      'blkio.bfq.io_serviced_recursive': empty,
      'blkio.bfq.io_service_bytes_recursive': empty,
      ...throttle,
    });
    expect(devices.get('8:0')).toMatchObject({
      operations: counts({ Read: 4, Write: 5, Total: 9 }),
      bytes: counts({ Read: 40, Write: 50, Total: 90 }),
      merged: counts({}),
    });
  });

  it.each(['blkio.bfq.', 'blkio.'])('is that of the scheduler with the files %s* where it counts', (prefix) => {
    const devices = devicesOf({
      ...throttle,
      [`${prefix}io_serviced_recursive`]: '8:0 Read 1\n8:0 Write 2\n8:0 Total 3\nTotal 3\n',
      [`${prefix}io_service_bytes_recursive`]: '8:0 Read 10\n8:0 Write 20\nTotal 30\n',
      [`${prefix}io_merged_recursive`]: '8:0 Read 7\nTotal 7\n',
      [`${prefix}io_queued_recursive`]: '8:0 Total 6\nTotal 6\n',
      [`${prefix}io_service_time_recursive`]: '8:0 Read 5000\n8:0 Total 5000\nTotal 5000\n',
    });
    expect(devices.get('8:0')).toEqual({
      operations: counts({ Read: 1, Write: 2, Total: 3 }),
      bytes: counts({ Read: 10, Write: 20 }),
      merged: counts({ Read: 7 }),
      queued: counts({ Total: 6 }),
      nanoseconds: counts({ Read: 5000, Total: 5000 }),
    });
  });

  it('is that of the cgroup alone on kernels without recursive files', () => {
    const devices = devicesOf({
      'blkio.throttle.io_serviced': '8:0 Read 4\nTotal 4\n',
      'blkio.throttle.io_service_bytes': '8:0 Read 40\nTotal 40\n',
    });
    expect(devices.get('8:0')).toMatchObject({ operations: counts({ Read: 4 }), bytes: counts({ Read: 40 }) });
  });

  it('is empty where the kernel counts nothing', () => {
    expect(devicesOf({ 'blkio.throttle.io_serviced_recursive': empty }).size).toBe(0);
    expect(devicesOf({}).size).toBe(0);
  });
});
