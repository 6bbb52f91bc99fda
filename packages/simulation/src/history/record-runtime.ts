import { ContainerState, type ContainerStatus, PodSandboxState } from '@rxlet/cri-api';
import { PodLabel } from '@rxlet/pod-model';
import type { TestNode } from '@rxlet/testing';
import type { CallFacts, ContainerFacts, HistoryRecorder } from './history.ts';

/** Calls that change something. */
const CHANGES = [
  'runPodSandbox',
  'stopPodSandbox',
  'removePodSandbox',
  'createContainer',
  'startContainer',
  'stopContainer',
  'removeContainer',
  'updateContainerResources',
] as const;

/** Records the containers and sandboxes of a node, and the calls that change them. */
export interface RuntimeRecorder {
  /** Records what has changed since the last time. */
  look(): void;
  /** Called after each call that had an effect, before its answer. */
  onAnswer: ((rpc: string) => void) | undefined;
}

interface Seen {
  readonly facts: ContainerFacts;
  state: ContainerState;
}

/** Records the runtime of a node at each call that changes something. Creates log files, as a runtime does. */
export function recordRuntime({ clock, fake, files }: TestNode, history: HistoryRecorder): RuntimeRecorder {
  const containers = new Map<string, Seen>();
  const sandboxes = new Map<string, { readonly uid: string; isReady: boolean }>();

  const look = (): void => {
    const found = fake.snapshot();
    for (const sandbox of found.sandboxes) {
      const isReady = sandbox.state === PodSandboxState.SANDBOX_READY;
      const seen = sandboxes.get(sandbox.id);
      if (seen?.isReady === isReady) continue;
      const uid = sandbox.labels[PodLabel.podUid] ?? '';
      sandboxes.set(sandbox.id, { uid, isReady });
      history.add({ kind: 'sandbox', change: isReady ? 'ready' : 'not ready', id: sandbox.id, uid });
    }
    for (const status of found.containers) lookAt(status);
    if (containers.size + sandboxes.size === found.containers.length + found.sandboxes.length) return;
    const present = new Set([...found.containers, ...found.sandboxes].map(({ id }) => id));
    for (const id of [...containers.keys(), ...sandboxes.keys()]) {
      if (present.has(id)) continue;
      const sandbox = sandboxes.get(id);
      if (sandbox !== undefined) history.add({ kind: 'sandbox', change: 'removed', id, uid: sandbox.uid });
      const container = containers.get(id)?.facts;
      if (container !== undefined) history.add({ kind: 'container', change: 'removed', container });
      sandboxes.delete(id);
      containers.delete(id);
    }
  };
  const lookAt = (status: ContainerStatus): void => {
    let seen = containers.get(status.id);
    if (seen === undefined) {
      seen = { facts: factsOf(status), state: ContainerState.CONTAINER_CREATED };
      containers.set(status.id, seen);
      history.add({ kind: 'container', change: 'created', container: seen.facts });
    }
    if (seen.state === status.state) return;
    const container = seen.facts;
    if (seen.state === ContainerState.CONTAINER_CREATED && status.startedAt > 0n) {
      files.put(status.logPath, '');
      const lateMs = clock.now() - Number(status.startedAt / 1_000_000n);
      history.add({ kind: 'container', change: 'started', container: { ...container, lateMs } });
    }
    if (status.state === ContainerState.CONTAINER_EXITED)
      history.add({
        kind: 'container',
        change: 'exited',
        container: { ...container, exitCode: status.exitCode, ranMs: ranMs(status) },
      });
    seen.state = status.state;
  };

  const port = fake.runtime as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const factsOfCall = (rpc: string, request: CallRequest): CallFacts => {
    const { containerId, podSandboxId, config, timeout } = request;
    const uid =
      (containerId === undefined ? undefined : containers.get(containerId)?.facts.uid) ??
      (podSandboxId === undefined ? config?.labels?.[PodLabel.podUid] : sandboxes.get(podSandboxId)?.uid) ??
      '';
    const target = rpc === 'createContainer' ? config?.metadata?.name : (containerId ?? podSandboxId ?? uid);
    return {
      rpc,
      target: target ?? '',
      uid,
      ...(rpc === 'stopContainer' && { timeoutSeconds: Number(timeout ?? 0n) }),
    };
  };
  const recorder: RuntimeRecorder = { look, onAnswer: undefined };
  for (const rpc of CHANGES) {
    const call = port[rpc]!;
    port[rpc] = async (...args) => {
      look();
      const facts = factsOfCall(rpc, args[0] as CallRequest);
      history.add({ kind: 'call', ...facts });
      try {
        const answer = await call(...args);
        look();
        history.add({ kind: 'answer', call: facts });
        recorder.onAnswer?.(rpc);
        return answer;
      } catch (error) {
        look();
        history.add({ kind: 'answer', call: facts, error: (error as Error).message });
        throw error;
      }
    };
  }
  return recorder;
}

/** Fields of requests that facts are taken from. */
interface CallRequest {
  readonly containerId?: string;
  readonly podSandboxId?: string;
  readonly timeout?: bigint;
  readonly config?: { readonly labels?: Record<string, string>; readonly metadata?: { readonly name?: string } };
}

function ranMs({ startedAt, finishedAt }: ContainerStatus): number {
  return Number((finishedAt - startedAt) / 1_000_000n);
}

function factsOf({ id, labels, metadata, image }: ContainerStatus): ContainerFacts {
  return {
    id,
    uid: labels[PodLabel.podUid] ?? '',
    name: labels[PodLabel.containerName] ?? '',
    attempt: metadata?.attempt ?? 0,
    image: image?.image ?? '',
  };
}
