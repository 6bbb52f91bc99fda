import type { Manifest } from '@rxlet/pod-source/manifests';
import type { Pod } from '@rxlet/kube-api';

/** State of a played pod: done, or why it will never be, or still on its way. */
export type PodOutcome = { readonly kind: 'ready' | 'pending' } | { readonly kind: 'failed'; readonly message: string };

/** Returns the outcome of a played pod: ready, or ended well, counts as done. */
export function podOutcome(pod: Pod | undefined, manifest: Manifest | undefined): PodOutcome {
  const problem = manifest?.problems.find(() => manifest.state !== 'Accepted');
  if (problem !== undefined) return { kind: 'failed', message: problem.message };
  if (pod === undefined || pod.metadata?.uid !== (manifest?.pod?.uid ?? pod.metadata?.uid)) return { kind: 'pending' };
  const { phase, reason, message, conditions = [] } = pod.status ?? {};
  if (phase === 'Failed')
    return { kind: 'failed', message: [reason, message].filter(Boolean).join(': ') || 'it failed' };
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  return { kind: phase === 'Succeeded' || isReady ? 'ready' : 'pending' };
}
