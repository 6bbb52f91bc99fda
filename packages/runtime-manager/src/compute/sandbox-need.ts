import type { Pod } from '@rxlet/kube-api';
import { isHostNetworkPod } from '@rxlet/pod-model';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';

/** Decision about a pod's sandbox. */
export interface SandboxNeed {
  /** Whether the pod needs a new sandbox, so that the previous one must stop with its containers. */
  readonly changed: boolean;
  /** Attempt number of the sandbox to create or to keep. */
  readonly attempt: number;
  /** Id of the newest sandbox; empty without one, or if it differs from the pod in the use of the node's network. */
  readonly sandboxId: string;
}

/**
 * Decides whether a pod needs a new sandbox. The newest one is replaced when it is not ready, when several sandboxes are ready (after a repeated request it is
 * unknown which is in use), when it differs from the pod in the use of the node's network, or when it has lost its IP.
 */
export function sandboxNeed(pod: Pod, status: RuntimePodStatus): SandboxNeed {
  const newest = status.sandboxes[0];
  if (newest === undefined) return { changed: true, attempt: 0, sandboxId: '' };

  const renewed: SandboxNeed = { changed: true, attempt: newest.attempt + 1, sandboxId: newest.id };
  if (status.sandboxes.filter((sandbox) => sandbox.state === 'ready').length > 1) return renewed;
  if (newest.state !== 'ready') return renewed;
  const hostNetwork = isHostNetworkPod(pod);
  if (newest.hostNetwork !== hostNetwork) return { ...renewed, sandboxId: '' };
  if (!hostNetwork && newest.hasNetworkStatus && newest.ips.length === 0) return renewed;
  return { changed: false, attempt: newest.attempt, sandboxId: newest.id };
}
