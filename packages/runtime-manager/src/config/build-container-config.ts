import { create } from '@bufbuild/protobuf';
import {
  type CDIDevice,
  type ContainerConfig,
  ContainerConfigSchema,
  type Device,
  LinuxContainerConfigSchema,
  type Mount,
  NamespaceMode,
  Signal,
  type UserNamespace,
} from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { expandVariables } from '@rxlet/pod-model';
import { containerLogPath } from '../files/pod-paths.ts';
import { containerAnnotations, containerLabels } from './container-metadata.ts';
import { nodeUsers } from '../userns/user-namespaces.ts';
import { createBoundedLength } from './bounded-length.ts';
import { bytesOfText } from './byte-text.ts';
import { type ImageUser, verifyRunAsNonRoot } from './image-user.ts';
import { containerResources } from './linux-resources.ts';
import type { NodeSettings } from './node-settings.ts';
import { containerSecurityContext } from './security-context.ts';
import { stopSignal } from './stop-signal.ts';

/** Input of {@link buildContainerConfig}. */
export interface ContainerConfigInput {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  /** Number of earlier instances of the container. */
  readonly restartCount: number;
  /** Environment variables, name → value; see `containerEnvironment`. */
  readonly environment: ReadonlyMap<string, string>;
  /** Image reference that the runtime resolved. */
  readonly imageRef: string;
  /** Default user of the image. */
  readonly imageUser: ImageUser;
  /** Mounts, in order. */
  readonly mounts: readonly Mount[];
  /** Block devices, in order. Default: none. */
  readonly devices?: readonly Device[] | undefined;
  /** Devices of the Container Device Interface, in order. Default: none. */
  readonly cdiDevices?: readonly CDIDevice[] | undefined;
  /** Annotations beside those of the agent, which win. Default: none. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** User namespace of the pod. Default: the users of the node. */
  readonly users?: UserNamespace | undefined;
  /** Groups of the pod's volumes, beside those of the pod. Default: none. */
  readonly volumeGroups?: readonly bigint[] | undefined;
  /** Id of the container whose process namespace an ephemeral container joins. */
  readonly targetContainerId?: string | undefined;
  readonly settings: NodeSettings;
}

/**
 * Builds the configuration of one container for CreateContainer.
 * @throws ConfigError when the container's definition is invalid or refers to something that does not exist
 */
export function buildContainerConfig(input: ContainerConfigInput): ContainerConfig {
  const { pod, container, imageUser, users = nodeUsers, settings } = input;
  verifyRunAsNonRoot(pod, container, imageUser);
  return {
    ...commonContainerConfig(input),
    mounts: input.mounts.map((mount) => withIdMappings(mount, users)),
    devices: [...(input.devices ?? [])],
    linux: create(LinuxContainerConfigSchema, {
      resources: containerResources(pod, container, settings),
      securityContext: containerSecurityContext(
        pod,
        container,
        imageUser,
        users,
        input.targetContainerId ?? '',
        settings,
        input.volumeGroups,
      ),
    }),
  };
}

/** Returns the fields that do not depend on the operating system. */
export function commonContainerConfig(
  input: Omit<ContainerConfigInput, 'users' | 'volumeGroups' | 'targetContainerId' | 'mounts' | 'devices'>,
): ContainerConfig {
  const { pod, container, restartCount, environment, settings } = input;
  const bounded = createBoundedLength('command');
  const expand = (text: string): string => bounded.add(() => expandVariables(text, (name) => environment.get(name)));
  return create(ContainerConfigSchema, {
    metadata: { name: container.name, attempt: restartCount },
    image: { image: input.imageRef, userSpecifiedImage: container.image ?? '' },
    command: (container.command ?? []).map(expand),
    args: (container.args ?? []).map(expand),
    workingDir: container.workingDir ?? '',
    envs: [...environment].map(([key, value]) => ({ key, value: bytesOfText(value) })),
    CDIDevices: [...(input.cdiDevices ?? [])],
    labels: containerLabels(pod, container.name),
    annotations: { ...input.annotations, ...containerAnnotations(pod, container, restartCount) },
    logPath: containerLogPath(container.name, restartCount),
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    stopSignal: settings.containerStopSignals ? stopSignal(container.lifecycle?.stopSignal) : Signal.RUNTIME_DEFAULT,
  });
}

/** Returns a mount whose owners appear to the pod's users as they are on the node. */
export function withIdMappings(mount: Mount, { mode, uids, gids }: UserNamespace): Mount {
  return mode === NamespaceMode.POD ? { ...mount, uidMappings: [...uids], gidMappings: [...gids] } : mount;
}
