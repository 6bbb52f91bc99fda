import type { Pod } from '@rxlet/kube-api';
import type { RuntimeContainerState, RuntimePodStatus } from '@rxlet/pod-model';
import { describe, expect, it } from 'vitest';
import { readFixture } from '../fixtures/read-fixture.ts';
import { computePodActions } from './compute-pod-actions.ts';
import type { PodActions } from './pod-actions.ts';
import type { ProbeResult } from './probe-results.ts';

interface Vector {
  readonly name: string;
  readonly input: {
    readonly pod: Pod;
    readonly sandboxes: readonly {
      id: string;
      state: string;
      attempt: number;
      ip: string;
      networkNamespaceMode: string;
    }[];
    readonly containerStatuses: readonly {
      id: string;
      name: string;
      state: RuntimeContainerState;
      exitCode: number;
      restartCount: number;
      hash: string;
      createdAt: string;
      reason?: string;
    }[];
    readonly livenessResults: Readonly<Record<string, string>>;
    readonly startupResults: Readonly<Record<string, string>>;
    readonly restartAllContainers: boolean;
  };
  readonly want: PodActions;
}

const vectors = readFixture<Vector>('pod-actions.jsonl.gz');

describe('computePodActions on recorded decisions of a kubelet', () => {
  // In-place resize is not decided yet, so decisions that contain some are left to it.
  const decided = vectors.filter(({ want }) => !involvesResize(want));

  it('are nearly all of the recorded ones', () => {
    expect({ decided: decided.length, recorded: vectors.length }).toEqual({ decided: 1430, recorded: 1500 });
  });

  it('agrees with every one', () => {
    for (const { name, input, want } of decided) expect(comparable(decide(input)), name).toEqual(comparable(want));
  });
});

function involvesResize(want: PodActions): boolean {
  return (
    Object.keys(want.containersToUpdate).length > 0 ||
    want.updatePodResources ||
    want.containersToKill.some(({ message }) => message.includes('resize'))
  );
}

function decide(input: Vector['input']): PodActions {
  return computePodActions({
    pod: input.pod,
    status: toRuntimePodStatus(input),
    livenessResults: toResults(input.livenessResults),
    startupResults: toResults(input.startupResults),
    restartAllContainers: input.restartAllContainers,
  });
}

function toRuntimePodStatus({ pod, sandboxes, containerStatuses }: Vector['input']): RuntimePodStatus {
  const { uid = '', name = '', namespace = '' } = pod.metadata!;
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

function toResults(results: Readonly<Record<string, string>>): Map<string, ProbeResult> {
  return new Map(Object.entries(results).map(([id, result]) => [id, result.toLowerCase() as ProbeResult]));
}

/** Kills happen one by one in no particular order; the fixtures have them sorted by id. */
function comparable(actions: PodActions): PodActions {
  return { ...actions, containersToKill: actions.containersToKill.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}
