import { ContainerState, type ContainerStatus, PodSandboxState, type PodSandboxStatus } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { PodLabel } from '@rxlet/pod-model';
import type { AgentBench } from './agent-bench.ts';

/** What must never be, however short. */
export interface RuntimeWatch {
  /** The source has these pods from now on. */
  desire(pods: readonly Pod[]): void;
  /** The runtime is about to forget a container. */
  lost(container: ContainerStatus): void;
  /** The sandbox of a pod is about to die. */
  sandboxFailed(podUid: string): void;
  /** Throws what was seen so far. */
  check(): void;
}

/** Looks at the runtime whenever it is called and whenever it answers, and throws when something is there that must never be. */
export function watchRuntime(bench: AgentBench, desired: ReadonlyMap<string, Pod>): RuntimeWatch {
  const { fake, files } = bench;
  const violations: string[] = [];
  const seen = new Set<string>();
  const logged = new Set<string>();
  /** Highest attempt that was started, by pod and container. */
  const attempts = new Map<string, number>();
  /** Pods and containers whose instances may count from 0 again. */
  const mayReset = new Set<string>();
  let wanted = new Set<string>();
  /** Containers whose pods have been wanted for as long as they run. */
  const protectedIds = new Set<string>();

  const look = (): void => {
    const { sandboxes, containers } = fake.snapshot();
    const only = (what: string, keys: readonly string[]): void => {
      for (const key of keys) if (keys.indexOf(key) !== keys.lastIndexOf(key)) violations.push(`two ${what} of ${key}`);
    };
    const running = containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING);
    only('running containers', running.map(keyOf));
    only(
      'ready sandboxes',
      sandboxes
        .filter(({ state }) => state === PodSandboxState.SANDBOX_READY)
        .map(({ labels }) => labels[PodLabel.podUid] ?? ''),
    );
    for (const status of containers) {
      if (!seen.has(status.id)) noteCreation(status);
      if (status.startedAt > 0n && !logged.has(status.id)) {
        logged.add(status.id);
        attempts.set(keyOf(status), status.metadata?.attempt ?? 0);
        files.put(status.logPath, '');
      }
    }
  };
  const noteCreation = (status: ContainerStatus): void => {
    seen.add(status.id);
    const key = keyOf(status);
    const attempt = status.metadata?.attempt ?? 0;
    const before = attempts.get(key) ?? -1;
    if (wanted.has(status.labels[PodLabel.podUid] ?? '')) protectedIds.add(status.id);
    if (attempt <= before) {
      if (mayReset.has(key)) attempts.delete(key);
      else violations.push(`attempt ${String(attempt)} of ${key} follows ${String(before)}`);
    }
    mayReset.delete(key);
  };

  /** Why a running container may be stopped; throws when there is no reason. */
  const checkStop = (
    rpc: string,
    stopped: readonly ContainerStatus[],
    sandboxes: readonly PodSandboxStatus[],
  ): void => {
    for (const status of stopped) {
      if (status.state !== ContainerState.CONTAINER_RUNNING || !protectedIds.has(status.id)) continue;
      const uid = status.labels[PodLabel.podUid] ?? '';
      const pod = [...desired.values()].find((one) => uidOf(one) === uid);
      const { restartPolicy = 'Always', containers = [] } = pod?.spec ?? {};
      // Others come to an end, or are stopped after a hook that failed.
      if (pod === undefined || restartPolicy !== 'Always' || containers.some(({ lifecycle }) => lifecycle)) continue;
      const ready = sandboxes.some(
        ({ labels, state }) => labels[PodLabel.podUid] === uid && state === PodSandboxState.SANDBOX_READY,
      );
      if (ready) violations.push(`${rpc} of ${keyOf(status)}, which was to go on running`);
    }
  };

  const port = fake.runtime as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const rpc of Object.keys(port)) {
    const call = port[rpc]!;
    port[rpc] = (...args) => {
      look();
      const { sandboxes, containers } = fake.snapshot();
      const { containerId, podSandboxId } = (args[0] ?? {}) as { containerId?: string; podSandboxId?: string };
      if (rpc === 'stopContainer' || rpc === 'removeContainer')
        checkStop(
          rpc,
          containers.filter(({ id }) => id === containerId),
          sandboxes,
        );
      if (rpc === 'stopPodSandbox' || rpc === 'removePodSandbox') {
        const uid = sandboxes.find(({ id }) => id === podSandboxId)?.labels[PodLabel.podUid];
        const isReady = sandboxes.some(
          ({ id, state }) => id === podSandboxId && state === PodSandboxState.SANDBOX_READY,
        );
        if (isReady)
          checkStop(
            rpc,
            containers.filter(({ labels }) => labels[PodLabel.podUid] === uid),
            sandboxes,
          );
      }
      const answer = call(...args);
      return answer instanceof Promise ? answer.finally(look) : answer;
    };
  }

  return {
    desire(pods) {
      look();
      wanted = new Set(pods.map(uidOf));
      for (const { id, labels } of fake.snapshot().containers)
        if (!wanted.has(labels[PodLabel.podUid] ?? '')) protectedIds.delete(id);
      for (const key of attempts.keys()) if (!wanted.has(key.split('/', 1)[0]!)) mayReset.add(key);
    },
    lost: (status) => void mayReset.add(keyOf(status)),
    // Init containers are removed with their logs before they run again in a new sandbox, as by the kubelet.
    sandboxFailed(podUid) {
      const pod = [...desired.values()].find((one) => uidOf(one) === podUid);
      for (const { name } of pod?.spec?.initContainers ?? []) mayReset.add(`${podUid}/${name}`);
    },
    check() {
      look();
      if (violations.length > 0) throw new Error([...new Set(violations)].join('\n'));
    },
  };
}

function keyOf({ labels }: ContainerStatus): string {
  return `${labels[PodLabel.podUid] ?? ''}/${labels[PodLabel.containerName] ?? ''}`;
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}
