import type { JournalSpan, Life } from '@rxlet/journal/model';
import { describe, expect, it } from 'vitest';
import { lanesOf } from './lanes.ts';

const ok = { result: 'ok' } as const;
const life = (...spans: readonly Omit<JournalSpan, 'id'>[]): Life => ({
  id: '0',
  uid: 'u',
  namespace: 'default',
  name: 'web',
  startMs: 0,
  droppedSpans: 0,
  spans: [{ kind: 'pod', startMs: 0 }, ...spans].map((span, index) => ({ id: String(index), ...span })),
});
const shown = (given: Life): Record<string, string[]> =>
  Object.fromEntries(
    lanesOf(given, 100).map(({ title, bars }) => [
      title,
      bars.map(
        ({ title: word, row, startMs, endMs = 'open' }) => `${String(row)} ${word} ${String(startMs)}-${String(endMs)}`,
      ),
    ]),
  );

describe('the lanes of a life', () => {
  it('show the pod, volumes, images and sandbox, then one for each container', () => {
    const lanes = shown(
      life(
        { kind: 'container.create', container: 'main', startMs: 9, endMs: 10, outcome: ok },
        { kind: 'image.pull', container: 'main', subject: 'nginx', startMs: 4, endMs: 9, outcome: ok },
        { kind: 'volume.mount', subject: 'data', startMs: 1, endMs: 3, outcome: ok },
        { kind: 'gpu/attach', startMs: 5 },
      ),
    );
    expect(Object.keys(lanes)).toEqual(['Volumes', 'Images', 'main', 'Other']);
  });

  it('show when a container ran, with its exit code, and that it runs', () => {
    const start = { kind: 'container.start', container: 'main', outcome: ok };
    const lanes = shown(
      life(
        { ...start, startMs: 1, endMs: 2 },
        { kind: 'container.exited', container: 'main', startMs: 20, endMs: 20, attributes: { exitCode: 3 } },
        { ...start, startMs: 30, endMs: 31 },
      ),
    );
    expect(lanes['main']).toContain('0 ran, exit 3 2-20');
    expect(lanes['main']).toContain('0 running 31-open');
  });

  it('put spans that overlap below each other', () => {
    const mount = (subject: string, startMs: number, endMs?: number): Omit<JournalSpan, 'id'> => ({
      kind: 'volume.mount',
      subject,
      startMs,
      ...(endMs !== undefined && { endMs, outcome: ok }),
    });
    expect(shown(life(mount('a', 0, 10), mount('b', 5), mount('c', 10, 20)))).toEqual({
      Volumes: ['0 mount a 0-10', '1 mount b 5-open', '0 mount c 10-20'],
    });
  });

  it('show the progress of a pull of known size', () => {
    const pull = {
      kind: 'image.pull',
      subject: 'nginx',
      startMs: 1,
      attributes: { currentBytes: 25, totalBytes: 100 },
    };
    const [images] = lanesOf(life(pull), 100);
    expect(images!.bars[0]).toMatchObject({ progress: 0.25, tone: 'busy' });
  });
});
