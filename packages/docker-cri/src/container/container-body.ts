import {
  type ContainerConfig,
  type Mount,
  MountPropagation,
  NamespaceMode,
  type PodSandboxConfig,
  ServiceError,
  Signal,
  StatusCode,
  SupplementalGroupsPolicy,
} from '@rxlet/cri-api';
import type { DockerCreateBody, DockerHostConfig } from '../engine/docker-types.ts';
import { DockerLabel, toDockerLabels } from '../names/docker-labels.ts';
import { LOG_CONFIG } from '../logs/log-config.ts';
import { dockerCgroupParent, dockerResources } from './docker-resources.ts';
import { securityOptions } from './security-options.ts';

/** Facts besides the configuration that a container's body needs. */
export interface ContainerContext {
  readonly sandboxId: string;
  readonly sandboxConfig: PodSandboxConfig;
  readonly isHostNetwork: boolean;
  /** Absolute path of the log; `undefined` for none. */
  readonly logPath: string | undefined;
  /** Content of the seccomp profile that the configuration names. */
  readonly seccompProfile: string | undefined;
  readonly imageLabels: Readonly<Record<string, string>>;
  readonly cgroupDriver: string;
  /** Smallest OOM score adjustment that Docker may set. */
  readonly minOomScoreAdj: number;
}

/** Returns the body that creates a container. Throws InvalidArgument for settings that Docker does not have. */
export function containerBody(config: ContainerConfig, context: ContainerContext): DockerCreateBody {
  const { sandboxId, logPath, imageLabels } = context;
  checkSupported(config);

  const own = {
    [DockerLabel.type]: 'container',
    [DockerLabel.sandboxId]: sandboxId,
    ...(logPath !== undefined && { [DockerLabel.logPath]: logPath }),
  };
  const stopSignal = config.stopSignal === Signal.RUNTIME_DEFAULT ? undefined : Signal[config.stopSignal];
  const user = dockerUser(config);
  return {
    Image: config.image!.image,
    ...(user !== '' && { User: user }),
    ...(config.command.length > 0 && { Entrypoint: config.command }),
    ...(config.args.length > 0 && { Cmd: config.args }),
    Env: config.envs.map(({ key, value }) => `${key}=${utf8(key, value)}`),
    ...(config.workingDir !== '' && { WorkingDir: config.workingDir }),
    Labels: toDockerLabels(config, own, imageLabels),
    OpenStdin: config.stdin,
    StdinOnce: config.stdinOnce,
    Tty: config.tty,
    ...(stopSignal !== undefined && { StopSignal: stopSignal }),
    // Probes are the node agent's task.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: hostConfig(config, context),
  };
}

function hostConfig(config: ContainerConfig, context: ContainerContext): DockerHostConfig {
  const { sandboxId, sandboxConfig, isHostNetwork, seccompProfile, cgroupDriver, minOomScoreAdj } = context;
  const securityContext = config.linux?.securityContext;
  const namespaces = securityContext?.namespaceOptions;
  const sandbox = `container:${sandboxId}`;
  const { oomScoreAdj = 0n } = config.linux?.resources ?? {};
  const plain = config.mounts.filter((mount) => !hasColon(mount));
  return {
    NetworkMode: sandbox,
    IpcMode: namespaces?.ipc === NamespaceMode.NODE ? 'host' : sandbox,
    ...pidMode(namespaces?.pid, namespaces?.targetId, sandbox),
    ...(isHostNetwork && { UTSMode: 'host' }),
    RestartPolicy: { Name: 'no' },
    LogConfig: LOG_CONFIG,
    Binds: plain.map(bind),
    Mounts: config.mounts.filter(hasColon).map(mountOf),
    Devices: config.devices.map(({ hostPath, containerPath, permissions }) => ({
      PathOnHost: hostPath,
      PathInContainer: containerPath,
      CgroupPermissions: permissions,
    })),
    Privileged: securityContext?.privileged ?? false,
    ReadonlyRootfs: securityContext?.readonlyRootfs ?? false,
    CapAdd: securityContext?.capabilities?.addCapabilities ?? [],
    CapDrop: securityContext?.capabilities?.dropCapabilities ?? [],
    GroupAdd: (securityContext?.supplementalGroups ?? []).map(String),
    SecurityOpt:
      securityContext === undefined ? ['seccomp=unconfined'] : securityOptions(securityContext, seccompProfile),
    ...(securityContext?.privileged !== true && {
      MaskedPaths: securityContext?.maskedPaths ?? [],
      ReadonlyPaths: securityContext?.readonlyPaths ?? [],
    }),
    OomScoreAdj: Math.max(Number(oomScoreAdj), minOomScoreAdj),
    ...dockerResources(config.linux?.resources),
    ...dockerCgroupParent(sandboxConfig.linux?.cgroupParent ?? '', cgroupDriver),
  };
}

function pidMode(mode: NamespaceMode | undefined, targetId = '', sandbox: string): DockerHostConfig {
  switch (mode ?? NamespaceMode.POD) {
    case NamespaceMode.POD:
      return { PidMode: sandbox };
    case NamespaceMode.NODE:
      return { PidMode: 'host' };
    case NamespaceMode.TARGET:
      return { PidMode: `container:${targetId}` };
    default:
      return {};
  }
}

/** Docker's `user:group`. */
export function dockerUser({ linux }: Pick<ContainerConfig, 'linux'>): string {
  const { runAsUser, runAsUsername = '', runAsGroup } = linux?.securityContext ?? {};
  const user = runAsUser === undefined ? runAsUsername : String(runAsUser.value);
  if (runAsGroup === undefined) return user;
  if (user === '') {
    throw new ServiceError(StatusCode.InvalidArgument, 'runAsGroup is set without a user (runAsUser or runAsUsername)');
  }
  return `${user}:${String(runAsGroup.value)}`;
}

function checkSupported({ mounts, CDIDevices, linux }: ContainerConfig): void {
  const reject = (what: string, code: StatusCode = StatusCode.InvalidArgument): never => {
    throw new ServiceError(code, `${what}: Docker has no such setting`);
  };
  const context = linux?.securityContext;
  if (CDIDevices.length > 0) reject('CDI devices are not supported');
  if (context?.capabilities?.addAmbientCapabilities.length) reject('ambient capabilities are not supported');
  if (context?.namespaceOptions?.usernsOptions?.mode === NamespaceMode.POD) reject('user namespaces are not supported');
  if (context?.supplementalGroupsPolicy === SupplementalGroupsPolicy.Strict) {
    reject('the supplemental groups policy Strict is not supported');
  }
  for (const mount of mounts) {
    // By this code, callers recognise a runtime without image volumes.
    if (mount.image !== undefined && mount.image.image !== '')
      reject('image volumes are not supported', StatusCode.Unimplemented);
    if (mount.recursiveReadOnly) reject('recursive read-only mounts are not supported');
    if (mount.uidMappings.length + mount.gidMappings.length > 0) reject('id-mapped mounts are not supported');
  }
}

const PROPAGATION: Readonly<Record<MountPropagation, string>> = {
  [MountPropagation.PROPAGATION_PRIVATE]: 'rprivate',
  [MountPropagation.PROPAGATION_HOST_TO_CONTAINER]: 'rslave',
  [MountPropagation.PROPAGATION_BIDIRECTIONAL]: 'rshared',
};

/** Docker's short form creates a missing path on the host, as other runtimes do. */
function bind({ hostPath, containerPath, readonly, selinuxRelabel, propagation }: Mount): string {
  const options = [...(readonly ? ['ro'] : []), ...(selinuxRelabel ? ['Z'] : []), PROPAGATION[propagation]];
  return `${hostPath}:${containerPath}:${options.join(',')}`;
}

/** The long form, for paths with a colon. */
function mountOf({ hostPath, containerPath, readonly, propagation }: Mount): object {
  const BindOptions = { Propagation: PROPAGATION[propagation] };
  return { Type: 'bind', Source: hostPath, Target: containerPath, ReadOnly: readonly, BindOptions };
}

function hasColon({ hostPath, containerPath }: Mount): boolean {
  return hostPath.includes(':') || containerPath.includes(':');
}

function utf8(key: string, value: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    throw new ServiceError(
      StatusCode.InvalidArgument,
      `the value of the environment variable ${JSON.stringify(key)} is not UTF-8, which Docker's API requires`,
    );
  }
}
