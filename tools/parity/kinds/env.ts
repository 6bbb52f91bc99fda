import type { ClusterServices, PodObjects } from '@rxlet/agent-api/kube';
import type { ConfigMap, Node, Pod, Secret, Service } from '@rxlet/kube-api';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import { findPodContainer } from '@rxlet/pod-model';
import { ConfigError } from '@rxlet/runtime-manager/config';
import { containerEnvironment, type EnvFiles, nodeHostIps, readBelow } from '@rxlet/runtime-manager/container-options';
import type { Answer } from '../vector-kind.ts';

type FileContent = string | { readonly link: string };

interface EnvVector {
  readonly input: {
    readonly pod: Pod;
    readonly container: string;
    readonly podIP: string;
    readonly podIPs: readonly string[];
    readonly nodeIPs: readonly string[];
    readonly node: Node;
    readonly services: readonly Service[];
    readonly servicesSynced?: boolean;
    readonly configMaps: readonly ConfigMap[];
    readonly secrets: readonly Secret[];
    readonly configMapErrors?: Readonly<Record<string, string>>;
    readonly secretErrors?: Readonly<Record<string, string>>;
    readonly standalone?: boolean;
    readonly volumeFiles?: Readonly<Record<string, Readonly<Record<string, FileContent>>>>;
  };
  readonly want: { readonly env?: readonly Variable[]; readonly error?: string };
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** The recorded message is cut short. */
const UNKNOWN_HOST = 'host IP unknown';
const MAX_BYTES = 1024 * 1024;

/** Returns the environment of a container, or the message that its user sees. */
export async function run({ input, want }: EnvVector): Promise<Answer> {
  const { pod, node, nodeIPs, podIPs } = input;
  const container = findPodContainer(pod, input.container)!.container;
  try {
    const environment = await containerEnvironment({
      pod,
      container,
      podIps: podIPs,
      podIp: input.podIP,
      hostIps: nodeHostIps(node),
      primaryNodeIp: nodeIPs[0],
      allocatable: node.status?.allocatable ?? {},
      objects: input.standalone === true ? undefined : objectsOf(input),
      services: servicesOf(input),
      envFiles: envFilesOf(input),
    });
    return { got: { env: sorted([...environment].map(([name, value]) => ({ name, value }))) }, want: wanted(want) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { got: { error: error.message.startsWith(UNKNOWN_HOST) ? UNKNOWN_HOST : error.message }, want };
  }
}

function wanted({ env, error }: EnvVector['want']): EnvVector['want'] {
  return error === undefined ? { env: sorted(env ?? []) } : { error };
}

function sorted(variables: readonly Variable[]): readonly Variable[] {
  return variables.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function objectsOf({
  configMaps,
  secrets,
  configMapErrors = {},
  secretErrors = {},
}: EnvVector['input']): Pick<PodObjects, 'configMap' | 'secret'> {
  const find = <T extends ConfigMap | Secret>(
    list: readonly T[],
    errors: Readonly<Record<string, string>>,
    pod: Pod,
    name: string,
  ): T | undefined => {
    if (Object.hasOwn(errors, name)) throw new Error(errors[name]);
    return list.find(({ metadata }) => metadata?.name === name && metadata.namespace === pod.metadata?.namespace);
  };
  return {
    configMap: async (pod, name) => find(configMaps, configMapErrors, pod, name),
    secret: async (pod, name) => find(secrets, secretErrors, pod, name),
  };
}

function servicesOf({ services, servicesSynced = true }: EnvVector['input']): ClusterServices {
  return { isSynced: servicesSynced, list: () => services };
}

/** Volumes lie in a folder each, of which the messages show the name. */
function envFilesOf({ volumeFiles = {} }: EnvVector['input']): EnvFiles {
  const files: MemoryFiles = createMemoryFiles();
  for (const [volume, contents] of Object.entries(volumeFiles)) {
    files.putDirectory(`/volumes/${volume}`);
    for (const [path, content] of Object.entries(contents)) {
      if (typeof content === 'string') files.put(`/volumes/${volume}/${path}`, content);
      else files.putLink(`/volumes/${volume}/${path}`, content.link);
    }
  }
  return {
    async read(volume, path) {
      const directory = await files.hostFiles.openDirectory(`/volumes/${volume}`);
      if (directory === undefined) return undefined;
      const file = await readBelow(directory, path, MAX_BYTES);
      return { path: `<volumes>/${volume}/${file.path}`, bytes: file.bytes };
    },
  };
}
