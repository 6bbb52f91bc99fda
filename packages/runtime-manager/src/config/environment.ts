import type { Container, EnvVar, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { expandVariables } from '@rxlet/pod-model';
import { containerConfigError } from './config-error.ts';
import { podFieldValue } from './field-ref.ts';
import type { NodeSettings } from './node-settings.ts';
import { resourceFieldValue } from './resource-field-ref.ts';

type EnvironmentSettings = Pick<NodeSettings, 'nodeIps' | 'allocatable'>;

/**
 * The environment variables of a container, name → value. Entries may refer to earlier ones as `$(NAME)`; of equal names the last one counts.
 *
 * There is no API server to read from, so what comes from ConfigMaps and Secrets is refused, and there are no services to tell of.
 *
 * @param podIps addresses of the sandbox, the primary one first
 * @throws ConfigError for a value that cannot be had.
 */
export function containerEnvironment(
  pod: Pod,
  container: Container | EphemeralContainer,
  podIps: readonly string[],
  settings: EnvironmentSettings,
): ReadonlyMap<string, string> {
  const namespace = pod.metadata?.namespace ?? '';
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    if (configMapRef !== undefined) refuseUnreadable('configMap', namespace, configMapRef.name);
    if (secretRef !== undefined) refuseUnreadable('secret', namespace, secretRef.name);
  }

  const environment = new Map<string, string>();
  for (const variable of container.env ?? []) {
    const value =
      variable.value !== undefined && variable.value !== ''
        ? expandVariables(variable.value, (name) => environment.get(name))
        : valueFromSource(pod, container, variable, podIps, settings);
    environment.set(variable.name, value);
  }
  return environment;
}

function valueFromSource(
  pod: Pod,
  container: Container | EphemeralContainer,
  { valueFrom }: EnvVar,
  podIps: readonly string[],
  { nodeIps, allocatable }: EnvironmentSettings,
): string {
  if (valueFrom === undefined) return '';
  const namespace = pod.metadata?.namespace ?? '';
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (fieldRef !== undefined) return podFieldValue(pod, fieldRef.fieldPath, { podIps, nodeIps });
  if (resourceFieldRef !== undefined) return resourceFieldValue(pod, container, resourceFieldRef, allocatable);
  if (configMapKeyRef !== undefined) refuseUnreadable('configMap', namespace, configMapKeyRef.name);
  if (secretKeyRef !== undefined) refuseUnreadable('secret', namespace, secretKeyRef.name);
  if (fileKeyRef !== undefined)
    throw containerConfigError(`cannot find the volume "${fileKeyRef.volumeName}" referenced by FileKeyRef`);
  return '';
}

/** Not even an optional one is passed over: without an API server nobody can tell that it does not exist. */
function refuseUnreadable(kind: 'configMap' | 'secret', namespace: string, name = ''): never {
  throw containerConfigError(`couldn't get ${kind} ${namespace}/${name}, no kubeClient defined`);
}
