import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Clock,
  createBackoff,
  createLifetime,
  errorMessage,
  type Logger,
  noopLogger,
  onAbort,
} from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { pathElement } from '@rxlet/node-files';
import { findPodContainer, podUid } from '@rxlet/pod-model';
import type { PodProvider, ProviderContainerReference } from '../pod-provider.ts';
import { ProviderError } from '../provider-error.ts';
import { createProviderPodList } from '../provider-pod-list.ts';
import { createPodProcesses, type PodProcesses, readJson, replaceFile } from './pod-processes.ts';
import { readProcessLog } from './process-log.ts';
import { measureGroups } from './process-stats.ts';
import { unsupportedPod } from './unsupported-pod.ts';

/** Ports of {@link createProcessProvider}. */
export interface ProcessProviderPorts {
  readonly clock: Clock;
  readonly logger?: Logger;
}

/** Options of {@link createProcessProvider}. */
export interface ProcessProviderOptions {
  /** Directory of pods, logs and exit codes, which only this provider uses. It must survive the agent. */
  readonly directory: string;
}

/** A provider with resources in this process. Disposing of it leaves its pods running. */
export interface ProcessProvider extends PodProvider, AsyncDisposable {}

/**
 * Creates a provider that runs containers as processes of this machine, with the user of the agent and without any isolation. They survive the agent, and
 * restart as a kubelet restarts containers. A container needs a `command`; pods that use what processes cannot have are rejected.
 *
 * @example
 * ```ts
 * import { systemClock } from '@rxlet/component-base';
 * import { createVirtualNode } from '@rxlet/virtual-node';
 * import { createProcessProvider } from '@rxlet/virtual-node/processes';
 *
 * await using provider = createProcessProvider({ clock: systemClock }, { directory: '/var/lib/processes' });
 * await using node = await createVirtualNode(provider, { name: 'processes' });
 * ```
 */
export function createProcessProvider(
  { clock, logger = noopLogger }: ProcessProviderPorts,
  { directory }: ProcessProviderOptions,
): ProcessProvider {
  const lifetime = createLifetime();
  const list = createProviderPodList();
  const backoff = createBackoff({ initialMs: 10_000, maxMs: 300_000, expiryMs: 600_000 });
  const pods = new Map<string, PodProcesses>();
  let loaded: Promise<void> | undefined;

  const directoryOf = (uid: string): string => join(directory, pathElement(uid));
  const add = async (pod: Pod, isNew: boolean): Promise<void> => {
    const uid = podUid(pod);
    const removed = (): void => {
      pods.delete(uid);
      void processes[Symbol.asyncDispose]();
    };
    const ports = { clock, logger, backoff, list, directory: directoryOf(uid), removed };
    const processes = createPodProcesses(pod, ports);
    pods.set(uid, processes);
    try {
      await processes.start(isNew);
    } catch (error) {
      pods.delete(uid);
      throw error;
    }
  };
  /** Finds the pods of an earlier run. */
  const load = async (): Promise<void> => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    for (const uid of await readdir(directory)) {
      // Found by a load that failed later.
      if (pods.has(uid)) continue;
      // Written last, so that a directory without it was never a pod.
      const pod = await readJson<Pod>(join(directory, uid, 'pod.json'), logger);
      if (pod !== undefined) await add(pod, false);
    }
  };
  const ready = (): Promise<void> => {
    loaded ??= lifetime.track(load()).catch((error: unknown) => {
      loaded = undefined;
      throw new ProviderError('Unavailable', `cannot read ${directory}: ${errorMessage(error)}`, { cause: error });
    });
    return loaded;
  };
  const find = ({ pod: { uid, name }, container }: ProviderContainerReference): PodProcesses => {
    const processes = pods.get(uid);
    if (processes === undefined || list.get(uid) === undefined)
      throw new ProviderError('NotFound', `no processes of pod ${name}, container ${container}`);
    return processes;
  };

  return {
    name: 'processes',
    async *watch(signal) {
      await ready();
      yield* list.watch(signal);
    },
    admit: unsupportedPod,
    async create(pod) {
      await ready();
      const uid = podUid(pod);
      if (list.get(uid) !== undefined) return;
      const unsupported = unsupportedPod(pod);
      if (unsupported !== undefined) throw new ProviderError('Rejected', unsupported.message);
      await replaceFile(join(directoryOf(uid), 'pod.json'), JSON.stringify(pod));
      await add(pod, true);
    },
    async delete({ uid, name }, { gracePeriodSeconds }) {
      await ready();
      const processes = pods.get(uid);
      if (processes === undefined || list.get(uid) === undefined)
        throw new ProviderError('NotFound', `no processes of pod ${name}`);
      processes.end(gracePeriodSeconds);
    },
    logs(reference, options) {
      const { container } = reference;
      const processes = find(reference);
      const group = processes.groupOf(container);
      // The next instance has a log of its own.
      const isOpen = (): boolean => group !== undefined && processes.groupOf(container) === group;
      return readProcessLog(processes.logOf(container, options.previous), options, { clock, isOpen });
    },
    async exec(reference, command, { tty, stdin, stdout, stderr, signal }) {
      if (tty) throw new Error('a command beside a process has no terminal');
      const processes = find(reference);
      const { container } = findPodContainer(processes.pod, reference.container)!;
      const { environment, cwd } = processes.commandOf(container);
      const [program = '', ...args] = command;
      const child = spawn(program, args, { cwd, env: environment, stdio: 'pipe' });
      using _listener = onAbort(signal, () => void child.kill('SIGKILL'));
      // A child that cannot be spawned has no streams when all descriptors are in use.
      await once(child, 'spawn');
      child.stdin.on('error', () => undefined);
      if (stdin === undefined) child.stdin.end();
      else stdin.pipe(child.stdin);
      if (stdout !== undefined) child.stdout.pipe(stdout, { end: false });
      if (stderr !== undefined) child.stderr.pipe(stderr, { end: false });
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve(code ?? 137));
      });
    },
    async stats() {
      const groups = list.list().flatMap(({ uid, containers }) =>
        containers.flatMap(({ name }) => {
          const groupId = pods.get(uid)?.groupOf(name);
          return groupId === undefined ? [] : [{ uid, name, groupId }];
        }),
      );
      const uses = await measureGroups(new Set(groups.map(({ groupId }) => groupId)));
      return [...Map.groupBy(groups, ({ uid }) => uid)].map(([uid, ofPod]) => ({
        uid,
        containers: ofPod.map(({ name, groupId }) => ({ name, ...uses.get(groupId) })),
      }));
    },
    async [Symbol.asyncDispose]() {
      await lifetime[Symbol.asyncDispose]();
      for (const processes of pods.values()) await processes[Symbol.asyncDispose]();
    },
  };
}
