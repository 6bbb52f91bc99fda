import { LifetimeEnded, onAbort } from '@rxlet/component-base';

/** Switch that decides whether the runtime answers. */
export interface Power {
  readonly on: boolean;
  /** Aborts when it is turned off, or when the runtime is disposed of; a new one each time it is turned on. */
  readonly signal: AbortSignal;
  turnOff(): void;
  /** Does nothing when it is on, or after the runtime was disposed of. */
  turnOn(): void;
}

/** Creates a {@link Power} that is on until `ended` aborts. */
export function createPower(ended: AbortSignal): Power {
  let controller = new AbortController();
  const turnOff = (): void => {
    if (!controller.signal.aborted) controller.abort(new LifetimeEnded());
  };
  onAbort(ended, turnOff);
  return {
    get on() {
      return !controller.signal.aborted;
    },
    get signal() {
      return controller.signal;
    },
    turnOff,
    turnOn() {
      if (controller.signal.aborted && !ended.aborted) controller = new AbortController();
    },
  };
}
