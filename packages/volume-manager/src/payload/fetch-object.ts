import type { ConfigMap, Pod, Secret } from '@rxlet/kube-api';
import { goQuote } from '@rxlet/component-base/go';
import type { PayloadSources } from './payload-sources.ts';
import { PayloadError } from './payload.ts';

/** Fetches a ConfigMap of a pod; an optional one that does not exist is empty. Rejects with the kubelet's message. */
export async function fetchConfigMap(
  { objects }: Pick<PayloadSources, 'objects'>,
  pod: Pod,
  name = '',
  optional = false,
  signal?: AbortSignal,
): Promise<ConfigMap> {
  if (objects === undefined) throw withoutClient('configMap', pod, name);
  const found = await objects.configMap(pod, name, signal);
  if (found === undefined && !optional) throw new PayloadError(`configmap ${goQuote(name)} not found`);
  return found ?? {};
}

/** Fetches a Secret of a pod; an optional one that does not exist is empty. Rejects with the kubelet's message. */
export async function fetchSecret(
  { objects }: Pick<PayloadSources, 'objects'>,
  pod: Pod,
  name = '',
  optional = false,
  signal?: AbortSignal,
): Promise<Secret> {
  if (objects === undefined) throw withoutClient('secret', pod, name);
  const found = await objects.secret(pod, name, signal);
  if (found === undefined && !optional) throw new PayloadError(`secret ${goQuote(name)} not found`);
  return found ?? {};
}

function withoutClient(kind: string, { metadata }: Pod, name: string): PayloadError {
  return new PayloadError(`couldn't get ${kind} ${metadata?.namespace ?? ''}/${name}, no kubeClient defined`);
}
