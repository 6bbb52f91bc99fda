import { join, resolve } from 'node:path';
import { type KubeletConfiguration, type LoadedConfiguration, parseFlags } from '@rxlet/kubelet-config';
import { UsageError } from './config-error.ts';
import type { OwnFlags } from './own-flags.ts';
import { DEFAULT_ROOT_DIRECTORY, DEFAULT_RUNTIME_ENDPOINT } from './standard-places.ts';

/** Container runtime of the agent. */
export type RuntimeChoice =
  | { readonly kind: 'fake' }
  | {
      readonly kind: 'docker';
      /** Path of Docker's socket. Default: Docker's own. */
      readonly socketPath: string | undefined;
      readonly sandboxImage: string | undefined;
      readonly cniConfigFolder: string | undefined;
      readonly cniPluginFolders: readonly string[] | undefined;
      readonly restrictOomScoreAdj: boolean;
      /** Directory of checkpoints and CNI results. */
      readonly rootDirectory: string;
    }
  | {
      readonly kind: 'cri';
      readonly endpoint: string;
      /** Default: {@link endpoint}. */
      readonly imageEndpoint: string | undefined;
      /** Whether the endpoint is the default, not a configured one. */
      readonly isDefault: boolean;
    };

/**
 * Returns the configured runtime.
 * @throws UsageError when the flags choose two runtimes
 */
export function chooseRuntime(
  { configuration, configuredFields, flags }: LoadedConfiguration,
  ownFlags: OwnFlags,
): RuntimeChoice {
  const { containerRuntimeEndpoint, imageServiceEndpoint } = configuration;
  const { fakeRuntime = false, docker = false } = ownFlags;
  rejectStrayFlags(ownFlags);
  if (docker) {
    const chosen = ['container-runtime-endpoint', 'image-service-endpoint'].filter((name) => flags.has(name));
    if (fakeRuntime) chosen.push('fake-runtime');
    if (chosen.length > 0) throw new UsageError(`--docker excludes --${chosen[0]!}: choose one runtime`);
    return {
      kind: 'docker',
      socketPath: ownFlags.dockerEndpoint?.replace(/^unix:\/\//, ''),
      sandboxImage: ownFlags.dockerSandboxImage,
      cniConfigFolder: ownFlags.cniConfDir,
      cniPluginFolders: ownFlags.cniBinDir?.split(','),
      restrictOomScoreAdj: ownFlags.restrictOomScoreAdj ?? false,
      rootDirectory: join(resolve((flags.get('root-dir') as string | undefined) ?? DEFAULT_ROOT_DIRECTORY), 'docker'),
    };
  }
  if (!fakeRuntime) {
    return {
      kind: 'cri',
      endpoint: containerRuntimeEndpoint || DEFAULT_RUNTIME_ENDPOINT,
      imageEndpoint: imageServiceEndpoint || undefined,
      isDefault: !configuredFields.has('containerRuntimeEndpoint'),
    };
  }
  if (flags.has('container-runtime-endpoint') || flags.has('image-service-endpoint')) {
    throw new UsageError(
      '--fake-runtime excludes --container-runtime-endpoint and --image-service-endpoint: choose one runtime',
    );
  }
  if (!flags.has('root-dir')) {
    throw new UsageError(
      `--fake-runtime does not use ${DEFAULT_ROOT_DIRECTORY}: name a folder of its own with --root-dir`,
    );
  }
  return { kind: 'fake' };
}

/** Returns the defaults of an agent on the embedded runtime. It is for trying out without root, so that nothing is written outside the root directory. */
export function fakeRuntimeDefaults(args: readonly string[]): KubeletConfiguration {
  const rootDirectory = parseFlags(args).values.get('root-dir') as string | undefined;
  return { podLogsDir: join(resolve(rootDirectory ?? DEFAULT_ROOT_DIRECTORY), 'pod-logs') };
}

/** Adds the defaults of flags of an agent on the embedded runtime: its certificates are in its root directory as well. */
export function withFakeRuntimeFlags(loaded: LoadedConfiguration): LoadedConfiguration {
  const rootDirectory = loaded.flags.get('root-dir') as string | undefined;
  const certificates = join(resolve(rootDirectory ?? DEFAULT_ROOT_DIRECTORY), 'pki');
  const given = loaded.flags.get('cert-dir') || certificates;
  return { ...loaded, flags: new Map([...loaded.flags, ['cert-dir', given]]) };
}

/** Flags of Docker without `--docker` would have no effect. */
function rejectStrayFlags({ docker, ...flags }: OwnFlags): void {
  if (docker === true) return;
  const names = {
    dockerEndpoint: '--docker-endpoint',
    dockerSandboxImage: '--docker-sandbox-image',
    cniConfDir: '--cni-conf-dir',
    cniBinDir: '--cni-bin-dir',
    restrictOomScoreAdj: '--restrict-oom-score-adj',
  } as const;
  for (const [field, name] of Object.entries(names)) {
    if (flags[field as keyof typeof names] !== undefined) throw new UsageError(`${name} requires --docker`);
  }
}
