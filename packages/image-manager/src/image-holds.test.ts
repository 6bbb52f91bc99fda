import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createImageHolds } from './image-holds.ts';

const names = ['sha256:abc', 'docker.io/library/nginx:1', 'docker.io/library/nginx:latest'];
const remove = () => Promise.resolve();

describe('createImageHolds', () => {
  it('keeps a held image, under any of its names, and for a while after', async () => {
    const clock = createVirtualClock();
    const holds = createImageHolds(clock, { lingerMs: 1000 });
    const one = await holds.hold('nginx');
    const two = await holds.hold('docker.io/nginx:latest');
    one[Symbol.dispose]();
    await clock.advance(5000);
    expect(await holds.removeUnlessHeld(names, remove)).toBe(false);
    two[Symbol.dispose]();
    await clock.advance(999);
    expect(await holds.removeUnlessHeld(names, remove)).toBe(false);
    await clock.advance(1);
    expect(await holds.removeUnlessHeld(names, remove)).toBe(true);
    expect(await holds.removeUnlessHeld(['sha256:abc', 'docker.io/library/nginx:2'], remove)).toBe(true);
  });

  it('identifies an image by its digest whatever the tag', async () => {
    const holds = createImageHolds(createVirtualClock());
    const digest = `sha256:${'0'.repeat(64)}`;
    await holds.hold(`nginx:1@${digest}`);
    expect(await holds.removeUnlessHeld([`docker.io/library/nginx@${digest}`], remove)).toBe(false);
  });

  it('is removed by one at a time', async () => {
    const holds = createImageHolds(createVirtualClock());
    const removal = Promise.withResolvers<void>();
    const first = holds.removeUnlessHeld(names, () => removal.promise);
    expect(await holds.removeUnlessHeld(['nginx:1'], remove)).toBe(false);
    removal.resolve();
    expect(await first).toBe(true);
    expect(await holds.removeUnlessHeld(['nginx:1'], remove)).toBe(true);
  });

  it('delays holds of an image until its removal is over', async () => {
    const clock = createVirtualClock();
    const holds = createImageHolds(clock);
    const removal = Promise.withResolvers<void>();
    const removed = holds.removeUnlessHeld(names, () => removal.promise);
    let isHeld = false;
    const held = holds.hold('nginx:1').then(() => (isHeld = true));
    const controller = new AbortController();
    const aborted = holds.hold('nginx:1', controller.signal);
    await clock.settle();
    controller.abort(new Error('the pod is gone'));
    await expect(aborted).rejects.toThrow('the pod is gone');
    expect(isHeld).toBe(false);
    expect(await holds.removeUnlessHeld(names, remove)).toBe(false);
    removal.reject(new Error('busy'));
    await expect(removed).rejects.toThrow('busy');
    await held;
    expect(await holds.removeUnlessHeld(names, remove)).toBe(false);
  });
});
