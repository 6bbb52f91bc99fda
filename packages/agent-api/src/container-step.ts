import type { ContainerConfig } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';

/** A module's part in the life of each container (kubelet: GenerateRunContainerOptions, InternalContainerLifecycle). Steps run in order of the modules. */
export interface ContainerStep {
  readonly name: string;
  /**
   * Returns the settings of a container beside its definition, such as devices. Called before each creation. A throw prevents the creation of the container
   * (CreateContainerConfigError).
   */
  additions?(
    pod: Pod,
    container: Container | EphemeralContainer,
    signal?: AbortSignal,
  ): ContainerAdditions | undefined | Promise<ContainerAdditions | undefined>;
  /**
   * Amends the configuration before the container is created, for example with its CPUs. A throw prevents the creation of the container (PreCreateHookError).
   */
  preCreate?(pod: Pod, container: Container | EphemeralContainer, config: ContainerConfig): void | Promise<void>;
  /** Runs between creation and start. A throw prevents the start of the container (PreStartHookError). */
  preStart?(pod: Pod, container: Container | EphemeralContainer, containerId: string): void | Promise<void>;
  /** Runs after the container has stopped, possibly several times for one container. Errors are logged only. */
  postStop?(containerId: string): void | Promise<void>;
}

/** Settings of a container beside its definition, which wins: variables of the same name replace these. */
export interface ContainerAdditions {
  /** Variables, name → value. The container's command and arguments may refer to them. */
  readonly environment: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly mounts: readonly AddedMount[];
  readonly devices: readonly AddedDevice[];
  /** Names in the Container Device Interface, such as `example.com/gpu=0`. */
  readonly cdiDevices: readonly string[];
}

/** A bind mount of a path of the node. */
export interface AddedMount {
  readonly hostPath: string;
  readonly containerPath: string;
  readonly readOnly: boolean;
}

/** A device file of the node. */
export interface AddedDevice {
  readonly hostPath: string;
  readonly containerPath: string;
  /** Of the letters `r`, `w` and `m`. */
  readonly permissions: string;
}
