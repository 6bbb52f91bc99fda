import type { Clock } from '@rxlet/component-base';
import type { Logind, LogindObserver } from '../logind/logind.ts';

/** A login manager in memory, which outlives agents. */
export interface FakeLogind extends Logind {
  /** Begins a shutdown. */
  shutDown(): void;
  /** Cancels the shutdown. */
  cancel(): void;
  /** Ends all connections, as the end of their agent does. Locks are given back. */
  disconnect(): void;
  /** Whether a client delays shutdowns. */
  isInhibited(): boolean;
  /** Time at which the last lock was given back during the shutdown, in milliseconds; `undefined` before. */
  readonly releasedMs: number | undefined;
  /** Longest delay of a shutdown, in milliseconds. */
  delayMs: number;
  /** Whether an overridden delay takes effect. */
  readsConfiguration: boolean;
  /** Whether connections fail. */
  isAway: boolean;
}

/** Creates a {@link FakeLogind} with logind's default delay of five seconds. */
export function createFakeLogind(clock: Clock): FakeLogind {
  const observers = new Set<LogindObserver>();
  const locks = new Set<object>();
  let isPreparing = false;
  let releasedMs: number | undefined;
  const drop = (lock: object): void => {
    if (locks.delete(lock) && isPreparing && locks.size === 0) releasedMs = clock.now();
  };
  const announce = (begins: boolean): void => {
    isPreparing = begins;
    releasedMs = undefined;
    for (const observer of observers) observer.prepareForShutdown(begins);
  };
  const fake: FakeLogind = {
    shutDown: () => announce(true),
    cancel: () => announce(false),
    disconnect() {
      const lost = [...observers];
      observers.clear();
      [...locks].forEach(drop);
      for (const observer of lost) observer.lost(new Error('the bus has closed the connection'));
    },
    isInhibited: () => locks.size > 0,
    get releasedMs() {
      return releasedMs;
    },
    delayMs: 5_000,
    readsConfiguration: true,
    isAway: false,
    async connect(observer) {
      if (fake.isAway) throw new Error('connect ENOENT /run/dbus/system_bus_socket');
      observers.add(observer);
      return {
        inhibitDelayMs: async () => fake.delayMs,
        async overrideInhibitDelay(seconds) {
          if (fake.readsConfiguration) fake.delayMs = seconds * 1000;
        },
        isPreparingForShutdown: async () => isPreparing,
        async inhibitShutdown() {
          if (isPreparing) throw new Error('The operation inhibition has been requested for is already running');
          const lock = {};
          locks.add(lock);
          return { [Symbol.asyncDispose]: async () => drop(lock) };
        },
        [Symbol.asyncDispose]: async () => void observers.delete(observer),
      };
    },
  };
  return fake;
}
