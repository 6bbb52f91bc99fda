import { describe, expect, it } from 'vitest';
import { currentHealth, type DeviceHealth, deviceKey, type ReportedHealth, updateHealth } from './device-health.ts';
import { formatHealth, parseHealth } from './health-file.ts';

const NOW = Date.UTC(2026, 0, 1);
const reportOf = (deviceName: string, more: Partial<ReportedHealth> = {}): ReportedHealth => ({
  poolName: 'pool',
  deviceName,
  health: 'Healthy',
  timeoutMs: 0,
  message: '',
  ...more,
});
const before = updateHealth(new Map(), [reportOf('d0'), reportOf('d1', { timeoutMs: 60_000 })], NOW);

describe('updateHealth', () => {
  it.each<[string, readonly ReportedHealth[], number, readonly string[]]>([
    ['nothing for the same report', [reportOf('d0'), reportOf('d1', { timeoutMs: 60_000 })], 1_000, []],
    ['the health', [reportOf('d0', { health: 'Unhealthy' })], 1_000, ['pool/d0']],
    ['the message', [reportOf('d0', { message: 'hot' })], 1_000, ['pool/d0']],
    ['the timeout', [reportOf('d0', { timeoutMs: 5_000 })], 1_000, ['pool/d0']],
    ['nothing when a negative timeout means the default', [reportOf('d0', { timeoutMs: -1 })], 1_000, []],
    ['new devices', [reportOf('d2')], 1_000, ['pool/d2']],
    ['devices that are not reported any more, once they time out', [], 30_001, ['pool/d0']],
    ['each device with its own timeout', [], 60_001, ['pool/d0', 'pool/d1']],
  ])('reports as changed %s', (_title, reported, laterMs, changed) => {
    expect(updateHealth(before.devices, reported, NOW + laterMs).changed).toEqual(changed);
  });

  it('is bounded', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => reportOf(`d${String(index)}`));
    const { devices } = updateHealth(new Map(), many, NOW);
    expect(devices.size).toBe(4_096);
    expect(updateHealth(devices, [reportOf('new')], NOW).devices.size).toBe(4_096);
  });

  it.each([
    ['as it is', 'x'.repeat(1_024), 'x'.repeat(1_024)],
    ['cut', 'x'.repeat(1_025), `${'x'.repeat(1_021)}...`],
    ['cut before a character that does not fit', `${'x'.repeat(1_019)}€€`, `${'x'.repeat(1_019)}...`],
  ])('keeps a message %s', (_title, message, expected) => {
    const { devices } = updateHealth(new Map(), [reportOf('d0', { message })], NOW);
    expect(devices.get('pool/d0')?.message).toBe(expected);
  });
});

describe('currentHealth', () => {
  const device: DeviceHealth = { ...reportOf('d0', { health: 'Unhealthy', message: 'hot' }), updatedMs: NOW };
  it.each([
    ['unknown for a device without a report', undefined, NOW, { health: 'Unknown', message: '' }],
    ['as reported until it times out', device, NOW + 30_000, { health: 'Unhealthy', message: 'hot' }],
    ['unknown after that', device, NOW + 30_001, { health: 'Unknown', message: '' }],
  ])('is %s', (_title, found, nowMs, expected) => {
    expect(currentHealth(found, nowMs)).toEqual(expected);
  });
});

describe('the file of device health', () => {
  it("has the kubelet's format", () => {
    const text = formatHealth(new Map([['one', before.devices]]));
    expect(text).toBe(
      '{"one":{"Devices":{"pool/d0":{"PoolName":"pool","DeviceName":"d0","Health":"Healthy","LastUpdated":"2026-01-01T00:00:00.000Z","HealthCheckTimeout":30000000000,"Message":""},"pool/d1":{"PoolName":"pool","DeviceName":"d1","Health":"Healthy","LastUpdated":"2026-01-01T00:00:00.000Z","HealthCheckTimeout":60000000000,"Message":""}}}}',
    );
    expect(parseHealth(text)).toEqual(new Map([['one', before.devices]]));
  });

  it("reads a kubelet's times, and leaves out what it cannot read", () => {
    const text =
      '{"one":{"Devices":{"p/d":{"PoolName":"p","DeviceName":"d","Health":"Odd","LastUpdated":"2026-01-01T02:00:00.123456789+02:00"},"p/e":{"PoolName":"p"}}},"two":null}';
    const drivers = parseHealth(text);
    expect([...drivers.keys()]).toEqual(['one', 'two']);
    expect(drivers.get('one')).toEqual(
      new Map([
        [
          deviceKey('p', 'd'),
          { poolName: 'p', deviceName: 'd', health: 'Unknown', updatedMs: NOW + 123, timeoutMs: 0, message: '' },
        ],
      ]),
    );
    expect(() => parseHealth('{')).toThrow(SyntaxError);
  });
});
