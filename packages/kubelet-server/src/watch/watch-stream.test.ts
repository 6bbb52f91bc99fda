import { EventEmitter } from 'node:events';
import { createTestStream, type TestStream } from '@rxlet/component-base/testing';
import { NEVER, throwError } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WatchEvent } from './watch-event.ts';
import { type KeyedChange, type WatchResponse, writeWatch } from './watch-stream.ts';

/** A response whose reader takes `room` lines and no more. */
class FakeResponse extends EventEmitter implements WatchResponse {
  readonly written: WatchEvent[] = [];
  room = Infinity;
  ended = false;
  destroyed = false;

  write(text: string): boolean {
    expect(text.endsWith('\n')).toBe(true);
    this.written.push(JSON.parse(text) as WatchEvent);
    this.room -= 1;
    return this.room > 0;
  }

  end(): void {
    this.ended = true;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  drain(room = Infinity): void {
    this.room = room;
    this.emit('drain');
  }
}

describe('writeWatch', () => {
  let response: FakeResponse;
  let changes: TestStream<KeyedChange>;
  const change = (key: string, type: WatchEvent['type'], object: unknown = key): void =>
    changes.emit({ key, event: { type, object } });
  beforeEach(() => {
    response = new FakeResponse();
    changes = createTestStream();
  });

  it('writes what there is, then each change', () => {
    writeWatch(response, [{ type: 'ADDED', object: 'a' }], changes.values$);
    change('b', 'ADDED');
    change('a', 'DELETED');
    expect(response.written).toEqual([
      { type: 'ADDED', object: 'a' },
      { type: 'ADDED', object: 'b' },
      { type: 'DELETED', object: 'a' },
    ]);
  });

  it('merges the changes of each object for a slow reader, and writes the latest when it goes on', () => {
    response.room = 1;
    writeWatch(response, [{ type: 'ADDED', object: 'a' }], changes.values$);
    change('a', 'MODIFIED', 'a2');
    change('b', 'ADDED', 'b1');
    change('c', 'ADDED');
    change('a', 'MODIFIED', 'a3');
    change('b', 'MODIFIED', 'b2');
    change('c', 'DELETED');
    expect(response.written).toHaveLength(1);

    response.drain();
    expect(response.written.slice(1)).toEqual([
      { type: 'MODIFIED', object: 'a3' },
      { type: 'ADDED', object: 'b2' },
    ]);
    change('b', 'DELETED');
    expect(response.written.at(-1)).toEqual({ type: 'DELETED', object: 'b' });
  });

  it('stops again where the reader has enough', () => {
    response.room = 1;
    writeWatch(response, [{ type: 'ADDED', object: 'a' }], changes.values$);
    for (const key of ['b', 'c', 'd']) change(key, 'ADDED');
    response.drain(2);
    expect(response.written.map(({ object }) => object)).toEqual(['a', 'b', 'c']);
    change('d', 'MODIFIED', 'd2');
    response.drain();
    expect(response.written.at(-1)).toEqual({ type: 'ADDED', object: 'd2' });
    expect(response.written).toHaveLength(4);
  });

  it('writes what there was no faster than the reader takes it, and changes after that', () => {
    response.room = 1;
    const initial = ['a', 'b', 'c'].map((object): WatchEvent => ({ type: 'ADDED', object }));
    writeWatch(response, initial, changes.values$);
    change('b', 'DELETED');
    change('d', 'ADDED', 'd1');
    change('d', 'MODIFIED', 'd2');
    const lines = (): string[] => response.written.map(({ type, object }) => `${type} ${String(object)}`);
    expect(lines()).toEqual(['ADDED a']);
    response.drain(1);
    expect(lines()).toEqual(['ADDED a', 'ADDED b']);
    response.drain(2);
    expect(lines().slice(2)).toEqual(['ADDED c', 'DELETED b']);
    response.drain();
    change('e', 'ADDED');
    expect(lines().slice(4)).toEqual(['ADDED d2', 'ADDED e']);
  });

  it('writes what there was and what is outstanding when the stream completes', () => {
    response.room = 1;
    const initial = ['a', 'b'].map((object): WatchEvent => ({ type: 'ADDED', object }));
    writeWatch(response, initial, changes.values$);
    change('c', 'ADDED');
    changes.complete();
    expect(response.written.map(({ object }) => object)).toEqual(['a', 'b', 'c']);
    expect(response.ended).toBe(true);
  });

  it('cuts off a reader that is too far behind, and leaves no subscription', () => {
    response.room = 0;
    writeWatch(response, [{ type: 'ADDED', object: 'a' }], changes.values$, 2);
    change('b', 'ADDED');
    change('c', 'ADDED');
    change('c', 'MODIFIED');
    expect(response.destroyed).toBe(false);
    change('d', 'ADDED');
    expect(response.destroyed).toBe(true);
    expect(changes.isObserved).toBe(false);
  });

  it('leaves no subscription when the reader goes away', () => {
    writeWatch(response, [], changes.values$);
    expect(changes.isObserved).toBe(true);
    response.emit('close');
    expect(changes.isObserved).toBe(false);
  });

  it('writes what is outstanding and ends when the stream completes', () => {
    response.room = 1;
    writeWatch(response, [{ type: 'ADDED', object: 'a' }], changes.values$);
    change('b', 'ADDED');
    changes.complete();
    expect(response.written.map(({ object }) => object)).toEqual(['a', 'b']);
    expect(response.ended).toBe(true);
  });

  it('breaks off when the stream fails, also at once', () => {
    writeWatch(response, [], changes.values$);
    changes.fail(new Error('broken'));
    expect([response.ended, response.destroyed]).toEqual([false, true]);

    const other = new FakeResponse();
    writeWatch(
      other,
      [],
      throwError(() => new Error('broken')),
    );
    expect(other.destroyed).toBe(true);
  });

  it('does not end by itself', () => {
    writeWatch(response, [], NEVER);
    expect([response.ended, response.destroyed]).toEqual([false, false]);
  });
});
