import { goQuote } from '@rxlet/component-base/go';
import type { Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import { labelKeyProblems } from '@rxlet/pod-model/scheduling';
import { PayloadError } from './payload.ts';

/** Returns a field of a pod's metadata for a downward API volume (kubelet: ExtractFieldPathAsString). @throws PayloadError for any other field */
export function metadataField({ metadata = {} }: Pod, fieldPath: string): string {
  const subscript = fieldPath.endsWith("']") ? fieldPath.indexOf("['") : -1;
  if (subscript > 0) {
    const map = fieldPath.slice(0, subscript);
    const key = fieldPath.slice(subscript + 2, -2);
    if (map === 'metadata.labels') return valueOf(metadata.labels, key, key, fieldPath);
    // Keys of annotations may have capitals in their domain.
    if (map === 'metadata.annotations') return valueOf(metadata.annotations, key, key.toLowerCase(), fieldPath);
    throw new PayloadError(`fieldPath ${goQuote(fieldPath)} does not support subscript`);
  }
  switch (fieldPath) {
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return podUid({ metadata });
    case 'metadata.labels':
      return formatMap(metadata.labels);
    case 'metadata.annotations':
      return formatMap(metadata.annotations);
    default:
      throw new PayloadError(`unsupported fieldPath: ${fieldPath}`);
  }
}

function valueOf(
  map: Readonly<Record<string, string>> | undefined,
  key: string,
  checked: string,
  fieldPath: string,
): string {
  const problems = labelKeyProblems(checked);
  if (problems.length > 0) throw new PayloadError(`invalid key subscript in ${fieldPath}: ${problems.join(';')}`);
  return map !== undefined && Object.hasOwn(map, key) ? map[key]! : '';
}

function formatMap(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .join('\n');
}
