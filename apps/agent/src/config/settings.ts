import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname as osHostname, networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { defaultRouteInterface } from './default-route.ts';
import type { KubeletConfiguration } from './kubelet-configuration.ts';

/** The flags of the agent, as given; names are the kubelet's. */
export interface AgentFlags {
  readonly config?: string;
  readonly containerRuntimeEndpoint?: string;
  readonly imageServiceEndpoint?: string;
  readonly podManifestPath?: string;
  readonly manifestUrl?: string;
  /** Each `name:value`. */
  readonly manifestUrlHeader?: readonly string[];
  readonly imageCredentialProviderConfig?: string;
  readonly imageCredentialProviderBinDir?: string;
  readonly rootDir?: string;
  readonly hostnameOverride?: string;
  readonly nodeIp?: string;
  readonly v?: number;
  readonly fakeRuntime?: boolean;
}

/** Which container runtime the agent uses. */
export type RuntimeChoice =
  | { readonly kind: 'fake' }
  | {
      readonly kind: 'cri';
      readonly endpoint: string;
      readonly imageEndpoint: string | undefined;
      /** Nobody named it: it is only where a runtime usually is. */
      readonly isDefault: boolean;
    };

/** Where a server has pods for the node. */
export interface ManifestUrl {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Programs that know credentials of registries. */
export interface CredentialProviderPlaces {
  /** A CredentialProviderConfig, or a folder of them. */
  readonly configPath: string;
  /** The folder of the programs. */
  readonly binDirectory: string;
}

/** All that the agent is told from outside. */
export interface AgentSettings {
  readonly nodeName: string;
  readonly nodeIp: string;
  readonly runtime: RuntimeChoice;
  /** Folder (or file) with manifests; `undefined`: no pods from files. */
  readonly manifestPath: string | undefined;
  readonly manifestUrl: ManifestUrl | undefined;
  readonly credentialProviders: CredentialProviderPlaces | undefined;
  readonly rootDirectory: string;
  readonly podLogsDirectory: string;
  /** Where the log shippers' symlinks go; `undefined`: nowhere. */
  readonly containerLogsDirectory: string | undefined;
  /** Log level: 4 and above adds debugging lines. */
  readonly verbosity: number;
  readonly kubelet: KubeletConfiguration;
}

/** Where the agent keeps its state unless told otherwise, as the kubelet does. */
export const DEFAULT_ROOT_DIRECTORY = '/var/lib/kubelet';

/** The kubelet's default. */
export const DEFAULT_RUNTIME_ENDPOINT = 'unix:///run/containerd/containerd.sock';

/** The agent's own socket, by which the other commands talk to it. */
export function socketPath(rootDirectory: string): string {
  return join(rootDirectory, 'rxlet.sock');
}

/**
 * Joins flags, configuration file and defaults; a flag wins over the file. Pure but for the machine's name and addresses, which come as `machine`.
 * @throws ConfigError for what cannot be, or contradicts itself
 */
export function resolveSettings(flags: AgentFlags, kubelet: KubeletConfiguration, machine: Machine): AgentSettings {
  refuseEmpty(flags);
  const rootDirectory = resolve(flags.rootDir ?? DEFAULT_ROOT_DIRECTORY);
  const runtime = chooseRuntime(flags, kubelet);
  const manifestPath = flags.podManifestPath ?? kubelet.staticPodPath;
  const isFake = runtime.kind === 'fake';
  const podLogsDirectory = kubelet.podLogsDir ?? (isFake ? join(rootDirectory, 'pod-logs') : '/var/log/pods');
  return {
    nodeName: chooseNodeName(flags.hostnameOverride, machine),
    nodeIp: chooseNodeIp(flags.nodeIp, machine),
    runtime,
    manifestPath: manifestPath === undefined ? undefined : resolve(manifestPath),
    manifestUrl: chooseManifestUrl(flags, kubelet),
    credentialProviders: chooseCredentialProviders(flags),
    rootDirectory,
    // The embedded runtime is for trying out, without root: nothing of it is written outside its own folder.
    podLogsDirectory,
    // Log shippers see no more of the node than /var/log: links to anywhere else would lead nowhere.
    containerLogsDirectory: podLogsDirectory.startsWith('/var/log/') ? '/var/log/containers' : undefined,
    verbosity: flags.v ?? 0,
    kubelet,
  };
}

/** The flags whose value may be anything but nothing: mostly a variable that the calling script did not set. */
const NEVER_EMPTY = {
  rootDir: '--root-dir',
  podManifestPath: '--pod-manifest-path',
  imageCredentialProviderConfig: '--image-credential-provider-config',
  imageCredentialProviderBinDir: '--image-credential-provider-bin-dir',
  containerRuntimeEndpoint: '--container-runtime-endpoint',
  imageServiceEndpoint: '--image-service-endpoint',
} as const satisfies Partial<Record<keyof AgentFlags, string>>;

function refuseEmpty(flags: AgentFlags): void {
  for (const [key, name] of Object.entries(NEVER_EMPTY) as [keyof typeof NEVER_EMPTY, string][]) {
    if (flags[key]?.trim() === '') throw new ConfigError(`${name} is empty: give it a value or leave it out`);
  }
}

/** A DNS subdomain name (RFC 1123): the name of a node is one, and part of the names of its pods. */
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The kubelet trims the host's name and makes it lower case. */
function chooseNodeName(override: string | undefined, machine: Machine): string {
  const name = (override ?? machine.hostname).trim().toLowerCase();
  if (name === '') throw new ConfigError('the node has no name: set --hostname-override');
  if (name.length <= 253 && DNS_SUBDOMAIN.test(name)) return name;
  throw new ConfigError(
    `"${name}" cannot be the name of a node, only letters, digits, "-" and "." can: set --hostname-override`,
  );
}

function chooseNodeIp(flag: string | undefined, machine: Machine): string {
  if (flag === undefined) return machine.ip;
  const address = flag.trim();
  if (isIP(address) !== 0 && address !== '0.0.0.0' && address !== '::') return address;
  throw new ConfigError(`--node-ip "${flag}" is not one address of this node: give an IPv4 or IPv6 address`);
}

function chooseManifestUrl(flags: AgentFlags, kubelet: KubeletConfiguration): ManifestUrl | undefined {
  const url = flags.manifestUrl ?? kubelet.staticPodURL;
  if (url === undefined || url === '') return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new ConfigError(`--manifest-url "${url}" is no URL: it must begin with http:// or https://`);
  }
  const headers = flags.manifestUrlHeader?.map((header) => {
    const [, name, value] = /^([^:]+):(.*)$/s.exec(header) ?? [];
    // What follows the colon may be a password, so the message is without it.
    if (name === undefined) throw new ConfigError('--manifest-url-header must be name:value, as in X-Node:node1');
    return [name.trim(), value!.trim()] as const;
  });
  const ofFile = Object.entries(kubelet.staticPodURLHeader ?? {}).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  return { url, headers: headers ?? ofFile };
}

function chooseCredentialProviders({
  imageCredentialProviderConfig: configPath,
  imageCredentialProviderBinDir: binDirectory,
}: AgentFlags): CredentialProviderPlaces | undefined {
  if (configPath === undefined && binDirectory === undefined) return undefined;
  if (configPath === undefined || binDirectory === undefined) {
    throw new ConfigError('--image-credential-provider-config and --image-credential-provider-bin-dir need each other');
  }
  return { configPath: resolve(configPath), binDirectory: resolve(binDirectory) };
}

function chooseRuntime(flags: AgentFlags, kubelet: KubeletConfiguration): RuntimeChoice {
  if (flags.fakeRuntime === true) {
    if (flags.containerRuntimeEndpoint !== undefined || flags.imageServiceEndpoint !== undefined) {
      throw new ConfigError(
        '--fake-runtime excludes --container-runtime-endpoint and --image-service-endpoint: choose one runtime',
      );
    }
    if (flags.rootDir === undefined) {
      throw new ConfigError(
        `--fake-runtime does not use ${DEFAULT_ROOT_DIRECTORY}: name a folder of its own with --root-dir`,
      );
    }
    return { kind: 'fake' };
  }
  const endpoint = flags.containerRuntimeEndpoint ?? kubelet.containerRuntimeEndpoint;
  return {
    kind: 'cri',
    endpoint: endpoint ?? DEFAULT_RUNTIME_ENDPOINT,
    imageEndpoint: flags.imageServiceEndpoint ?? kubelet.imageServiceEndpoint,
    isDefault: endpoint === undefined,
  };
}

/** What the machine says of itself. */
export interface Machine {
  readonly hostname: string;
  readonly ip: string;
}

/**
 * Asks the kernel, never a name server. The address is that of the interface with the default route; without one, the first that is up and not
 * loopback, IPv4 preferred.
 */
export function readMachine(): Machine {
  const interfaces = networkInterfaces();
  const route = readDefaultRoute();
  const outside = [
    ...((route !== undefined && interfaces[route]) || []),
    ...Object.values(interfaces).flatMap((list) => list ?? []),
  ]
    // A scope means a link-local address, of use to nobody else.
    .filter(({ internal, scopeid }) => !internal && !scopeid);
  const chosen = outside.find(({ family }) => family === 'IPv4') ?? outside[0];
  return { hostname: osHostname(), ip: chosen?.address ?? '127.0.0.1' };
}

function readDefaultRoute(): string | undefined {
  try {
    return defaultRouteInterface(readFileSync('/proc/net/route', 'utf8'));
  } catch {
    // Not Linux, or no /proc.
    return undefined;
  }
}
