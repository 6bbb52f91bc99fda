import { errorMessage, type Logger } from '@rxlet/component-base';
import { create } from '@bufbuild/protobuf';
import { LinuxContainerResourcesSchema, type RuntimeService } from '@rxlet/cri-api';

/** Instance of a container of a pod, which runs or is about to. */
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
  /** Reports whether a container has exited, as of the latest relist. */
  hasExited(container: RunningContainer): boolean;
  /** Reports whether a pod may still run containers. */
  mayUseCpus(podUid: string): boolean;
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
  /** Whether it was created since the last call of `run`. */
  readonly isNew: boolean;
  /** Whether a relist had it running. Until then the latest relist may be older than the container. */
  readonly wasSeen: boolean;
}

/** Creates {@link CpusetUpdates}. */
export function createCpusetUpdates(ports: CpusetUpdatesPorts): CpusetUpdates {
  const { runtime, logger } = ports;
  /** The latest instance of each container, by pod and name. */
  const applied = new Map<string, Applied>();
  const keyOf = ({ podUid, name }: RunningContainer): string => `${podUid}/${name}`;
  /** Returns the running containers and those that are about to run, and drops the records of all that run no more. */
  const current = (): readonly RunningContainer[] => {
    const found = new Map(ports.runningContainers().map((container) => [keyOf(container), container]));
    for (const [key, record] of applied) {
      const running = found.get(key);
      const isRunning = running?.id === record.container.id;
      const hasExited = !isRunning && ports.hasExited(record.container);
      if (record.isNew && !isRunning && !hasExited) found.set(key, record.container);
      else if (
        hasExited ||
        (!isRunning && (running !== undefined || record.wasSeen || !ports.mayUseCpus(record.container.podUid)))
      ) {
        applied.delete(key);
        continue;
      }
      if (record.isNew || isRunning !== record.wasSeen)
        applied.set(key, { ...record, isNew: false, wasSeen: isRunning });
    }
    return [...found.values()];
  };
  return {
    created: (container, cpus) => void applied.set(keyOf(container), { container, cpus, isNew: true, wasSeen: false }),
    async run(signal) {
      for (const container of current()) {
        const { id, podUid, name } = container;
        const cpus = ports.cpusOf(podUid, name);
        const record = applied.get(keyOf(container));
        const hadCpus = record?.container.id === id ? record.cpus : undefined;
        if (cpus === '' || hadCpus === cpus) continue;
        try {
          const linux = create(LinuxContainerResourcesSchema, { cpusetCpus: cpus });
          await runtime.updateContainerResources({ containerId: id, linux }, { signal });
          applied.set(keyOf(container), { container, cpus, isNew: false, wasSeen: record?.wasSeen ?? true });
        } catch (error) {
          signal.throwIfAborted();
          const subject = { podUid, container: name, cpus };
          logger.warn('cannot update the CPUs of a container', { ...subject, error: errorMessage(error) });
        }
      }
    },
  };
}
