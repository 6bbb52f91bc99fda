import type { Pod, ResourceRequirements } from '@rxlet/kube-api';
import type { RuntimeContainerState, RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { ProbeResult } from '@rxlet/agent-api/containers';
import { computePodActions, type PodActions } from '@rxlet/runtime-manager';
import type { Answer } from '../vector-kind.ts';

interface PodActionsVector {
  readonly input: {
    readonly pod: Pod;
    readonly sandboxes: readonly {
      readonly id: string;
      readonly state: string;
      readonly attempt: number;
      readonly ip: string;
      readonly networkNamespaceMode: string;
    }[];
    readonly containerStatuses: readonly {
      readonly id: string;
      readonly name: string;
      readonly state: RuntimeContainerState;
      readonly exitCode: number;
      readonly restartCount: number;
      readonly hash: string;
      readonly createdAt: string;
      readonly reason?: string;
    }[];
    readonly livenessResults: Readonly<Record<string, string>>;
    readonly startupResults: Readonly<Record<string, string>>;
    readonly actuatedResources: Readonly<Record<string, ResourceRequirements>>;
    readonly restartAllContainers: boolean;
  };
  readonly want: PodActions;
}

/** Computes the next steps for a pod. */
export function run({ input, want }: PodActionsVector): Answer {
  const actions = computePodActions({
    pod: input.pod,
    status: runtimeStatus(input),
    livenessResults: probeResults(input.livenessResults),
    startupResults: probeResults(input.startupResults),
    restartAllContainers: input.restartAllContainers,
    actuatedResources: new Map(Object.entries(input.actuatedResources)),
  });
  return { got: sorted(actions), want: sorted(want) };
}

function runtimeStatus({ pod, sandboxes, containerStatuses }: PodActionsVector['input']): RuntimePodStatus {
  const { uid = '', name = '', namespace = '' } = pod.metadata ?? {};
  return {
    uid,
    name,
    namespace,
    ips: [],
    sandboxes: sandboxes.map(({ id, state, attempt, ip, networkNamespaceMode }) => ({
      id,
      attempt,
      state: state === 'SANDBOX_READY' ? 'ready' : 'notready',
      createdAtNanos: 0n,
      ips: ip === '' ? [] : [ip],
      hostNetwork: networkNamespaceMode === 'NODE',
      hasNetworkStatus: true,
      runtimeHandler: '',
    })),
    containers: containerStatuses.map(({ id, name, state, exitCode, restartCount, hash, createdAt, reason = '' }) => ({
      id: { type: 'containerd', id },
      name,
      sandboxId: sandboxes[0]?.id ?? '',
      state,
      createdAtNanos: BigInt(Date.parse(createdAt)) * 1_000_000n,
      startedAtNanos: 0n,
      finishedAtNanos: 0n,
      exitCode,
      reason,
      message: '',
      image: '',
      imageRef: '',
      imageId: '',
      hash,
      restartCount,
      logPath: '',
      mounts: [],
    })),
  };
}

function probeResults(results: Readonly<Record<string, string>>): Map<string, ProbeResult> {
  return new Map(Object.entries(results).map(([id, result]) => [id, result.toLowerCase() as ProbeResult]));
}

/** Kills happen one by one in no particular order; the recording has them sorted by id. */
function sorted(actions: PodActions): PodActions {
  return { ...actions, containersToKill: actions.containersToKill.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}
