import {
  createTestStream,
  createVirtualClock,
  recordingLogger,
  type RecordingLogger,
  type TestStream,
  type VirtualClock,
} from '@rxlet/component-base/testing';
import type { ImagePull } from '@rxlet/agent-api/images';
import { createCurrentValue } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { beforeEach, describe, expect, it } from 'vitest';
import { type LiveTable, showLiveTable } from './live-table.ts';

/** A terminal as far as the table needs one: it knows the sequences that the table writes, and scrolls. */
class FakeScreen {
  columns = 100;
  rows = 24;
  writes = 0;
  #lines = [''];
  #cursor = 0;
  /** Number of lines that have left the screen at the top. */
  scrolled = 0;

  write(text: string): void {
    this.writes += 1;
    for (const [token] of text.matchAll(/\u001b\[(\d*)([A-Z])|[^\u001b]/g)) {
      if (token === '\u001b[J') this.#lines.splice(this.#cursor, Infinity, '');
      else if (token === '\u001b[H') this.#cursor = 0;
      else if (token.startsWith('\u001b')) this.#cursor = Math.max(0, this.#cursor - Number(token.slice(2, -1)));
      else if (token === '\n') this.#newLine();
      else if (token !== '\r') this.#lines[this.#cursor] = (this.#lines[this.#cursor] ?? '') + token;
    }
  }

  #newLine(): void {
    this.#cursor += 1;
    if (this.#cursor < (this.rows || 24)) {
      this.#lines[this.#cursor] ??= '';
      return;
    }
    this.#lines.shift();
    this.#lines.push('');
    this.#cursor -= 1;
    this.scrolled += 1;
  }

  /** The lines on the screen, the last one that of the cursor. */
  get shown(): readonly string[] {
    return this.#lines;
  }
}

const pod = (name: string, phase: 'Pending' | 'Running' = 'Running'): Pod => ({
  metadata: { name, namespace: 'default' },
  spec: { nodeName: 'node1', containers: [{ name: 'main' }] },
  status: { phase, podIP: '10.0.0.2', startTime: '2026-01-01T00:00:00Z' },
});

describe('showLiveTable', () => {
  let clock: VirtualClock;
  let screen: FakeScreen;
  let list: Pod[];
  let changes: TestStream<unknown>;
  let logger: RecordingLogger;
  const show = (): LiveTable => showLiveTable({ list: () => list, changes$: changes.values$ }, screen, clock, logger);
  const change = (...pods: Pod[]): void => {
    list = pods;
    changes.emit(undefined);
  };
  beforeEach(() => {
    clock = createVirtualClock();
    logger = recordingLogger();
    screen = new FakeScreen();
    list = [];
    changes = createTestStream();
  });

  it('shows the pods, and draws over them when they change', async () => {
    screen.write('$ rxlet\n');
    using _table = show();
    expect(screen.shown.slice(0, 3)).toEqual(['$ rxlet', expect.stringMatching(/^NAMESPACE +NAME /), 'no pods yet']);
    change(pod('web', 'Pending'), pod('db'));
    await clock.advance(200);
    expect(screen.shown).toEqual([
      '$ rxlet',
      'NAMESPACE   NAME   READY   STATUS    RESTARTS   AGE   IP         NODE',
      'default     db     0/1     Running   0          0s    10.0.0.2   node1',
      'default     web    0/1     Pending   0          0s    10.0.0.2   node1',
      '',
    ]);
    change(pod('db'));
    await clock.advance(200);
    expect(screen.shown).toHaveLength(4);
  });

  it('drops columns by their rank on a narrow screen: first node and address, name and status never', () => {
    list = [pod('a-name-of-twenty-four-xx'), pod('b', 'Pending')];
    const headerAt = (columns: number): string => {
      screen = new FakeScreen();
      screen.columns = columns;
      using _table = show();
      return screen.shown[0]!;
    };
    expect([100, 92, 80, 70, 60, 50, 40].map(headerAt).map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      'NAMESPACE NAME READY STATUS RESTARTS AGE IP NODE',
      'NAMESPACE NAME READY STATUS RESTARTS AGE IP NODE',
      'NAMESPACE NAME READY STATUS RESTARTS AGE',
      'NAMESPACE NAME READY STATUS RESTARTS',
      'NAME READY STATUS RESTARTS',
      'NAME READY STATUS',
      'NAME STATUS',
    ]);
  });

  it('shows image pulls below the table, with their progress', async () => {
    list = [pod('web', 'Pending')];
    const pull: ImagePull = {
      image: 'nginx:1.29',
      phase: 'pulling',
      sinceMs: clock.now(),
      position: 0,
      requests: [],
      progress: { step: 'downloading', currentBytes: 25_000_000, totalBytes: 100_000_000 },
    };
    const pulls = createCurrentValue<readonly ImagePull[]>([]);
    using _table = showLiveTable({ list: () => list, changes$: changes.values$ }, screen, clock, logger, { pulls });
    expect(screen.shown).toHaveLength(3);
    pulls.set([pull, { ...pull, image: 'redis:8', phase: 'queued' }, { ...pull, image: 'x', phase: 'queued' }]);
    await clock.advance(200);
    expect(screen.shown.slice(2)).toEqual([
      'pulling nginx:1.29  [=====               ] 25% of 100.0 MB',
      '… and 2 more images to pull',
      '',
    ]);
    pulls.set([{ ...pull, progress: undefined }]);
    await clock.advance(1000);
    expect(screen.shown[2]).toBe('pulling nginx:1.29  for 1s');
    pulls.set([]);
    await clock.advance(200);
    expect(screen.shown).toHaveLength(3);
    pulls.complete();
  });

  it('colours the status where that is wanted', () => {
    list = [pod('web')];
    let text = '';
    screen.write = (piece) => void (text += piece);
    using _table = showLiveTable({ list: () => list, changes$: changes.values$ }, screen, clock, logger, {
      colors: true,
    });
    expect(text).toContain('\u001b[32mRunning\u001b[0m');
  });

  it('logs a failed drawing, and draws again with the next change', async () => {
    using _table = show();
    const write = screen.write.bind(screen);
    screen.write = () => {
      throw new Error('EIO');
    };
    change(pod('web'));
    await clock.advance(200);
    expect(logger.lines).toMatchObject([
      { level: 'error', message: 'drawing the table of pods failed', fields: { error: 'EIO' } },
    ]);
    screen.write = write;
    change(pod('web'));
    await clock.advance(200);
    expect(screen.shown[1]).toMatch(/^default +web /);
  });

  it('lets ages grow, and writes nothing while nothing to be seen changes', async () => {
    list = [pod('web')];
    using _table = show();
    const ages: (string | undefined)[] = [];
    for (let second = 0; second < 3; second += 1) {
      await clock.advance(1000);
      ages.push(/\d+s/.exec(screen.shown[1]!)?.[0]);
    }
    expect(ages).toEqual(['1s', '2s', '3s']);

    const old = { ...pod('web'), status: { startTime: '2025-12-01T00:00:00Z' } };
    change(old);
    await clock.advance(1000);
    const { writes } = screen;
    change(old);
    await clock.advance(60_000);
    expect(screen.writes).toBe(writes);
  });

  it('writes notes above the table', () => {
    list = [pod('web')];
    using table = show();
    const [header, row] = screen.shown;
    table.printAbove('something is wrong');
    table.printAbove('and something else');
    expect(screen.shown).toEqual(['something is wrong', 'and something else', header, row, '']);
  });

  it('draws at most five times a second', async () => {
    using _table = show();
    for (let ms = 0; ms < 1000; ms += 10) {
      change(pod(`web-${String(ms)}`));
      await clock.advance(10);
    }
    expect(screen.writes).toBeLessThanOrEqual(7);
    await clock.advance(200);
    expect(screen.shown[1]).toContain('web-990');
  });

  it('cuts lines at the width of the screen and counts the pods that do not fit', () => {
    screen.columns = 20;
    screen.rows = 5;
    list = ['a', 'b', 'c', 'd', 'e'].map((name) => pod(name));
    using _table = show();
    expect(screen.shown).toEqual(['NAME   STATUS', 'a      Running', 'b      Running', '… and 3 more', '']);
    expect(screen.scrolled).toBe(0);
  });

  it('shows as many as fit', () => {
    screen.rows = 5;
    list = ['a', 'b', 'c'].map((name) => pod(name));
    using _table = show();
    expect(screen.shown.map((line) => line.slice(0, 14).trim())).toEqual([
      'NAMESPACE   NA',
      'default     a',
      'default     b',
      'default     c',
      '',
    ]);
    expect(screen.scrolled).toBe(0);
  });

  it('begins anew at the top when the size of the screen changes', async () => {
    screen.write('$ rxlet\n');
    list = ['a', 'b', 'c'].map((name) => pod(name));
    using _table = show();
    screen.columns = 15;
    screen.rows = 4;
    await clock.advance(1000);
    expect(screen.shown).toEqual(['NAME   STATUS', 'a      Running', '… and 2 more', '']);
    await clock.advance(1000);
    expect(screen.shown).toHaveLength(4);
    screen.columns = 100;
    screen.rows = 24;
    await clock.advance(1000);
    expect(screen.shown).toHaveLength(5);
    expect(screen.shown[3]).toMatch(/^default +c .* node1$/);
  });

  it('assumes 80 by 24 for a terminal that does not report its size', () => {
    screen.columns = 0;
    screen.rows = 0;
    list = [pod('a'.repeat(90))];
    using _table = show();
    expect(screen.shown[1]).toHaveLength(80);
  });

  it('leaves the last state on the screen and nothing behind it', async () => {
    list = [pod('web')];
    const table = show();
    table[Symbol.dispose]();
    expect(clock.pendingTimers).toBe(0);
    expect(changes.isObserved).toBe(false);
    const { writes } = screen;
    change(pod('web'), pod('db'));
    await clock.advance(5000);
    expect(screen.writes).toBe(writes);
    expect(screen.shown.at(-1)).toBe('');
  });

  it('goes on with the ages after the pods are closed', async () => {
    list = [pod('web')];
    using _table = show();
    changes.complete();
    await clock.advance(2000);
    expect(screen.shown[1]).toContain('2s');
  });
});
