import type { ClusterServices, PodObjects } from '@rxlet/agent-api/kube';
import { goQuote } from '@rxlet/component-base/go';
import type { Container, EnvVar, EphemeralContainer, FileKeySelector, Pod, Quantity } from '@rxlet/kube-api';
import { expandVariables, isStaticPod } from '@rxlet/pod-model';
import { textOfBytes } from './byte-text.ts';
import { createBoundedLength } from './bounded-length.ts';
import { containerConfigError } from './config-error.ts';
import { envFileValue } from './env-file.ts';
import { podFieldValue } from './field-ref.ts';
import { type ObjectKeys, referencedKeys } from './referenced-keys.ts';
import { resourceFieldValue } from './resource-field-ref.ts';
import { serviceEnvironment } from './service-environment.ts';

/** Input of {@link containerEnvironment}. */
export interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  /** Addresses of the pod, the primary one first. */
  readonly podIps: readonly string[];
  /** See `podFieldValue`. */
  readonly podIp?: string | undefined;
  /** Addresses of the node as pods see them, the primary one first. */
  readonly hostIps: readonly string[];
  /** First address that was chosen for the node; see `podFieldValue`. */
  readonly primaryNodeIp?: string | undefined;
  /** Resources of the node that pods may use. */
  readonly allocatable: Readonly<Record<string, Quantity>>;
  /** Absent: the agent has no API server, and no other source of objects. */
  readonly objects?: Pick<PodObjects, 'configMap' | 'secret'> | undefined;
  /** Absent: there are no services. */
  readonly services?: ClusterServices | undefined;
  /** Reads files of volumes. Absent: the pod has none. */
  readonly envFiles?: EnvFiles | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Environment files in the volumes of a pod. */
export interface EnvFiles {
  /** Reads a file below a volume; `undefined` when the volume is not mounted. Rejects when the file does not exist or leads out of the volume. */
  read(volume: string, path: string, signal?: AbortSignal): Promise<EnvFileContent | undefined>;
}

/** Content of an environment file. */
export interface EnvFileContent {
  /** Path on the node, links resolved. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Returns the environment variables of a container, name → value: those from `envFrom`, then those of `env`, then those of services. Entries of `env` may refer
 * to earlier variables and those of services as `$(NAME)`; of equal names the last one counts. See `textOfBytes` for values that are no UTF-8.
 *
 * @throws ConfigError for a value that is not available
 */
export async function containerEnvironment(input: EnvironmentInput): Promise<ReadonlyMap<string, string>> {
  const { pod, container, services } = input;
  const { enableServiceLinks } = pod.spec!;
  if (enableServiceLinks === undefined) {
    throw containerConfigError('nil pod.spec.enableServiceLinks encountered, cannot construct envvars');
  }
  // A static pod starts with the services that are known already.
  if (services?.isSynced === false && !isStaticPod(pod)) {
    throw containerConfigError('services have not yet been read at least once, cannot construct envvars');
  }
  const ofServices = serviceEnvironment(services?.list() ?? [], pod.metadata?.namespace ?? '', enableServiceLinks);
  const objects = referencedKeys(pod, input.objects, input.signal);

  const environment = new Map<string, string>();
  const bounded = createBoundedLength('environment');
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const keys =
      configMapRef !== undefined
        ? await objects('configMap', configMapRef)
        : secretRef !== undefined
          ? await objects('secret', secretRef)
          : undefined;
    for (const [key, value] of keys ?? [])
      environment.set(
        prefix + key,
        bounded.add(() => value),
      );
  }
  const lookup = (name: string): string | undefined => environment.get(name) ?? ofServices.get(name);
  for (const variable of container.env ?? []) {
    const { name, value = '' } = variable;
    const given = value !== '' ? value : await valueFromSource(input, variable, objects);
    // An optional source without a value leaves an earlier variable in place.
    if (given === undefined) continue;
    environment.set(
      name,
      bounded.add(() => (value !== '' ? expandVariables(given, lookup) : given)),
    );
  }
  for (const [name, value] of ofServices) if (!environment.has(name)) environment.set(name, value);
  return environment;
}

/** Returns the value of a variable from its source, empty without one; `undefined` when an optional source has none. */
async function valueFromSource(
  input: EnvironmentInput,
  { valueFrom }: EnvVar,
  objects: ObjectKeys,
): Promise<string | undefined> {
  if (valueFrom === undefined) return '';
  const { pod, container, allocatable } = input;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (fieldRef !== undefined) return podFieldValue(pod, fieldRef, input);
  if (resourceFieldRef !== undefined) return resourceFieldValue(pod, container, resourceFieldRef, allocatable);
  const namespace = pod.metadata?.namespace ?? '';
  for (const [kind, title, ref] of [
    ['configMap', 'ConfigMap', configMapKeyRef],
    ['secret', 'Secret', secretKeyRef],
  ] as const) {
    if (ref === undefined) continue;
    const keys = await objects(kind, ref);
    const value = keys?.get(ref.key);
    if (value !== undefined || ref.optional === true) return value;
    throw containerConfigError(`couldn't find key ${ref.key} in ${title} ${namespace}/${ref.name ?? ''}`);
  }
  return fileKeyRef === undefined ? '' : valueFromFile(input, fileKeyRef);
}

async function valueFromFile(
  { envFiles, signal }: EnvironmentInput,
  { volumeName, path, key, optional }: FileKeySelector,
): Promise<string | undefined> {
  let file: EnvFileContent | undefined;
  let value: string | undefined;
  try {
    file = await envFiles?.read(volumeName, path, signal);
    value = file && envFileValue(textOfBytes(file.bytes), key);
  } catch (error) {
    signal?.throwIfAborted();
    // The cause may quote content of the file.
    throw containerConfigError("couldn't parse env file", { cause: error });
  }
  if (file === undefined) {
    throw containerConfigError(`cannot find the volume ${goQuote(volumeName)} referenced by FileKeyRef`);
  }
  if (value !== '') return value;
  if (optional === true) return undefined;
  throw containerConfigError(`environment variable key ${goQuote(key)} not found in file ${goQuote(file.path)}`);
}
