import { createHash } from 'node:crypto';
import type { LabelSelector } from '@rxlet/kube-api';
import type { ClusterTrustBundle } from '@rxlet/kube-api/resources';
import { decodePem, encodePem } from '../pem/pem.ts';

/** Returns the trust anchors of bundles as PEM text, each once. The seed decides on their order, so that no container relies on it. */
export function trustAnchors(bundles: readonly ClusterTrustBundle[], seed: string): string {
  const anchors = new Map<string, Buffer>();
  for (const { spec } of bundles)
    for (const anchor of decodePem(spec?.trustBundle ?? '')) {
      const place = createHash('sha256').update(seed).update(anchor).digest('hex');
      anchors.set(place, anchor);
    }
  return [...anchors]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, anchor]) => encodePem('CERTIFICATE', anchor))
    .join('');
}

/** Reports whether labels match a selector. Without a selector none do; an empty one matches all. */
export function matchesSelector(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (!Object.entries(matchLabels).every(([key, value]) => labels[key] === value)) return false;
  return matchExpressions.every(({ key, operator, values = [] }) => {
    const value = labels[key];
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      default:
        throw new Error(`while parsing label selector: "${operator}" is not a valid label selector operator`);
    }
  });
}
