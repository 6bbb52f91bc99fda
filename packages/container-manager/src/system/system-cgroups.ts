import { type Clock, createProblemLog, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import type { CgroupFileSystem } from '../tree/cgroup-file-system.ts';
import type { Processes } from './host-processes.ts';
import { SystemCheckError } from './system-check-error.ts';

/** Ports of {@link keepSystemCgroups}. */
export interface SystemCgroupsPorts {
  readonly cgroups: CgroupFileSystem;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Cgroups of what runs beside pods, as absolute paths. They are created when the first process is moved. */
export interface SystemCgroupNames {
  /** Cgroup of the agent (KubeletConfiguration `kubeletCgroups`). Default: the agent stays where it was started. */
  readonly kubeletCgroups?: string | undefined;
  /** Cgroup of the processes in no cgroup (KubeletConfiguration `systemCgroups`). Default: they stay in the root. */
  readonly systemCgroups?: string | undefined;
}

const PERIOD_MS = 60_000;
/** Passes over the processes of the root, because processes fork meanwhile. */
const MAX_PASSES = 11;

/** Checks the names. @throws SystemCheckError in the kubelet's words */
export function checkSystemCgroups({ systemCgroups }: SystemCgroupNames): void {
  if (systemCgroups === '/') throw new SystemCheckError('system container cannot be root ("/")');
}

/** Moves processes into their cgroups, at once and every minute. A failure is logged and retried. Rejects only when `signal` aborts. */
export async function keepSystemCgroups(
  ports: SystemCgroupsPorts,
  { kubeletCgroups, systemCgroups }: SystemCgroupNames,
  signal: AbortSignal,
): Promise<void> {
  const problems = createProblemLog(ports.logger);
  for (;;) {
    try {
      if (systemCgroups) await moveRootProcesses(ports, absolute(systemCgroups));
      if (kubeletCgroups) await moveAgent(ports, absolute(kubeletCgroups));
      problems.ended();
    } catch (error) {
      problems.failed('cannot move processes to their cgroups; it is tried again', {
        systemCgroups,
        kubeletCgroups,
        error: errorMessage(error),
      });
    }
    await sleep(ports.clock, PERIOD_MS, signal);
  }
}

async function moveAgent({ cgroups, processes, logger }: SystemCgroupsPorts, path: string): Promise<void> {
  if (!(await processes.hasNodePids())) return;
  const pid = processes.ownPid;
  // CPU and memory in different cgroups: in the new one they are together.
  const current = await processes.cgroupOf(pid).catch(() => undefined);
  if (current === path) return;
  await cgroups.create(path);
  await cgroups.addProcess(path, pid);
  logger.info('moved the agent to its cgroup', { from: current, to: path });
}

/** Moves all processes of the root except the first one, and those of the kernel. */
async function moveRootProcesses({ cgroups, processes }: SystemCgroupsPorts, path: string): Promise<void> {
  let failure: Error | undefined;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const pids = await movablePids(cgroups, processes);
    if (pids.length === 0) return;
    await cgroups.create(path);
    failure = undefined;
    for (const pid of pids) {
      try {
        await cgroups.addProcess(path, pid);
      } catch (error) {
        failure = new Error(
          `failed to move PID ${String(pid)} into the system container "${path}": ${errorMessage(error)}`,
          { cause: error },
        );
      }
    }
  }
  if (failure !== undefined) throw failure;
}

async function movablePids(cgroups: CgroupFileSystem, processes: Processes): Promise<readonly number[]> {
  const pids: number[] = [];
  for (const pid of await cgroups.processes('/'))
    if (pid !== 1 && !(await processes.isKernelThread(pid))) pids.push(pid);
  return pids;
}

function absolute(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}
