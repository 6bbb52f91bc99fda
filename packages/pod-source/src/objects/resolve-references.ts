import type { Pod } from '@rxlet/kube-api';
import { describeReference } from '../decode-manifest.ts';
import type { KnownFile } from '../manifest-reader.ts';
import type { ProblemLedger } from '../problem-ledger.ts';
import { missingReference, objectKey } from './folder-objects.ts';
import type { ManifestObject } from './manifest-object.ts';

/** The files of a folder, with pods whose objects exist. */
export interface ResolvedFiles {
  readonly files: ReadonlyMap<string, KnownFile>;
  /** Objects of all files, by `objectKey`. */
  readonly objects: ReadonlyMap<string, ManifestObject>;
}

/** Ports of {@link resolveReferences}. */
export interface ResolveReferencesPorts {
  readonly ledger: Pick<ProblemLedger, 'set'>;
  /** Returns the last good pod of a file from an earlier run. */
  readonly lastGoodPod: (path: string) => Pod | undefined;
}

const API_RESOURCES = { ConfigMap: 'configmaps', Secret: 'secrets' } as const;

/** Returns the key of the problems of a file's references. */
export function referencesKey(path: string): string {
  return `${path}\0references`;
}

/** Accepts the pods that wait for objects which exist now. Pods without theirs keep their last good version. Problems go to the ledger. */
export function resolveReferences(
  files: ReadonlyMap<string, KnownFile>,
  { ledger, lastGoodPod }: ResolveReferencesPorts,
): ResolvedFiles {
  const objects = new Map<string, ManifestObject>();
  const owners = new Map<string, string>();
  const duplicates = new Map<string, string[]>();
  for (const [path, file] of files) {
    for (const object of file.objects) {
      const { namespace = '', name = '' } = object.object.metadata ?? {};
      const key = objectKey(object.kind, namespace, name);
      const owner = owners.get(key);
      if (owner === undefined) {
        objects.set(key, object);
        owners.set(key, path);
      } else {
        const message = `${path}: ${object.kind} ${namespace}/${name} is also in ${owner}, which counts; remove one of them`;
        duplicates.set(path, [...(duplicates.get(path) ?? []), message]);
      }
    }
  }

  const resolved = new Map<string, KnownFile>();
  for (const [path, file] of files) {
    const problems = (duplicates.get(path) ?? []).map((message) => ({ reason: 'DuplicateObject', message }) as const);
    const subject = file.waiting ?? file.pod;
    const missing = subject && missingReference(subject, objects);
    if (missing === undefined || subject === undefined) {
      ledger.set(referencesKey(path), problems, path);
      resolved.set(path, file.waiting === undefined ? file : { ...file, pod: file.waiting, waiting: undefined });
      continue;
    }
    const what = `no manifest of the folder has the ${missing.kind} ${subject.metadata?.namespace ?? ''}/${missing.name}`;
    if (file.waiting === undefined) {
      const message = `${path}: ${what} any more; containers that need it cannot be started again`;
      ledger.set(referencesKey(path), [...problems, { reason: 'ManifestWarning', message }], path);
      resolved.set(path, file);
      continue;
    }
    const pod = file.pod ?? lastGoodPod(path);
    const kept = pod === undefined ? '' : '; the pod of its last good version is kept';
    const message = `${path}: ${describeReference(API_RESOURCES[missing.kind])}: ${what}${kept}`;
    ledger.set(referencesKey(path), [...problems, { reason: 'InvalidManifest', message, keptPod: pod }], path);
    resolved.set(path, { ...file, pod });
  }
  return { files: resolved, objects };
}
