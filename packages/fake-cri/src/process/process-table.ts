import { NamespaceMode } from '@rxlet/cri-api';
import type { Container } from '../runtime-objects.ts';
import type { RuntimeState } from '../runtime-state.ts';
import type { Process } from './process.ts';
import type { ProcessInfo } from './process-environment.ts';

/** A process that is seen by those of a container. */
export interface VisibleProcess extends ProcessInfo {
  /** `undefined` for the process that holds the namespaces of a pod. */
  readonly container: Container | undefined;
  /** `undefined` for the process that holds the namespaces of a pod: it ignores signals. */
  readonly process: Process | undefined;
}

/** User of the process that holds the namespaces of a pod. */
const PAUSE_UID = 65_535n;

/** Returns the processes that those of a container see, in the order of their ids. */
export function visibleProcesses(state: Pick<RuntimeState, 'containers'>, viewer: Container): VisibleProcess[] {
  const namespace = pidNamespaceOf(state, viewer);
  const { holder, pod } = namespace;
  const found: VisibleProcess[] = [];
  for (const container of state.containers.values()) {
    if (namespace.isHost || isSame(namespace, pidNamespaceOf(state, container))) {
      for (const process of processesOf(container)) {
        const pid = holder === undefined ? process.pid : process.pid - (holder.process?.pid ?? 1) + 1;
        found.push({ pid, argv: process.argv, uid: container.status.user?.linux?.uid ?? 0n, container, process });
      }
    }
  }
  if (pod !== undefined)
    found.push({ pid: 1, argv: ['/pause'], uid: PAUSE_UID, container: undefined, process: undefined });
  return found.sort((a, b) => a.pid - b.pid);
}

/** Returns the id of a container's process in its own PID namespace. */
export function namespacedPid(state: Pick<RuntimeState, 'containers'>, container: Container, pid: number): number {
  const { holder } = pidNamespaceOf(state, container);
  return holder === undefined || holder.process === undefined ? pid : pid - holder.process.pid + 1;
}

interface PidNamespace {
  readonly isHost: boolean;
  /** The container whose first process has id 1. */
  readonly holder?: Container;
  /** Id of the sandbox whose containers share it. */
  readonly pod?: string;
}

/** Without namespace options, a container has a namespace of its own. */
function pidNamespaceOf(state: Pick<RuntimeState, 'containers'>, container: Container): PidNamespace {
  const options = container.config.linux?.securityContext?.namespaceOptions;
  switch (options?.pid) {
    case NamespaceMode.NODE:
      return { isHost: true };
    case NamespaceMode.POD:
      return { isHost: false, pod: container.sandbox.id };
    case NamespaceMode.TARGET: {
      const target = state.containers.find(options.targetId);
      if (target === undefined || target === container) return { isHost: false, holder: container };
      const targetMode = target.config.linux?.securityContext?.namespaceOptions?.pid;
      return targetMode === NamespaceMode.TARGET ? { isHost: false, holder: target } : pidNamespaceOf(state, target);
    }
    default:
      return { isHost: false, holder: container };
  }
}

function isSame(a: PidNamespace, b: PidNamespace): boolean {
  return a.isHost === b.isHost && a.pod === b.pod && a.holder?.id === b.holder?.id;
}

function processesOf({ process, execs }: Container): Process[] {
  return process === undefined ? [] : [process, ...execs];
}
