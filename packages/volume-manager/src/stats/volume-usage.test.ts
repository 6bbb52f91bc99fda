import type { UsageCall } from '@rxlet/agent-api/volumes';
import { sleep } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { expect, it } from 'vitest';
import { type ActualVolume, createActualState } from '../reconcile/volume-states.ts';
import { createVolumeUsage } from './volume-usage.ts';

it('measures the files of a pod while the drivers of its other volumes do not answer', async () => {
  const clock = createVirtualClock();
  const { hostFiles, nodeFiles } = createMemoryFiles();
  const actual = createActualState();
  const logger = recordingLogger();
  const add = (name: string, plugin: object): void => {
    const attributes = { readOnly: false, managed: true, seLinuxRelabel: false, seLinuxLabeled: false };
    actual.set('u', {
      name,
      plugin: plugin as ActualVolume['plugin'],
      isCertain: true,
      isPersistent: false,
      isTranslated: false,
      refreshes: false,
      mounted: { hostPath: `/root/${name}`, innerVolumeSpecName: name, ...attributes },
    });
  };
  const usage = (_uid: string, _name: string, { signal }: UsageCall): Promise<void> => sleep(clock, 240_000, signal);
  for (const name of ['disk', 'share', 'archive']) add(name, { name: 'kubernetes.io/csi', usage });
  add('scratch', { name: 'kubernetes.io/empty-dir' });
  await nodeFiles.makeDirectory('/root/scratch', 0o755);
  await nodeFiles.writeFile('/root/scratch/data', 'content', 0o644);
  const bounded = new AbortController();
  const measured = createVolumeUsage({ hostFiles, clock, logger, actual })('u', bounded.signal);
  await clock.advance(100_000);
  // The caller does not wait longer.
  bounded.abort(new Error('no answer'));
  expect([...(await measured).keys()]).toEqual(['scratch']);
  expect(logger.lines).toHaveLength(3);
  expect(clock.pendingTimers).toBe(0);
});
