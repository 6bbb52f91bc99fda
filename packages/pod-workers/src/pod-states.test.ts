import { createVirtualClock } from '@rxlet/component-base/testing';
import { seededRandom } from '@rxlet/component-base';
import { emptyRuntimePodStatus } from '@rxlet/pod-model/runtime';
import { manifestPod } from '@rxlet/pod-model/testing';
import { expect, it } from 'vitest';
import { createPodWorkers } from './create-pod-workers.ts';
import { createPodStates } from './pod-states.ts';

it('shows the pods of the workers, with their latest states', async () => {
  const clock = createVirtualClock();
  const states = createPodStates(clock);
  await using workers = createPodWorkers({
    states,
    clock,
    random: seededRandom(1),
    statuses: { mark: () => 0, getNewerThan: (uid) => Promise.resolve(emptyRuntimePodStatus(uid)) },
    syncer: {
      syncPod: () => Promise.resolve({ completed: false }),
      syncTerminatingPod: () => Promise.resolve(),
      syncTerminatedPod: () => Promise.resolve(),
    },
  });
  expect(states.state('uid-web-1')).toBeUndefined();
  expect(states.podsSynced()).toBe(false);

  workers.add(manifestPod('web'));
  await clock.settle();
  expect(states.state('uid-web-1')).toMatchObject({ kind: 'syncing' });
  expect(states.inspect()).toMatchObject([{ uid: 'uid-web-1', pod: 'web_default', dirty: false }]);

  workers.retain(new Set());
  await clock.settle();
  expect(states.podsSynced()).toBe(true);
  expect(states.states().get('uid-web-1')).toMatchObject({ kind: 'finished' });

  workers.retain(new Set());
  expect(states.states().size).toBe(0);
});
