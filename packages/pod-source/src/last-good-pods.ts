import { errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { decodeFields } from './decode-fields.ts';
import { validatePod, type ValidatePodOptions } from './validation/validate-pod.ts';

/** The file that the last good pods are kept in. `nodeLastGoodFile` is one on the node's disk. */
export interface LastGoodFile {
  /** For messages to people. */
  readonly path: string;
  /** The text last written, or undefined when there is none. */
  read(): Promise<string | undefined>;
  /** Replaces the text. After a crash the file has either the old text or the new one. */
  write(text: string): Promise<void>;
}

/** The last good pod of each manifest, kept so that one that is broken when the agent starts does not end a pod that runs. */
export interface LastGoodPods {
  /** By the manifest's path. What an earlier run left and what is not believed is left out. @throws Error with a message for people when it cannot be read */
  load(): Promise<ReadonlyMap<string, Pod>>;
  /** Keeps these, if they are others than before. @throws Error with a message for people */
  save(pods: ReadonlyMap<string, Pod>): Promise<void>;
}

/** A file of another version says nothing to this one. */
const VERSION = 1;

/**
 * Creates {@link LastGoodPods} for the pods of a node. What is read is believed only as far as a manifest would be: each pod is one of this node, with an
 * identity, and valid by today's rules.
 */
export function createLastGoodPods(
  file: LastGoodFile | undefined,
  options: ValidatePodOptions & { readonly nodeName: string },
): LastGoodPods {
  /** What the file has; `undefined` when that is not known. */
  let kept: ReadonlyMap<string, Pod> | undefined = new Map();

  const isCredible = (pod: unknown): pod is Pod => {
    if (typeof pod !== 'object' || pod === null) return false;
    if (decodeFields(pod, 'io.k8s.api.core.v1.Pod').problems.length > 0) return false;
    const { metadata, spec } = pod as Pod;
    if (!metadata?.name || !metadata.namespace || !metadata.uid || spec?.nodeName !== options.nodeName) return false;
    return validatePod(pod, options).length === 0;
  };

  return {
    async load() {
      if (file === undefined) return new Map();
      kept = undefined;
      try {
        const pods = parse(await file.read());
        kept = new Map(Object.entries(pods).filter((entry): entry is [string, Pod] => isCredible(entry[1])));
        return kept;
      } catch (error) {
        throw new Error(
          `cannot read ${file.path}, the last good version of each manifest: ${errorMessage(error)}; a manifest that is broken now gives no pod until it is repaired`,
          { cause: error },
        );
      }
    },
    async save(pods) {
      if (file === undefined || (kept !== undefined && isSame(kept, pods))) return;
      try {
        await file.write(JSON.stringify({ version: VERSION, pods: Object.fromEntries(pods) }));
      } catch (error) {
        throw new Error(
          `cannot write ${file.path}: ${errorMessage(error)}; a manifest that is broken when the agent starts again would end its pod, so make room for it, or repair its folder`,
          { cause: error },
        );
      }
      kept = pods;
    },
  };
}

/** What went wrong with it is not told more exactly: the words of a parser may hold a part of the text, and that a password. */
function parse(text: string | undefined): object {
  if (text === undefined) return {};
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

function isSame(a: ReadonlyMap<string, Pod>, b: ReadonlyMap<string, Pod>): boolean {
  return a.size === b.size && [...a].every(([path, pod]) => b.get(path) === pod);
}
