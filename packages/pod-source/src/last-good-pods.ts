import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import type { NodeFiles } from '@rxlet/node-files';
import { decodeFields, isObject } from './decode-fields.ts';
import { validatePod, type ValidatePodOptions } from './validation/validate-pod.ts';

/** Several times the size of all manifests of the largest node. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Only the agent's user may read the file: manifests may contain passwords. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o750;

/** File with the last good pods. */
export interface LastGoodFile {
  readonly files: Pick<NodeFiles, 'makeDirectory' | 'readPrivate' | 'replaceFile'>;
  /** Path below the roots of `files`. */
  readonly path: string;
}

/** The last good pod of each manifest, saved so that a manifest that is broken when the agent starts does not end a pod that runs. */
export interface LastGoodPods {
  /** Reads the file of an earlier run. @throws Error with a message for administrators when it cannot be read */
  load(): Promise<void>;
  /** Returns the paths of the manifests that an earlier run read. */
  paths(): readonly string[];
  /** Returns the loaded pod of a manifest. Undefined if there is none, or if it does not pass the checks of a manifest. */
  get(path: string): Pod | undefined;
  /** Forgets the loaded pods: the folder has been read. */
  forget(): void;
  /** Saves these pods if they differ from the saved ones. @throws Error with a message for administrators */
  save(pods: ReadonlyMap<string, Pod>): Promise<void>;
}

/** Files of another version are ignored. */
const VERSION = 1;

/**
 * Creates {@link LastGoodPods} for the pods of a node. A loaded pod is checked like a manifest when it is needed: it must be a pod of this node, have an
 * identity, and be valid by the present rules.
 */
export function createLastGoodPods(
  file: LastGoodFile | undefined,
  options: ValidatePodOptions & { readonly nodeName: string },
): LastGoodPods {
  let loaded = new Map<string, unknown>();
  /** The pods last saved, and the digest of the file's text; undefined while unknown. */
  let saved: ReadonlyMap<string, Pod> | undefined;
  let savedDigest: string | undefined;

  const isPod = (pod: unknown): pod is Pod => {
    if (!isObject(pod)) return false;
    if (decodeFields(pod, 'io.k8s.api.core.v1.Pod').problems.length > 0) return false;
    const { metadata, spec } = pod as Pod;
    if (!metadata?.name || !metadata.namespace || !metadata.uid || spec?.nodeName !== options.nodeName) return false;
    try {
      return validatePod(pod, options).length === 0;
    } catch {
      // The decoder takes a null for no value, and nothing here has taken it out.
      return false;
    }
  };

  return {
    async load() {
      if (file === undefined) return;
      try {
        const text = await file.files.readPrivate(file.path, MAX_FILE_BYTES);
        if (text === undefined) return;
        loaded = new Map(Object.entries(parse(text)));
        savedDigest = digest(text);
      } catch (error) {
        throw new Error(
          `cannot read ${file.path}, the last good version of each manifest: ${errorMessage(error)}; a manifest that is broken now gives no pod until it is repaired`,
          { cause: error },
        );
      }
    },
    paths: () => [...loaded.keys()],
    get(path) {
      const pod = loaded.get(path);
      return isPod(pod) ? pod : undefined;
    },
    forget: () => loaded.clear(),
    async save(pods) {
      if (file === undefined || (saved !== undefined && isSame(saved, pods))) return;
      if (saved === undefined && savedDigest === undefined && pods.size === 0) return;
      const text = JSON.stringify({ version: VERSION, pods: Object.fromEntries(pods) });
      const textDigest = digest(text);
      if (textDigest !== savedDigest) {
        try {
          await file.files.makeDirectory(dirname(file.path), DIRECTORY_MODE);
          await file.files.replaceFile(file.path, text, FILE_MODE);
        } catch (error) {
          throw new Error(
            `cannot write ${file.path}: ${errorMessage(error)}; a manifest that is broken when the agent starts again would end its pod, so make room for it, or repair its folder`,
            { cause: error },
          );
        }
      }
      saved = pods;
      savedDigest = textDigest;
    },
  };
}

/** Parses the file. The error omits the details: the words of a parser may quote the text, which may contain a password. */
function parse(text: string): object {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Error('it is no JSON');
  }
  const { version, pods } = (content ?? {}) as { version?: unknown; pods?: unknown };
  if (version !== VERSION || typeof pods !== 'object' || pods === null)
    throw new Error(`it is not of version ${String(VERSION)}`);
  return pods;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function isSame(a: ReadonlyMap<string, Pod>, b: ReadonlyMap<string, Pod>): boolean {
  return a.size === b.size && [...a].every(([path, pod]) => b.get(path) === pod);
}
