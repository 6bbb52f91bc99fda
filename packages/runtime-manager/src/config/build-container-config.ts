import { create } from '@bufbuild/protobuf';
import { type ContainerConfig, ContainerConfigSchema, type Mount, Signal } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { expandVariables } from '@rxlet/pod-model';
import { containerLogPath } from '../files/pod-paths.ts';
import { containerAnnotations, containerLabels } from './container-metadata.ts';
import { containerEnvironment } from './environment.ts';
import { type ImageUser, verifyRunAsNonRoot } from './image-user.ts';
import { containerResources } from './linux-resources.ts';
import type { NodeSettings } from './node-settings.ts';
import { containerSecurityContext } from './security-context.ts';
import { stopSignal } from './stop-signal.ts';

/** What a container is made from. */
export interface ContainerConfigInput {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  /** How many instances of the container there have been before. */
  readonly restartCount: number;
  /** Addresses of the sandbox, the primary one first. */
  readonly podIps: readonly string[];
  /** The image as the runtime resolved it. */
  readonly imageRef: string;
  /** The user that the image names. */
  readonly imageUser: ImageUser;
  /** Everything to mount, in order. */
  readonly mounts: readonly Mount[];
  /** The container whose processes an ephemeral container joins, by its id. */
  readonly targetContainerId?: string | undefined;
  readonly settings: NodeSettings;
}

const encoder = new TextEncoder();

/**
 * Builds the configuration of one container: the heart of the request of CreateContainer.
 * @throws ConfigError when the container asks for something that cannot be.
 */
export function buildContainerConfig(input: ContainerConfigInput): ContainerConfig {
  const { pod, container, restartCount, podIps, imageUser, settings } = input;
  const environment = containerEnvironment(pod, container, podIps, settings);
  verifyRunAsNonRoot(pod, container, imageUser);
  const expand = (text: string): string => expandVariables(text, (name) => environment.get(name));
  return create(ContainerConfigSchema, {
    metadata: { name: container.name, attempt: restartCount },
    image: { image: input.imageRef, userSpecifiedImage: container.image ?? '' },
    command: (container.command ?? []).map(expand),
    args: (container.args ?? []).map(expand),
    workingDir: container.workingDir ?? '',
    envs: [...environment].map(([key, value]) => ({ key, value: encoder.encode(value) })),
    mounts: [...input.mounts],
    labels: containerLabels(pod, container.name),
    annotations: containerAnnotations(pod, container, restartCount),
    logPath: containerLogPath(container.name, restartCount),
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    stopSignal: settings.containerStopSignals ? stopSignal(container.lifecycle?.stopSignal) : Signal.RUNTIME_DEFAULT,
    linux: {
      resources: containerResources(pod, container, settings),
      securityContext: containerSecurityContext(pod, container, imageUser, input.targetContainerId ?? '', settings),
    },
  });
}
