import { create } from '@bufbuild/protobuf';
import { type ContainerConfig, type PodSandboxConfig, WindowsContainerConfigSchema } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { commonContainerConfig, type ContainerConfigInput } from '../build-container-config.ts';
import { buildSandboxConfig, type SandboxConfigInput } from '../build-sandbox-config.ts';
import { windowsMount } from './windows-mounts.ts';
import { withBackslashes } from './windows-paths.ts';
import { windowsAffinity, windowsResources } from './windows-resources.ts';
import { verifyWindowsUser, windowsContainerSecurity, windowsSandboxConfig } from './windows-security.ts';

/** Input of {@link buildWindowsContainerConfig}. There are neither block devices, nor groups, user or process namespaces of Linux. */
export interface WindowsContainerConfigInput extends Omit<
  ContainerConfigInput,
  'users' | 'volumeGroups' | 'targetContainerId' | 'devices'
> {
  /** Active processors of the machine, over all processor groups. */
  readonly processors: number;
  /** CPUs to which the container is bound; see `windowsCpus`. Default: all. */
  readonly cpus?: readonly number[] | undefined;
}

/**
 * Builds the configuration of one container of a Windows node for CreateContainer.
 * @throws ConfigError when the container's definition is invalid
 */
export function buildWindowsContainerConfig(input: WindowsContainerConfigInput): ContainerConfig {
  const { pod, container, imageUser, processors, cpus = [] } = input;
  const user = imageUser.username ?? '';
  verifyWindowsUser(pod, container, user);
  const common = commonContainerConfig(input);
  const resources = windowsResources(container, processors);
  return {
    ...common,
    logPath: withBackslashes(common.logPath),
    mounts: input.mounts.map(windowsMount),
    windows: create(WindowsContainerConfigSchema, {
      resources: { ...resources, affinityCpus: windowsAffinity(cpus).map((group) => ({ ...group })) },
      securityContext: windowsContainerSecurity(pod, container, user),
    }),
  };
}

/**
 * Builds the configuration of a pod's sandbox on a Windows node for RunPodSandbox. As in the kubelet, it has a part for Linux as well, without the users and labels of Linux.
 * @throws ConfigError when the pod's definition is invalid
 */
export function buildWindowsSandboxConfig(input: Omit<SandboxConfigInput, 'cgroupParent' | 'users'>): PodSandboxConfig {
  const { linux, logDirectory, ...config } = buildSandboxConfig({
    ...input,
    pod: withoutLinuxUsers(input.pod),
    cgroupParent: '',
  });
  return {
    ...config,
    logDirectory: withBackslashes(logDirectory),
    ...(linux && { linux: { ...linux, overhead: undefined, resources: undefined } }),
    windows: windowsSandboxConfig(input.pod),
  };
}

function withoutLinuxUsers(pod: Pod): Pod {
  if (pod.spec?.securityContext === undefined) return pod;
  const {
    runAsUser: _,
    runAsGroup: __,
    fsGroup: ___,
    seLinuxOptions: ____,
    ...securityContext
  } = pod.spec.securityContext;
  return { ...pod, spec: { ...pod.spec, securityContext } };
}
