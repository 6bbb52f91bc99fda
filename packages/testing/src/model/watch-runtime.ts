import { ContainerState, type ContainerStatus, PodSandboxState, type PodSandboxStatus } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { PodLabel, podUid } from '@rxlet/pod-model';
import type { TestNode } from '../test-node.ts';

/** Invariants that must hold at every moment. */
export interface RuntimeWatch {
  /** Sets the pods of the source. */
  desire(pods: readonly Pod[]): void;
  /** Announces a change of a pod for which its containers are replaced. */
  changed(podUid: string): void;
  /** Announces that the runtime will forget a container. */
  lost(container: ContainerStatus): void;
  /** Reports whether an instance of a container is gone that the agent may have counted. */
  hasLost(podUid: string, containerName: string): boolean;
  /** Announces that the sandbox of a pod will die. */
  sandboxFailed(podUid: string): void;
  /** Throws the first violation so far. */
  check(): void;
}

/** Checks the runtime at every call and every answer, and throws on a violation. */
export function watchRuntime(bench: TestNode, desired: ReadonlyMap<string, Pod>): RuntimeWatch {
  const { fake, files } = bench;
  const violations: string[] = [];
  const seen = new Set<string>();
  const logged = new Set<string>();
  /** Highest attempt that was started, by pod and container. */
  const attempts = new Map<string, number>();
  /** Pods and containers whose instances may count from 0 again. */
  const mayReset = new Set<string>();
  /** Pods and containers with forgotten instances. */
  const lossy = new Set<string>();
  let wanted = new Set<string>();
  /** Containers whose pods were desired for as long as they have run. */
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
      if (!seen.has(status.id)) recordCreation(status);
      if (status.startedAt > 0n && !logged.has(status.id)) {
        logged.add(status.id);
        attempts.set(keyOf(status), status.metadata?.attempt ?? 0);
        files.put(status.logPath, '');
      }
    }
  };
  const recordCreation = (status: ContainerStatus): void => {
    seen.add(status.id);
    const key = keyOf(status);
    const attempt = status.metadata?.attempt ?? 0;
    const before = attempts.get(key) ?? -1;
    if (wanted.has(status.labels[PodLabel.podUid] ?? '') && hasWantedImage(status)) protectedIds.add(status.id);
    if (attempt <= before) {
      if (mayReset.has(key)) attempts.delete(key);
      else violations.push(`attempt ${String(attempt)} of ${key} follows ${String(before)}`);
    }
    mayReset.delete(key);
  };

  /** Reports whether a container has the image that its pod has now: an agent that has not seen a change yet replaces what it creates. */
  const hasWantedImage = ({ labels, image }: ContainerStatus): boolean => {
    const { spec } = [...desired.values()].find((one) => podUid(one) === labels[PodLabel.podUid]) ?? {};
    const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
    return containers.some((one) => one.name === labels[PodLabel.containerName] && one.image === image?.image);
  };

  /** Returns why a running container may be stopped; throws when there is no reason. */
  const checkStop = (
    rpc: string,
    stopped: readonly ContainerStatus[],
    sandboxes: readonly PodSandboxStatus[],
  ): void => {
    for (const status of stopped) {
      if (status.state !== ContainerState.CONTAINER_RUNNING || !protectedIds.has(status.id)) continue;
      const uid = status.labels[PodLabel.podUid] ?? '';
      const pod = [...desired.values()].find((one) => podUid(one) === uid);
      const { restartPolicy = 'Always', containers = [] } = pod?.spec ?? {};
      // Other containers exit, or are stopped after a failed hook.
      if (pod === undefined || restartPolicy !== 'Always' || containers.some(({ lifecycle }) => lifecycle)) continue;
      const ready = sandboxes.some(
        ({ labels, state }) => labels[PodLabel.podUid] === uid && state === PodSandboxState.SANDBOX_READY,
      );
      if (ready) violations.push(`${rpc} of ${keyOf(status)}, which must continue to run`);
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
      wanted = new Set(pods.map(podUid));
      for (const { id, labels } of fake.snapshot().containers)
        if (!wanted.has(labels[PodLabel.podUid] ?? '')) protectedIds.delete(id);
      for (const key of attempts.keys()) if (!wanted.has(key.split('/', 1)[0]!)) mayReset.add(key);
    },
    changed(uid) {
      for (const { id, labels } of fake.snapshot().containers)
        if (labels[PodLabel.podUid] === uid) protectedIds.delete(id);
    },
    lost(status) {
      mayReset.add(keyOf(status));
      lossy.add(keyOf(status));
    },
    hasLost: (uid, containerName) => lossy.has(`${uid}/${containerName}`),
    // As in the kubelet, init containers are removed with their logs before they run again in a new sandbox. An agent that starts in between takes them for lost.
    sandboxFailed(uid) {
      const pod = [...desired.values()].find((one) => podUid(one) === uid);
      for (const { name } of pod?.spec?.initContainers ?? []) {
        mayReset.add(`${uid}/${name}`);
        lossy.add(`${uid}/${name}`);
      }
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
