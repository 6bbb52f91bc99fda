import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { readFixture } from '../fixtures/read-fixture.ts';
import { createMemoryLogFiles } from '../testing/memory-log-files.ts';
import type { LogFiles } from './log-files.ts';
import type { LogChunk } from './log-line-reader.ts';
import { LogReadError } from './log-read-error.ts';
import { readContainerLog, type ReadLogOptions } from './read-container-log.ts';

const LOG = '/logs/0.log';

interface Vector {
  readonly name: string;
  readonly input: {
    readonly file: string;
    readonly options: { tailLines?: number; limitBytes?: number; sinceTime?: string; timestamps?: boolean };
  };
  readonly want: { readonly stdout: string; readonly stderr: string; readonly error?: boolean };
}

const vectors = readFixture<Vector>('logs.jsonl.gz');

describe('readContainerLog on logs that a kubelet was recorded reading', () => {
  it('has some', () => {
    expect(vectors).toHaveLength(250);
  });

  it('agrees with each', async () => {
    for (const { name, input, want } of vectors) expect(await readAll(input), name).toEqual(want);
  });
});

async function readAll({ file, options }: Vector['input']): Promise<Vector['want']> {
  const { sinceTime, ...others } = options;
  const text = { stdout: '', stderr: '' };
  try {
    const chunks = readContainerLog(
      { files: createMemoryLogFiles({ [LOG]: file }), clock: createVirtualClock(), isRunning: () => false },
      LOG,
      { ...others, sinceMs: sinceTime === undefined ? undefined : Date.parse(sinceTime) },
    );
    for await (const { stream, bytes } of chunks) text[stream] += Buffer.from(bytes).toString();
    return text;
  } catch (error) {
    expect(error).toBeInstanceOf(LogReadError);
    return { ...text, error: true };
  }
}

const line = (text: string): string => `2026-01-01T00:00:00.5Z stdout F ${text}\n`;

describe('following a log', () => {
  function follow(
    files: LogFiles,
    options: ReadLogOptions = {},
  ): {
    clock: ReturnType<typeof createVirtualClock>;
    shown: string[];
    stop: () => void;
    end: Promise<void>;
  } {
    const clock = createVirtualClock();
    let running = true;
    const shown: string[] = [];
    const read = async (): Promise<void> => {
      const chunks = readContainerLog({ files, clock, isRunning: () => running }, LOG, { follow: true, ...options });
      for await (const chunk of chunks) shown.push(textOf(chunk));
    };
    return { clock, shown, stop: () => void (running = false), end: read() };
  }

  it('shows what is written later, at once where changes are told and within a second where not', async () => {
    const files = createMemoryLogFiles({ [LOG]: line('one') });
    const told = follow(files);
    const untold = follow({ open: (path) => files.open(path) });
    await told.clock.settle();
    files.append(LOG, line('two'));
    await told.clock.settle();
    expect(told.shown).toEqual(['one\n', 'two\n']);
    expect(untold.shown).toEqual(['one\n']);
    await untold.clock.advance(1000);
    expect(untold.shown).toEqual(['one\n', 'two\n']);
    for (const reader of [told, untold]) {
      reader.stop();
      await reader.clock.advance(1000);
      await reader.end;
      expect(reader.clock.pendingTimers).toBe(0);
    }
    expect(files.openCount).toBe(0);
  });

  it('ends when the container has, with all that it wrote', async () => {
    const files = createMemoryLogFiles({ [LOG]: '' });
    const { clock, shown, stop, end } = follow(files);
    await clock.settle();
    stop();
    files.append(LOG, line('last words'));
    await clock.advance(1000);
    await end;
    expect(shown).toEqual(['last words\n']);
  });

  it('goes on across a rotation without losing a line', async () => {
    const files = createMemoryLogFiles({ [LOG]: line('one') });
    const { clock, shown, stop, end } = follow(files);
    await clock.settle();
    files.rename(LOG, `${LOG}.20260101-000000`);
    await clock.settle();
    files.append(`${LOG}.20260101-000000`, line('two'));
    files.append(LOG, line('three'));
    await clock.settle();
    stop();
    await clock.advance(1000);
    await end;
    expect(shown.join('')).toBe('one\ntwo\nthree\n');
    expect(files.openCount).toBe(0);
  });

  it('begins anew in a file that was emptied', async () => {
    const files = createMemoryLogFiles({ [LOG]: line('a first line that is long') });
    const { clock, shown, stop, end } = follow(files);
    await clock.settle();
    files.truncate(LOG);
    await clock.settle();
    files.append(LOG, line('second'));
    await clock.settle();
    stop();
    await clock.advance(1000);
    await end;
    expect(shown).toEqual(['a first line that is long\n', 'second\n']);
  });

  it('waits for the rest of a line', async () => {
    const files = createMemoryLogFiles({ [LOG]: '2026-01-01T00:00:00Z stdout F half' });
    const { clock, shown, stop, end } = follow(files);
    await clock.settle();
    expect(shown).toEqual([]);
    files.append(LOG, ' and half\n');
    await clock.settle();
    expect(shown).toEqual(['half and half\n']);
    stop();
    await clock.advance(1000);
    await end;
  });

  it('stops when told so, and leaves nothing behind', async () => {
    const files = createMemoryLogFiles({ [LOG]: line('one') });
    const controller = new AbortController();
    const { clock, end } = follow(files, { signal: controller.signal });
    await clock.settle();
    controller.abort(new Error('enough'));
    await expect(end).rejects.toThrow('enough');
    expect({ timers: clock.pendingTimers, open: files.openCount }).toEqual({ timers: 0, open: 0 });
  });
});

describe('a log that cannot be read', () => {
  it('is an error that says why', async () => {
    const ports = { files: createMemoryLogFiles(), clock: createVirtualClock(), isRunning: () => false };
    await expect(readContainerLog(ports, LOG).next()).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('does not fill the memory with a line that never ends', async () => {
    const files = createMemoryLogFiles({ [LOG]: line('one') + 'x'.repeat(3_000_000) + '\n' + line('two') });
    const chunks = readContainerLog({ files, clock: createVirtualClock(), isRunning: () => false }, LOG);
    let shown = '';
    for await (const chunk of chunks) shown += textOf(chunk);
    expect(shown).toBe('one\ntwo\n');
  });
});

function textOf({ bytes }: LogChunk): string {
  return Buffer.from(bytes).toString();
}
