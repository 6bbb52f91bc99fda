import { describe, expect, it } from 'vitest';
import { chooseDevices, completeChoice, type DeviceRequest } from './choose-devices.ts';

const listed = ['a', 'b', 'c', 'd'].map((id) => ({ id, isHealthy: id !== 'd', numaNodes: [] }));
const choose = (request: Partial<DeviceRequest>) =>
  chooseDevices({
    resource: 'example.com/gpu',
    required: 2,
    subject: 'pod "u" container "app"',
    held: undefined,
    reusable: [],
    listed,
    inUse: new Set<string>(),
    ...request,
  });

describe('chooseDevices', () => {
  it('takes devices of init containers first, then healthy ones that are free', () => {
    expect(choose({ reusable: ['x', 'y', 'z'] })).toEqual({ kind: 'chosen', deviceIds: ['x', 'y'] });
    expect(choose({ reusable: ['b'], inUse: new Set(['b']) })).toEqual({
      kind: 'open',
      fixed: ['b'],
      available: ['a', 'c'],
      required: 2,
    });
  });

  it('leaves a container what it has', () => {
    expect(choose({ held: ['a', 'b'], inUse: new Set(['a', 'b']) })).toEqual({ kind: 'none' });
    expect(choose({ required: 0 })).toEqual({ kind: 'none' });
  });

  it.each<[Partial<DeviceRequest>, string]>([
    [{ listed: undefined }, 'cannot allocate unregistered device example.com/gpu'],
    [{ listed: [] }, 'no healthy devices present; cannot allocate unhealthy devices example.com/gpu'],
    [
      { held: ['a', 'd'] },
      'previously allocated devices are no longer healthy; cannot allocate unhealthy devices example.com/gpu',
    ],
    [{ held: ['a'] }, 'pod "u" container "app" changed request for resource "example.com/gpu" from 1 to 2'],
    [
      { inUse: new Set(['a', 'b']) },
      'requested number of devices unavailable for example.com/gpu. Requested: 2, Available: 1',
    ],
    [
      { required: 5, reusable: ['x'] },
      'requested number of devices unavailable for example.com/gpu. Requested: 4, Available: 3',
    ],
  ])('fails for %j with the message of a kubelet', (request, message) => {
    expect(() => choose(request)).toThrow(message);
  });
});

describe('completeChoice', () => {
  const open = { kind: 'open', fixed: ['x'], available: ['a', 'b', 'c'], required: 3 } as const;

  it('follows the plugin, as far as the devices are available', () => {
    expect(completeChoice(open, ['c', 'x', 'c', 'unknown', 'b', 'a'])).toEqual(['x', 'c', 'b']);
  });

  it('adds others when the plugin prefers too few', () => {
    expect(completeChoice(open, [])).toEqual(['x', 'a', 'b']);
  });
});
