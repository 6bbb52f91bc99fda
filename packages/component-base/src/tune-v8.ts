import { channel } from 'node:diagnostics_channel';
import { setFlagsFromString } from 'node:v8';

export { type ProcessUsage, releaseMemoryAtRest, type ReleaseMemoryPorts } from './release-memory.ts';

/** Major version of V8 that is known to have the flags: one without them prints an error. */
const V8_WITH_THE_FLAGS = /^13\./;

/**
 * An agent works in short bursts of code that is seldom run, so that optimising it costs more CPU and memory than it returns. V8's own counts are 400 and 10,000.
 */
const FLAGS = ['--invocation-count-for-maglev=4000', '--invocation-count-for-turbofan=100000'];

/**
 * Makes V8 optimise code later than it does by default. To be called once everything is loaded: V8 rejects compiled code that was recorded under other flags, that of
 * Node's own modules included.
 *
 * Publishes `{ setFlags }` on the diagnostics channel `rxlet.loaded`, where it has a subscriber: a program that records the code of its process sets the flags after that.
 *
 * @param v8Version only V8 13 gets the flags
 */
export function tuneV8(
  v8Version: string = process.versions.v8,
  setFlag: (flag: string) => void = setFlagsFromString,
): void {
  const setFlags = (): void => {
    if (V8_WITH_THE_FLAGS.test(v8Version)) FLAGS.forEach(setFlag);
  };
  const loaded = channel('rxlet.loaded');
  if (loaded.hasSubscribers) loaded.publish({ setFlags });
  else setFlags();
}
