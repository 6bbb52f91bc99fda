import type { Pod } from '@rxlet/kube-api';
import { isHostNetworkPod } from '@rxlet/pod-model';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';

/**
 * Reports whether the pod's containers can start in its sandbox: exactly one is ready, it is the newest, and its network mode and network are as required. Otherwise
 * the next sync creates another one.
 */
export function hasUsableSandbox(pod: Pod, runtime: RuntimePodStatus): boolean {
  const [newest] = runtime.sandboxes;
  if (newest === undefined || newest.state !== 'ready') return false;
  if (runtime.sandboxes.filter(({ state }) => state === 'ready').length > 1) return false;
  if (newest.hostNetwork !== isHostNetworkPod(pod)) return false;
  return newest.hostNetwork || !newest.hasNetworkStatus || (newest.ips[0] ?? '') !== '';
}
