import { ContainerState, PodSandboxState } from '@rxlet/cri-api';
import type { EphemeralContainer, Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { isMirrorPod, isTerminalPhase, PodLabel, podUid } from '@rxlet/pod-model';
import { containerKey } from '../history/history.ts';
import type { DebugStep } from '../workload/part-steps.ts';
import { keyOfContainer } from './running-containers.ts';
import type { PartContext, PartKind, WorldPart } from './world-part.ts';

/** Names of the ephemeral containers. */
export const DEBUG_CONTAINERS: readonly string[] = ['debug-0', 'debug-1'];
/** Time after which a container that ends has ended. */
const ENDED_AFTER_S = 20;

/** Users add ephemeral containers to pods of the API server. */
export const debugPart: PartKind = {
  name: 'debug',
  steps: 10,
  make: (choose, names) => ({
    do: 'debug',
    name: choose.pick(names),
    container: choose.pick(DEBUG_CONTAINERS),
    isEnding: choose.chance(0.5),
  }),
  create: createDebug,
};

function createDebug({ cluster }: PartContext): WorldPart {
  const { objects } = cluster.kube;
  return {
    name: 'debug',
    run(step) {
      if (step.do !== 'debug') return false;
      const pod = cluster.pod(step.name);
      if (pod === undefined || isMirrorPod(pod) || isTerminalPhase(pod.status?.phase)) return true;
      const { ephemeralContainers: existing = [] } = pod.spec ?? {};
      if (existing.some(({ name }) => name === step.container)) return true;
      const ephemeralContainers = [...existing, ephemeralContainer(step)];
      objects.merge(resources.pods, step.name, 'default', { spec: { ephemeralContainers } }, 'ephemeralcontainers');
      return true;
    },
    differences(pods) {
      const runtime = cluster.node.fake.snapshot();
      return pods.flatMap((pod) => debugDifferences(pod, runtime));
    },
  };
}

function ephemeralContainer({ container, isEnding }: DebugStep): EphemeralContainer {
  return {
    name: container,
    image: `registry.example/${container}:1`,
    command: isEnding ? ['sh', '-c', `sleep ${String(ENDED_AFTER_S)}`] : ['serve'],
  };
}

type Snapshot = ReturnType<PartContext['cluster']['node']['fake']['snapshot']>;

/** Returns what is wrong with the ephemeral containers of a pod at rest: each was created once, and is shown as it is. */
function debugDifferences({ metadata, spec, status }: Pod, { containers, sandboxes }: Snapshot): readonly string[] {
  const uid = podUid({ metadata });
  const hasEnded = isTerminalPhase(status?.phase);
  const hasSandbox = sandboxes.some(
    ({ labels, state }) => labels[PodLabel.podUid] === uid && state === PodSandboxState.SANDBOX_READY,
  );
  return (spec?.ephemeralContainers ?? []).flatMap(({ name }) => {
    const key = containerKey({ uid, name });
    const instances = containers.filter((one) => keyOfContainer(one) === key);
    const runs = instances.some(({ state }) => state === ContainerState.CONTAINER_RUNNING);
    if (hasEnded) return runs ? [`${key} runs although its pod has ended`] : [];
    // As in the kubelet, a pod that is never restarted waits for ever without a sandbox.
    if (instances.length === 0 && !hasSandbox) return [];
    if (instances.length !== 1) return [`${key} has ${String(instances.length)} instances`];
    const shown = status?.ephemeralContainerStatuses?.find((one) => one.name === name);
    const shownState = Object.keys(shown?.state ?? {}).join();
    // As in the kubelet, one that was created and could not be started is never started again.
    const expected = { [ContainerState.CONTAINER_RUNNING]: 'running', [ContainerState.CONTAINER_EXITED]: 'terminated' };
    const state = (expected as Record<number, string | undefined>)[instances[0]!.state] ?? 'waiting';
    return shownState === state ? [] : [`${key} is ${state}, and shown ${shownState || 'not at all'}`];
  });
}
