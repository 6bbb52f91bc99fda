import type { PodObjects } from '@rxlet/agent-api/kube';
import { errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { textOfBytes } from './byte-text.ts';
import { containerConfigError } from './config-error.ts';

/** Reference to a ConfigMap or Secret of the pod's namespace. */
interface ObjectReference {
  readonly name?: string;
  readonly optional?: boolean;
}

/**
 * Returns the keys of an object with their values; `undefined` for an optional object that does not exist.
 * @throws ConfigError when the object is not available
 */
export type ObjectKeys = (
  kind: 'configMap' | 'secret',
  reference: ObjectReference,
) => Promise<ReadonlyMap<string, string> | undefined>;

/** Creates {@link ObjectKeys} for one container. Each object is read once. */
export function referencedKeys(
  pod: Pod,
  objects: Pick<PodObjects, 'configMap' | 'secret'> | undefined,
  signal: AbortSignal | undefined,
): ObjectKeys {
  const namespace = pod.metadata?.namespace ?? '';
  const known = new Map<string, ReadonlyMap<string, string>>();

  const read = async (kind: 'configMap' | 'secret', name: string): Promise<ReadonlyMap<string, string> | undefined> => {
    // Without an API server it is unknown whether an object exists, so that optional references fail too.
    if (objects === undefined) {
      throw containerConfigError(`couldn't get ${kind} ${namespace}/${name}, no kubeClient defined`);
    }
    try {
      if (kind === 'configMap') {
        const configMap = await objects.configMap(pod, name, signal);
        return configMap && new Map(Object.entries(configMap.data ?? {}));
      }
      const secret = await objects.secret(pod, name, signal);
      const entries = Object.entries(secret?.data ?? {});
      return secret && new Map(entries.map(([key, value]) => [key, textOfBytes(Buffer.from(value, 'base64'))]));
    } catch (error) {
      signal?.throwIfAborted();
      throw containerConfigError(errorMessage(error), { cause: error });
    }
  };

  return async (kind, { name = '', optional }) => {
    const key = `${kind}/${name}`;
    const keys = known.get(key) ?? (await read(kind, name));
    if (keys !== undefined) known.set(key, keys);
    else if (optional !== true) throw containerConfigError(`${kind.toLowerCase()} ${JSON.stringify(name)} not found`);
    return keys;
  };
}
