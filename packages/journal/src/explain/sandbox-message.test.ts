import { describe, expect, it } from 'vitest';
import type { JournalSpan, Life } from '../model/life.ts';
import { sandboxMessage } from './sandbox-message.ts';

const FAILED = { result: 'failed' } as const;

/** A life of these spans, each of which begins a second after the one before it, within the root span unless it has another parent. */
function lifeOf(...spans: readonly Partial<JournalSpan>[]): Life {
  const root: JournalSpan = { id: 'root', kind: 'pod', startMs: 0 };
  return {
    id: 'root',
    uid: 'uid-web',
    namespace: 'default',
    name: 'web',
    startMs: 0,
    droppedSpans: 0,
    spans: [
      root,
      ...spans.map((span, index) => ({
        id: String(index),
        parentId: 'root',
        kind: '',
        startMs: (index + 1) * 1000,
        ...span,
      })),
    ],
  };
}

const sync = { id: 'sync', kind: 'pod.sync' };
const retry = { kind: 'sync.backoff', attributes: { untilMs: 20_000, message: 'no' } };
const mount = (subject: string) => ({ kind: 'volume.mount', subject, parentId: 'sync' });
const failed = (span: Partial<JournalSpan>) => ({ ...span, endMs: 9_000, outcome: FAILED });

describe('sandboxMessage', () => {
  it('is the same while a volume is mounted, has failed, and backs off', () => {
    const sentence = 'waits for volume "data" to be mounted';
    expect(sandboxMessage(lifeOf(sync, mount('data')))).toBe(sentence);
    expect(sandboxMessage(lifeOf(sync, failed(mount('data'))))).toBe(sentence);
    expect(sandboxMessage(lifeOf(failed(sync), failed(mount('data')), retry))).toBe(sentence);
    expect(sandboxMessage(lifeOf(sync, { kind: 'volume.backoff', subject: 'data', parentId: 'sync' }))).toBe(sentence);
  });

  it('is absent without a wait, once a sync has succeeded, and while the pod ends', () => {
    expect(sandboxMessage(lifeOf(sync))).toBeUndefined();
    expect(sandboxMessage(lifeOf(failed(sync), failed(mount('data'))))).toBeUndefined();
    expect(sandboxMessage(lifeOf(sync, mount('data'), { kind: 'pod.terminating', endMs: 3_000 }))).toBeUndefined();
    expect(sandboxMessage({ ...lifeOf(sync, mount('data')), endMs: 3_000 })).toBeUndefined();
    expect(sandboxMessage(lifeOf({ kind: 'container.readiness', container: 'app' }, sync))).toBeUndefined();
  });

  it('names the cause before its consequences, and of equal ones always the same', () => {
    const preparation = { kind: 'pod.prepare', subject: 'volumes', parentId: 'sync' };
    const runtime = { kind: 'node.runtime', attributes: { message: 'connection refused (try 17)' } };
    expect(sandboxMessage(lifeOf(sync, failed(preparation), failed(mount('b')), failed(mount('a'))))).toBe(
      'waits for volume "a" to be mounted',
    );
    expect(sandboxMessage(lifeOf(sync, failed(preparation), retry, runtime))).toBe('waits for the container runtime');
  });

  it('no longer names what a later try has done', () => {
    const done = { ...mount('data'), endMs: 9_500, outcome: { result: 'ok' } } as const;
    const sandbox = failed({ kind: 'sandbox.create', parentId: 'sync' });
    expect(sandboxMessage(lifeOf(sync, failed(mount('data')), done, sandbox, retry))).toBe(
      'waits for the container runtime to create its sandbox and network',
    );
  });
});
