import { type JournalEntry, noopSpan, type SpanOutcome } from '@rxlet/agent-api/journal';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createJournalRecorder } from './journal-recorder.ts';

const pod = { uid: 'u1', namespace: 'default', name: 'web' };
const failed: SpanOutcome = { result: 'failed', message: 'no such image' };

function setup() {
  const clock = createVirtualClock();
  const entries: JournalEntry[] = [];
  const logger = recordingLogger();
  const sinks = [(entry: JournalEntry) => void entries.push(entry)];
  const journal = createJournalRecorder({ clock, random: seededRandom(1), logger, sinks });
  /** Returns the entries as `type kind`, and `type kind result` for ends. */
  const lines = (): string[] => {
    const kinds = new Map(entries.flatMap((entry) => ('kind' in entry ? [[entry.id, entry.kind] as const] : [])));
    return entries.map((entry) =>
      [entry.type, kinds.get(entry.id), entry.type === 'end' ? entry.outcome.result : ''].join(' ').trim(),
    );
  };
  return { clock, entries, journal, lines, logger, sinks };
}

describe('createJournalRecorder', () => {
  it('puts spans into the open phase of their pod', () => {
    const { journal, entries, lines } = setup();
    const phase = journal.begin(pod, { kind: 'pod.terminate' });
    journal.begin(pod, { kind: 'container.stop', container: 'app' }).end();
    phase.end();
    journal.record(pod, { kind: 'pod.finished' });
    expect(lines()).toEqual([
      'begin pod',
      'begin pod.terminate',
      'begin container.stop',
      'end container.stop ok',
      'end pod.terminate ok',
      'fact pod.finished',
    ]);
    const [root, terminate, stop, , , fact] = entries as readonly { id: string; parentId?: string }[];
    expect([terminate?.parentId, stop?.parentId, fact?.parentId]).toEqual([root?.id, terminate?.id, root?.id]);
    expect(root?.id).toMatch(/^[\da-f]{16}$/);
  });

  it('records a quiet span that fails, has a child or lasts, and no other', async () => {
    const { clock, journal, lines } = setup();
    journal.begin(pod, { kind: 'pod.sync', isQuiet: true }).end();
    journal.begin(pod, { kind: 'pod.prepare', isQuiet: true }).end();
    expect(lines()).toEqual([]);
    journal.begin(pod, { kind: 'pod.prepare', subject: 'a', isQuiet: true }).end(failed);
    expect(lines()).toEqual(['begin pod', 'begin pod.prepare', 'end pod.prepare failed']);
    const lasting = journal.begin(pod, { kind: 'pod.prepare', subject: 'b', isQuiet: true });
    await clock.advance(99);
    expect(lines()).toHaveLength(3);
    await clock.advance(1);
    expect(lines().slice(3)).toEqual(['begin pod.prepare']);
    lasting.end();
    await clock.advance(100);
    expect(clock.pendingTimers).toBe(0);
  });

  it('has one timer for all quiet spans, and none soon after the last of them', async () => {
    const { clock, journal } = setup();
    const phase = journal.begin(pod, { kind: 'pod.sync', isQuiet: true });
    journal.begin(pod, { kind: 'pod.prepare', isQuiet: true }).end();
    expect(clock.pendingTimers).toBe(1);
    phase.end();
    await clock.advance(100);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends the spans within a span that ends', () => {
    const { journal, lines } = setup();
    const phase = journal.begin(pod, { kind: 'pod.terminate' });
    const inner = journal.begin(pod, { kind: 'container.stop' });
    phase.end();
    inner.end();
    expect(lines().slice(3)).toEqual(['end container.stop interrupted', 'end pod.terminate ok']);
  });

  it('holds one wait for each key, and reports its changes', () => {
    const { journal, entries, lines } = setup();
    const wait = (untilMs: number) =>
      journal.hold(pod, { kind: 'container.backoff', container: 'app', attributes: { untilMs } });
    wait(10);
    wait(10);
    wait(20);
    journal.release(pod, { kind: 'container.backoff', container: 'app' });
    journal.release(pod, { kind: 'container.backoff', container: 'app' });
    expect(lines()).toEqual([
      'begin pod',
      'begin container.backoff',
      'update container.backoff',
      'end container.backoff ok',
    ]);
    expect(entries[2]).toMatchObject({ attributes: { untilMs: 20 } });
  });

  it('combines frequent updates, and loses none', async () => {
    const { clock, journal, entries } = setup();
    const pull = journal.begin(pod, { kind: 'image.pull' });
    for (let bytes = 1; bytes <= 100; bytes += 1) {
      pull.update({ bytes });
      await clock.advance(10);
    }
    pull.end();
    const updates = entries.filter(({ type }) => type === 'update');
    expect(updates).toHaveLength(2);
    expect(entries.at(-1)).toMatchObject({ type: 'end', attributes: { bytes: 100 } });
  });

  it('returns the shared span without a sink, and for a pod that it cannot name', () => {
    const { journal, sinks, entries } = setup();
    expect(journal.begin({ uid: 'u2' }, { kind: 'sandbox.stop' })).toBe(noopSpan);
    sinks.length = 0;
    expect(journal.begin(pod, { kind: 'sandbox.stop' })).toBe(noopSpan);
    expect(entries).toEqual([]);
  });

  it('passes entries to the other sinks when one fails', () => {
    const { journal, sinks, entries, logger } = setup();
    sinks.unshift(() => {
      throw new Error('full');
    });
    journal.record(pod, { kind: 'pod.finished' });
    expect(entries).toHaveLength(2);
    expect(logger.lines.map(({ message }) => message)).toContain('a sink of the journal failed');
  });

  it('begins another life after the end of one', () => {
    const { journal, lines } = setup();
    journal.record(pod, { kind: 'pod.finished' });
    journal.retain(new Set(['other']));
    journal.record(pod, { kind: 'pod.source' });
    expect(lines()).toEqual(['begin pod', 'fact pod.finished', 'end pod ok', 'begin pod', 'fact pod.source']);
  });
});
