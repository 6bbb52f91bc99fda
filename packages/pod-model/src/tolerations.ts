import type { Taint, Toleration } from '@rxlet/kube-api';

/** Reports whether a toleration matches a taint. An empty effect or key matches every one. */
export function toleratesTaint(
  { key, operator, value, effect }: Toleration,
  taint: Pick<Taint, 'key' | 'value' | 'effect'>,
): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (!operator || operator === 'Equal') && (value ?? '') === (taint.value ?? '');
}
