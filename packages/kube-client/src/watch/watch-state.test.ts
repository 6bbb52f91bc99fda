import { KubeError } from '@rxlet/kube-api/client';
import { describe, expect, it } from 'vitest';
import {
  afterAttempt,
  initialWatchState,
  nextAttempt,
  type WatchOutcome,
  type WatchState,
  withVersion,
} from './watch-state.ts';

const failed = (reason: string, code?: number, isSynced = false): WatchOutcome => ({
  type: 'failed',
  error: new KubeError(reason, reason, { code }),
  isSynced,
});
const tooLarge: WatchOutcome = {
  type: 'failed',
  isSynced: false,
  error: new KubeError('Timeout', 'too large', {
    code: 504,
    status: { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } },
  }),
};
/** Returns the next attempt after an outcome, and whether it waits. */
function next(state: WatchState, outcome: WatchOutcome): readonly [WatchState, string] {
  const { state: after, isDelayed } = afterAttempt(state, nextAttempt(state), outcome);
  const { kind, resourceVersion } = nextAttempt(after);
  return [after, `${kind} ${resourceVersion ?? 'none'}${isDelayed ? ' later' : ''}`];
}

describe('a watch', () => {
  const initial = initialWatchState({ isFirstListCurrent: false });
  const synced = withVersion({ ...initial, next: 'stream' }, '7');
  const watching: WatchState = { ...synced, next: 'watch' };

  it('streams the objects first, from any version', () => {
    expect(nextAttempt(initial)).toEqual({ kind: 'stream', resourceVersion: undefined });
  });

  it.each<[string, WatchState, WatchOutcome, string]>([
    ['resumes after its end', synced, { type: 'ended', isSynced: true, wasUseful: true }, 'watch 7'],
    [
      'resumes later when the connection was of no use',
      watching,
      { type: 'ended', isSynced: true, wasUseful: false },
      'watch 7 later',
    ],
    ['resumes while the server is away', watching, failed('Unreachable', undefined, true), 'watch 7 later'],
    ['resumes when there are too many requests', watching, failed('TooManyRequests', 429, true), 'watch 7 later'],
    ['reads everything again when the version is gone', watching, failed('Expired', 410, true), 'stream 7 later'],
    ['reads everything again after garbage', watching, failed('InvalidResponse', undefined, true), 'stream 7 later'],
    ['reads everything again after a server error', watching, failed('InternalError', 500, true), 'stream 7 later'],
    ['falls back to a list at once when the server does not stream', initial, failed('Invalid', 422), 'list 0'],
    ['falls back to a list at once when it is forbidden', initial, failed('Forbidden', 403), 'list 0'],
    [
      'falls back to a list of the most recent state when the first one must be current',
      initialWatchState({ isFirstListCurrent: true }),
      failed('Invalid', 422),
      'list ',
    ],
    [
      'lists when the stream ends without its objects',
      initial,
      { type: 'ended', isSynced: false, wasUseful: true },
      'list 0',
    ],
    ['streams again while the server is away', initial, failed('Unreachable'), 'stream none later'],
    ['asks for any version when the server never had the last one', synced, tooLarge, 'stream none later'],
    ['asks for any version when the stream itself expired', synced, failed('Expired', 410), 'stream none later'],
  ])('%s', (_, state, outcome, expected) => {
    expect(next(state, outcome)[1]).toBe(expected);
  });

  it('lists by the most recent version at once when the last one is gone, and waits if that fails too', () => {
    const listing: WatchState = { ...synced, next: 'list', canStream: false };
    const [lost, first] = next(listing, failed('Expired', 410));
    expect(first).toBe('list ');
    expect(next(lost, failed('Expired', 410))[1]).toBe('list  later');
    expect(next(listing, failed('Forbidden', 403))[1]).toBe('list 7 later');
    expect(next(withVersion(lost, '9'), { type: 'listed' })[1]).toBe('watch 9');
  });

  it('does not ask again for a stream that the server does not have', () => {
    const [state] = next(initial, failed('Invalid', 422));
    const [watched] = next(withVersion(state, '3'), { type: 'listed' });
    expect(next(watched, failed('Expired', 410, true))[1]).toBe('list 3 later');
  });
});
