import { create } from '@bufbuild/protobuf';
import {
  type WindowsContainerSecurityContext,
  WindowsContainerSecurityContextSchema,
  type WindowsPodSandboxConfig,
  WindowsPodSandboxConfigSchema,
} from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod, WindowsSecurityContextOptions } from '@rxlet/kube-api';
import { formatPod, podContainers } from '@rxlet/pod-model';
import { containerConfigError, sandboxConfigError } from '../config-error.ts';

/** User of Windows images that may do everything. */
const ADMINISTRATOR = 'containeradministrator';

/** Returns the options of a container on Windows: its own, and otherwise those of the pod. Name and content of a credential belong together. */
export function windowsOptions(
  pod: Pod,
  { securityContext }: Container | EphemeralContainer,
): WindowsSecurityContextOptions {
  const {
    gmsaCredentialSpec: podSpec,
    gmsaCredentialSpecName: podName,
    ...ofPod
  } = pod.spec?.securityContext?.windowsOptions ?? {};
  const { gmsaCredentialSpec, gmsaCredentialSpecName, ...own } = securityContext?.windowsOptions ?? {};
  const hasOwnCredential = gmsaCredentialSpec !== undefined || gmsaCredentialSpecName !== undefined;
  const [content, name] = hasOwnCredential ? [gmsaCredentialSpec, gmsaCredentialSpecName] : [podSpec, podName];
  return {
    ...ofPod,
    ...own,
    ...(content !== undefined && { gmsaCredentialSpec: content }),
    ...(name !== undefined && { gmsaCredentialSpecName: name }),
  };
}

/**
 * Returns the security context of a container on Windows.
 *
 * @param imageUser default user of the image; empty for none
 */
export function windowsContainerSecurity(
  pod: Pod,
  container: Container | EphemeralContainer,
  imageUser: string,
): WindowsContainerSecurityContext {
  const { runAsUserName, gmsaCredentialSpec, hostProcess = false } = windowsOptions(pod, container);
  return create(WindowsContainerSecurityContextSchema, {
    runAsUsername: runAsUserName ?? imageUser,
    credentialSpec: gmsaCredentialSpec ?? '',
    hostProcess,
  });
}

/**
 * Rejects a container that must not run as root (`runAsNonRoot`) and runs as the administrator. Users of Linux do not count.
 *
 * @throws ConfigError
 */
export function verifyWindowsUser(pod: Pod, container: Container | EphemeralContainer, imageUser: string): void {
  const isNonRoot = container.securityContext?.runAsNonRoot ?? pod.spec?.securityContext?.runAsNonRoot ?? false;
  if (!isNonRoot) return;
  const { runAsUserName } = windowsOptions(pod, container);
  const user = runAsUserName ?? imageUser;
  if (user.toLowerCase() !== ADMINISTRATOR) return;
  const field = runAsUserName === undefined ? 'runAsUser' : 'runAsUserName';
  throw containerConfigError(
    `container's ${field} (${user}) which will be regarded as root identity and will break non-root policy (pod: "${formatPod(pod)}", container: ${container.name})`,
  );
}

/** Returns the Windows part of a sandbox's configuration. @throws ConfigError for HostProcess containers that do not fit to their pod */
export function windowsSandboxConfig(pod: Pod): WindowsPodSandboxConfig {
  const { gmsaCredentialSpec, runAsUserName } = pod.spec?.securityContext?.windowsOptions ?? {};
  return create(WindowsPodSandboxConfigSchema, {
    securityContext: {
      credentialSpec: gmsaCredentialSpec ?? '',
      runAsUsername: runAsUserName ?? '',
      hostProcess: isHostProcessPod(pod),
    },
  });
}

/** Reports whether the containers of a pod run on the node itself. @throws ConfigError unless all of them do, or none */
export function isHostProcessPod(pod: Pod): boolean {
  const containers = podContainers(pod).map(({ container }) => windowsOptions(pod, container).hostProcess === true);
  if (!containers.includes(true)) return false;
  if (containers.includes(false))
    throw sandboxConfigError('pod must not contain both HostProcess and non-HostProcess containers');
  if (pod.spec?.hostNetwork !== true)
    throw sandboxConfigError('hostNetwork is required if Pod contains HostProcess containers');
  if (pod.spec.securityContext?.windowsOptions?.hostProcess === false)
    throw sandboxConfigError(
      "pod must not contain any HostProcess containers if Pod's WindowsOptions.HostProcess is set to false",
    );
  return true;
}
