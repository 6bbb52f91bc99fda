import { describe, expect, it } from 'vitest';
import { chooseDevices } from './choose-devices.ts';
import { deviceHints, type DeviceHintsRequest } from './device-hints.ts';

/** Two devices on node 0, one on node 1, and one that is on both. */
const listed = [
  { id: 'a0', isHealthy: true, numaNodes: [0] },
  { id: 'b0', isHealthy: true, numaNodes: [0] },
  { id: 'c1', isHealthy: true, numaNodes: [1] },
  { id: 'd01', isHealthy: true, numaNodes: [0, 1] },
];
const hints = (request: Partial<DeviceHintsRequest>): unknown =>
  deviceHints({
    required: 1,
    listed,
    held: [],
    reusable: [],
    inUse: new Set<string>(),
    numaNodes: [0, 1],
    ...request,
  })?.map(({ numaNodes, isPreferred }) => `${numaNodes!.join('+')}${isPreferred ? ' preferred' : ''}`);

describe('deviceHints', () => {
  it.each<[string, Partial<DeviceHintsRequest>, unknown]>([
    ['each node that has a free device', {}, ['0 preferred', '1 preferred', '0+1']],
    ['only nodes with enough of them', { required: 3 }, ['0 preferred', '0+1']],
    ['no preferred node while those with enough are in use', { required: 2, inUse: new Set(['a0', 'd01']) }, ['0+1']],
    ['the nodes of devices that the container has', { held: ['c1'], inUse: new Set(['c1']) }, ['1 preferred', '0+1']],
    ['nodes with all devices of init containers', { required: 2, reusable: ['c1'] }, ['1 preferred', '0+1']],
    ['nothing when there are too few', { required: 5 }, []],
    ['nothing when the container has another number', { held: ['a0'], required: 2 }, []],
    ['nothing of unhealthy devices', { listed: listed.map((device) => ({ ...device, isHealthy: false })) }, []],
  ])('returns %s', (_, request, wanted) => {
    expect(hints(request)).toEqual(wanted);
  });

  it('returns no preference for devices without a node', () => {
    expect(hints({ listed: [{ id: 'x', isHealthy: true, numaNodes: [] }] })).toBeUndefined();
  });
});

describe('devices for chosen NUMA nodes', () => {
  const choose = (required: number, inUse: readonly string[] = []) =>
    chooseDevices({
      resource: 'example.com/gpu',
      required,
      subject: 'pod "u" container "app"',
      held: undefined,
      reusable: [],
      listed: [{ id: 'x', isHealthy: true, numaNodes: [] }, ...listed],
      inUse: new Set(inUse),
      numaNodes: [1],
    });

  it('come from these nodes, from which the plugin may choose', () => {
    expect(choose(1)).toEqual({ kind: 'open', fixed: [], available: ['c1', 'd01'], required: 1 });
    expect(choose(2)).toEqual({ kind: 'chosen', deviceIds: ['c1', 'd01'] });
  });

  it('come from other nodes, and then from none, when there are too few', () => {
    expect(choose(3, ['b0'])).toEqual({ kind: 'open', fixed: ['c1', 'd01'], available: ['a0', 'x'], required: 3 });
  });
});
