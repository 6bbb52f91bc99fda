import { normalize } from 'node:path/posix';
import type { DownwardAPIVolumeFile, Pod, Quantity } from '@rxlet/kube-api';
import { metadataField } from './metadata-field.ts';
import { createPayloadErrors } from './payload-errors.ts';
import { type PayloadDraft, type PayloadFile, requireDefaultMode } from './payload.ts';
import { resourceField } from './resource-field.ts';

/**
 * Returns the files of a downward API volume (kubelet: downwardapi.CollectData). Rejects with PayloadError.
 *
 * @param contents of fields of the pod, by path: a pod may show all of its annotations in thousands of files. Default: none is known
 */
export async function downwardApiPayload(
  pod: Pod,
  items: readonly DownwardAPIVolumeFile[],
  defaultMode: number | undefined,
  allocatable: () => Readonly<Record<string, Quantity>>,
  contents: Map<string, Uint8Array> = new Map<string, Uint8Array>(),
): Promise<PayloadDraft> {
  const mode = requireDefaultMode(defaultMode);
  const errors = createPayloadErrors(undefined);
  const files = new Map<string, PayloadFile>();
  for (const item of items) {
    await errors.attempt(() => {
      const field = item.fieldRef?.fieldPath;
      const known = field === undefined ? undefined : contents.get(field);
      const content = known ?? new TextEncoder().encode(valueOf(pod, item, allocatable));
      if (field !== undefined) contents.set(field, content);
      files.set(cleanPath(item.path), { content, mode: item.mode ?? mode });
    });
  }
  errors.throwIfAny();
  return files;
}

function valueOf(
  pod: Pod,
  { fieldRef, resourceFieldRef }: DownwardAPIVolumeFile,
  allocatable: () => Readonly<Record<string, Quantity>>,
): string {
  if (fieldRef !== undefined) return metadataField(pod, fieldRef.fieldPath);
  return resourceFieldRef === undefined ? '' : resourceField(pod, resourceFieldRef, allocatable());
}

/** Resolves `.` and `..` lexically, without a final slash. */
export function cleanPath(path: string): string {
  const clean = normalize(path);
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
}
