import type { Clock, Random, Timer } from '@rxlet/component-base';
import { type ContainerEventResponse, ServiceError, StatusCode } from '@rxlet/cri-api';
import type { EventHub } from '../event-hub.ts';

/** What goes wrong with the events of GetContainerEvents. Probabilities are between 0 and 1, each for one event; what is not given does not happen. */
export interface EventFaults {
  /** It never arrives. */
  readonly drop?: number;
  /** It arrives twice. */
  readonly duplicate?: number;
  /** It arrives after the one that follows it, or a second later when none does. */
  readonly reorder?: number;
  /** One of the latest {@link REPLAYED_EVENTS} arrives once more after it. */
  readonly replay?: number;
  /** Each event arrives this much later, in milliseconds. */
  readonly delayMs?: number;
}

/** How far back a replayed event is at most. */
export const REPLAYED_EVENTS = 16;

/** How long an event waits for the one that is to overtake it, in milliseconds. */
const REORDER_MS = 1000;

/** How many events are on their way at most; any further one arrives at once. */
const MAX_PENDING = 10_000;

/** An {@link EventHub} whose events suffer. */
export interface FaultyEventHub extends EventHub, Disposable {
  /** Replaces the faults of the events from now on. Throws InvalidArgument for a number that makes no sense. */
  setFaults(faults: EventFaults): void;
}

/** Puts faults between what publishes events and `hub`. With the same events and the same `random` the same goes wrong. */
export function createFaultyEvents(hub: EventHub, clock: Clock, random: Random): FaultyEventHub {
  let faults: Required<EventFaults> = checkFaults({});
  let any = false;
  const pending = new Set<Timer>();
  const latest: ContainerEventResponse[] = [];
  /** Lets the event that is held back go. */
  let releaseHeld: (() => void) | undefined;

  const happens = (probability: number): boolean => probability > 0 && random.next() < probability;
  const after = (delayMs: number, deliver: () => void): Timer | undefined => {
    if (delayMs <= 0 || pending.size >= MAX_PENDING) {
      deliver();
      return undefined;
    }
    const timer = clock.setTimer(delayMs, () => {
      pending.delete(timer);
      deliver();
    });
    pending.add(timer);
    return timer;
  };
  const send = (event: ContainerEventResponse): void => void after(faults.delayMs, () => hub.publish(event));

  const hold = (event: ContainerEventResponse): void => {
    let held = true;
    const timer = after(REORDER_MS, () => release());
    const release = (): void => {
      if (!held) return;
      held = false;
      if (releaseHeld === release) releaseHeld = undefined;
      if (timer !== undefined) {
        timer[Symbol.dispose]();
        pending.delete(timer);
      }
      send(event);
    };
    releaseHeld = release;
  };

  const suffer = (event: ContainerEventResponse): void => {
    if (happens(faults.drop)) return;
    const overtaken = releaseHeld;
    if (overtaken === undefined && pending.size < MAX_PENDING && happens(faults.reorder)) {
      hold(event);
    } else {
      send(event);
      if (happens(faults.duplicate)) send(event);
      overtaken?.();
    }
    latest.push(event);
    if (latest.length > REPLAYED_EVENTS) latest.shift();
    if (happens(faults.replay)) send(latest[Math.floor(random.next() * latest.length)]!);
  };

  return {
    get active() {
      return hub.active;
    },
    subscribe: (signal) => hub.subscribe(signal),
    publish: (event) => (any ? suffer(event) : hub.publish(event)),
    setFaults(newFaults) {
      faults = checkFaults(newFaults);
      any = Object.values(faults).some((value) => value > 0);
      releaseHeld?.();
      latest.length = 0;
    },
    [Symbol.dispose]() {
      for (const timer of pending) timer[Symbol.dispose]();
      pending.clear();
      releaseHeld = undefined;
    },
  };
}

function checkFaults(faults: EventFaults): Required<EventFaults> {
  const { drop = 0, duplicate = 0, reorder = 0, replay = 0, delayMs = 0 } = faults;
  for (const [name, value] of Object.entries({ drop, duplicate, reorder, replay })) {
    if (!(value >= 0 && value <= 1))
      throw new ServiceError(StatusCode.InvalidArgument, `${name} is ${String(value)}, but has to be from 0 to 1`);
  }
  if (!(delayMs >= 0 && delayMs < Infinity))
    throw new ServiceError(StatusCode.InvalidArgument, `delayMs is ${String(delayMs)}, but has to be 0 or more`);
  return { drop, duplicate, reorder, replay, delayMs };
}
