import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isMirrorPod, isTerminalPhase } from '@rxlet/pod-model';
import { withoutPatches } from './artefacts.ts';
import type { Phase } from './phase.ts';
import type { Recording, RecordedObject } from './recording.ts';
import type { ReplayNode } from './replay-node.ts';
import { pending, podsOf, removeManifest, writeManifest } from './replayed-pods.ts';

/** Events of the other pods, which failed for most of an hour before, depend on how many of them a kubelet had dropped. */
const COMPARED = /^(leases|watch|pod |events of st8)/;

/**
 * Times from the creation of the pods to the outage, in seconds: the next start of `crash` and the next pull for `imgerr` come when they came in the recording, and
 * `live` is not restarted.
 */
const AGES: Readonly<Record<string, number>> = { crash: 1100, imgerr: 1144, live: 740 };
const DEFAULT_AGE = 60;

/** Returns an outage of the API server. */
export function outagePhase(recording: Recording, at: (mark: string) => number): Phase {
  const podsWatch = recording.requests.findLast(({ path }) => path === '/api/v1/pods')!;
  let fault: Disposable | undefined;
  return {
    concerns: COMPARED,
    sent: (requests) => withoutPatches(requests, showsBackOff),
    before: (node) => startPods(node, podsOf(recording)),
    actions: [
      { t: at('p8-down'), run: ({ kube }) => kube.stop() },
      // The file was seen half-written.
      { t: at('p8-down') + 20, run: (node) => writeManifest(node, 'a', 'st8') },
      { t: at('p8-down') + 21, run: (node) => writeManifest(node, 'b', 'st8') },
      {
        t: at('p8-up'),
        run: ({ kube }) => {
          kube.start();
          // The watch of pods returned last. Until then the node does not know of its new mirror pod.
          fault = kube.faults.add({
            match: { resource: 'pods', verb: 'watch' },
            action: { type: 'drop', when: 'before' },
          });
        },
      },
      { t: at('p8-end'), run: (node) => removeManifest(node, 'st8') },
      { t: podsWatch.t, run: () => fault?.[Symbol.dispose]() },
    ],
    tailSeconds: 120,
  };
}

/** Starts the pods that the recorded node still ran, the oldest first. */
async function startPods(node: ReplayNode, recorded: readonly RecordedObject[]): Promise<void> {
  const ageOf = ({ metadata }: RecordedObject): number => AGES[metadata?.name ?? ''] ?? DEFAULT_AGE;
  const pods = recorded
    .filter((pod) => !isMirrorPod(pod as Pod) && !isTerminalPhase((pod as Pod).status?.phase))
    .toSorted((left, right) => ageOf(right) - ageOf(left));
  for (const [index, pod] of pods.entries()) {
    node.apply(pending(pod));
    const next = pods[index + 1];
    await node.node.advance(1000 * (ageOf(pod) - (next === undefined ? 30 : ageOf(next))));
  }
}

/** Reports whether a patch shows the back-off of a container that has ended. A kubelet shows it with the next sync of the pod, after the end of the recording. */
function showsBackOff({ conditions, containerStatuses = [] }: PodStatus): boolean {
  return (
    conditions === undefined && containerStatuses.some(({ state }) => state?.waiting?.reason === 'CrashLoopBackOff')
  );
}
