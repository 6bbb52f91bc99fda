import { createLifetime, systemClock } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import {
  createManifestDecoder,
  type ManifestDecoder,
  type ManifestForm,
  MAX_INLINE_BYTES,
} from './manifest-decoder.ts';
import { ManifestError } from './manifest-error.ts';
import { testManifest } from './test-manifest.ts';
import { exhaustThreads } from './test-support.ts';

const options = { nodeName: 'node1', origin: { file: '/m/big.yaml' } };
const comment = `# ${'x'.repeat(MAX_INLINE_BYTES)}\n`;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const names = async (decoder: ManifestDecoder, text: string, form?: ManifestForm): Promise<unknown> =>
  (await decoder.decode(bytes(text), options, form)).pods.map(({ metadata }) => metadata!.name);

/** Counts the turns of the event loop while `work` runs. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ turns: number; outcome: PromiseSettledResult<T> }> {
  const clock = createVirtualClock();
  let turns = 0;
  let ended = false;
  const settled = Promise.allSettled([work]).finally(() => (ended = true));
  for (; !ended; turns += 1) await clock.settle();
  const [outcome] = await settled;
  return { turns, outcome };
}

describe('createManifestDecoder', () => {
  it('decodes a small manifest within the turn', async () => {
    await using lifetime = createLifetime();
    const decoder = createManifestDecoder(createVirtualClock(), lifetime);
    const { turns, outcome } = await turnsDuring(names(decoder, testManifest('web')));
    expect([turns, outcome]).toEqual([1, { status: 'fulfilled', value: ['web-node1'] }]);
  });

  it('leaves the event loop alone while it decodes a large manifest', async () => {
    await using lifetime = createLifetime();
    const decoder = createManifestDecoder(systemClock, lifetime);
    const large = comment.repeat(20) + testManifest('web');
    const { turns, outcome } = await turnsDuring(names(decoder, large));
    expect(outcome).toEqual({ status: 'fulfilled', value: ['web-node1'] });
    expect(turns).toBeGreaterThan(10);
  });

  it('decodes a large list', async () => {
    await using lifetime = createLifetime();
    const decoder = createManifestDecoder(systemClock, lifetime);
    const item = {
      metadata: { name: 'one', annotations: { note: comment } },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    };
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items: [item] });
    expect(await names(decoder, list, 'list')).toEqual(['one-node1']);
  });

  it('reports the problems of a large manifest as those of a small one', async () => {
    await using lifetime = createLifetime();
    const decoder = createManifestDecoder(systemClock, lifetime);
    const invalid = 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: []}\n';
    const errors = await Promise.all(
      [invalid, comment + invalid].map((text) => decoder.decode(bytes(text), options).catch((error: unknown) => error)),
    );
    expect(errors[0]).toBeInstanceOf(ManifestError);
    expect(errors[1]).toEqual(errors[0]);
    expect(errors[1]).toMatchObject({
      reason: 'InvalidPod',
      manifest: '/m/big.yaml',
      problems: [{ field: 'spec.containers' }],
    });
  });

  it('ends its thread when there is no work, and starts another for more', async () => {
    await using lifetime = createLifetime();
    const clock = createVirtualClock();
    const decoder = createManifestDecoder(clock, lifetime);
    await names(decoder, comment + testManifest('web'));
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1000);
    expect(clock.pendingTimers).toBe(0);
    expect(await names(decoder, comment + testManifest('next'))).toEqual(['next-node1']);
  });

  it('tries to start its thread again after the machine had none left', async () => {
    const threads = exhaustThreads();
    await using lifetime = createLifetime();
    const decoder = createManifestDecoder(systemClock, lifetime);
    const text = comment + testManifest('web');
    await expect(names(decoder, text)).rejects.toThrow('EAGAIN');
    threads.release();
    expect(await names(decoder, text)).toEqual(['web-node1']);
  });

  it('gives up what it decodes when it is disposed of, and leaves nothing behind', async () => {
    const lifetime = createLifetime();
    const clock = createVirtualClock();
    const decoder = createManifestDecoder(clock, lifetime);
    const decoding = [1, 2].map(() => names(decoder, comment + testManifest('web')));
    const outcomes = Promise.allSettled(decoding);
    await clock.settle();
    await lifetime[Symbol.asyncDispose]();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(clock.pendingTimers).toBe(0);
  });
});
