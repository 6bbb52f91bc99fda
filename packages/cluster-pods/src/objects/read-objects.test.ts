import { createVirtualClock } from '@rxlet/component-base/testing';
import { KubeError } from '@rxlet/kube-api/client';
import { resources } from '@rxlet/kube-api/resources';
import { createMemoryKube } from '@rxlet/kube-api/testing';
import { describe, expect, it } from 'vitest';
import { createReadObjects } from './read-objects.ts';

function setUp(ttlMs = 60_000) {
  const clock = createVirtualClock();
  const kube = createMemoryKube();
  const objects = createReadObjects({ client: kube.main, clock }, resources.configMaps, { ttlMs: () => ttlMs });
  const put = (value: string) =>
    kube.put(resources.configMaps, { metadata: { name: 'a', namespace: 'ns' }, data: { value } });
  const valueFor = async (podUid: string): Promise<string | undefined> =>
    (await objects.get(podUid, 'ns', 'a'))?.data?.['value'];
  const reads = (): number => kube.requests.filter(({ verb }) => verb === 'get').length;
  return { clock, kube, objects, put, valueFor, reads };
}

function unavailable(): never {
  throw new KubeError('ServiceUnavailable', 'down', { code: 503 });
}

describe('createReadObjects', () => {
  it('reads an object again once it is too old', async () => {
    const { clock, put, valueFor, reads } = setUp();
    put('1');
    expect(await valueFor('u1')).toBe('1');
    put('2');
    await clock.advance(59_999);
    expect(await valueFor('u1')).toBe('1');
    await clock.advance(1);
    expect(await valueFor('u1')).toBe('2');
    expect(reads()).toBe(2);
  });

  it('reads an object for each pod that is new to it', async () => {
    const { put, valueFor, reads } = setUp();
    put('1');
    await valueFor('u1');
    put('2');
    expect(await valueFor('u2')).toBe('2');
    expect(await valueFor('u1')).toBe('2');
    expect(reads()).toBe(2);
  });

  it('reads each time without a time to live', async () => {
    const { put, valueFor, reads } = setUp(0);
    put('1');
    await valueFor('u1');
    put('2');
    expect(await valueFor('u1')).toBe('2');
    expect(reads()).toBe(2);
  });

  it('reads a missing object each time, so that a pod finds it as soon as it exists', async () => {
    const { put, valueFor, reads } = setUp();
    expect(await valueFor('u1')).toBeUndefined();
    expect(await valueFor('u1')).toBeUndefined();
    put('1');
    expect(await valueFor('u1')).toBe('1');
    expect(reads()).toBe(3);
  });

  it('reports a missing object as such while the API server fails', async () => {
    const { kube, valueFor } = setUp();
    await valueFor('u1');
    kube.onRequest = unavailable;
    expect(await valueFor('u1')).toBeUndefined();
  });

  it('returns the last version while the API server fails, and reads again each time', async () => {
    const { clock, kube, put, valueFor } = setUp();
    put('1');
    await valueFor('u1');
    await clock.advance(60_000);
    kube.onRequest = unavailable;
    expect(await valueFor('u1')).toBe('1');
    expect(await valueFor('u1')).toBe('1');
    kube.onRequest = undefined;
    put('2');
    expect(await valueFor('u1')).toBe('2');
  });

  it('fails without an earlier version', async () => {
    const { kube, put, valueFor } = setUp();
    put('1');
    kube.onRequest = unavailable;
    await expect(valueFor('u1')).rejects.toThrow('down');
    kube.onRequest = undefined;
    expect(await valueFor('u1')).toBe('1');
  });

  it('keeps objects for as long as a pod refers to them', async () => {
    const { objects, put, valueFor } = setUp();
    put('1');
    await valueFor('u1');
    objects.register('u2', 'ns', 'a');
    objects.release('u1');
    expect(objects.has('ns', 'a')).toBe(true);
    objects.retain(new Set(['u3']));
    expect(objects.has('ns', 'a')).toBe(false);
  });
});
