export {
  createCurrentValue,
  type CurrentValue,
  currentThenChanges,
  type WritableCurrentValue,
} from './streams/current-value.ts';
export { createEmitter, type Emitter } from './streams/emitter.ts';
export { follow, type Follower, logUnhandledStreamErrors } from './streams/follow.ts';
export { waitUntil, whenTrue } from './streams/wait-until.ts';
