import type { Pod, PodStatus } from '@rxlet/kube-api';
import { parseContainerId, podUid } from '@rxlet/pod-model';
import type { RuntimeContainerState, RuntimeContainerStatus, RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { generatePodStatus, type StartError } from '@rxlet/status-manager';
import type { Answer } from '../vector-kind.ts';

interface PodStatusVector {
  readonly input: {
    /** Its `status` is the previously generated one. */
    readonly pod: Pod;
    readonly runtime: {
      readonly ips: readonly string[];
      readonly sandboxes: readonly VectorSandbox[];
      /** Newest first. */
      readonly containerStatuses: readonly VectorContainerStatus[];
      /** Ids of the instances in the ready sandbox. */
      readonly activeContainerIds: readonly string[];
    };
    /** By container id; one with a probe that is not listed has not passed it. */
    readonly readinessPassed: Readonly<Record<string, boolean>>;
    readonly startupPassed: Readonly<Record<string, boolean>>;
    readonly podIsTerminal: boolean;
    readonly lastStartErrors: Readonly<Record<string, StartError>>;
  };
  readonly want: PodStatus;
}

interface VectorSandbox {
  readonly id: string;
  readonly state: 'SANDBOX_READY' | 'SANDBOX_NOTREADY';
  readonly attempt: number;
  readonly ip: string;
}

interface VectorContainerStatus {
  readonly id: string;
  readonly name: string;
  readonly state: RuntimeContainerState;
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
  readonly restartCount: number;
  readonly image: string;
  readonly imageId: string;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

const nanos = (time: string | undefined): bigint => (time === undefined ? 0n : BigInt(Date.parse(time)) * 1_000_000n);

/** Generates the status of a pod from its runtime status. The recorded node has the addresses 127.0.0.1 and ::1. */
export function run({ input, want }: PodStatusVector): Answer {
  const status = generatePodStatus({
    pod: input.pod,
    runtime: runtimeStatus(input.pod, input.runtime),
    lastStartErrors: new Map(Object.entries(input.lastStartErrors)),
    podIsTerminal: input.podIsTerminal,
    hostIps: ['127.0.0.1', '::1'],
    probes: {
      isReady: (containerId) => input.readinessPassed[containerId],
      isStarted: (containerId) => input.startupPassed[containerId],
    },
  });
  return { got: withoutNulls(status), want: withoutNulls(want) };
}

/** Go writes the zero time as null; here it is left out. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}

function runtimeStatus(pod: Pod, runtime: PodStatusVector['input']['runtime']): RuntimePodStatus {
  const active = new Set(runtime.activeContainerIds);
  const sandboxId = runtime.sandboxes[0]?.id ?? '';
  return {
    uid: podUid(pod),
    name: pod.metadata?.name ?? '',
    namespace: pod.metadata?.namespace ?? '',
    ips: runtime.ips,
    sandboxes: runtime.sandboxes.map(({ id, state, attempt, ip }) => ({
      id,
      attempt,
      state: state === 'SANDBOX_READY' ? 'ready' : 'notready',
      createdAtNanos: 0n,
      ips: ip === '' ? [] : [ip],
      // The recorded sandboxes have no namespaces, which means a network of their own.
      hostNetwork: false,
      hasNetworkStatus: true,
      runtimeHandler: '',
    })),
    containers: runtime.containerStatuses.map((status) =>
      containerStatus(status, active.has(status.id) ? sandboxId : ''),
    ),
  };
}

function containerStatus(status: VectorContainerStatus, sandboxId: string): RuntimeContainerStatus {
  return {
    id: parseContainerId(status.id),
    name: status.name,
    sandboxId,
    state: status.state,
    createdAtNanos: nanos(status.createdAt),
    startedAtNanos: nanos(status.startedAt),
    finishedAtNanos: nanos(status.finishedAt),
    exitCode: status.exitCode,
    reason: status.reason ?? '',
    message: status.message ?? '',
    image: status.image,
    imageRef: status.imageId,
    imageId: status.imageId,
    hash: '',
    restartCount: status.restartCount,
    logPath: '',
    mounts: [],
  };
}
