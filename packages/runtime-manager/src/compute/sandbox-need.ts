import type { Pod } from '@rxlet/kube-api';
import { isHostNetworkPod, type RuntimePodStatus } from '@rxlet/pod-model';

/** Whether a pod's sandbox can stay. */
export interface SandboxNeed {
  /** Whether the pod needs a new sandbox, and everything in the old one has to go. */
  readonly changed: boolean;
  /** Attempt number of the sandbox to create, or of the one to keep. */
  readonly attempt: number;
  /** The newest sandbox; empty when there is none, or when it is of another kind than the pod now asks for. */
  readonly sandboxId: string;
}

/**
 * Decides whether the newest sandbox of a pod serves it. It does not when it is not ready, when several are ready at once (the runtime was asked
 * twice, so nobody knows which one is in use), when it shares the node's network and the pod does not or the other way round, and when it has
 * lost its IP.
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
