import { errorMessage } from '@rxlet/component-base';
import type { Pod, Secret } from '@rxlet/kube-api';
import type { CsiContext } from './csi-context.ts';
import type { CsiVolume, SecretName } from './csi-volume.ts';

/** A call that needs credentials. */
export interface SecretCall {
  /** Returns the beginning of the kubelet's message for the name of a Secret that cannot be read. */
  failure(secretName: string): string;
  readonly pod: Pod;
  readonly signal: AbortSignal;
}

/** Reads the credentials for a call. A pod names Secrets of its own namespace, a persistent volume those of any. Rejects with the kubelet's message. */
export async function csiSecrets(
  context: Pick<CsiContext, 'objects' | 'podObjects'>,
  { lifecycleMode }: CsiVolume,
  reference: SecretName | undefined,
  call: SecretCall,
): Promise<Readonly<Record<string, string>>> {
  if (reference === undefined) return {};
  const { namespace, name } = reference;
  const { failure, pod, signal } = call;
  try {
    const secret =
      lifecycleMode === 'Ephemeral'
        ? await podSecret(context, pod, name, signal)
        : await context.objects?.secret(namespace, name, signal);
    if (secret === undefined) throw new Error(`secret "${name}" not found`);
    return textData(secret);
  } catch (error) {
    signal.throwIfAborted();
    const cause = `failed to find the secret ${name} in the namespace ${namespace} with error: ${errorMessage(error)}`;
    throw new Error(`${failure(`${namespace}/${name}`)}: ${cause}`, { cause: error });
  }
}

async function podSecret(
  { podObjects }: Pick<CsiContext, 'podObjects'>,
  pod: Pod,
  name: string,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  const namespace = pod.metadata?.namespace ?? '';
  if (podObjects === undefined) throw new Error(`couldn't get secret ${namespace}/${name}, no kubeClient defined`);
  return podObjects.secret(pod, name, signal);
}

/** The content of a Secret must not appear in a message. */
function textData({ data = {} }: Secret): Readonly<Record<string, string>> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      try {
        return [key, decoder.decode(Buffer.from(value, 'base64'))];
      } catch {
        throw new Error(`the value of key "${key}" is not valid UTF-8`);
      }
    }),
  );
}
