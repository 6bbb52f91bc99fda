import { createMemoryKube } from '@rxlet/kube-api/testing';
import type { KubeClient } from '@rxlet/kube-api/client';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { follow } from '@rxlet/component-base/streams';
import { resources } from '@rxlet/kube-api/resources';
import { describe, expect, it } from 'vitest';
import { createWatchedObjects } from './watched-objects.ts';

function setUp(client?: Pick<KubeClient, 'watch'>) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const kube = createMemoryKube();
  const objects = createWatchedObjects({ client: client ?? kube.main, clock, logger }, resources.configMaps);
  const changed: string[] = [];
  follow(objects.changes$, { task: 'test', logger, next: (uid) => void changed.push(uid) });
  const put = (value: string, immutable = false) =>
    kube.put(resources.configMaps, {
      metadata: { name: 'a', namespace: 'ns' },
      data: { value },
      ...(immutable && { immutable }),
    });
  return { clock, kube, objects, changed, put };
}

describe('createWatchedObjects', () => {
  it('opens one watch for an object of several pods, and follows it', async () => {
    const { kube, objects, changed, put } = setUp();
    await using _ = objects;
    expect(await objects.get('u1', 'ns', 'a')).toBeUndefined();
    put('1');
    expect((await objects.get('u2', 'ns', 'a'))?.data).toEqual({ value: '1' });
    put('2');
    expect((await objects.get('u1', 'ns', 'a'))?.data).toEqual({ value: '2' });
    expect(changed).toEqual(['u1', 'u1', 'u2']);
    expect(kube.openWatches).toBe(1);
  });

  it('closes the watch when no pod uses the object any more', async () => {
    const { clock, kube, objects, put } = setUp();
    await using _ = objects;
    put('1');
    await objects.get('u1', 'ns', 'a');
    await objects.get('u2', 'ns', 'a');
    objects.release('u1');
    await clock.settle();
    expect(kube.openWatches).toBe(1);
    objects.retain(new Set(['u3']));
    await clock.settle();
    expect(kube.openWatches).toBe(0);
    expect(objects.has('ns', 'a')).toBe(false);
  });

  it('does not watch an immutable object', async () => {
    const { clock, kube, objects, put } = setUp();
    await using _ = objects;
    put('1', true);
    expect((await objects.get('u1', 'ns', 'a'))?.data).toEqual({ value: '1' });
    await clock.settle();
    expect(kube.openWatches).toBe(0);
    expect((await objects.get('u1', 'ns', 'a'))?.data).toEqual({ value: '1' });
    objects.release('u1');
  });

  it('waits a second for an API server that does not answer', async () => {
    const kube = createMemoryKube();
    const silent: Pick<KubeClient, 'watch'> = {
      watch(resource, options) {
        const watch = kube.main.watch(resource, options);
        return { ...watch, start: () => undefined, isSynced: false };
      },
    };
    const { clock, objects } = setUp(silent);
    await using _ = objects;
    const waiting = expect(objects.get('u1', 'ns', 'a')).rejects.toThrow(
      'failed to sync configmap cache: timed out waiting for the condition',
    );
    await clock.advance(1_000);
    await waiting;
    expect(clock.pendingTimers).toBe(0);
    const left = new AbortController();
    const aborted = expect(objects.get('u1', 'ns', 'a', left.signal)).rejects.toThrow('enough');
    left.abort(new Error('enough'));
    await aborted;
  });

  it('closes everything on disposal', async () => {
    const { kube, objects, clock } = setUp();
    await objects.get('u1', 'ns', 'a');
    await objects[Symbol.asyncDispose]();
    expect(kube.openWatches).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    await expect(objects.get('u1', 'ns', 'a')).rejects.toThrow('stopped');
  });
});
