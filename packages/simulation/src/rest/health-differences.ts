import type { Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import { containerKey } from '../history/history.ts';
import { createProbedInstances } from '../properties/probes.ts';
import { settledMs } from '../workload/health.ts';
import type { SimulatedNode } from '../world/simulated-node.ts';

/** Returns the running containers of pods whose health is still to change. */
export function healthDifferences({ history }: SimulatedNode, pods: readonly Pod[]): readonly string[] {
  const uids = new Set(pods.map(podUid));
  const instances = createProbedInstances();
  for (const event of history.events) instances.follow(event);
  return [...instances.running.values()]
    .filter(
      ({ container, health, startMs }) =>
        uids.has(container.uid) && history.nowMs() - startMs <= settledMs(health) + PROBED_MS,
    )
    .map(({ container }) => `the health of ${containerKey(container)} changes`);
}

/** Time after which a change of health is shown. */
const PROBED_MS = 10_000;
