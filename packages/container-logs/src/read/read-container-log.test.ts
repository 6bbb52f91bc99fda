import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryLogs } from '../test-support.ts';
import type { LogChunk } from './log-output.ts';
import { LogReadError } from './log-read-error.ts';
import { readContainerLog, type ReadLogOptions, type ReadLogPorts } from './read-container-log.ts';

const LOG = '/logs/0.log';

const line = (text: string): string => `2026-01-01T00:00:00.5Z stdout F ${text}\n`;

describe('the log of a container that has ended', () => {
  it('is read to its end, a chunk a line, as the options ask for', async () => {
    const file = `${line('one')}2026-01-01T00:00:01Z stderr P two\n2026-01-01T00:00:02Z stderr F , joined\n${line('three')}`;
    const ports = {
      files: createMemoryLogs({ [LOG]: file }),
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
    expect(ports.files.openHandles).toBe(0);
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
    const files = createMemoryLogs({ [LOG]: content });
    const ports = { files, clock: createVirtualClock(), isRunning: () => false };
    let shown = '';
    try {
      for await (const chunk of readContainerLog(ports, LOG, options)) shown += textOf(chunk);
    } catch (error) {
      if (!(error instanceof LogReadError)) throw error;
      shown += `!${error.reason}`;
    }
    expect(files.openHandles).toBe(0);
    return shown;
  }

  it.each<[ReadLogOptions, string]>([
    [{ sinceTime: `${T(1)}.000000002Z` }, 'two, three\nfour\nfive\n'],
    // Farther away than any date.
    [{ sinceMs: -1e22 }, 'one\ntwo, three\nfour\nfive\n'],
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
  ])('selects from %j with %j: %j', async (content, options, shown) => {
    expect(await read(content, options)).toBe(shown);
  });

  it('do not depend on where the blocks of the file end', async () => {
    const shown = await read(log.repeat(3) + log.slice(0, -1), { timestamps: true });
    for (const size of [1, 7, 64]) {
      const files = createMemoryLogs({ [LOG]: log.repeat(3) + log.slice(0, -1) });
      const small: ReadLogPorts['files'] = {
        ...files,
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
    files: ReadLogPorts['files'],
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

  it('shows what is written later, at once where changes are reported, and within a second elsewhere', async () => {
    const files = createMemoryLogs({ [LOG]: line('one') });
    const notified = follow(files);
    const unwatched = (): never => {
      throw new Error('no watches left');
    };
    const unnotified = follow({ open: (path) => files.open(path), watch: unwatched });
    await notified.clock.settle();
    files.append(LOG, line('two'));
    await notified.clock.settle();
    expect(notified.shown).toEqual(['one\n', 'two\n']);
    expect(unnotified.shown).toEqual(['one\n']);
    await unnotified.clock.advance(1000);
    expect(unnotified.shown).toEqual(['one\n', 'two\n']);
    for (const reader of [notified, unnotified]) {
      reader.stop();
      await reader.clock.advance(1000);
      await reader.end;
      expect(reader.clock.pendingTimers).toBe(0);
    }
    expect(files.openHandles).toBe(0);
  });

  it('ends when the container has, with all that it wrote', async () => {
    const files = createMemoryLogs({ [LOG]: '' });
    const { clock, shown, stop, end } = follow(files);
    await clock.settle();
    stop();
    files.append(LOG, line('last words'));
    await clock.advance(1000);
    await end;
    expect(shown).toEqual(['last words\n']);
  });

  it('goes on across a rotation without losing a line', async () => {
    const files = createMemoryLogs({ [LOG]: line('one') });
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
    expect(files.openHandles).toBe(0);
  });

  it('takes along what a runtime writes to the old file when the new one is there already', async () => {
    const files = createMemoryLogs({ [LOG]: line('one') });
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
    expect(files.openHandles).toBe(0);
  });

  it('goes on across a rotation that was taken back, and shows nothing twice', async () => {
    const files = createMemoryLogs({ [LOG]: line('one') });
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
    const files = createMemoryLogs({ [LOG]: line('one') });
    const { clock, shown, stop, end } = follow(files);
    await clock.settle();
    files.rename(LOG, `${LOG}.20260101-000000`);
    files.append(`${LOG}.20260101-000000`, line('two'));
    files.append(LOG, line('three'));
    stop();
    await clock.advance(2000);
    await end;
    expect(shown.join('')).toBe('one\ntwo\nthree\n');
    expect({ timers: clock.pendingTimers, open: files.openHandles }).toEqual({ timers: 0, open: 0 });
  });

  it('begins anew in a file that was emptied', async () => {
    const files = createMemoryLogs({ [LOG]: line('a first line that is long') });
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
    const files = createMemoryLogs({ [LOG]: '2026-01-01T00:00:00Z stdout F half' });
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

  it('stops when it is aborted, and leaves no timer and no open file', async () => {
    const files = createMemoryLogs({ [LOG]: line('one') });
    const controller = new AbortController();
    const { clock, end } = follow(files, { signal: controller.signal });
    await clock.settle();
    controller.abort(new Error('enough'));
    await expect(end).rejects.toThrow('enough');
    expect({ timers: clock.pendingTimers, open: files.openHandles }).toEqual({ timers: 0, open: 0 });
  });
});

describe('a line of more than 1 MiB', () => {
  const MIB = 1024 * 1024;
  const long = (bytes: number): string => 'abcdefg'.repeat(Math.ceil(bytes / 7)).slice(0, bytes);
  const read = async (file: string, options: ReadLogOptions = {}): Promise<{ text: string; largest: number }> => {
    const ports = { files: createMemoryLogs({ [LOG]: file }), clock: createVirtualClock(), isRunning: () => false };
    let text = '';
    let largest = 0;
    for await (const chunk of readContainerLog(ports, LOG, options)) {
      text += textOf(chunk);
      largest = Math.max(largest, chunk.bytes.length);
    }
    return { text, largest };
  };

  it.each([MIB, MIB + 1, 3 * MIB, 3 * MIB + 12_345])('passes %d bytes whole, in bounded pieces', async (bytes) => {
    const { text, largest } = await read(line('one') + line(long(bytes)) + line('three'));
    expect(text === `one\n${long(bytes)}\nthree\n`).toBe(true);
    expect(largest).toBeLessThan(1.5 * MIB);
  });

  it('has one timestamp, and none within it when it continues in the next entry', async () => {
    const partial = line(long(2 * MIB)).replace(' F ', ' P ');
    const { text } = await read(partial + line('end') + line('next'), { timestamps: true });
    const time = '2026-01-01T00:00:00.500000000Z';
    expect(text === `${time} ${long(2 * MIB)}end\n${time} next\n`).toBe(true);
  });

  it('ends in a newline of an entry that continues, whatever its length is', async () => {
    // The newline is the last byte of a block that was read, or the first of the next one, or near them.
    const blocks = 5 * 256 * 1024 - line('').length + 1;
    for (let bytes = blocks - 2; bytes <= blocks + 2; bytes += 1) {
      const partial = line(long(bytes)).replace(' F ', ' P ');
      const { text } = await read(partial + line('end'), { timestamps: true });
      expect(text.endsWith('end\n') && text.length).toBe('2026-01-01T00:00:00.500000000Z '.length + bytes + 4);
    }
  });

  it('counts as one line of the tail', async () => {
    const file = line('one') + line(long(2 * MIB)) + line('three');
    expect((await read(file, { tailLines: 2 })).text.length).toBe(2 * MIB + 1 + 'three\n'.length);
    expect((await read(file, { tailLines: 1 })).text).toBe('three\n');
  });

  it('is cut by the limit of bytes', async () => {
    const { text } = await read(line(long(3 * MIB)) + line('next'), { limitBytes: 2 * MIB });
    expect(text === long(2 * MIB)).toBe(true);
  });

  it('is left out as a whole when it is too old or of another stream', async () => {
    const file = line(long(3 * MIB)) + '2026-01-01T00:00:02Z stderr F next\n';
    expect((await read(file, { sinceTime: '2026-01-01T00:00:01Z' })).text).toBe('next\n');
    expect((await read(file, { streams: ['stderr'] })).text).toBe('next\n');
  });

  it('is delivered without its newline when the file ends in it', async () => {
    const { text } = await read(line(long(3 * MIB)).slice(0, -1));
    expect(text === long(3 * MIB)).toBe(true);
  });
});

describe('a log that cannot be read', () => {
  it('is an error that reports why', async () => {
    const ports = { files: createMemoryLogs(), clock: createVirtualClock(), isRunning: () => false };
    await expect(readContainerLog(ports, LOG).next()).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('leaves out a long line that is not of the CRI format', async () => {
    const files = createMemoryLogs({ [LOG]: line('one') + 'x'.repeat(3_000_000) + '\n' + line('two') });
    const chunks = readContainerLog({ files, clock: createVirtualClock(), isRunning: () => false }, LOG);
    let shown = '';
    for await (const chunk of chunks) shown += textOf(chunk);
    expect(shown).toBe('one\ntwo\n');
  });
});

function textOf({ bytes }: LogChunk): string {
  return Buffer.from(bytes).toString();
}
