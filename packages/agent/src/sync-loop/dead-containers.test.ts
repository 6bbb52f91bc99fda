import { noopLogger } from '@rxlet/component-base';
import { emptyRuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { PodWorkerState } from '@rxlet/pod-workers';
import { expect, it } from 'vitest';
import { createDeadContainers } from './dead-containers.ts';

it.each([
  ['keeps the dead containers of an evicted pod while it terminates, for their exit codes', 'terminating', []],
  ['removes the dead containers of an evicted pod that has terminated', 'terminated', ['app all']],
] as const)('%s', async (_title, kind, expected) => {
  const state: PodWorkerState = {
    kind,
    sinceMs: 0,
    reason: 'evicted',
    deleted: false,
    evicted: true,
    gracePeriodSeconds: 1,
  };
  const trims: string[] = [];
  await using dead = createDeadContainers({
    logger: noopLogger,
    cache: { get: (uid) => emptyRuntimePodStatus(uid) },
    workers: { state: () => state, keepsContainers: () => false },
    runtimeManager: {
      async trimDeadContainers(_status, name, options) {
        trims.push(`${name} ${options?.removeAll === true ? 'all' : 'old'}`);
        return { results: [] };
      },
    },
  });
  dead.containerDied('uid-web', 'app');
  expect(trims).toEqual(expected);
});
