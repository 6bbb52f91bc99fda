import { UsageError } from '../../config/config-error.ts';

/** A file or directory, on this machine or in a pod. */
export type FileSpec =
  | { readonly kind: 'local'; readonly path: string }
  | { readonly kind: 'remote'; readonly pod: string; readonly namespace?: string; readonly path: string };

/**
 * Parses an argument of `rxlet cp`: `path`, `pod:path` or `namespace/pod:path`, as kubectl does it.
 * @throws UsageError for another form
 */
export function parseFileSpec(text: string): FileSpec {
  const colon = text.indexOf(':');
  const [pod, path] = colon < 0 ? [undefined, text] : [text.slice(0, colon), text.slice(colon + 1)];
  const parts = pod?.split('/') ?? [];
  if (pod === '' || parts.length > 2) {
    throw new UsageError('filespec must match the canonical format: [[namespace/]pod:]file/path');
  }
  if (path === '') throw new UsageError('filepath can not be empty');
  if (pod === undefined) return { kind: 'local', path };
  const [namespace, name] = parts.length === 2 ? parts : [undefined, pod];
  return { kind: 'remote', pod: name, path, ...(namespace !== undefined && { namespace }) };
}
