import { errorMessage, type Logger } from '@rxlet/component-base';
import { create } from '@bufbuild/protobuf';
import { LinuxContainerResourcesSchema, type RuntimeService } from '@rxlet/cri-api';

/** Running container of a pod. */
export interface RunningContainer {
  readonly podUid: string;
  readonly name: string;
  readonly id: string;
}

/** Ports of {@link createCpusetUpdates}. */
export interface CpusetUpdatesPorts {
  readonly runtime: Pick<RuntimeService, 'updateContainerResources'>;
  readonly logger: Logger;
  /** Returns the running containers, as of the latest relist. */
  runningContainers(): readonly RunningContainer[];
  /** Returns the CPUs that a container must run on, as a list such as `0-3`; empty for any. */
  cpusOf(podUid: string, containerName: string): string;
}

/** Keeps running containers on their CPUs (kubelet: reconcileState). */
export interface CpusetUpdates {
  /**
   * Records that a container was created and is about to run.
   *
   * @param cpus the CPUs that it certainly has; empty when they may have changed since its configuration was made
   */
  created(container: RunningContainer, cpus: string): void;
  /** Updates the containers whose CPUs have changed; after a start of the agent all. Failures are logged and retried by the next call. */
  run(signal: AbortSignal): Promise<void>;
}

/** A container as the runtime has it. */
interface Applied {
  readonly container: RunningContainer;
  readonly cpus: string;
  /** Whether the latest relist may be older than the container. */
  readonly isNew: boolean;
}

/** Creates {@link CpusetUpdates}. */
export function createCpusetUpdates(ports: CpusetUpdatesPorts): CpusetUpdates {
  const { runtime, logger } = ports;
  const applied = new Map<string, Applied>();
  /** Returns the running containers and those that are about to run, and drops the records of all others. */
  const current = (): readonly RunningContainer[] => {
    const found = new Map(ports.runningContainers().map((container) => [container.id, container]));
    for (const [id, { isNew, ...record }] of applied) {
      if (isNew) {
        found.set(id, record.container);
        applied.set(id, { ...record, isNew: false });
      } else if (!found.has(id)) applied.delete(id);
    }
    return [...found.values()];
  };
  return {
    created: (container, cpus) => void applied.set(container.id, { container, cpus, isNew: true }),
    async run(signal) {
      for (const container of current()) {
        const { id, podUid, name } = container;
        const cpus = ports.cpusOf(podUid, name);
        if (cpus === '' || applied.get(id)?.cpus === cpus) continue;
        try {
          const linux = create(LinuxContainerResourcesSchema, { cpusetCpus: cpus });
          await runtime.updateContainerResources({ containerId: id, linux }, { signal });
          applied.set(id, { container, cpus, isNew: false });
        } catch (error) {
          signal.throwIfAborted();
          const subject = { podUid, container: name, cpus };
          logger.warn('cannot update the CPUs of a container', { ...subject, error: errorMessage(error) });
        }
      }
    },
  };
}
