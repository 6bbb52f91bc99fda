import type { Pod } from '@rxlet/kube-api';
import { isHostNetworkPod, type RuntimePodStatus } from '@rxlet/pod-model';

/**
 * Whether the pod's containers can go into the sandbox that is there: exactly one is ready, it is the newest, its network mode is the one that the
 * pod asks for, and its network is up. Otherwise the next sync makes another.
 */
export function hasUsableSandbox(pod: Pod, runtime: RuntimePodStatus): boolean {
  const [newest] = runtime.sandboxes;
  if (newest === undefined || newest.state !== 'ready') return false;
  if (runtime.sandboxes.filter(({ state }) => state === 'ready').length > 1) return false;
  if (newest.hostNetwork !== isHostNetworkPod(pod)) return false;
  return newest.hostNetwork || !newest.hasNetworkStatus || (newest.ips[0] ?? '') !== '';
}
