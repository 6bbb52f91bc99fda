import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryLogFiles } from '../testing/memory-log-files.ts';
import type { LogFiles } from './log-files.ts';
import type { LogChunk } from './log-output.ts';
import { LogReadError } from './log-read-error.ts';
import { readContainerLog, type ReadLogOptions } from './read-container-log.ts';

const LOG = '/logs/0.log';

const line = (text: string): string => `2026-01-01T00:00:00.5Z stdout F ${text}\n`;

describe('the log of a container that has ended', () => {
  it('is read to its end, a chunk a line, as the options ask for', async () => {
    const file = `${line('one')}2026-01-01T00:00:01Z stderr P two\n2026-01-01T00:00:02Z stderr F , joined\n${line('three')}`;
    const ports = {
      files: createMemoryLogFiles({ [LOG]: file }),
      clock: createVirtualClock(),
      isRunning: () => false,
    };
    const read = async (options: ReadLogOptions): Promise<string> => {
      let shown = '';
      for await (const chunk of readContainerLog(ports, LOG, options)) shown += textOf(chunk);
      return shown;
    };
    expect(await read({})).toBe('one\ntwo, joined\nthree\n');
    expect(await read({ tailLines: 1 })).toBe('three\n');
    expect(await read({ limitBytes: 6 })).toBe('one\ntw');
    expect(await read({ timestamps: true, tailLines: 1 })).toBe('2026-01-01T00:00:00.500000000Z three\n');
    expect(ports.files.openCount).toBe(0);
  });
});

describe('the lines that are shown', () => {
  const T = (second: number): string => `2026-01-01T00:00:0${String(second)}`;
  const log = [
    `${T(1)}.000000001Z stdout F one\n`,
    `${T(1)}.000000002Z stderr P two\n`,
    `${T(1)}.000000002Z stdout F , three\n`,
    `${T(2)}+00:00 stdout F four\n`,
    `2026-01-01T02:00:03+02:00 stdout F five\n`,
  ].join('');

  async function read(content: string, options: ReadLogOptions): Promise<string> {
    const files = createMemoryLogFiles({ [LOG]: content });
    const ports = { files, clock: createVirtualClock(), isRunning: () => false };
    let shown = '';
    try {
      for await (const chunk of readContainerLog(ports, LOG, options)) shown += textOf(chunk);
    } catch (error) {
      if (!(error instanceof LogReadError)) throw error;
      shown += `!${error.reason}`;
    }
    expect(files.openCount).toBe(0);
    return shown;
  }

  it.each<[ReadLogOptions, string]>([
    [{ sinceTime: `${T(1)}.000000002Z` }, 'two, three\nfour\nfive\n'],
    [{ sinceTime: '2026-01-01T01:00:01.000000003+01:00' }, 'four\nfive\n'],
    [{ sinceTime: `${T(2)}.000000001Z` }, 'five\n'],
    [{ sinceTime: `${T(3)}Z` }, 'five\n'],
    [{ sinceTime: '2026-01-01T02:00:03.000000001+02:00' }, ''],
    [{ sinceTime: '0001-01-01T00:00:00Z', limitBytes: 4 }, 'one\n'],
    [{ sinceTime: `${T(1)}Z`, sinceMs: Date.UTC(2026, 0, 1, 0, 0, 2) }, 'four\nfive\n'],
    [{ sinceTime: '12026-01-01T00:00:00Z' }, '!InvalidSinceTime'],
    [{ sinceTime: '2026-02-31T00:00:00Z' }, '!InvalidSinceTime'],
    [{ sinceMs: Date.UTC(12_026, 0, 1) }, ''],
    [{ sinceMs: 0, limitBytes: 6 }, 'one\ntw'],
    [{ limitBytes: 0 }, ''],
    [{ limitBytes: 10, timestamps: true }, '2026-01-01'],
    [{ limitBytes: 4, streams: ['stderr'] }, 'two'],
    [{ tailLines: 0 }, ''],
    [{ tailLines: 2, timestamps: true }, `${T(2)}.000000000Z four\n2026-01-01T02:00:03.000000000+02:00 five\n`],
    [
      { tailLines: 4, timestamps: true, streams: ['stdout'] },
      `, three\n${T(2)}.000000000Z four\n2026-01-01T02:00:03.000000000+02:00 five\n`,
    ],
  ])('%j gives %j', async (options, shown) => {
    expect(await read(log, options)).toBe(shown);
  });

  it.each<[string, ReadLogOptions, string]>([
    ['garbage\n', { limitBytes: 0 }, '!UnsupportedFormat'],
    ['garbage\n', { tailLines: 0 }, ''],
    [`${log}garbage`, {}, 'one\ntwo, three\nfour\nfive\n'],
    // Docker's format: a stream that there is not ends the reading, but for lines that are too old to be looked at.
    [
      '{"log":"a\\n","stream":"stdout"}\n{"log":"b\\n"}\n{"log":"c\\n","stream":"stdout"}\n',
      {},
      'a\n!UnexpectedStream',
    ],
    [
      '{"log":"a\\n","stream":"x"}\n{"log":"b\\n","stream":"stdout","time":"2026-01-01T00:00:00Z"}\n',
      { sinceMs: 0 },
      'b\n',
    ],
    ['{"log":"a\\n","stream":"stderr"}\n', { timestamps: true }, '0001-01-01T00:00:00.000000000Z a\n'],
    ['{}\n', {}, '!UnexpectedStream'],
  ])('of %j with %j is %j', async (content, options, shown) => {
    expect(await read(content, options)).toBe(shown);
  });

  it('are the same wherever the blocks of the file end', async () => {
    const shown = await read(log.repeat(3) + log.slice(0, -1), { timestamps: true });
    for (const size of [1, 7, 64]) {
      const files = createMemoryLogFiles({ [LOG]: log.repeat(3) + log.slice(0, -1) });
      const small: LogFiles = {
        async open(path) {
          const file = (await files.open(path))!;
          return { ...file, read: (offset, length) => file.read(offset, Math.min(length, size)) };
        },
      };
      const ports = { files: small, clock: createVirtualClock(), isRunning: () => false };
      let pieces = '';
      for await (const chunk of readContainerLog(ports, LOG, { timestamps: true })) pieces += textOf(chunk);
      expect(pieces).toBe(shown);
    }
  });
});

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

  it('takes along what a runtime writes to the old file when the new one is there already', async () => {
    const files = createMemoryLogFiles({ [LOG]: line('one') });
    const { clock, shown, stop, end } = follow(files);
    await clock.settle();
    files.rename(LOG, `${LOG}.20260101-000000`);
    files.append(LOG, '');
    await clock.settle();
    files.append(`${LOG}.20260101-000000`, line('two'));
    files.append(LOG, line('three'));
    await clock.advance(1000);
    files.append(LOG, line('four'));
    await clock.settle();
    stop();
    await clock.advance(1000);
    await end;
    expect(shown.join('')).toBe('one\ntwo\nthree\nfour\n');
    expect(files.openCount).toBe(0);
  });

  it('goes on across a rotation that was taken back, and shows nothing twice', async () => {
    const files = createMemoryLogFiles({ [LOG]: line('one') });
    const { clock, shown, stop, end } = follow(files);
    await clock.settle();
    files.rename(LOG, `${LOG}.20260101-000000`);
    await clock.advance(3000);
    files.rename(`${LOG}.20260101-000000`, LOG);
    files.append(LOG, line('two'));
    await clock.advance(1000);
    stop();
    await clock.advance(1000);
    await end;
    expect(shown.join('')).toBe('one\ntwo\n');
  });

  it('ends when the container ends right after a rotation', async () => {
    const files = createMemoryLogFiles({ [LOG]: line('one') });
    const { clock, shown, stop, end } = follow(files);
    await clock.settle();
    files.rename(LOG, `${LOG}.20260101-000000`);
    files.append(`${LOG}.20260101-000000`, line('two'));
    files.append(LOG, line('three'));
    stop();
    await clock.advance(2000);
    await end;
    expect(shown.join('')).toBe('one\ntwo\nthree\n');
    expect({ timers: clock.pendingTimers, open: files.openCount }).toEqual({ timers: 0, open: 0 });
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
