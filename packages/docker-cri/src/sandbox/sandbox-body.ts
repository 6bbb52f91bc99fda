import { NamespaceMode, type PodSandboxConfig, ServiceError, StatusCode } from '@rxlet/cri-api';
import { dockerCgroupParent } from '../container/docker-resources.ts';
import { securityOptions } from '../container/security-options.ts';
import type { DockerCreateBody, DockerHostConfig } from '../engine/docker-types.ts';
import { NO_LOG } from '../logs/log-config.ts';
import { DockerLabel, SANDBOX_CONTAINER_NAME, toDockerLabels } from '../names/docker-labels.ts';

/** Facts besides the configuration that a sandbox's body needs. */
export interface SandboxContext {
  readonly image: string;
  readonly imageLabels: Readonly<Record<string, string>>;
  readonly runtimeHandler: string;
  readonly cgroupDriver: string;
  /** Content of the seccomp profile that the configuration names. */
  readonly seccompProfile: string | undefined;
  /** Smallest OOM score adjustment that Docker may set. */
  readonly minOomScoreAdj: number;
}

/** Protects sandboxes from the OOM killer, as the kubelet's runtimes do. */
const OOM_SCORE_ADJ = -998;
/** The smallest share of a busy CPU. */
const CPU_SHARES = 2;

/** Handlers of Docker's default runtime. */
const DEFAULT_HANDLERS: ReadonlySet<string> = new Set(['', 'docker']);

/** Reports whether a sandbox uses the network of the host. */
export function isHostNetwork({ linux }: Pick<PodSandboxConfig, 'linux'>): boolean {
  return linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE;
}

/** Reports whether a handler is Docker's default runtime. */
export function isDefaultHandler(handler: string): boolean {
  return DEFAULT_HANDLERS.has(handler);
}

/** Returns the body that creates the container of a sandbox. Throws InvalidArgument for settings that Docker does not have. */
export function sandboxBody(config: PodSandboxConfig, context: SandboxContext): DockerCreateBody {
  const { image, imageLabels, runtimeHandler } = context;
  if (config.linux?.securityContext?.namespaceOptions?.usernsOptions?.mode === NamespaceMode.POD) {
    throw new ServiceError(StatusCode.InvalidArgument, 'user namespaces are not supported: Docker has none of its own');
  }
  const own = {
    [DockerLabel.type]: 'podsandbox',
    [DockerLabel.containerName]: SANDBOX_CONTAINER_NAME,
    ...(runtimeHandler !== '' && { [DockerLabel.runtimeHandler]: runtimeHandler }),
  };
  const { runAsUser, runAsGroup } = config.linux?.securityContext ?? {};
  const user = runAsUser === undefined ? undefined : String(runAsUser.value);
  return {
    Image: image,
    ...(!isHostNetwork(config) && config.hostname !== '' && { Hostname: config.hostname }),
    ...(user !== undefined && { User: runAsGroup === undefined ? user : `${user}:${String(runAsGroup.value)}` }),
    Labels: toDockerLabels(config, own, imageLabels),
    Healthcheck: { Test: ['NONE'] },
    HostConfig: hostConfig(config, context),
  };
}

function hostConfig(config: PodSandboxConfig, context: SandboxContext): DockerHostConfig {
  const { runtimeHandler, cgroupDriver, seccompProfile, minOomScoreAdj } = context;
  const securityContext = config.linux?.securityContext;
  const namespaces = securityContext?.namespaceOptions;
  const isOnHost = isHostNetwork(config);
  const settings = securityContext && { ...securityContext, apparmorProfile: '', noNewPrivs: true };
  return {
    // A namespace of its own with nothing but the loopback interface, to which plugins connect the pod.
    NetworkMode: isOnHost ? 'host' : 'none',
    ...(isOnHost && { UTSMode: 'host' }),
    IpcMode: namespaces?.ipc === NamespaceMode.NODE ? 'host' : 'shareable',
    ...(namespaces?.pid === NamespaceMode.NODE && { PidMode: 'host' }),
    ...(!isDefaultHandler(runtimeHandler) && { Runtime: runtimeHandler }),
    RestartPolicy: { Name: 'no' },
    LogConfig: NO_LOG,
    Privileged: securityContext?.privileged ?? false,
    ReadonlyRootfs: securityContext?.readonlyRootfs ?? false,
    GroupAdd: (securityContext?.supplementalGroups ?? []).map(String),
    SecurityOpt: settings === undefined ? ['no-new-privileges'] : securityOptions(settings, seccompProfile),
    Sysctls: config.linux?.sysctls ?? {},
    OomScoreAdj: Math.max(OOM_SCORE_ADJ, minOomScoreAdj),
    CpuShares: CPU_SHARES,
    ...dockerCgroupParent(config.linux?.cgroupParent ?? '', cgroupDriver),
  };
}
