import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type Backoff, type Clock, createLifetime, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import type { Container, Pod } from '@rxlet/kube-api';
import { pathElement } from '@rxlet/node-files';
import { expandVariables, podUid } from '@rxlet/pod-model';
import { containerShouldRestart } from '@rxlet/pod-model/restart';
import type { ProviderContainer, ProviderPod } from '../provider-pod.ts';
import type { ProviderPodList } from '../provider-pod-list.ts';
import {
  findProcess,
  findUnrecorded,
  type FoundProcess,
  type ProcessExit,
  readExit,
  readStartTicks,
  startProcess,
  type SupervisedProcess,
} from './supervised-process.ts';

/** Ports of {@link createPodProcesses}. */
export interface PodProcessesPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly backoff: Backoff;
  readonly list: ProviderPodList;
  /** Directory of the pod, which exists. */
  readonly directory: string;
  /** Called when the pod was removed. */
  readonly removed: () => void;
}

/** The processes of one pod. Disposing of it leaves them running. */
export interface PodProcesses extends AsyncDisposable {
  readonly pod: Pod;
  /** Starts the containers, or finds those of an earlier run. */
  start(isNew: boolean): Promise<void>;
  /** Ends all processes within the grace period, and removes the pod. A later call may shorten the period. */
  end(gracePeriodSeconds: number): void;
  /** Returns the group of a container's running process. */
  groupOf(container: string): number | undefined;
  /** Returns the path of the log of the current instance, or of the one before. */
  logOf(container: string, previous: boolean): string;
  /** Returns the command line, environment and directory of a container. */
  commandOf(container: Container): { readonly environment: Readonly<Record<string, string>>; readonly cwd: string };
}

/** Record of an instance, in the file `<container>.<attempt>.json`. */
interface InstanceRecord extends FoundProcess {
  readonly attempt: number;
}

/** Exit code of a process that was killed, or whose end left no trace. */
const KILLED = 137;

/** Creates the processes of a pod. */
export function createPodProcesses(pod: Pod, ports: PodProcessesPorts): PodProcesses {
  const { clock, logger, backoff, list, directory, removed } = ports;
  const { name = '', namespace = '' } = pod.metadata ?? {};
  const uid = podUid(pod);
  const lifetime = createLifetime();
  const waiting = { clock, signal: lifetime.signal };
  const stop = new AbortController();
  /** Last signal of the end of the pod, which processes that were just starting have not got. */
  let endSignal: 'SIGTERM' | 'SIGKILL' | undefined;
  const running = new Map<string, SupervisedProcess>();
  const attempts = new Map<string, number>();
  const finished = new Map<string, Promise<void>>();
  let ending: Promise<void> | undefined;

  const report = (container: ProviderContainer): void => {
    const before: ProviderPod = list.get(uid) ?? { uid, name, namespace, containers: [] };
    const others = before.containers.filter((one) => one.name !== container.name);
    const order = (pod.spec?.containers ?? []).map((one) => one.name);
    const containers = [...others, container].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    list.set({ ...before, containers });
  };
  const pathOf = (container: string, attempt: number): string =>
    `${directory}/${pathElement(container)}.${String(attempt)}`;
  const recordPath = (container: string): string => `${directory}/${pathElement(container)}.json`;

  const writeRecord = (container: string, record: InstanceRecord): Promise<void> =>
    replaceFile(recordPath(container), JSON.stringify(record));
  /** Returns the current instance of a container. That of an agent which was killed just after its start has no record yet. */
  const findInstance = async (container: string): Promise<InstanceRecord | undefined> => {
    const recorded = await readJson<InstanceRecord>(recordPath(container), logger);
    const runs = recorded && (await findProcess(pathOf(container, recorded.attempt), recorded, waiting)) !== undefined;
    if (runs === true) return recorded;
    const attempt = recorded === undefined ? 0 : recorded.attempt + 1;
    const unrecorded = await findUnrecorded(pathOf(container, attempt), waiting);
    if (unrecorded === undefined) return recorded;
    const record = { attempt, ...unrecorded };
    await writeRecord(container, record).catch((error: unknown) => {
      // The next agent finds it as this one did.
      logger.warn('cannot record a process', { pod: `${namespace}/${name}`, error: errorMessage(error) });
    });
    return record;
  };

  const environmentOf = ({ env = [] }: Container): Readonly<Record<string, string>> => {
    const path = process.env['PATH'] ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const environment: Record<string, string> = { PATH: path, HOSTNAME: name };
    for (const { name: variable, value = '' } of env)
      environment[variable] = expandVariables(value, (reference) => environment[reference]);
    return environment;
  };

  const launch = async (container: Container, attempt: number): Promise<SupervisedProcess> => {
    const environment = environmentOf(container);
    const expand = (text: string): string => expandVariables(text, (reference) => environment[reference]);
    const command = [...(container.command ?? []), ...(container.args ?? [])].map(expand);
    const workingDirectory = container.workingDir ?? directory;
    const path = pathOf(container.name, attempt);
    // Of an instance whose record was lost.
    await rm(`${path}.exit`, { force: true });
    const started = await startProcess(path, { command, environment, workingDirectory }, clock);
    try {
      const record: InstanceRecord = {
        attempt,
        groupId: started.groupId,
        startTicks: (await readStartTicks(started.groupId, waiting)) ?? '',
        startedAtMs: started.startedAtMs,
      };
      await writeRecord(container.name, record);
    } catch (error) {
      // Nothing would find it again.
      started.signal('SIGKILL');
      throw error;
    }
    return started;
  };
  /** Removes the log and the end of an instance that is not the one before the current any more. */
  const removeInstance = async (container: string, attempt: number): Promise<void> => {
    for (const file of ['log', 'exit']) await rm(`${pathOf(container, attempt)}.${file}`, { force: true });
  };

  /** Runs a container until it has ended for good or the pod ends. */
  const supervise = async (container: Container, found: InstanceRecord | undefined): Promise<void> => {
    const { name: containerName } = container;
    let attempt = found?.attempt ?? 0;
    let adopted = found;
    for (;;) {
      attempts.set(containerName, attempt);
      const common = { name: containerName, restartCount: attempt };
      let exit: ProcessExit | undefined;
      let startedAtMs = adopted?.startedAtMs ?? clock.now();
      try {
        const path = pathOf(containerName, attempt);
        const current =
          adopted === undefined ? await launch(container, attempt) : await findProcess(path, adopted, waiting);
        if (current !== undefined) {
          ({ startedAtMs } = current);
          running.set(containerName, current);
          if (endSignal !== undefined) current.signal(endSignal);
          report({ ...common, state: 'running', startedAtMs });
          exit = await current.ended(lifetime.signal);
          running.delete(containerName);
          // As in a container, processes in the background end with the command.
          current.signal('SIGKILL');
        } else {
          exit = await readExit(path, waiting);
        }
      } catch (error) {
        lifetime.signal.throwIfAborted();
        logger.warn('cannot run a process', { pod: `${namespace}/${name}`, error: errorMessage(error) });
        exit = { exitCode: KILLED, finishedAtMs: clock.now() };
      }
      adopted = undefined;
      const exitCode = exit?.exitCode ?? KILLED;
      const finishedAtMs = exit?.finishedAtMs ?? clock.now();
      report({ ...common, state: 'exited', exitCode, startedAtMs, finishedAtMs: Math.max(finishedAtMs, startedAtMs) });
      if (stop.signal.aborted || !containerShouldRestart(container, pod, exitCode)) return;
      await waitForRestart(containerName, attempt, clock.monotonicNow());
      if (stop.signal.aborted) return;
      attempt += 1;
      await removeInstance(containerName, attempt - 2).catch(() => undefined);
    }
  };

  /** Waits for the end of the back-off; the first restart is immediate. */
  const waitForRestart = async (container: string, attempt: number, exitMs: number): Promise<void> => {
    const key = `${uid}/${container}`;
    const delayMs = backoff.delayMs(key, exitMs);
    if (delayMs > 0) {
      const message = `back-off ${String(delayMs / 1000)}s restarting failed container=${container}`;
      report({ name: container, state: 'waiting', restartCount: attempt + 1, reason: 'CrashLoopBackOff', message });
      const signal = AbortSignal.any([lifetime.signal, stop.signal]);
      await sleep(clock, delayMs, signal).catch(() => lifetime.signal.throwIfAborted());
    }
    backoff.next(key, exitMs, clock.monotonicNow());
  };

  const endAll = async (): Promise<void> => {
    await Promise.all(finished.values());
    // Their end was not awaited: the next agent finds them.
    lifetime.signal.throwIfAborted();
    await rm(directory, { recursive: true, force: true });
    for (const container of attempts.keys()) backoff.reset(`${uid}/${container}`);
    list.remove(uid);
    removed();
  };
  const signalAll = (name: 'SIGTERM' | 'SIGKILL'): void => {
    if (endSignal !== 'SIGKILL') endSignal = name;
    running.forEach((one) => one.signal(name));
  };

  return {
    pod,
    async start(isNew) {
      const found: [Container, InstanceRecord | undefined][] = [];
      for (const container of pod.spec?.containers ?? [])
        found.push([container, isNew ? undefined : await findInstance(container.name)]);
      list.set({ uid, name, namespace, containers: [] });
      for (const [container, record] of found)
        finished.set(
          container.name,
          lifetime.track(supervise(container, record)).catch(() => undefined),
        );
    },
    end(gracePeriodSeconds) {
      stop.abort(new Error('the pod ends'));
      signalAll('SIGTERM');
      ending ??= lifetime.track(endAll()).catch((error: unknown) => {
        ending = undefined;
        if (!lifetime.signal.aborted) logger.error('cannot remove a pod', { uid, error: errorMessage(error) });
      });
      const kill = async (): Promise<void> => {
        await Promise.race([sleep(clock, gracePeriodSeconds * 1000, lifetime.signal), ending]);
        signalAll('SIGKILL');
      };
      void lifetime.track(kill()).catch(() => undefined);
    },
    groupOf: (container) => running.get(container)?.groupId,
    logOf(container, previous) {
      const attempt = (attempts.get(container) ?? 0) - (previous ? 1 : 0);
      return `${pathOf(container, attempt)}.log`;
    },
    commandOf: (container) => ({
      environment: environmentOf(container),
      cwd: container.workingDir ?? directory,
    }),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** Reads a file of JSON; `undefined` when there is none, or a loss of power has damaged it. Rejects when it cannot be read. */
export async function readJson<T>(path: string, logger: Logger): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    logger.warn('cannot use a damaged file', { path, error: errorMessage(error) });
    return undefined;
  }
}

/** Replaces a file at once, so that a crash leaves the old or the new content. */
export async function replaceFile(path: string, content: string): Promise<void> {
  await mkdir(path.replace(/\/[^/]*$/, ''), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, content, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
