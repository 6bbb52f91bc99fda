import type { PodSourceProblem } from '@rxlet/agent-api/sources';
import type { KnownFile } from '../manifest-reader.ts';
import type { ManifestObjectKind } from '../objects/manifest-object.ts';

/**
 * State of a manifest: `Accepted`, `Kept` when its last good version counts instead of a broken one, or `Refused` when nothing of it counts.
 */
export type ManifestState = 'Accepted' | 'Kept' | 'Refused';

/** A file of a manifest folder, as the endpoint `/manifests` reports it. */
export interface Manifest {
  readonly path: string;
  /** Identity of the content that was read, which changes with the file; empty for a file that cannot be read. */
  readonly version: string;
  readonly state: ManifestState;
  /** Pod of the file that the node runs. */
  readonly pod?: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** ConfigMaps and Secrets that count. */
  readonly objects: readonly { readonly kind: ManifestObjectKind; readonly namespace: string; readonly name: string }[];
  /** Why it is refused or kept, and parts that have no effect. */
  readonly problems: readonly Pick<PodSourceProblem, 'message' | 'reason'>[];
}

/** Answer of the endpoint `/manifests`. */
export interface ManifestList {
  readonly apiVersion: 'rxlet.dev/v1';
  readonly kind: 'ManifestList';
  /** The folder, or the single file. */
  readonly path: string;
  /** Whether the path is a single file, which has no room for further manifests. */
  readonly isSingleFile: boolean;
  /** Whether manifests may contain ConfigMaps and Secrets. */
  readonly hasDocuments: boolean;
  /** Problems of the folder itself. */
  readonly problems: readonly Pick<PodSourceProblem, 'message' | 'reason'>[];
  readonly items: readonly Manifest[];
}

/** Reasons of problems that leave a manifest without effect. */
const REFUSALS: ReadonlySet<string> = new Set(['FileUnreadable', 'InvalidManifest', 'NotAFile']);

/** Lists the files of a folder, those with problems as well. */
export function listManifests(
  folder: Pick<ManifestList, 'hasDocuments' | 'isSingleFile' | 'path'>,
  files: ReadonlyMap<string, KnownFile>,
  problems: readonly PodSourceProblem[],
): ManifestList {
  const problemsOf = (path: string): Manifest['problems'] =>
    problems.filter((problem) => problem.path === path).map(({ message, reason }) => ({ message, reason }));
  const isOfFolder = (problem: PodSourceProblem): boolean => !files.has(problem.path) && !REFUSALS.has(problem.reason);
  const strays = problems.filter((problem) => !isOfFolder(problem)).map(({ path }) => path);
  const paths = [...new Set([...files.keys(), ...strays])].sort();
  return {
    apiVersion: 'rxlet.dev/v1',
    kind: 'ManifestList',
    ...folder,
    problems: problems.filter(isOfFolder).map(({ message, reason }) => ({ message, reason })),
    items: paths.map((path) => manifestOf(path, files.get(path), problemsOf(path))),
  };
}

function manifestOf(path: string, file: KnownFile | undefined, problems: Manifest['problems']): Manifest {
  const { pod, objects = [] } = file ?? {};
  const isRefused = problems.some(({ reason }) => REFUSALS.has(reason));
  const isKept = pod !== undefined || objects.length > 0;
  return {
    path,
    version: file?.version ?? '',
    state: !isRefused ? 'Accepted' : isKept ? 'Kept' : 'Refused',
    ...(pod !== undefined && {
      pod: {
        namespace: pod.metadata?.namespace ?? '',
        name: pod.metadata?.name ?? '',
        uid: pod.metadata?.uid ?? '',
      },
    }),
    objects: objects.map(({ kind, object: { metadata } }) => ({
      kind,
      namespace: metadata?.namespace ?? '',
      name: metadata?.name ?? '',
    })),
    problems,
  };
}
