import type { CsiDrivers, RegisteredCsiDriver } from '../csi-drivers.ts';
import {
  type Clock,
  createLifetime,
  createProblemLog,
  errorMessage,
  jitter,
  type Logger,
  type Random,
  sleep,
} from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import { sameValue } from '@rxlet/kube-api/strategic-merge';
import type { CsiNodeWriter } from './csi-node-writer.ts';

/** Ports of {@link createCsiNodeSync}. */
export interface CsiNodeSyncPorts {
  readonly writer: CsiNodeWriter;
  /** Default: a node without drivers. */
  readonly drivers?: Pick<CsiDrivers, 'registered$'> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The CSINode object of this node: it exists, and lists the drivers that have registered. */
export interface CsiNodeSync extends AsyncDisposable {
  start(): void;
  /** Why the object does not exist yet; `undefined` once it does. The node is not ready until then: the scheduler counts volumes by it. */
  readonly problem: string | undefined;
}

const JITTER = 0.1;
/** Delays of the attempts that follow a failure at once, as in the kubelet. */
const FAST_RETRIES_MS = [10, 50, 250];
const FIRST_PAUSE_MS = 30;
const PAUSE_FACTOR = 8;
const MAX_PAUSE_MS = 15_000;
const PROBE_PERIOD_MS = 1_000;

/** A driver to install or to remove. */
interface Change {
  readonly name: string;
  apply(): Promise<void>;
}

/** Creates a {@link CsiNodeSync}. */
export function createCsiNodeSync({ writer, drivers, clock, random, logger }: CsiNodeSyncPorts): CsiNodeSync {
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const installed = new Map<string, RegisteredCsiDriver>();
  let wanted: readonly RegisteredCsiDriver[] = [];
  let problem: string | undefined = 'CSINode is not yet initialized';
  let isSyncing = false;
  let isStarted = false;

  const problems = createProblemLog(logger);
  const pause = (ms: number): Promise<void> => sleep(clock, jitter(random, ms, JITTER), signal);
  /** Retries until success. Reports a failure when several attempts in a row have failed. */
  const persistently = async (action: () => Promise<void>, report: (message: string) => void): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * PAUSE_FACTOR, MAX_PAUSE_MS)) {
      let failure: unknown;
      for (const delayMs of [...FAST_RETRIES_MS, 0]) {
        try {
          await action();
          return;
        } catch (error) {
          signal.throwIfAborted();
          failure = error;
        }
        if (delayMs > 0) await pause(delayMs);
      }
      report(errorMessage(failure));
      await pause(pauseMs);
    }
  };
  const reachServer = async (): Promise<void> => {
    for (;;) {
      try {
        await writer.probe(signal);
        return;
      } catch {
        signal.throwIfAborted();
        await pause(PROBE_PERIOD_MS);
      }
    }
  };
  /** Names of drivers in the order of their last failures. The API server may reject one for good, such as a name that is not valid. */
  const failed = new Set<string>();
  /** Returns the next driver to install or to remove, those that have failed last. Drivers of an earlier agent stay: they will register again. */
  const nextChange = (): Change | undefined => {
    const added = wanted.filter((driver) => !sameValue(installed.get(driver.name), driver));
    const removed = [...installed.keys()].filter((name) => !wanted.some((driver) => driver.name === name));
    const changes: readonly Change[] = [
      ...added.map((driver) => ({
        name: driver.name,
        async apply() {
          await writer.install(driver, signal);
          installed.set(driver.name, driver);
        },
      })),
      ...removed.map((name) => ({
        name,
        async apply() {
          await writer.uninstall(name, signal);
          installed.delete(name);
        },
      })),
    ];
    for (const name of failed) if (!changes.some((change) => change.name === name)) failed.delete(name);
    return (
      changes.find(({ name }) => !failed.has(name)) ?? changes.find(({ name }) => name === failed.values().next().value)
    );
  };
  const applyNext = async (): Promise<void> => {
    const change = nextChange();
    if (change === undefined) return;
    // Last in order, unless it succeeds.
    failed.delete(change.name);
    failed.add(change.name);
    await change.apply();
    failed.delete(change.name);
  };
  const sync = async (): Promise<void> => {
    if (isSyncing || problem !== undefined) return;
    isSyncing = true;
    while (nextChange() !== undefined) {
      await persistently(applyNext, (error) => problems.failed('cannot list the CSI drivers of the node', { error }));
    }
    isSyncing = false;
  };
  const run = async (): Promise<void> => {
    await reachServer();
    await persistently(
      () => writer.initialize(signal),
      (error) => {
        problem = `failed to initialize CSINode: error updating CSINode annotation: timed out waiting for the condition; caused by: ${error}`;
        problems.failed('cannot initialize the CSINode of the node', { error });
      },
    );
    problem = undefined;
    problems.ended();
    await sync();
  };
  const inBackground = (task: () => Promise<void>): void => {
    void lifetime.track(task()).catch((error: unknown) => {
      if (!signal.aborted) logger.error('the CSINode is not kept up to date any more', { error: errorMessage(error) });
    });
  };

  return {
    start() {
      if (isStarted) return;
      isStarted = true;
      if (drivers !== undefined) {
        const subscription = follow(drivers.registered$, {
          task: 'listing CSI drivers',
          logger,
          next(registered) {
            wanted = registered;
            inBackground(sync);
          },
        });
        lifetime.defer(() => subscription.unsubscribe());
      }
      inBackground(run);
    },
    get problem() {
      return problem;
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
