import { describe, expect, it } from 'vitest';
import { checkIdPool, defaultIdPool, formatIdMapping, freeIdMapping, parseIdMapping } from './id-mapping.ts';

const UNIT = 65_536;
const range = (slot: number) => ({ hostId: slot * UNIT, containerId: 0, length: UNIT });

describe('ranges of ids for user namespaces', () => {
  it('start at the first free one', () => {
    expect(freeIdMapping(defaultIdPool, [])).toEqual(range(1));
    expect(freeIdMapping(defaultIdPool, [range(1), range(3)])).toEqual(range(2));
    const small = { firstId: 2 * UNIT, count: UNIT, idsPerPod: UNIT };
    expect(freeIdMapping(small, [range(1)])).toEqual(range(2));
    expect(freeIdMapping(small, [range(2)])).toBeUndefined();
  });

  it('never overlap with one of another length', () => {
    const wide = { hostId: 2 * UNIT, containerId: 0, length: 3 * UNIT };
    expect(freeIdMapping(defaultIdPool, [range(1), wide])).toEqual(range(5));
    const wider = { firstId: 2 * UNIT, count: 8 * UNIT, idsPerPod: 2 * UNIT };
    expect(freeIdMapping(wider, [range(3)])).toEqual({ hostId: 4 * UNIT, containerId: 0, length: 2 * UNIT });
  });

  it("appear in the kubelet's form", () => {
    const text =
      '{"uidMappings":[{"hostId":65536,"containerId":0,"length":65536}],"gidMappings":[{"hostId":65536,"containerId":0,"length":65536}]}';
    expect(formatIdMapping(range(1))).toBe(text);
    expect(parseIdMapping(text)).toEqual(range(1));
  });

  it.each([
    ['', 'invalid user namespace mappings file: not JSON'],
    ['null', 'no more than one mapping allowed.'],
    ['{"uidMappings":[],"gidMappings":[]}', 'no more than one mapping allowed.'],
    [formatIdMapping(range(1)).replace('65536', '131072'), 'GID and UID mapping should be identical'],
    [formatIdMapping({ ...range(1), containerId: 1 }), 'UID 0 must be mapped'],
    [formatIdMapping({ ...range(1), hostId: -1 }), 'an id is not a number of 32 bits'],
  ])('do not come from %s', (text, message) => {
    expect(() => parseIdMapping(text)).toThrow(message);
  });

  it.each([
    [{ idsPerPod: 1000 }, 'kubelet user namespace length 1000 is not a multiple of 65536'],
    [{ firstId: 65_537 }, 'kubelet user assigned ID 65537 is not a multiple of 65536'],
    [{ firstId: 0 }, 'kubelet user assigned ID 0 must be greater or equal to 65536'],
    [{ count: 65_537 }, 'kubelet user assigned IDs length 65537 is not a multiple of 65536'],
    [{ count: 65_536 }, 'kubelet user assigned IDs are not enough to support 2 pods'],
  ])('do not come from a pool with %o', (pool, message) => {
    expect(() => checkIdPool({ ...defaultIdPool, ...pool }, 2)).toThrow(message);
  });
});
