import { seededRandom, systemClock } from '@rxlet/component-base';
import { createPodWorkers } from '@rxlet/pod-workers';
import type { BenchRun } from './bench-part.ts';

const PODS = 500;
const ROUNDS = 100;

/** Measures steps of pod workers a second when a step does nothing: the upper bound of the agent's rate. */
export async function benchWorkerSteps({ print }: BenchRun): Promise<void> {
  let steps = 0;
  let { promise: roundEnded, resolve: endRound } = Promise.withResolvers<void>();
  await using workers = createPodWorkers({
    clock: systemClock,
    random: seededRandom(1),
    statuses: {
      mark: () => 0,
      getNewerThan: (uid) => Promise.resolve({ uid, name: '', namespace: '', ips: [], sandboxes: [], containers: [] }),
    },
    syncer: {
      async syncPod() {
        steps += 1;
        if (steps % PODS === 0) endRound();
        return { completed: false };
      },
      syncTerminatingPod: () => Promise.resolve(),
      syncTerminatedPod: () => Promise.resolve(),
    },
  });
  const round = async (change: (uid: string) => void): Promise<void> => {
    ({ promise: roundEnded, resolve: endRound } = Promise.withResolvers<void>());
    for (let index = 0; index < PODS; index += 1) change(String(index));
    await roundEnded;
  };
  await round((uid) =>
    workers.add({ metadata: { name: uid, namespace: 'default', uid }, spec: { containers: [{ name: 'main' }] } }),
  );
  const before = process.cpuUsage();
  const beganMs = systemClock.monotonicNow();
  for (let count = 0; count < ROUNDS; count += 1) await round((uid) => workers.sync(uid));
  const tookMs = systemClock.monotonicNow() - beganMs;
  const { user, system } = process.cpuUsage(before);
  const total = PODS * ROUNDS;
  print(
    `pod workers, ${String(PODS)} pods, steps that do nothing: ${Math.round((total / tookMs) * 1000).toString()} steps/s, ${((user + system) / total).toFixed(1)} µs CPU each`,
  );
}
