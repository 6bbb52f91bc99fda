import { createLifetime, noopLogger } from '@rxlet/component-base';
import { createEmitter } from '@rxlet/component-base/streams';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { PodUpdate } from '@rxlet/pod-config';
import { testPod } from '@rxlet/pod-model/testing';
import { createPodStartLatency } from '@rxlet/status-manager';
import { expect, it } from 'vitest';
import { NEVER } from 'rxjs';
import { measurePodStarts } from './measure-pod-starts.ts';

it('forgets a pod that is removed before it has a status', async () => {
  const updates = createEmitter<PodUpdate>();
  const startLatency = createPodStartLatency({ clock: createVirtualClock() });
  const config = { updates$: updates.values$ };
  const statusManager = { published$: NEVER, forgotten$: NEVER };
  await using lifetime = createLifetime();
  measurePodStarts({ startLatency, config, statusManager, logger: noopLogger }, lifetime);
  const pods = [testPod({ uid: 'uid-web', name: 'web' })];
  updates.emit({ op: 'ADD', source: 'api', pods });
  expect(startLatency.size).toBe(1);
  updates.emit({ op: 'REMOVE', source: 'api', pods });
  expect(startLatency.size).toBe(0);
});
