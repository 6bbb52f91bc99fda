import { describe, expect, it } from 'vitest';
import { createChangeLog } from './change-log.ts';

describe('a change log', () => {
  it('begins with everything there is', () => {
    const log = createChangeLog<number>('a');
    log.set('x', 1);
    log.set('y', 2);
    log.remove('x');
    expect(log.since(undefined)).toEqual({
      cursor: { epoch: 'a', version: 3 },
      isSnapshot: true,
      changes: [['y', 2]],
    });
  });

  it('returns only the latest change of each key after the cursor', () => {
    const log = createChangeLog<number>('a');
    log.set('x', 1);
    log.set('y', 1);
    const { cursor } = log.since(undefined);
    log.set('x', 2);
    log.remove('y');
    log.set('x', 3);
    expect(log.since(cursor)).toMatchObject({
      isSnapshot: false,
      changes: [
        ['y', null],
        ['x', 3],
      ],
    });
    expect(log.since(log.since(cursor).cursor).changes).toEqual([]);
  });

  it('starts anew for a reader of another log, of the future, and of a past that it has forgotten', () => {
    const log = createChangeLog<number>('b', 1);
    for (const key of ['x', 'y', 'z']) log.set(key, 1);
    const { cursor } = log.since(undefined);
    expect(log.since({ epoch: 'a', version: 3 }).isSnapshot).toBe(true);
    expect(log.since({ epoch: 'b', version: 4 }).isSnapshot).toBe(true);
    log.remove('x');
    expect(log.since(cursor).isSnapshot).toBe(false);
    log.remove('y');
    expect(log.since(cursor)).toMatchObject({ isSnapshot: true, changes: [['z', 1]] });
    expect(log.size()).toBe(1);
  });

  it('keeps a bounded number of keys that have gone', () => {
    const log = createChangeLog<number>('a', 10);
    for (let key = 0; key < 1000; key += 1) {
      log.set(String(key), key);
      log.remove(String(key));
      log.remove(String(key));
    }
    const { cursor } = log.since(undefined);
    expect([log.size(), log.since({ ...cursor, version: cursor.version - 10 }).changes.length]).toEqual([0, 5]);
  });
});
