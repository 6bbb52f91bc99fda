import type { Clock, Random, Timer } from '@rxlet/component-base';
import { type ContainerEventResponse, ServiceError, StatusCode } from '@rxlet/cri-api';
import { checkNames } from '../check-options.ts';
import type { EventHub } from '../event-hub.ts';

/** Faults of the events of GetContainerEvents. Probabilities are from 0 to 1, each for one event; default 0. */
export interface EventFaults {
  /** Probability that the event is lost. */
  readonly drop?: number;
  /** Probability that the event arrives twice. */
  readonly duplicate?: number;
  /** Probability that the event arrives after its successor, or a second later without one. */
  readonly reorder?: number;
  /** Probability that one of the latest 16 events is repeated after the event. */
  readonly replay?: number;
  /** Delay of each event, in milliseconds. */
  readonly delayMs?: number;
}

/** Number of latest events from which a replayed one is chosen. */
export const REPLAYED_EVENTS = 16;

/** Time for which an event waits for its successor to overtake it, in milliseconds. */
const REORDER_MS = 1000;

/** Maximum number of delayed events; any further one arrives at once. */
const MAX_PENDING = 10_000;

/** An {@link EventHub} with faults. */
export interface FaultyEventHub extends EventHub, Disposable {
  /** Replaces the faults of the events from now on. Throws InvalidArgument for a number out of range. */
  setFaults(faults: EventFaults): void;
}

/** Creates a hub that applies faults before it publishes to `hub`. The same events and the same `random` give the same faults. */
export function createFaultyEvents(hub: EventHub, clock: Clock, random: Random): FaultyEventHub {
  let faults: Required<EventFaults> = checkFaults({});
  let any = false;
  const pending = new Set<Timer>();
  const latest: ContainerEventResponse[] = [];
  /** Releases the event that is held back. */
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
  checkNames('event fault', faults, ['drop', 'duplicate', 'reorder', 'replay', 'delayMs']);
  const { drop = 0, duplicate = 0, reorder = 0, replay = 0, delayMs = 0 } = faults;
  for (const [name, value] of Object.entries({ drop, duplicate, reorder, replay })) {
    if (!(value >= 0 && value <= 1))
      throw new ServiceError(StatusCode.InvalidArgument, `${name} is ${String(value)}, must be from 0 to 1`);
  }
  if (!(delayMs >= 0 && delayMs < Infinity))
    throw new ServiceError(StatusCode.InvalidArgument, `delayMs is ${String(delayMs)}, must be 0 or more`);
  return { drop, duplicate, reorder, replay, delayMs };
}
